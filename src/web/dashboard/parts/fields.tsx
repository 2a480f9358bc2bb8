import { createContext } from 'preact';
import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useContext, useId } from 'preact/hooks';

/** Which field a failure is about, and what is wrong with it. */
export type FieldFailure = { name: string; message: string };

/** The field of the surrounding form that was refused. */
export const FailedField = createContext<FieldFailure | null>(null);

type Common = {
  label: string;
  hint?: ComponentChildren;
  /** As the service's failures call it, so that they are shown here. */
  name?: string;
};

/** What all fields share: an id, what is wrong, and what describes the input. */
export function useField({ name, hint }: Pick<Common, 'name' | 'hint'>) {
  const id = useId();
  const failed = useContext(FailedField);
  const failure = failed !== null && failed.name === name ? failed.message : null;
  const described = [failure && `${id}-failure`, hint && `${id}-hint`].filter(Boolean).join(' ');
  return {
    input: {
      id,
      'aria-invalid': failure ? ('true' as const) : undefined,
      'aria-describedby': described || undefined,
    },
    below: (
      <>
        {failure && (
          <small id={`${id}-failure`} class="field-failure">
            {failure}
          </small>
        )}
        {hint && <small id={`${id}-hint`}>{hint}</small>}
      </>
    ),
  };
}

/** What an input of text may be told beyond its value. */
type InputOptions = {
  type?: 'text' | 'password' | 'search' | 'number' | 'time' | 'date' | 'email' | 'url' | 'color';
  required?: boolean;
  placeholder?: string;
  maxLength?: number;
  min?: string;
  max?: string;
  step?: string;
  inputMode?: 'numeric' | 'decimal';
  autocomplete?: 'off' | 'new-password';
  spellcheck?: boolean;
  autoCapitalize?: 'off';
  disabled?: boolean;
};

type TextProps = Common & InputOptions & { value: string; onValue: (value: string) => void };

/** A labelled line of text. */
export function TextField({ label, hint, name, value, onValue, ...rest }: TextProps) {
  const { input, below } = useField({ name, hint });
  return (
    <div class="field">
      <label for={input.id}>{label}</label>
      <input
        {...(rest as InputHTMLAttributes<HTMLInputElement>)}
        {...input}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <div class="field-below">{below}</div>
    </div>
  );
}

/** A labelled number; whole ones unless `step` says otherwise. */
export function NumberField({
  min,
  max,
  step = 1,
  ...rest
}: Omit<TextProps, 'type' | 'min' | 'max' | 'step' | 'inputMode'> & {
  min: number;
  max?: number;
  step?: number | 'any';
}) {
  return (
    <TextField
      type="number"
      inputMode={step === 1 ? 'numeric' : 'decimal'}
      min={String(min)}
      max={max === undefined ? undefined : String(max)}
      step={String(step)}
      {...rest}
    />
  );
}

/** A labelled text of several lines. */
export function TextArea({
  label,
  hint,
  name,
  value,
  rows,
  onValue,
}: Common & { value: string; rows: number; onValue: (value: string) => void }) {
  const { input, below } = useField({ name, hint });
  return (
    <div class="field">
      <label for={input.id}>{label}</label>
      <textarea
        {...input}
        rows={rows}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
      <div class="field-below">{below}</div>
    </div>
  );
}

/** On or off. */
export function Switch({
  label,
  hint,
  name,
  checked,
  onChange,
}: Common & { checked: boolean; onChange: (checked: boolean) => void }) {
  const { input, below } = useField({ name, hint });
  return (
    <div class="field field-switch">
      <input
        {...input}
        type="checkbox"
        role="switch"
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <div>
        <label for={input.id}>{label}</label>
        {below}
      </div>
    </div>
  );
}

/** One of a few. */
export function Choice<Value extends string>({
  label,
  hint,
  name,
  value,
  options,
  onValue,
}: Common & {
  value: Value;
  options: { value: Value; label: string }[];
  onValue: (value: Value) => void;
}) {
  const { input, below } = useField({ name, hint });
  return (
    <div class="field">
      <label for={input.id}>{label}</label>
      <select {...input} value={value} onChange={(event) => onValue(event.currentTarget.value as Value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
      <div class="field-below">{below}</div>
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
