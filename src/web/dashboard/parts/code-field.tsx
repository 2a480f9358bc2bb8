import type { ComponentChildren } from 'preact';
import { useMemo, useRef } from 'preact/hooks';
import type { ChannelFieldsFragment } from '../../../generated/dashboard.ts';
import { find, partName, t } from '../text.ts';
import { AS_TYPED, useField } from './fields.tsx';

const LIQUID = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;
const HTML = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}|<!--[\s\S]*?-->|<[/!]?[a-z](?:\{\{[\s\S]*?\}\}|[^<>])*>/gi;

type Mark = { kind: string; text: string };

const KINDS: Record<string, string> = { '{{': 'value', '{%': 'logic' };

const kindOf = (text: string): string =>
  KINDS[text.slice(0, 2)] ?? (text.startsWith('<!--') ? 'comment' : 'tag');

/** Splits a template at what the pattern finds; within a tag, Liquid has its own colours. */
function marksOf(text: string, pattern: RegExp, around = 'plain'): Mark[] {
  const marks: Mark[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const kind = kindOf(found);
    marks.push({ kind: around, text: text.slice(end, index) });
    marks.push(...(kind === 'tag' ? marksOf(found, LIQUID, 'tag') : [{ kind, text: found }]));
    end = index + found.length;
  }
  return [...marks, { kind: around, text: text.slice(end) }];
}

/** Finds misspelt variables such as `product.titel`; names that the template defines itself are ignored. */
function unknownNames(text: string, variables: readonly Variable[]): string[] {
  const known = variables.map(({ name }) => name);
  const rootOf = (name: string): string => name.slice(0, name.indexOf('.') + 1);
  const roots = known.map(rootOf).filter(Boolean);
  const names = [...text.matchAll(LIQUID)].flatMap(
    ([liquid]) => liquid.replace(/"[^"]*"|'[^']*'/g, '').match(/\b[a-z_]+(?:\.[a-z_]+)+/gi) ?? [],
  );
  return [...new Set(names.filter((name) => roots.includes(rootOf(name)) && !known.includes(name)))];
}

export type Variable = { name: string; meaning: string; sample: string };

type VariablesProps = { label: string; variables: readonly Variable[]; onPick: (name: string) => void };

function Variables({ label, variables, onPick }: VariablesProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const close = (): void => void (details.current!.open = false);
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
        {t('code.insert')}
        <span class="visually-hidden"> {t('code.into', { part: label })}</span>
      </summary>
      <ul class="plain-list popup">
        {variables.map(({ name, meaning, sample }) => (
          <li key={name}>
            <button type="button" class="plain-button" onClick={() => (close(), onPick(name))}>
              <span class="code">{name}</span>
              <span class="muted">
                {find(`variable.${name}`) ?? meaning}
                {sample && `: ${sample}`}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** `isField` shows the text as ordinary text. */
type Props = Omit<ChannelFieldsFragment['parts'][number], 'isSegmented'> & {
  value: string;
  isRequired?: boolean;
  hint?: string;
  /** Shown next to the label. */
  aside?: ComponentChildren;
  variables: readonly Variable[];
  onValue: (value: string) => void;
  onFocus: () => void;
};

export function CodeField(props: Props) {
  const { name, value, rows, isHtml, isField, isRequired, aside, variables, onValue, onFocus } = props;
  const label = partName(name);
  const field = useRef<HTMLTextAreaElement>(null);
  const marks = useMemo(() => marksOf(value, isHtml ? HTML : LIQUID), [value, isHtml]);
  const unknown = unknownNames(value, variables);
  const hint =
    unknown.length > 0 ? t('code.unknown', { count: unknown.length, names: unknown.join(', ') }) : props.hint;
  const { input, label: labelled, around } = useField({ label, name, hint });
  const pick = (variable: string): void => {
    field.current!.focus();
    // Inserts as if typed, so that the user can undo it.
    document.execCommand('insertText', false, `{{ ${variable} }}`);
  };
  return around(
    <div class={`code-edit code-rows-${isField ? 'few' : rows > 12 ? 'many' : rows > 1 ? 'some' : 'one'}`}>
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
        required={isRequired}
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
      <span class="code-label">
        {labelled}
        {aside}
      </span>
      <Variables label={label} variables={variables} onPick={pick} />
    </div>,
  );
}
