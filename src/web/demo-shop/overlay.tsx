import type { ComponentChildren, JSX, SubmitEventHandler } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { explain } from './api.ts';
import { Icon } from './parts.tsx';
import { focusHeading } from './route.ts';
import { useShop } from './state.ts';

/** A modal dialog: the browser keeps the focus inside, Escape and Back close it, and the focus goes back to where it was. */
export function Modal({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  const { close } = useShop();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    const dialog = element.current;
    dialog?.showModal();
    // The first thing to fill in, not the way out.
    dialog?.querySelector<HTMLElement>('input, textarea')?.focus();
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) opener.focus();
      else focusHeading();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class="modal"
      aria-labelledby="modal-title"
      // The browser tells late: once this dialog is gone, another one may be open.
      onClose={({ currentTarget }) => currentTarget.isConnected && close()}
    >
      <header>
        <h2 id="modal-title">{title}</h2>
        <button type="button" class="round plain" aria-label="Close" onClick={() => close()}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

/** A form of a dialog: sent once at a time, and what is wrong is said where it was typed. */
export function Form({
  submit,
  isRow = false,
  onSubmit,
  children,
}: {
  submit: string;
  isRow?: boolean;
  onSubmit: (value: (name: string) => string, form: HTMLFormElement) => Promise<unknown>;
  children: ComponentChildren;
}): JSX.Element {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const send: SubmitEventHandler<HTMLFormElement> = (event) => {
    event.preventDefault();
    if (isBusy) return;
    const form = event.currentTarget;
    const fields = new FormData(form);
    const value = (name: string): string => {
      const field = fields.get(name);
      return typeof field === 'string' ? field.trim() : '';
    };
    setBusy(true);
    setProblem(null);
    onSubmit(value, form)
      .catch((error: unknown) => setProblem(explain(error)))
      .finally(() => setBusy(false));
  };
  return (
    <form class={isRow ? 'row' : undefined} onSubmit={send} aria-busy={isBusy}>
      {children}
      <button class={isRow ? 'button primary' : 'button primary wide'}>{submit}</button>
      {problem && (
        <p class="wrong" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

export function Toasts(): JSX.Element {
  const { toasts, dismiss } = useShop();
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A dialog lies above the page; a popover that is shown anew lies above the dialog.
    element.current?.hidePopover();
    if (toasts.length > 0) element.current?.showPopover();
  }, [toasts]);
  return (
    <div ref={element} popover="manual" class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, isError, action }) => (
        <p key={id} class={isError ? 'toast error' : 'toast'}>
          {text}
          {action && (
            <button
              type="button"
              class="undo"
              onClick={() => {
                dismiss(id);
                void action.run();
              }}
            >
              {action.name}
            </button>
          )}
        </p>
      ))}
    </div>
  );
}

/** The one bar that says that the service is away; it goes when the service is back. */
export function AwayBar(): JSX.Element | null {
  const { away, load } = useShop();
  if (away === null) return null;
  return (
    <div class="away" role="alert">
      <span>{away}</span>
      <button type="button" class="button" onClick={() => void load()}>
        Try now
      </button>
    </div>
  );
}
