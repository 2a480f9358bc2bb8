import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** A modal dialog: the browser keeps the focus inside, Escape closes it, and the focus goes back to where it was. */
export function Dialog({
  title,
  onClose,
  isWide = false,
  children,
}: {
  title: string;
  /** For tables. */
  isWide?: boolean;
  onClose: () => void;
  children: ComponentChildren;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const dialog = ref.current;
    dialog?.showModal();
    // The first thing to fill in, where there is one; the browser would take the close button.
    dialog?.querySelector<HTMLElement>('input, textarea, select')?.focus();
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      class={isWide ? 'is-wide' : undefined}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <article>
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="icon secondary outline" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </header>
        {children}
      </article>
    </dialog>
  );
}
