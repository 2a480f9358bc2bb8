import { createHash } from 'node:crypto';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { VERSION } from '../version.ts';
import { END_OF_ROWS, FORMAT, FORMAT_VERSIONS } from './backup-format.ts';
import type { EndLine, HeadLine, Table } from './backup-format.ts';
import { MIGRATION_LOCK, readApplied } from './migrate.ts';

/** `done` of `tables` are copied, with `rows` rows; `table` is in progress. */
type Progress = { table: string; done: number; tables: number; rows: number; bytes: number };

export type OnProgress = (progress: Progress) => void;

/** `leftOut` names tables that do not belong to wishgate. */
export type Copied = Omit<HeadLine, 'tables'> & {
  tables: number;
  rows: number;
  bytes: number;
  leftOut: string[];
};

/** One format of values, and no time limits; LOCAL, because a pooler may give the connection to another client. */
export const PLAIN_TRANSACTION = `SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
  SET LOCAL datestyle = 'ISO, YMD'; SET LOCAL intervalstyle = postgres; SET LOCAL timezone = 'UTC'; SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = hex`;

export const quote = pg.escapeIdentifier;

export const copyTarget = ({ name, columns }: Table): string =>
  `${quote(name)} (${columns.map(quote).join(', ')})`;

/** A table belongs to stores by this column; the few without it belong to the server (test/domain/distribution.test.ts). */
export const isOfStore = ({ columns }: Table): boolean => columns.includes('pid');

/** SMS opt-outs count for all stores of a server; a store's backup has those of the contacts that any of its tables names. */
export const OPT_OUTS = 'stop';

function selectOf(store: string, table: Table, tables: readonly Table[]): string {
  const isOwn = `pid = ${pg.escapeLiteral(store)}`;
  const contacts = tables
    .filter((one) => isOfStore(one) && one.columns.includes('medium'))
    .flatMap((one) => {
      const value = ['value', 'recipient'].find((name) => one.columns.includes(name));
      return value === undefined ? [] : [`SELECT medium, ${value} FROM ${quote(one.name)} WHERE ${isOwn}`];
    });
  const where = isOfStore(table) ? isOwn : `(medium, value) IN (${contacts.join(' UNION ')})`;
  return `(SELECT ${table.columns.map(quote).join(', ')} FROM ${quote(table.name)} WHERE ${where})`;
}

export const TABLES = `
  SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  GROUP BY c.relname ORDER BY c.relname`;

export const readTables = async (client: pg.ClientBase) => (await client.query<Table>(TABLES)).rows;

/** SQL: the view has no value for a sequence that was not called yet. */
export const SEQUENCES = `
  SELECT sequencename AS name, coalesce(last_value, start_value)::text AS value, last_value IS NOT NULL AS "isCalled"
  FROM pg_sequences WHERE schemaname = current_schema() ORDER BY name`;

/** SQL: raises the sequences past $1, those of another server, and what either server draws meanwhile: nothing new sorts before what has come. */
export const RAISE_SEQUENCES = `
  SELECT setval(sequencename::regclass, value + 100000) FROM pg_sequences
  JOIN jsonb_to_recordset($1) AS other (name text, value bigint) ON name = sequencename
  WHERE schemaname = current_schema() AND coalesce(last_value, 0) <= value`;

/** SQL: of two replies to an SMS the newer one counts; `s` is the table. */
export const KEEP_NEWER_OPT_OUT = `
  ON CONFLICT (medium, value) DO UPDATE SET is_stopped = excluded.is_stopped, answers = excluded.answers, uts = excluded.uts
  WHERE s.uts < excluded.uts`;

async function describe(client: pg.ClientBase, store?: string): Promise<HeadLine> {
  const applied = (await readApplied(client))?.filter(({ finished_at }) => finished_at !== null);
  if (!applied || applied.length === 0)
    throw new Error('This is not a wishgate database: it has no migrations');
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  const tables = await readTables(client);
  return {
    format: FORMAT,
    version: FORMAT_VERSIONS[store === undefined ? 'whole' : 'store'],
    service: VERSION,
    postgresql: rows[0]!.server_version,
    takenAt: new Date().toISOString(),
    ...(store !== undefined && { store }),
    migrations: applied
      .map(({ name, checksum }) => ({ name, checksum }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    tables: tables.filter((table) => store === undefined || isOfStore(table) || table.name === OPT_OUTS),
  };
}

/** Blocks migrations, which would wait behind the copy and block every request; before the snapshot, which must see a finished one. */
export async function holdMigrations(client: pg.ClientBase): Promise<void> {
  await client.query(`BEGIN; ${PLAIN_TRANSACTION}`);
  await client.query('SELECT pg_advisory_xact_lock_shared($1)', [MIGRATION_LOCK]);
}

/** Yields one snapshot of the database, or of one store in it, as the unzipped bytes of a backup. Writers do not wait. */
export async function* dump(
  client: pg.ClientBase,
  onProgress?: OnProgress,
  onDone?: (copied: Copied) => void,
  store?: string,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let bytes = 0;
  const sign = (piece: Buffer): Buffer => {
    hash.update(piece);
    bytes += piece.length;
    return piece;
  };
  const line = (value: object): Buffer => sign(Buffer.from(`${JSON.stringify(value)}\n`));
  await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY; ${PLAIN_TRANSACTION}`);
  const head = await describe(client, store);
  yield line(head);
  let allRows = 0;
  for (const [done, table] of head.tables.entries()) {
    const source = store === undefined ? copyTarget(table) : selectOf(store, table, head.tables);
    const rows = client.query(copyTo(`COPY ${source} TO STDOUT`));
    for await (const piece of rows as AsyncIterable<Buffer>) {
      yield sign(piece);
      onProgress?.({ table: table.name, done, tables: head.tables.length, rows: allRows, bytes });
    }
    // `rowCount` is known only after the last row; this statement ends after both.
    await client.query('SELECT');
    yield sign(END_OF_ROWS);
    yield line({ table: table.name, rows: rows.rowCount });
    allRows += rows.rowCount;
  }
  // Sequences are not part of the snapshot; read after it, they are at or past the values that it used.
  const { rows: sequences } = await client.query<EndLine['sequences'][number]>(SEQUENCES);
  yield line({ sequences, sha256: hash.copy().digest('hex') } satisfies EndLine);
  await client.query('COMMIT');
  onDone?.({ ...head, tables: head.tables.length, rows: allRows, bytes, leftOut: [] });
}
