import { createContext } from 'preact';
import type { ComponentChildren, InputHTMLAttributes, JSX, VNode } from 'preact';
import { useContext, useId } from 'preact/hooks';

export type FieldError = { name: string; message: string };

export const FieldErrorContext = createContext<FieldError | null>(null);

type Common = {
  label: string;
  hint?: ComponentChildren;
  /** The field's name in the service's errors, so that they are shown here. */
  name?: string;
};
type Valued<Value> = { value: Value; onValue: (value: Value) => void };

export function useField({ label, name, hint }: Common) {
  const id = useId();
  const error = useContext(FieldErrorContext);
  const message = error !== null && error.name === name ? error.message : null;
  const described = [message && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(' ');
  const labelled = <label for={id}>{label}</label>;
  const below = (
    <>
      {message && (
        <small id={`${id}-error`} class="field-error">
          {message}
        </small>
      )}
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </>
  );
  return {
    input: {
      id,
      'aria-invalid': message ? ('true' as const) : undefined,
      'aria-describedby': described || undefined,
    },
    label: labelled,
    below,
    around: (input: VNode, head: VNode = labelled) => (
      <div class="field">
        {head}
        {input}
        <div class="field-below">{below}</div>
      </div>
    ),
  };
}

type Input = JSX.IntrinsicElements['input'];
type TextProps = Common & Valued<string> & Omit<Input, keyof Common | 'value' | 'onInput'>;

/** For ids and secrets: the browser neither completes nor corrects them. */
export const AS_TYPED = { autocomplete: 'off', autoCapitalize: 'off', spellcheck: false } as const;

export function TextField({ label, hint, name, value, onValue, ...rest }: TextProps) {
  const { input, around } = useField({ label, name, hint });
  return around(
    <input
      {...(rest as InputHTMLAttributes<HTMLInputElement>)}
      {...input}
      value={value}
      onInput={(event) => onValue(event.currentTarget.value)}
    />,
  );
}

export function NumberField({
  step = 1,
  ...rest
}: TextProps & { min: number; max?: number; step?: 'any' | 1 }) {
  return <TextField type="number" inputMode={step === 1 ? 'numeric' : 'decimal'} step={step} {...rest} />;
}

export function TextArea({ rows, value, onValue, ...common }: Common & Valued<string> & { rows: number }) {
  const { input, around } = useField(common);
  return around(
    <textarea {...input} rows={rows} value={value} onInput={(event) => onValue(event.currentTarget.value)} />,
  );
}

type SwitchProps = Common & { checked: boolean; onChange: (checked: boolean) => void };

export function Switch({ checked, onChange, ...common }: SwitchProps) {
  const { input, label, below } = useField(common);
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
        {label}
        {below}
      </div>
    </div>
  );
}

export type Option<Value extends string = string> = { value: Value; label: string };
type ChoiceProps<Value extends string> = Valued<Value> & { options: readonly Option<Value>[] };

export function Choice<Value extends string>(props: Common & ChoiceProps<Value>) {
  const { value, options, onValue, ...common } = props;
  const { input, around } = useField(common);
  return around(
    <select {...input} value={value} onChange={(event) => onValue(event.currentTarget.value as Value)}>
      {options.map((option) => (
        <option key={option.value} value={option.value} selected={option.value === value}>
          {option.label}
        </option>
      ))}
    </select>,
  );
}

export function Segments<Value extends string>(props: ChoiceProps<Value> & { label: string }) {
  const { label, value, options, onValue } = props;
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
