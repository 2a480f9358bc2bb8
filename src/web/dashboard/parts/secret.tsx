import { useId, useRef, useState } from 'preact/hooks';
import { Dialog } from './dialog.tsx';

/** A text to copy. */
export function CopyField({ label, value, note }: { label: string; value: string; note?: string }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [outcome, setOutcome] = useState<'copied' | 'by hand' | null>(null);
  const copy = async (): Promise<void> => {
    try {
      // Over plain HTTP, browsers have no clipboard at all.
      await navigator.clipboard.writeText(value);
      setOutcome('copied');
    } catch {
      field.current?.focus();
      field.current?.select();
      setOutcome('by hand');
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
        <button type="button" class="secondary" onClick={() => void copy()}>
          {outcome === 'copied' ? 'Copied' : 'Copy'}
          <span class="visually-hidden"> {label}</span>
        </button>
      </div>
      {note && <small>{note}</small>}
      <small role="status">
        {outcome === 'by hand' && 'The browser does not let this page copy. It is selected: copy it by hand.'}
      </small>
    </div>
  );
}

/** A secret that the service shows this once. */
export function SecretDialog({
  title,
  label,
  secret,
  onClose,
}: {
  title: string;
  label: string;
  secret: string;
  onClose: () => void;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <CopyField label={label} value={secret} note="Keep it now: it is not shown again." />
      <footer class="buttons">
        <button type="button" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
