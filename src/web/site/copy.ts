/** How long a button says "Copied". */
export const SHOWN_MS = 2_500;

/** Copies a text and says so on the button for a moment. On an address that is not secure, browsers have no clipboard. */
export async function copyFrom(button: HTMLElement, text: string): Promise<void> {
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  button.textContent = isCopied ? 'Copied' : 'Select it and copy';
  setTimeout(() => (button.textContent = 'Copy'), SHOWN_MS);
}

/** Puts a button on each block of code that copies it, where browsers can copy. */
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
    button.addEventListener('click', () => void copyFrom(button, block.textContent.trim()));
    block.replaceWith(frame);
    frame.append(button, block);
  }
}
