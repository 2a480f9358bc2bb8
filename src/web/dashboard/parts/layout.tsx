import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** A titled block of a page. */
export function Card({
  title,
  note,
  aside,
  children,
}: {
  title: string;
  note?: ComponentChildren;
  aside?: ComponentChildren;
  children: ComponentChildren;
}) {
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

/** The head of a page; focus comes here when the page changes, so that screen readers announce it. */
export function PageHead({
  title,
  lead,
  aside,
}: {
  title: string;
  lead?: ComponentChildren;
  aside?: ComponentChildren;
}) {
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

/** One column of a table. `label` is repeated beside each cell on a phone, where rows become blocks. */
export type Column<Row> = {
  label: string;
  cell: (row: Row) => ComponentChildren;
  isNumber?: boolean;
  /** No visible head, for buttons. */
  isAction?: boolean;
  /** How the table is put in the order of this column. */
  sort?: Sort;
};

/** The order of a column: whether it is the one that is shown, and which end comes first. */
export type Sort = { isOn: boolean; isRising: boolean; onPick: () => void };

function Head({ label, isAction, sort }: Pick<Column<never>, 'label' | 'isAction' | 'sort'>) {
  if (isAction) return <span class="visually-hidden">{label}</span>;
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

/** A table that stays readable at 390 px: there every row is a block of labelled lines. */
export function Table<Row>({
  caption,
  columns,
  rows,
  keyOf,
  isDense = false,
  kind = '',
}: {
  caption: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  /** On a phone a row is a few lines instead of one for each cell. */
  isDense?: boolean;
  /** A class for a table whose rows have an order of their own on a phone. */
  kind?: string;
}) {
  return (
    <table class={`data ${isDense ? 'dense' : ''} ${kind}`.trimEnd()}>
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ label, isNumber, isAction, sort }) => (
            <th key={label} scope="col" class={isNumber ? 'number' : undefined} aria-sort={orderOf(sort)}>
              <Head label={label} isAction={isAction} sort={sort} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ label, cell, isNumber, isAction }) => (
              <td
                key={label}
                data-label={isAction ? undefined : label}
                class={isNumber ? 'number' : isAction ? 'actions' : undefined}
              >
                <div class="cell">{cell(row)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
