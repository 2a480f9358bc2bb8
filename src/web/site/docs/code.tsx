import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { copyFrom } from '../copy.ts';
import { Line } from './text.tsx';

type Props = { title?: string | undefined; language?: string; code: string; what: string };

/** The block is focusable, so that the keyboard can scroll it. */
export function Code({ title, language, code, what }: Props) {
  const copy = ({ currentTarget }: { currentTarget: HTMLElement }): void =>
    void copyFrom(currentTarget, code);
  return (
    <figure data-language={language}>
      <figcaption>
        <span>{title}</span>
        <button type="button" class="copy" aria-live="polite" onClick={copy}>
          Copy
        </button>
      </figcaption>
      <pre tabIndex={0} role="group" aria-label={what}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}

type DetailsProps = { summary: string; href?: string; note?: string; children: () => ComponentChildren };

export const idOf = (href: string): string => href.slice(2).replace('/', '-');

/** Renders its content when it is first opened, because rendering all of it would create thousands of elements. */
export function Details({ summary, href, note, children }: DetailsProps) {
  const [wasOpened, setOpened] = useState(false);
  const toggle = ({ currentTarget: part }: { currentTarget: HTMLDetailsElement }): void => {
    setOpened(true);
    // Only the reader's own opening: a link or a script does not focus a place in it first.
    if (href && part.open && part.contains(document.activeElement)) history.replaceState(null, '', href);
  };
  return (
    <details id={href && idOf(href)} onToggle={toggle}>
      <summary>
        {href ? <h3>{summary}</h3> : <Line text={summary} />}
        {note && <small class="note">{note}</small>}
      </summary>
      {wasOpened && children()}
    </details>
  );
}
