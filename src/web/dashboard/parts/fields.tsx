import { createContext } from 'preact';
import type { ComponentChildren, InputHTMLAttributes, JSX, VNode } from 'preact';
import { useContext, useId } from 'preact/hooks';
import type { FormField, IntField } from '../../../platform/fields.ts';
import type { FieldError } from '../api.ts';
import { linesOf } from '../format.ts';
import { locale } from '../language.ts';
import { t } from '../text.ts';
import type { TextKey } from '../text.ts';

export type FormRow = { name: string; label: string; hint?: string; form: FormField } & (
  | IntField
  | { kind: 'text'; max?: number; initial?: string | null }
  | { kind: 'list' }
  | { kind: 'flag' }
);

/** The form's values while editing: everything except switches is text. */
export type RowDraft = Record<string, string | boolean>;

/** The value of an empty field; undefined if the field is required. */
function emptyOf(row: FormRow): number | string | null | undefined {
  if (row.kind === 'int') return row.initial === null ? null : row.form.emptyIs;
  return row.kind === 'text' ? row.initial : '';
}

function draftValue(row: FormRow, value: unknown): string | boolean {
  if (row.kind === 'list') return (value as string[]).join('\n');
  if (row.kind !== 'int') return (value as string | boolean | null) ?? '';
  return value === emptyOf(row)
    ? ''
    : String(Number(((value as number) / (row.form.unitSeconds ?? 1)).toFixed(4)));
}

function inputValue(row: FormRow, draft: string | boolean): unknown {
  if (typeof draft === 'boolean' || row.kind === 'flag') return draft;
  if (row.kind === 'list') return linesOf(draft);
  const text = draft.trim();
  if (text === '') {
    const empty = emptyOf(row);
    return empty !== undefined ? empty : row.kind === 'int' ? row.initial : '';
  }
  if (row.kind === 'text') return text;
  const { unitSeconds } = row.form;
  return unitSeconds ? Math.round(Number(text) * unitSeconds) : Number(text);
}

export function draftOfRows(rows: readonly FormRow[], saved: Record<string, unknown>): RowDraft {
  return Object.fromEntries(rows.map((row) => [row.name, draftValue(row, saved[row.name])]));
}

export function inputOfRows<Input>(rows: readonly FormRow[], draft: RowDraft): Input {
  return Object.fromEntries(rows.map((row) => [row.name, inputValue(row, draft[row.name]!)])) as Input;
}

export const FieldErrorContext = createContext<FieldError | null>(null);

type Common = {
  label: string;
  hint?: ComponentChildren;
  /** The field's name in the service's errors, so that they are shown here. */
  name?: string;
  /** Replaces the service's message. */
  problem?: string;
};
type Valued<Value> = { value: Value; onValue: (value: Value) => void };

export function useField({ label, name, hint, problem }: Common) {
  const id = useId();
  const error = useContext(FieldErrorContext);
  const message = error !== null && error.name === name ? (problem ?? error.message) : null;
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
export type TextProps = Common & Valued<string> & Omit<Input, keyof Common | 'value' | 'onInput'>;

/** For ids and secrets: the browser neither completes nor corrects them. */
export const AS_TYPED = { autocomplete: 'off', autoCapitalize: 'off', spellcheck: false } as const;

export function TextField({ label, hint, name, problem, value, onValue, ...rest }: TextProps) {
  const { input, around } = useField({ label, name, hint, problem });
  return around(
    <input
      {...(rest as InputHTMLAttributes<HTMLInputElement>)}
      {...input}
      value={value}
      onInput={(event) => onValue(event.currentTarget.value)}
    />,
  );
}

export type Option<Value extends string = string> = { value: Value; label: string };

/** Options in the order of their labels by value. */
export const optionsOf = <Value extends string>(labels: Record<Value, TextKey>): Option<Value>[] =>
  Object.entries<TextKey>(labels).map(([value, label]) => ({ value: value as Value, label: t(label) }));

/** Each text as an option, once, without the empty one. */
export const textOptions = (texts: readonly string[], labelOf = (text: string) => text): Option[] =>
  [...new Set(texts)].filter(Boolean).map((value) => ({ value, label: labelOf(value) }));

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

const currencies = new Intl.DisplayNames(locale, { type: 'currency' });

const CHOICES = {
  timeZone: (chosen: string) => [
    { value: '', label: 'UTC' },
    ...textOptions([...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC'), chosen]),
  ],
  currency: (chosen: string) => [
    { value: '', label: t('field.noCurrency') },
    ...textOptions(
      [...Intl.supportedValuesOf('currency'), chosen],
      (code) => `${code} – ${currencies.of(code) ?? code}`,
    ),
  ],
};

export type RowForm = { draft: RowDraft; set: (part: RowDraft) => void };

type RowProps = { row: FormRow; form: RowForm; isRequired?: boolean; placeholder?: string };

export function RowField({ row, form: { draft, set }, isRequired, placeholder }: RowProps) {
  const { name, label, hint } = row;
  const { as, unitSeconds = 1 } = row.form;
  const { input, label: labelled, below, around } = useField({ label, name, hint });
  const onValue = (text: string | boolean): void => set({ [name]: text });
  if (row.kind === 'flag')
    return (
      <div class="field field-switch">
        <input
          {...input}
          type="checkbox"
          role="switch"
          checked={draft[name] === true}
          onChange={(event) => onValue(event.currentTarget.checked)}
        />
        <div>
          {labelled}
          {below}
        </div>
      </div>
    );
  const value = String(draft[name]);
  const bound = { name, label, hint, value, onValue };
  if (row.kind === 'list' || as === 'lines')
    return around(
      <textarea
        {...input}
        rows={as === 'lines' ? 3 : 5}
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />,
    );
  if (as === 'timeZone' || as === 'currency') return <Choice {...bound} options={CHOICES[as](value)} />;
  const text = {
    ...bound,
    required: isRequired ?? emptyOf(row) === undefined,
    placeholder: placeholder ?? row.form.placeholder,
  };
  if (row.kind === 'text') return <TextField {...text} type={as} maxLength={row.max} spellcheck={false} />;
  const [step, inputMode] = unitSeconds === 1 ? ([1, 'numeric'] as const) : (['any', 'decimal'] as const);
  const limits = { min: row.min / unitSeconds, max: row.max / unitSeconds };
  return <TextField {...text} {...limits} type="number" step={step} inputMode={inputMode} />;
}
