import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

export const money = (amount: number): string =>
  new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' }).format(amount);

/** Without a title it is next to one. */
export const Picture = ({ iu, dt = '' }: { iu: string; dt?: string }) => (
  <img class="picture" src={iu} alt={dt} width="400" height="300" />
);

type ButtonProps = {
  class?: string;
  /** The label for screen readers, if the text alone is ambiguous. */
  label?: string;
  isDisabled?: boolean;
  onClick: () => unknown;
  children: ComponentChildren;
};

export const Button = ({ class: name = '', label, isDisabled, ...rest }: ButtonProps) => (
  <button type="button" class={`button ${name}`} aria-label={label} disabled={isDisabled} {...rest} />
);

export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

let isOpen = false;

/** The heading, which receives the focus when another view opens. */
export function Title({ text }: { text: string }) {
  useEffect(() => {
    document.title = `${text} · Hearth & Loom`;
    if (isOpen) focusHeading();
    isOpen = true;
  }, [text]);
  return <h1 tabIndex={-1}>{text}</h1>;
}

export const Empty = ({ title, text }: { title: string; text: string }) => (
  <>
    <Title text={title} />
    <p>{text}</p>
    <a class="button primary" href="#/">
      Continue shopping
    </a>
  </>
);

type RowProps = {
  iu?: string;
  title: string;
  href?: string;
  details: ComponentChildren;
  children: ComponentChildren;
};

export const Row = ({ iu, title, href, details, children }: RowProps) => (
  <li class="flex line">
    {iu && <Picture iu={iu} />}
    <div class="grow">
      <h2>{href ? <a href={href}>{title}</a> : title}</h2>
      {details}
    </div>
    {children}
  </li>
);
