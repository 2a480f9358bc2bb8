import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { copyFrom } from '../copy.ts';
import { useSettings } from './settings.ts';
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

/** Renders its content when opened, because rendering all of it would create thousands of elements. */
export function Details(props: { summary: string; children: () => ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Line text={props.summary} />
      </summary>
      {isOpen && props.children()}
    </details>
  );
}

type EntryProps = {
  /** Its link is `#/${path}`. */
  path: string;
  title: string;
  /** Shown beside the title. */
  note: string;
  children: () => ComponentChildren;
};

/** A part of the page that is closed until it is opened, by its title or its link. It keeps its input when it is closed. */
export function Entry({ path, title, note, children }: EntryProps) {
  const isLinked = useSettings().hash === `#/${path}`;
  const [isOpen, setOpen] = useState(isLinked);
  const [wasOpened, setOpened] = useState(isLinked);
  const id = path.replace('/', '-');
  useLayoutEffect(() => setOpen((now) => now || isLinked), [isLinked]);
  useLayoutEffect(() => setOpened((before) => before || isOpen), [isOpen]);
  return (
    <section class="entry" id={id} aria-labelledby={`${id}-title`}>
      <h3 id={`${id}-title`} tabIndex={-1}>
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {title}
        </button>
        <a class="note" href={`#/${path}`} aria-label={`Link to ${title}`}>
          {note}
        </a>
      </h3>
      {wasOpened && <div hidden={!isOpen}>{children()}</div>}
    </section>
  );
}
