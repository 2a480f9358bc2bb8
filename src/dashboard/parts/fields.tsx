import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

type Common = { label: string; hint?: ComponentChildren };

/** What an input of text may be told beyond its value. */
type InputOptions = {
  type?: 'text' | 'password' | 'search' | 'number' | 'time' | 'date' | 'email' | 'url';
  required?: boolean;
  placeholder?: string;
  maxLength?: number;
  min?: string;
  max?: string;
  step?: string;
  inputMode?: 'numeric';
  autocomplete?: 'off';
  spellcheck?: boolean;
  autoCapitalize?: 'off';
};

/** A labelled line of text. */
export function TextField({
  label,
  hint,
  value,
  onValue,
  ...rest
}: Common & InputOptions & { value: string; onValue: (value: string) => void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...(rest as InputHTMLAttributes<HTMLInputElement>)}
        id={id}
        value={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

/** A labelled text of several lines. */
export function TextArea({
  label,
  hint,
  value,
  rows,
  isCode = false,
  onValue,
}: Common & { value: string; rows: number; isCode?: boolean; onValue: (value: string) => void }) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        class={isCode ? 'code' : undefined}
        rows={rows}
        spellcheck={!isCode}
        value={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

/** On or off. */
export function Switch({
  label,
  hint,
  checked,
  onChange,
}: Common & { checked: boolean; onChange: (checked: boolean) => void }) {
  const id = useId();
  return (
    <div class="field field-switch">
      <input
        id={id}
        type="checkbox"
        role="switch"
        checked={checked}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <div>
        <label for={id}>{label}</label>
        {hint && <small id={`${id}-hint`}>{hint}</small>}
      </div>
    </div>
  );
}

/** One of a few. */
export function Choice<Value extends string>({
  label,
  hint,
  value,
  options,
  onValue,
}: Common & {
  value: Value;
  options: { value: Value; label: string }[];
  onValue: (value: Value) => void;
}) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onValue(event.currentTarget.value as Value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  );
}

/** A row of buttons of which one is on, such as a range of days. */
export function Segments({
  label,
  value,
  options,
  onValue,
}: {
  label: string;
  value: string;
  options: { value: string; label: string }[];
  onValue: (value: string) => void;
}) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          class="small"
          aria-pressed={option.value === value}
          onClick={() => onValue(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
