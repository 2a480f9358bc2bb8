import { createContext } from 'preact';
import type { ComponentChildren, VNode } from 'preact';
import { useContext, useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { useRoute } from '../route.ts';
import { Button } from './layout.tsx';

type Dialogs = { open: (dialog: VNode) => void; close: () => void };

const DialogContext = createContext<Dialogs>({ open: () => undefined, close: () => undefined });

export const useDialog = (): Dialogs => useContext(DialogContext);

export const InDialog = createContext(false);

export function DialogHost({ children }: { children: ComponentChildren }) {
  const [dialog, setDialog] = useState<VNode | null>(null);
  const { page, rest } = useRoute();
  useEffect(() => setDialog(null), [page, rest]);
  const dialogs = useMemo(() => ({ open: setDialog, close: () => setDialog(null) }), []);
  return (
    <DialogContext.Provider value={dialogs}>
      {children}
      {dialog}
    </DialogContext.Provider>
  );
}

type DialogProps = { title: string; isWide?: boolean; children: ComponentChildren };

/** The browser traps the focus, closes the dialog on Escape and restores the focus. */
export function Dialog({ title, isWide = false, children }: DialogProps) {
  const { close } = useDialog();
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const opener = document.activeElement;
    const dialog = ref.current;
    dialog?.showModal();
    // Focuses the first input, if any; the browser would focus the close button.
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
        close();
      }}
    >
      <article>
        <header>
          <h2 id={id}>{title}</h2>
          <Button look="icon secondary outline" label="Close" onClick={close}>
            ✕
          </Button>
        </header>
        <InDialog.Provider value={true}>{children}</InDialog.Provider>
      </article>
    </dialog>
  );
}
