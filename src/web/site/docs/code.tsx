import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { SHOWN_MS } from '../copy.ts';

const TOKENS =
  /(?<note>(?:^|(?<=\s))(?:#|\/\/).*$)|(?<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<word>\b(?:const|await|async|new|import|from|return|query|mutation|subscription|fragment|on|curl|true|false|null|if|export|function)\b)|(?<number>\b\d+(?:\.\d+)?\b)/gm;
const MAX_COLOURED = 20_000;

/** Code with its strings, words, numbers and notes told apart. */
function coloured(code: string): ComponentChildren[] {
  if (code.length > MAX_COLOURED) return [code];
  const parts: ComponentChildren[] = [];
  let end = 0;
  for (const match of code.matchAll(TOKENS)) {
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    parts.push(code.slice(end, match.index), <span class={`t-${kind}`}>{match[0]}</span>);
    end = match.index + match[0].length;
  }
  return [...parts, code.slice(end)];
}

/** Puts a text on the clipboard, and says so for a moment. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return undefined;
    const timer = setTimeout(() => setSaid(''), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Select it and copy'),
    );
  return (
    <button type="button" class="copy" onClick={copy}>
      <span aria-live="polite">{said || 'Copy'}</span>
      <span class="visually-hidden"> {what}</span>
    </button>
  );
}

/** A block of code with a button that copies it. The block takes the focus, so that keys can scroll it. */
export function Code({ title, code, what }: { title: string | null; code: string; what: string }) {
  return (
    <figure class="code">
      <figcaption>
        <span>{title}</span>
        <CopyButton text={code} what={what} />
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={what}>
        <code>{coloured(code)}</code>
      </pre>
    </figure>
  );
}

/** Tabs: arrow keys go from one to the next. */
export function Tabs<Name extends string>({
  label,
  names,
  chosen,
  onChoose,
  children,
}: {
  label: string;
  names: readonly Name[];
  chosen: Name;
  onChoose: (name: Name) => void;
  children: ComponentChildren;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const step = (event: KeyboardEvent): void => {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (way === undefined) return;
    event.preventDefault();
    const index = (names.indexOf(chosen) + way + names.length) % names.length;
    onChoose(names[index]!);
    list.current?.querySelectorAll<HTMLElement>('[role=tab]')[index]?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label={label} ref={list} onKeyDown={step}>
        {names.map((name) => (
          <button
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </div>
  );
}
