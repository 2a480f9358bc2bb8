import { useMemo, useRef } from 'preact/hooks';
import { AS_TYPED, useField } from './fields.tsx';

type Mark = { kind: 'plain' | 'value' | 'logic' | 'tag' | 'comment'; text: string };

const LIQUID = /(\{\{[\s\S]*?\}\})|(\{%[\s\S]*?%\})/g;
const HTML =
  /(\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\})|(<!--[\s\S]*?-->)|(<[/!]?[a-z](?:\{\{[\s\S]*?\}\}|[^<>])*>)/gi;

function liquidMarks(text: string, around: Mark['kind']): Mark[] {
  const marks: Mark[] = [];
  let end = 0;
  for (const found of text.matchAll(LIQUID)) {
    marks.push({ kind: around, text: text.slice(end, found.index) });
    marks.push({ kind: found[1] === undefined ? 'logic' : 'value', text: found[0] });
    end = found.index + found[0].length;
  }
  marks.push({ kind: around, text: text.slice(end) });
  return marks.filter(({ text: part }) => part !== '');
}

function marksOf(text: string, isHtml: boolean): Mark[] {
  if (!isHtml) return liquidMarks(text, 'plain');
  const marks: Mark[] = [];
  let end = 0;
  for (const found of text.matchAll(HTML)) {
    marks.push({ kind: 'plain', text: text.slice(end, found.index) });
    if (found[1] !== undefined) marks.push(...liquidMarks(found[0], 'plain'));
    else if (found[2] !== undefined) marks.push({ kind: 'comment', text: found[0] });
    else marks.push(...liquidMarks(found[0], 'tag'));
    end = found.index + found[0].length;
  }
  marks.push({ kind: 'plain', text: text.slice(end) });
  return marks.filter(({ text: part }) => part !== '');
}

/** Finds misspelt variables such as `product.titel`; names that the template defines itself are ignored. */
function unknownNames(text: string, known: readonly string[]): string[] {
  const roots = new Set(known.filter((name) => name.includes('.')).map((name) => name.split('.')[0]!));
  const named = [...text.matchAll(LIQUID)].flatMap(([liquid]) =>
    [...liquid.replace(/"[^"]*"|'[^']*'/g, '').matchAll(/\b([a-z_]+)(?:\.[a-z_]+)+/gi)].map(
      ([name, root]) => ({ name, root: root! }),
    ),
  );
  const wrong = named.filter(({ name, root }) => roots.has(root) && !known.includes(name));
  return [...new Set(wrong.map(({ name }) => name))];
}

export type Variable = { name: string; meaning: string; sample: string };

/** Inserts text at the cursor as if typed, so that the user can undo it. */
function insert(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  const isTyped = document.execCommand('insertText', false, text);
  if (isTyped) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

type VariablesProps = { label: string; variables: readonly Variable[]; onPick: (name: string) => void };

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
