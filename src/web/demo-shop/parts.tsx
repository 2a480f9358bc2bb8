import type { ButtonHTMLAttributes, ComponentChildren, InputHTMLAttributes, VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { focusHeading } from './route.ts';

const PATHS = {
  heart: 'M12 20.5S3.5 15.4 3.5 9.4A4.7 4.7 0 0 1 12 6.7a4.7 4.7 0 0 1 8.5 2.7c0 6-8.5 11.1-8.5 11.1z',
  bag: 'M5 8.5h14l-1 12H6l-1-12zM8.5 8.5V7a3.5 3.5 0 0 1 7 0v1.5',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.6-4 3.6-6 7.5-6s6.9 2 7.5 6',
  shop: 'M4 10h16l-1 10.5H5L4 10zM3 10l2-6h14l2 6',
  bell: 'M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15L6 16.5zM10 20.5h4',
  plus: 'M12 5v14M5 12h14',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  close: 'M6 6l12 12M18 6L6 18',
  share: 'M12 15V4M8 7.5L12 4l4 3.5M5 12v8h14v-8',
};

export type IconName = keyof typeof PATHS;

export function Icon({ name, isFull = false }: { name: IconName; isFull?: boolean }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" fill={isFull ? 'currentcolor' : 'none'} aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export const money = (amount: number | null): string =>
  amount === null ? '' : new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' }).format(amount);

/** Omit `dt` if the title is next to the picture. */
export function Picture({ iu, dt = '' }: { iu: string | null; dt?: string }) {
  // Records contain the public URL; the picture always comes from the page's own origin.
  const src = iu === null ? undefined : new URL(iu, location.href).pathname;
  return <img class="picture" src={src} alt={dt} width="400" height="300" />;
}

type Press = (event: { currentTarget: Element }) => unknown;

type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'onClick'> & {
  class?: string;
  /** The label for screen readers, if the text alone is ambiguous. */
  label?: string;
  onClick: Press;
};

export function Button({ class: name = '', label, ...rest }: ButtonProps) {
  return <button type="button" {...rest} class={`button ${name}`} aria-label={label} />;
}

type RemoveProps = { label: string; text?: string; onRemove: () => unknown };

/** Moves the focus to the next row, the previous row, or the heading. */
export function RemoveButton({ label, text = 'Remove', onRemove }: RemoveProps) {
  const remove: Press = ({ currentTarget }) => {
    const row = currentTarget.closest('li');
    const near = row?.nextElementSibling ?? row?.previousElementSibling;
    const next = near?.querySelector<HTMLElement>('.remove');
    onRemove();
    setTimeout(() => (next?.isConnected ? next.focus() : focusHeading()));
  };
  return (
    <Button class="plain remove" label={label} onClick={remove}>
      {text}
    </Button>
  );
}

/** The heading, which receives the focus when the view opens; `tab` names the page if the heading does not. */
export function Title({ text, tab = text }: { text: string; tab?: string }) {
  useEffect(() => void (document.title = `${tab} · Hearth & Loom`), [tab]);
  return <h1 tabIndex={-1}>{text}</h1>;
}

type RowProps = {
  class?: string;
  iu?: string | null;
  title: string | null;
  href?: string;
  level?: 2 | 3;
  details: ComponentChildren;
  children: ComponentChildren;
};

export function Row({ class: name = '', iu, title, href, level = 3, details, children }: RowProps) {
  const Heading = `h${level}` as const;
  return (
    <li class={`flex line ${name}`}>
      {iu !== undefined && <Picture iu={iu} />}
      <div class="grow">
        <Heading class="row-title">{href ? <a href={href}>{title}</a> : title}</Heading>
        {details}
      </div>
      {children}
    </li>
  );
}

type EmptyProps = { icon?: IconName; title: string; tab?: string; text: string; children?: VNode };

/** The children are next to the link to the shop. */
export function Empty({ icon = 'heart', title, tab, text, children }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <Title text={title} tab={tab} />
      <p>{text}</p>
      <div class="flex actions">
        <a class="button primary" href="#/">
          Continue shopping
        </a>
        {children}
      </div>
    </div>
  );
}

export function Ghosts() {
  return (
    <ul class="lines" aria-busy="true" aria-label="Loading">
      <li class="flex line ghost" />
      <li class="flex line ghost" />
    </ul>
  );
}

type FieldProps = { label: string; class?: string } & InputHTMLAttributes<HTMLInputElement>;

export function Field({ label, class: name, ...input }: FieldProps) {
  return (
    <label class={name}>
      {label}
      <input {...input} />
    </label>
  );
}
