import { useId, useRef, useState } from 'preact/hooks';
import { Dialog, useDialog } from './dialog.tsx';
import { Button } from './layout.tsx';

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
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button look="secondary" onClick={() => void copy()}>
          {isCopied ? 'Copied' : 'Copy'}
          <span class="visually-hidden"> {label}</span>
        </Button>
      </div>
      {note && <small>{note}</small>}
      <small role="status">
        {isCopied === false && 'The browser does not let this page copy. It is selected: copy it by hand.'}
      </small>
    </div>
  );
}

export function SecretDialog({ title, label, secret }: { title: string; label: string; secret: string }) {
  const { close } = useDialog();
  return (
    <Dialog title={title}>
      <CopyField label={label} value={secret} note="Keep it now: it is not shown again." />
      <footer class="buttons">
        <Button look="" onClick={close}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}
