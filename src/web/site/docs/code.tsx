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
