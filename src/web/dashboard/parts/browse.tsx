import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { saveFile } from '../download.ts';
import { moveTo, usePlace } from '../route.ts';
import { useAction, useSession } from '../session.ts';
import type { Query } from '../session.ts';
import { Failure, Loaded } from './feedback.tsx';
import { TextField } from './fields.tsx';
import { Card, Table } from './layout.tsx';
import type { Column } from './layout.tsx';
import { Pager, useAddressTrail } from './pager.tsx';
import type { Trail } from './pager.tsx';

type Change<Name extends string> = (changes: { [Field in Name]?: string }, replace?: boolean) => void;

/** What of the address says which rows a table shows, and a way to change it, which begins at the first page. What names people is `hidden`. */
export function useFilters<Name extends string>(
  names: readonly Name[],
  hidden: readonly Name[] = [],
): [Record<Name, string>, Change<Name>] {
  const { query } = usePlace();
  const values = Object.fromEntries(names.map((name) => [name, query[name] ?? '']));
  const change: Change<Name> = (changes, replace = false) =>
    moveTo({ ...(changes as Record<string, string>), after: '', trail: '' }, { replace, hidden });
  return [values as Record<Name, string>, change];
}

const TYPING_PAUSE_MS = 250;

/** A search that starts when one stops typing, and follows Back. */
export function SearchBox({
  label,
  placeholder,
  value,
  onValue,
}: {
  label: string;
  placeholder?: string;
  value: string;
  onValue: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  const latest = useRef(onValue);
  latest.current = onValue;
  useEffect(() => setText((now) => (now.trim() === value ? now : value)), [value]);
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === value) return undefined;
    const timer = setTimeout(() => latest.current(wanted), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
    // Only typing starts a search: a value that changes meanwhile comes from Back, and is taken over above.
  }, [text]);
  return (
    <TextField
      label={label}
      type="search"
      value={text}
      onValue={setText}
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={false}
    />
  );
}

/** A table as a file: the REST call that streams it, with the filters of the page. */
export type CsvFile = { path: string; fields?: Record<string, string> };

/** Downloads all rows that the filters find, whatever their number. */
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
      <button
        type="button"
        class="small secondary outline"
        disabled={download.isBusy}
        aria-busy={download.isBusy}
        onClick={() => void download.start()}
      >
        Download CSV
      </button>
      <Failure error={download.error} />
    </>
  );
}

type Rows<Node> = {
  edges: { node: Node }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
};

/** A table of any length: filters, rows of one page, the way through the pages, and the whole as a file. */
export function Browse<Data, Node>({
  title,
  note,
  caption,
  query,
  rowsOf,
  columns,
  keyOf,
  empty,
  labels = ['Newer', 'Older'],
  filters,
  aside,
  file,
  kind,
  trail: givenTrail,
}: {
  title: string;
  note?: ComponentChildren;
  caption: string;
  query: Query<Data>;
  rowsOf: (data: Data) => Rows<Node>;
  columns: Column<Node>[];
  keyOf: (node: Node) => string;
  empty: ComponentChildren;
  labels?: [back: string, on: string];
  filters?: ComponentChildren;
  aside?: ComponentChildren;
  file?: CsvFile;
  /** As the table has it. */
  kind?: string;
  /** Where the page is kept; in the address when left out. */
  trail?: Trail;
}) {
  const addressTrail = useAddressTrail();
  const trail = givenTrail ?? addressTrail;
  return (
    <Card
      title={title}
      note={note}
      aside={
        (aside || file) && (
          <div class="card-buttons">
            {aside}
            {file && <CsvButton {...file} />}
          </div>
        )
      }
    >
      {filters && <div class="filters">{filters}</div>}
      <Loaded query={query} lines={6}>
        {(data) => {
          const { edges, pageInfo } = rowsOf(data);
          return (
            <>
              {edges.length === 0 ? (
                empty
              ) : (
                <Table
                  caption={caption}
                  rows={edges.map(({ node }) => node)}
                  keyOf={keyOf}
                  columns={columns}
                  isDense
                  kind={kind}
                />
              )}
              <Pager trail={trail} pageInfo={pageInfo} isStale={query.isStale} labels={labels} />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
