import type { ComponentChildren, VNode } from 'preact';
import { useId } from 'preact/hooks';
import type { MessageState } from '../../../generated/dashboard.ts';
import { messageOf } from '../api.ts';
import { formatMoment, formatNumber } from '../format.ts';
import { useDialog } from '../session.ts';
import type { Query } from '../session.ts';
import { t } from '../text.ts';
import type { TextKey } from '../text.ts';

type Children = { children?: ComponentChildren };

export type CardProps = { title: string; note?: ComponentChildren; aside?: ComponentChildren };

export function Card({ title, note, aside, children }: CardProps & Children) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <header class="card-head">
        <div>
          <h2 id={id}>{title}</h2>
          {note && <p class="muted">{note}</p>}
        </div>
        {aside && <div>{aside}</div>}
      </header>
      {children}
    </section>
  );
}

type PageProps = { title: string; lead?: ComponentChildren; aside?: ComponentChildren };

/** The heading receives the focus when the page changes, so that screen readers announce it. */
export function Page({ title, lead, aside, children }: PageProps & Children) {
  return (
    <>
      <header class="page-head">
        <div>
          <h1 tabIndex={-1}>{title}</h1>
          {lead && <p class="muted">{lead}</p>}
        </div>
        {aside}
      </header>
      {children}
    </>
  );
}

type Cell<Row> = (row: Row) => ComponentChildren;

/** A column has one of `cell`, `number`, `time` and `actions`. */
export type Column<Row> = {
  label: TextKey;
  cell?: Cell<Row>;
  number?: Cell<Row>;
  time?: (row: Row) => number | string | null;
  actions?: Cell<Row>;
  sort?: Sort;
};

type Sort = { isOn: boolean; isRising: boolean; onPick: () => void };

function Head({ label, number, actions, sort }: Column<never>) {
  const order = sort?.isOn ? (sort.isRising ? 'ascending' : 'descending') : undefined;
  return (
    <th scope="col" class={number && 'number'} aria-sort={order}>
      {sort ? (
        <button type="button" class="sort" onClick={sort.onPick}>
          {t(label)}
          <span aria-hidden="true">{sort.isOn ? (sort.isRising ? ' ▲' : ' ▼') : ' ↕'}</span>
        </button>
      ) : (
        <span class={actions && 'visually-hidden'}>{t(label)}</span>
      )}
    </th>
  );
}

const shown = (value: ComponentChildren): ComponentChildren =>
  typeof value === 'number' ? formatNumber(value) : value;

export type TableProps<Row> = {
  caption: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** On a phone, a row takes a few lines instead of one per cell. */
  isDense?: boolean;
  /** A class for a table whose rows have their own layout on a phone. */
  kind?: string;
  /** Replaces a table without rows: a title and a text, or anything else. */
  empty?: [title: TextKey, text?: TextKey] | VNode;
};

/** At 390 px, every row is a block of labelled lines. */
export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, keyOf, isDense, kind = '', empty } = props;
  if (rows.length === 0 && empty) {
    if (!Array.isArray(empty)) return empty;
    const [title, text] = empty;
    return <Empty title={t(title)}>{text && t(text)}</Empty>;
  }
  return (
    <table class={`data ${isDense ? 'dense' : ''} ${kind}`.trimEnd()}>
      <caption class="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <Head key={column.label} {...column} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ label, cell, number, time, actions }) => (
              <td
                key={label}
                data-label={actions ? undefined : t(label)}
                class={number ? 'number' : actions && 'actions'}
              >
                <div class="cell">
                  {time ? formatMoment(time(row)) : shown((cell ?? number ?? actions)?.(row))}
                </div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export type ButtonProps = {
  text: ComponentChildren;
  /** CSS classes; a small, unobtrusive button by default. */
  look?: string;
  /** The label for screen readers, if the text is the same in every row. */
  label?: string;
  disabled?: boolean;
  isBusy?: boolean;
  onClick?: () => void;
  opens?: VNode;
};

export function Button({ text, look, label, disabled, isBusy, onClick, opens }: ButtonProps) {
  const { open } = useDialog();
  return (
    <button
      type="button"
      class={look ?? 'small secondary outline'}
      aria-label={label}
      aria-haspopup={opens && 'dialog'}
      aria-busy={isBusy}
      disabled={disabled || isBusy}
      onClick={() => (opens ? open(opens) : onClick?.())}
    >
      {text}
    </button>
  );
}

type FactsProps = { facts: Partial<Record<TextKey, ComponentChildren>>; kind?: string };

/** An empty value is shown as a dash. */
export function Facts({ facts, kind = 'facts' }: FactsProps) {
  return (
    <dl class={kind}>
      {Object.entries(facts).map(([name, value]) => (
        <div key={name}>
          <dt>{t(name as TextKey)}</dt>
          <dd>{shown(value) || '–'}</dd>
        </div>
      ))}
    </dl>
  );
}

export function ErrorNotice({ error, onRetry }: { error: Error | null; onRetry?: () => void }) {
  if (error === null) return null;
  return (
    <div class="notice bad" role="alert">
      <span>{messageOf(error)}</span>
      {onRetry && <Button text={t('common.tryAgain')} onClick={onRetry} />}
    </div>
  );
}

export function Empty({ title, children }: { title: string } & Children) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children && <p>{children}</p>}
    </div>
  );
}

type LoadedProps<Data> = { query: Query<Data>; lines?: number; children: (data: Data) => ComponentChildren };

/** Shows a placeholder while loading, an error if there is no data, and older data during a reload. */
export function Loaded<Data>({ query, lines = 3, children }: LoadedProps<Data>) {
  const { data, error, isLoading, reload } = query;
  return (
    <>
      <ErrorNotice error={error} onRetry={reload} />
      {data === null && isLoading && <Skeleton lines={lines} />}
      {data !== null && <div aria-busy={isLoading ? 'true' : undefined}>{children(data)}</div>}
    </>
  );
}

export function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">{t('common.loading')}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="skeleton-line" />
      ))}
    </div>
  );
}

type Tone = 'plain' | 'good' | 'warn' | 'bad';

/** The colour adds nothing to the meaning of the text. */
export function Badge({ tone = 'plain', children }: { tone?: Tone } & Children) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** Good if it is on, plain if not. */
export function Flag({ isOn, texts: [on, off] }: { isOn: boolean; texts: [on: TextKey, off: TextKey] }) {
  return <Badge tone={isOn ? 'good' : 'plain'}>{t(isOn ? on : off)}</Badge>;
}

const TONES: Record<MessageState, Tone> = { queued: 'plain', sent: 'good', failed: 'bad', withheld: 'warn' };

export function StateBadge({ state, children }: { state: MessageState; children?: string }) {
  return <Badge tone={TONES[state]}>{children ?? t(`state.${state}`)}</Badge>;
}

export function CellNote({ children }: Children) {
  return <span class="muted cell-note">{children}</span>;
}
