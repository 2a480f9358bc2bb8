/** How long a button shows "Copied". */
export const SHOWN_MS = 2_500;

/** Shows the result on the button for a moment. Browsers have no clipboard on an insecure origin. */
export async function copyFrom(button: HTMLElement, text: string): Promise<void> {
  const isCopied = await navigator.clipboard?.writeText(text).then(
    () => true,
    () => false,
  );
  button.textContent = isCopied ? 'Copied' : 'Select and copy it';
  setTimeout(() => (button.textContent = 'Copy'), SHOWN_MS);
}

/** Adds a copy button to each block of code, if the browser has a clipboard. */
export function offerCopies(blocks: Iterable<HTMLElement>): void {
  if (!navigator.clipboard) return;
  for (const block of blocks) {
    const frame = document.createElement('div');
    frame.className = 'copied';
    frame.innerHTML = '<button type="button" class="copy" aria-live="polite">Copy</button>';
    const button = frame.querySelector('button')!;
    button.onclick = () => void copyFrom(button, block.textContent.trim());
    block.replaceWith(frame);
    frame.append(block);
  }
}
