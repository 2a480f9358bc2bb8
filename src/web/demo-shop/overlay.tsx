import type { ComponentChildren, SubmitEventHandler } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { explain } from './api.ts';
import { Button, Icon } from './parts.tsx';
import { close, focusHeading } from './route.ts';
import { dismiss, shop } from './state.ts';
import { load } from './wishes.ts';

/** Escape and Back close the dialog, and the focus returns to its previous element. */
export function Modal({ title, children }: { title: string; children: ComponentChildren }) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    const dialog = element.current!;
    dialog.showModal();
    // Focuses the first field instead of the close button.
    dialog.querySelector<HTMLElement>('input, textarea')?.focus();
    return () => {
      dialog.close();
      if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) opener.focus();
      else focusHeading();
    };
  }, []);
  // The event fires late: another dialog may be open by then.
  const onClose = (): unknown => element.current?.isConnected && close();
  return (
    <dialog ref={element} class="modal" aria-labelledby="modal-title" onClose={onClose}>
      <header class="flex">
        <h2 id="modal-title">{title}</h2>
        <Button class="round plain" label="Close" onClick={() => close()}>
          <Icon name="close" />
        </Button>
      </header>
      {children}
    </dialog>
  );
}

export type FieldReader = (name: string) => string;

type FormProps = {
  submit: string;
  isRow?: boolean;
  onSubmit: (value: FieldReader, form: HTMLFormElement) => Promise<unknown>;
  children: ComponentChildren;
};

export function Form({ submit, isRow = false, onSubmit, children }: FormProps) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const send: SubmitEventHandler<HTMLFormElement> = (event) => {
    event.preventDefault();
    if (isBusy) return;
    const form = event.currentTarget;
    const fields = new FormData(form);
    setBusy(true);
    setProblem('');
    onSubmit((name) => ((fields.get(name) ?? '') as string).trim(), form)
      .catch((error: unknown) => setProblem(explain(error)))
      .finally(() => setBusy(false));
  };
  return (
    <form class={isRow ? 'flex row' : undefined} onSubmit={send} aria-busy={isBusy}>
      {children}
      <button class="button primary">{submit}</button>
      {problem && (
        <p class="wrong" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

export function Toasts() {
  const { toasts } = shop;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A popover that is hidden and shown again is above an open dialog.
    element.current?.hidePopover();
    if (toasts.length > 0) element.current?.showPopover();
  }, [toasts]);
  return (
    <div ref={element} popover="manual" class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, isError, action }) => (
        <p key={id} class={isError ? 'flex toast error' : 'flex toast'}>
          {text}
          {action && <Button onClick={() => (dismiss(id), action.run())}>{action.name}</Button>}
        </p>
      ))}
    </div>
  );
}

export function AwayBar() {
  if (shop.away === null) return null;
  return (
    <div class="flex away" role="alert">
      <span>{shop.away}</span>
      <Button onClick={load}>Try now</Button>
    </div>
  );
}
