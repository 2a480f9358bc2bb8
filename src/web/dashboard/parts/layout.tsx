import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export type CardProps = {
  title: string;
  note?: ComponentChildren;
  aside?: ComponentChildren;
  children?: ComponentChildren;
};

export function Card({ title, note, aside, children }: CardProps) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <header class="card-head">
        <div>
          <h2 id={id}>{title}</h2>
          {note && <p class="muted">{note}</p>}
        </div>
        {aside && <div class="card-aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

type PageHeadProps = { title: string; lead?: ComponentChildren; aside?: ComponentChildren };

/** Receives the focus when the page changes, so that screen readers announce it. */
export function PageHead({ title, lead, aside }: PageHeadProps) {
  return (
    <header class="page-head">
      <div>
        <h1 tabIndex={-1}>{title}</h1>
        {lead && <p class="muted">{lead}</p>}
      </div>
      {aside}
    </header>
  );
}

type Cell<Row> = (row: Row) => ComponentChildren;

export type Column<Row> = {
  label: string;
  cell?: Cell<Row>;
  number?: Cell<Row>;
  actions?: Cell<Row>;
  sort?: Sort;
};

type Sort = { isOn: boolean; isRising: boolean; onPick: () => void };

function Head({ label, actions, sort }: Column<never>) {
  if (actions) return <span class="visually-hidden">{label}</span>;
  if (!sort) return <>{label}</>;
  return (
    <button type="button" class="sort" onClick={sort.onPick}>
      {label}
      <span aria-hidden="true">{sort.isOn ? (sort.isRising ? ' ▲' : ' ▼') : ' ↕'}</span>
    </button>
  );
}

const orderOf = (sort: Sort | undefined) =>
  sort?.isOn ? (sort.isRising ? 'ascending' : 'descending') : undefined;

export type TableProps<Row> = {
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** On a phone, a row takes a few lines instead of one per cell. */
  isDense?: boolean;
  /** A class for a table whose rows have their own layout on a phone. */
  kind?: string;
};

/** At 390 px, every row is a block of labelled lines. */
export function Table<Row>({ caption, columns, rows, keyOf, isDense, kind = '' }: TableProps<Row>) {
  return (
    <table class={`data ${isDense ? 'dense' : ''} ${kind}`.trimEnd()}>
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th
              key={column.label}
              scope="col"
              class={column.number && 'number'}
              aria-sort={orderOf(column.sort)}
            >
              <Head {...column} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ label, cell, number, actions }) => (
              <td
                key={label}
                data-label={actions ? undefined : label}
                class={number ? 'number' : actions && 'actions'}
              >
                <div class="cell">{(cell ?? number ?? actions)?.(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Props = {
  /** CSS classes; a small, unobtrusive button by default. */
  look?: string;
  /** The label for screen readers, if the text is the same in every row. */
  label?: string;
  disabled?: boolean;
  isBusy?: boolean;
  onClick: () => void;
  children: ComponentChildren;
};

export function Button({ look, label, disabled, isBusy, onClick, children }: Props) {
  return (
    <button
      type="button"
      class={look ?? 'small secondary outline'}
      aria-label={label}
      aria-busy={isBusy}
      disabled={disabled || isBusy}
      onClick={onClick}
    >
      {children}
    </button>
  );
}

export function Facts({ facts }: { facts: [name: string, value: ComponentChildren][] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
