import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { moveTo, useRoute } from '../route.ts';
import { useAction, useSession } from '../session.ts';
import type { Query } from '../session.ts';
import { t } from '../text.ts';
import { TextField } from './fields.tsx';
import type { Option } from './fields.tsx';
import { Button, Card, ErrorNotice, Loaded, Table } from './layout.tsx';
import type { CardProps, Column, TableProps } from './layout.tsx';

/** Returns a value after a pause in typing, so that not every letter causes a call. */
export function useSettled(value: string, pauseMs = 250): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return settled;
}

type Bound = { value: string; onValue: (value: string, replace?: boolean) => void };

/** Stores a table's filters in the URL, except `hidden` ones, which contain personal data. A change returns to the first page. */
export function useFilters<Name extends string>(names: readonly Name[], hidden: readonly Name[] = []) {
  const { query } = useRoute();
  const filters = Object.fromEntries(names.map((name) => [name, query[name] ?? ''])) as Record<Name, string>;
  const bind = (name: Name): Bound => ({
    value: filters[name],
    onValue: (value, replace) => moveTo({ [name]: value, after: '', trail: '' }, { replace, hidden }),
  });
  return { filters, bind };
}

export const oneOf = <Value extends string>(
  text: string,
  options: readonly Option<Value>[],
  other: Value,
): Value => options.find(({ value }) => value === text)?.value ?? other;

/** Searches after a pause in typing, and follows Back. */
export function SearchBox({ value, onValue, ...rest }: Bound & { label: string; placeholder: string }) {
  const [text, setText] = useState(value);
  const settled = useSettled(text.trim());
  useEffect(() => setText((now) => (now.trim() === value ? now : value)), [value]);
  // Only typing starts a search: a value that changes otherwise comes from Back, and is applied above.
  useEffect(() => {
    if (settled !== value) onValue(settled, true);
  }, [settled]);
  return (
    <TextField {...rest} type="search" value={text} onValue={setText} autocomplete="off" spellcheck={false} />
  );
}

type PageInfo = { hasNextPage: boolean; endCursor: string | null };

type PagerProps = {
  query: Pick<Query<unknown>, 'trail' | 'isStale'>;
  pageInfo: PageInfo;
  labels?: [back: string, on: string];
};

/** The buttons stay focusable if there is no further page, so that keyboard users do not lose their position. */
function Pager({ query, pageInfo, labels: [back, on] = [t('table.newer'), t('table.older')] }: PagerProps) {
  const { cursors, move } = query.trail!;
  const { hasNextPage, endCursor } = pageInfo;
  if (cursors.length === 0 && !hasNextPage) return null;
  // `pageInfo` of another page or filter leads nowhere, so that a double click is one step.
  const next = hasNextPage && endCursor !== null && !query.isStale && [...cursors, endCursor];
  const steps = [
    { label: back, to: cursors.length > 0 && cursors.slice(0, -1) },
    { label: on, to: next },
  ];
  return (
    <div class="pager">
      {steps.map(({ label, to }) => (
        <button
          key={label}
          type="button"
          class="small secondary outline"
          aria-disabled={to ? undefined : 'true'}
          onClick={() => to && move(to)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

type CsvFile = { path: string; fields?: Record<string, string> };

export function CsvButton({ path, fields = {} }: CsvFile) {
  const { download } = useSession();
  const load = async (): Promise<string> => {
    const given = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ''));
    await download(`/storeadmin/v3/${path}${given.size > 0 ? `?${given.toString()}` : ''}`, path);
    return t('table.downloaded');
  };
  const action = useAction(load, { isWrite: false });
  return (
    <>
      <Button text={t('table.csv')} isBusy={action.isBusy} onClick={action.start} />
      <ErrorNotice error={action.error} />
    </>
  );
}

type Connection<Row> = { edges: readonly { node: Row }[]; pageInfo?: PageInfo };

type Props<Data, Row> = CardProps &
  Omit<TableProps<Row>, 'rows' | 'columns' | 'caption'> & {
    query: Query<Data>;
    rowsOf: (data: Data) => readonly Row[] | Connection<Row>;
    columns: Column<Row>[] | ((data: Data) => Column<Row>[]);
    /** The title, if omitted. */
    caption?: string;
    /** Labels of the buttons to the previous and the next page. */
    labels?: [back: string, on: string];
    filters?: ComponentChildren;
    file?: CsvFile;
  };

export function TableCard<Data, Row>(props: Props<Data, Row>) {
  const { title, note, aside, query, rowsOf, columns, labels, filters, file, ...table } = props;
  const buttons = file && (
    <div class="card-buttons">
      {aside}
      <CsvButton {...file} />
    </div>
  );
  return (
    <Card title={title} note={note} aside={buttons ?? aside}>
      {filters && <div class="filters">{filters}</div>}
      <Loaded query={query} lines={query.trail ? 6 : 3}>
        {(data) => {
          const found = rowsOf(data);
          const { edges, pageInfo } =
            'edges' in found ? found : { edges: found.map((node) => ({ node })), pageInfo: undefined };
          return (
            <>
              <Table
                caption={title}
                {...table}
                rows={edges.map(({ node }) => node)}
                columns={Array.isArray(columns) ? columns : columns(data)}
              />
              {query.trail && pageInfo && <Pager query={query} pageInfo={pageInfo} labels={labels} />}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
