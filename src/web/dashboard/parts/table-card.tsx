import type { ComponentChildren } from 'preact';
import { saveFile } from '../download.ts';
import { useAction, useSession } from '../session.ts';
import type { Query } from '../session.ts';
import { Button } from './button.tsx';
import { Failure, Loaded } from './feedback.tsx';
import { Card, Table } from './layout.tsx';
import type { CardProps, TableProps } from './layout.tsx';
import { Pager } from './pager.tsx';
import type { PageInfo, Trail } from './pager.tsx';

/** The REST call that streams a table as a file, with the filters of the page. */
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
      <Failure error={download.error} />
    </>
  );
}

type Page<Row> = { edges: readonly { node: Row }[]; pageInfo?: PageInfo };

type Props<Data, Row> = Omit<CardProps, 'children'> &
  Omit<TableProps<Row>, 'rows' | 'columns'> & {
    query: Query<Data>;
    rowsOf: (data: Data) => readonly Row[] | Page<Row>;
    columns: TableProps<Row>['columns'] | ((data: Data) => TableProps<Row>['columns']);
    empty?: ComponentChildren;
    /** Of the buttons to the previous and the next page. */
    labels?: [back: string, on: string];
    filters?: ComponentChildren;
    file?: CsvFile;
    trail?: Trail;
  };

/** A card with a table of what a query found: filters, the rows of one page, the way to other pages, and all of it as a file. */
export function TableCard<Data, Row>(props: Props<Data, Row>) {
  const { title, note, aside, query, rowsOf, columns, empty, labels, filters, file, trail, ...table } = props;
  const buttons = (
    <div class="card-buttons">
      {aside}
      {file && <CsvButton {...file} />}
    </div>
  );
  return (
    <Card title={title} note={note} aside={file ? buttons : aside}>
      {filters && <div class="filters">{filters}</div>}
      <Loaded query={query} lines={trail ? 6 : 3}>
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
