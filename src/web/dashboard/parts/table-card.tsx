import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { saveFile } from '../download.ts';
import { moveTo, useRoute } from '../route.ts';
import { useAction, useSession, useText } from '../session.ts';
import type { Query } from '../session.ts';
import { ErrorNotice, Loaded } from './feedback.tsx';
import { Segments, TextField } from './fields.tsx';
import type { Option } from './fields.tsx';
import { Button, Card, Table } from './layout.tsx';
import type { CardProps, Column, TableProps } from './layout.tsx';

const TYPING_PAUSE_MS = 250;

/** Returns a value after a pause in typing, so that not every letter causes a call. */
export function useSettled(value: string, pauseMs = TYPING_PAUSE_MS): string {
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
  const change = (name: Name, value: string, replace = false): void =>
    moveTo({ [name]: value, after: '', trail: '' }, { replace, hidden });
  const bind = (name: Name): Bound => ({
    value: filters[name],
    onValue: (value, replace) => change(name, value, replace),
  });
  return { filters, change, bind };
}

export const oneOf = <Value extends string>(
  text: string,
  options: readonly Option<Value>[],
  other: Value,
): Value => options.find(({ value }) => value === text)?.value ?? other;

/** The selected number of past days; 30 unless the URL has another. */
export function useDays(choices: readonly string[]) {
  const { filters, change } = useFilters(['days']);
  const options = choices.map((days) => ({ value: days, label: `${days} days` }));
  const value = oneOf(filters.days, options, '30');
  const onValue = (days: string): void => change('days', days === '30' ? '' : days);
  return {
    days: Number(value),
    picker: <Segments label="Range" value={value} options={options} onValue={onValue} />,
  };
}

/** Searches after a pause in typing, and follows Back. */
export function SearchBox({ value, onValue, ...rest }: Bound & { label: string; placeholder: string }) {
  const [text, setText] = useState(value);
  const latest = useRef(onValue);
  latest.current = onValue;
  useEffect(() => setText((now) => (now.trim() === value ? now : value)), [value]);
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === value) return undefined;
    const timer = setTimeout(() => latest.current(wanted, true), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
    // Only typing starts a search: a value that changes otherwise comes from Back, and is applied above.
  }, [text]);
  return (
    <TextField {...rest} type="search" value={text} onValue={setText} autocomplete="off" spellcheck={false} />
  );
}

/** A search that is not in the URL: its field, and the text after a pause in typing. */
export function useSearch() {
  const field = useText();
  const search = useSettled(field.value.trim());
  return { search, box: <TextField label="Search" type="search" placeholder="Name or pid" {...field} /> };
}

type PageInfo = { hasNextPage: boolean; endCursor: string | null };

/** The cursors of the visited pages up to the current one; the first page has none. */
type Trail = { cursors: string[]; after: string | null; move: (cursors: string[]) => void };

/** Restarts at the first page with every new filter, because a cursor belongs to its filter. */
export function useTrail(filter = ''): Trail {
  const [trail, setTrail] = useState({ filter, cursors: [] as string[] });
  const cursors = trail.filter === filter ? trail.cursors : [];
  return { cursors, after: cursors.at(-1) ?? null, move: (next) => setTrail({ filter, cursors: next }) };
}

/** Stores the cursors in the URL for Back and reload; a page opened by its URL alone leads back to the first. */
export function useAddressTrail(): Trail {
  const { after = '', trail = '' } = useRoute().query;
  return {
    cursors: after === '' ? [] : [...trail.split(' ').filter(Boolean), after],
    after: after || null,
    move: (next) =>
      moveTo({ after: next.at(-1) ?? '', trail: next.slice(0, -1).join(' ') }, { hidden: ['trail'] }),
  };
}

/** Stays focusable if there is no further page, so that keyboard users do not lose their position. */
function Step({ label, isOpen, onStep }: { label: string; isOpen: boolean; onStep: () => void }) {
  return (
    <button
      type="button"
      class="small secondary outline"
      aria-disabled={isOpen ? undefined : 'true'}
      onClick={() => isOpen && onStep()}
    >
      {label}
    </button>
  );
}

type PagerProps = {
  trail: Trail;
  pageInfo: PageInfo;
  /** Whether `pageInfo` belongs to another page or filter: then the buttons wait, so that a double click is one step. */
  isStale: boolean;
  labels?: [back: string, on: string];
};

function Pager({ trail, pageInfo, isStale, labels: [back, on] = ['Newer', 'Older'] }: PagerProps) {
  const { cursors, move } = trail;
  const { hasNextPage, endCursor } = pageInfo;
  if (cursors.length === 0 && !hasNextPage) return null;
  return (
    <div class="pager">
      <Step label={back} isOpen={cursors.length > 0} onStep={() => move(cursors.slice(0, -1))} />
      <Step
        label={on}
        isOpen={hasNextPage && endCursor !== null && !isStale}
        onStep={() => move([...cursors, endCursor ?? ''])}
      />
    </div>
  );
}

type CsvFile = { path: string; fields?: Record<string, string> };

export function CsvButton({ path, fields = {} }: CsvFile) {
  const { run, notify } = useSession();
  const download = useAction(async () => {
    const given = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ''));
    const file = await run.download(`/storeadmin/v3/${path}${given.size > 0 ? `?${given.toString()}` : ''}`);
    saveFile(path.replace('.csv', `-${new Date().toISOString().slice(0, 10)}.csv`), file);
    notify('The file is in your downloads.');
  });
  return (
    <>
      <Button isBusy={download.isBusy} onClick={download.start}>
        Download CSV
      </Button>
      <ErrorNotice error={download.error} />
    </>
  );
}

type Connection<Row> = { edges: readonly { node: Row }[]; pageInfo?: PageInfo };
type Rows<Row> = readonly Row[] | Connection<Row>;

type Props<Data, Row> = Omit<CardProps, 'children'> &
  Omit<TableProps<Row>, 'rows' | 'columns'> & {
    query: Query<Data>;
    rowsOf: (data: Data) => Rows<Row>;
    columns: Column<Row>[] | ((data: Data) => Column<Row>[]);
    empty?: ComponentChildren;
    /** Labels of the buttons to the previous and the next page. */
    labels?: [back: string, on: string];
    filters?: ComponentChildren;
    file?: CsvFile;
    trail?: Trail;
    /** Lines of the placeholder while the first page loads. */
    lines?: number;
  };

export function TableCard<Data, Row>(props: Props<Data, Row>) {
  const { title, note, aside, query, rowsOf, columns, empty, labels, filters, file, trail, ...rest } = props;
  const { lines = trail ? 6 : 3, ...table } = rest;
  const buttons = (
    <div class="card-buttons">
      {aside}
      {file && <CsvButton {...file} />}
    </div>
  );
  return (
    <Card title={title} note={note} aside={file ? buttons : aside}>
      {filters && <div class="filters">{filters}</div>}
      <Loaded query={query} lines={lines}>
        {(data) => {
          const found = rowsOf(data);
          const { edges, pageInfo = null } =
            'edges' in found ? found : { edges: found.map((node) => ({ node })) };
          const rows = edges.map(({ node }) => node);
          return (
            <>
              {rows.length === 0 && empty ? (
                empty
              ) : (
                <Table {...table} rows={rows} columns={Array.isArray(columns) ? columns : columns(data)} />
              )}
              {trail && pageInfo && (
                <Pager trail={trail} pageInfo={pageInfo} isStale={query.isStale} labels={labels} />
              )}
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
