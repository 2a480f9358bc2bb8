/** How long a button says that it has copied. */
export const SHOWN_MS = 2_500;

/** Puts a button on each block of code that copies it. On an address that is not secure browsers do not copy, and there is none. */
export function offerCopies(blocks: Iterable<HTMLElement>): void {
  if (!navigator.clipboard) return;
  for (const block of blocks) {
    const frame = document.createElement('div');
    frame.className = 'copied';
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.ariaLive = 'polite';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.textContent.trim());
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = 'Copy'), SHOWN_MS);
    });
    block.replaceWith(frame);
    frame.append(button, block);
  }
}
