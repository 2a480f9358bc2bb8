import { useMemo, useRef } from 'preact/hooks';
import { marksOf, unknownNames } from '../template-marks.ts';
import { AS_TYPED, useField } from './fields.tsx';

export type Variable = { name: string; meaning: string; sample: string };

/** Puts a text where the cursor is; as typing does, so that it can be undone. */
function insert(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  const isTyped = document.execCommand('insertText', false, text);
  if (isTyped) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

type VariablesProps = { label: string; variables: readonly Variable[]; onPick: (name: string) => void };

/** What templates can name; a click puts it into the field. */
function Variables({ label, variables, onPick }: VariablesProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const close = (): void => {
    if (details.current) details.current.open = false;
  };
  return (
    <details
      ref={details}
      class="variables"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        close();
        details.current?.querySelector('summary')?.focus();
      }}
      onFocusOut={(event) => {
        const to = event.relatedTarget;
        if (to instanceof Node && !details.current?.contains(to)) close();
      }}
    >
      <summary>
        Insert variable<span class="visually-hidden"> into {label}</span>
      </summary>
      <ul class="plain-list popup">
        {variables.map(({ name, meaning, sample }) => (
          <li key={name}>
            <button type="button" class="plain-button" onClick={() => (close(), onPick(name))}>
              <span class="code">{name}</span>
              <span class="muted">
                {meaning}
                {sample && `: ${sample}`}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

type Props = {
  label: string;
  name: string;
  value: string;
  rows: number;
  isHtml: boolean;
  variables: readonly Variable[];
  onValue: (value: string) => void;
  onFocus: () => void;
};

/** A template with its marks in colour behind what is typed, and the variables at hand. */
export function CodeField({ label, name, value, rows, isHtml, variables, onValue, onFocus }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  const marks = useMemo(() => marksOf(value, isHtml), [value, isHtml]);
  const unknown = unknownNames(
    value,
    variables.map((one) => one.name),
  );
  const hint = unknown.length > 0 && `Nothing is known of ${unknown.join(', ')}: it stays empty.`;
  const { input, label: labelled, around } = useField({ label, name, hint: hint || undefined });
  const pick = (variable: string): void => insert(field.current!, `{{ ${variable} }}`);
  return around(
    <div class={`code-edit code-rows-${rows > 12 ? 'many' : rows > 1 ? 'some' : 'one'}`}>
      <pre aria-hidden="true">
        {marks.map(({ kind, text }, index) => (
          <span key={index} class={`mark-${kind}`}>
            {text}
          </span>
        ))}
        {'\n'}
      </pre>
      <textarea
        {...input}
        ref={field}
        required
        rows={rows}
        {...AS_TYPED}
        value={value}
        onFocus={onFocus}
        onInput={(event) => {
          const typed = event.currentTarget.value;
          onValue(rows === 1 ? typed.replace(/\s*\n\s*/g, ' ') : typed);
        }}
        onKeyDown={(event) => {
          if (rows > 1 || event.key !== 'Enter') return;
          event.preventDefault();
          event.currentTarget.form?.requestSubmit();
        }}
      />
    </div>,
    <div class="code-head">
      {labelled}
      <Variables label={label} variables={variables} onPick={pick} />
    </div>,
  );
}
