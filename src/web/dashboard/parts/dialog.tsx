import { createContext } from 'preact';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { useRoute } from '../route.ts';
import { DialogContext, useDialog } from '../session.ts';
import { t } from '../text.ts';
import { Button } from './layout.tsx';

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
    const dialog = ref.current!;
    dialog.showModal();
    // Focuses the first input, if any; the browser would focus the close button.
    dialog.querySelector<HTMLElement>('input, textarea, select')?.focus();
    return () => {
      dialog.close();
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
          <Button text="✕" look="icon secondary outline" label={t('common.close')} onClick={close} />
        </header>
        <InDialog.Provider value={true}>{children}</InDialog.Provider>
      </article>
    </dialog>
  );
}

export function CopyField({ label, value, note }: { label: string; value: string; note?: string }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [isCopied, setCopied] = useState<boolean | null>(null);
  const copy = async (): Promise<void> => {
    try {
      // Browsers have no clipboard over plain HTTP.
      await navigator.clipboard.writeText(value);
      setCopied(true);
    } catch {
      field.current?.focus();
      field.current?.select();
      setCopied(false);
    }
  };
  const text = (
    <>
      {t(isCopied ? 'common.copied' : 'common.copy')}
      <span class="visually-hidden"> {label}</span>
    </>
  );
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="with-button">
        <input
          id={id}
          ref={field}
          class="code"
          readOnly
          value={value}
          onFocus={() => field.current?.select()}
        />
        <Button text={text} look="secondary" onClick={() => void copy()} />
      </div>
      {note && <small>{note}</small>}
      <small role="status">{isCopied === false && t('common.copyFailed')}</small>
    </div>
  );
}

export function SecretDialog({ title, label, secret }: { title: string; label: string; secret: string }) {
  const { close } = useDialog();
  return (
    <Dialog title={title}>
      <CopyField label={label} value={secret} note={t('common.keepSecret')} />
      <footer class="buttons">
        <Button text={t('common.done')} look="" onClick={close} />
      </footer>
    </Dialog>
  );
}
