import { useId, useRef, useState } from 'preact/hooks';

/** A secret that the service shows this once; with another note, any text to copy. */
export function SecretOnce({
  label,
  secret,
  note = 'Keep it now: it is not shown again.',
}: {
  label: string;
  secret: string;
  note?: string;
}) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [outcome, setOutcome] = useState<'copied' | 'by hand' | null>(null);
  const copy = async (): Promise<void> => {
    try {
      // Over plain HTTP, browsers have no clipboard at all.
      await navigator.clipboard.writeText(secret);
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
          value={secret}
          onFocus={(event) => event.currentTarget.select()}
        />
        <button
          type="button"
          class="secondary"
          aria-label={`${outcome === 'copied' ? 'Copied' : 'Copy'}: ${label}`}
          onClick={() => void copy()}
        >
          {outcome === 'copied' ? 'Copied' : 'Copy'}
        </button>
      </div>
      <small>{note}</small>
      <small role="status">
        {outcome === 'by hand' && 'The browser does not let this page copy. It is selected: copy it by hand.'}
      </small>
    </div>
  );
}
