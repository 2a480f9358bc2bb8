import { createContext } from 'preact';
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { useRoute } from '../route.ts';
import { DialogContext, useDialog } from '../session.ts';
import { t } from '../text.ts';
import { useField } from './fields.tsx';
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

type CopyProps = { label: string; value: string; note?: string };

export function CopyField({ label, value, note }: CopyProps) {
  const field = useRef<HTMLInputElement>(null);
  const [isCopied, setCopied] = useState<boolean | null>(null);
  const select = (): void => field.current?.select();
  const copy = async (): Promise<void> => {
    try {
      // Browsers have no clipboard over plain HTTP.
      await navigator.clipboard.writeText(value);
      setCopied(true);
    } catch {
      field.current?.focus();
      setCopied(false);
    }
  };
  const { input, around } = useField({ label, hint: note });
  const text = (
    <>
      {t(isCopied ? 'common.copied' : 'common.copy')}
      <span class="visually-hidden"> {label}</span>
    </>
  );
  return around(
    <>
      <div class="with-button">
        <input {...input} ref={field} class="code" readOnly value={value} onFocus={select} />
        <Button text={text} look="secondary" onClick={() => void copy()} />
      </div>
      <small role="status">{isCopied === false && t('common.copyFailed')}</small>
    </>,
  );
}

type SecretProps = { title: string; secrets: CopyProps[]; next?: VNode };

export function SecretDialog({ title, secrets, next }: SecretProps) {
  const { close } = useDialog();
  return (
    <Dialog title={title}>
      {secrets.map((secret) => (
        <CopyField key={secret.label} note={t('common.keepSecret')} {...secret} />
      ))}
      <footer class="buttons">
        <Button text={t('common.done')} look={next ? 'secondary outline' : ''} onClick={close} />
        {next}
      </footer>
    </Dialog>
  );
}
