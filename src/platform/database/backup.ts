import { createHash } from 'node:crypto';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { VERSION } from '../version.ts';
import { END_OF_ROWS, FORMAT, FORMAT_VERSION } from './backup-format.ts';
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

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export const copyTarget = ({ name, columns }: Table): string =>
  `${quote(name)} (${columns.map(quote).join(', ')})`;

export async function readTables(client: pg.ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
     GROUP BY c.relname ORDER BY c.relname`,
  );
  return rows;
}

/** SQL: the view has no value for a sequence that was not called yet. */
const SEQUENCES = `
  SELECT sequencename AS name, coalesce(last_value, start_value)::text AS value, last_value IS NOT NULL AS "isCalled"
  FROM pg_sequences WHERE schemaname = current_schema() ORDER BY name`;

async function describe(client: pg.ClientBase): Promise<HeadLine> {
  const applied = (await readApplied(client))?.filter(({ finished_at }) => finished_at !== null);
  if (!applied || applied.length === 0)
    throw new Error('This is not a wishgate database: it has no migrations');
  const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
  return {
    format: FORMAT,
    version: FORMAT_VERSION,
    service: VERSION,
    postgresql: rows[0]!.server_version,
    takenAt: new Date().toISOString(),
    migrations: applied
      .map(({ name, checksum }) => ({ name, checksum }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    tables: await readTables(client),
  };
}

/** Blocks migrations, which would wait behind the copy and block every request; before the snapshot, which must see a finished one. */
export async function holdMigrations(client: pg.ClientBase): Promise<void> {
  await client.query(`BEGIN; ${PLAIN_TRANSACTION}`);
  await client.query('SELECT pg_advisory_xact_lock_shared($1)', [MIGRATION_LOCK]);
}

/** Yields one snapshot of the database as the unzipped bytes of a backup. Writers do not wait. */
export async function* dump(
  client: pg.ClientBase,
  onProgress?: OnProgress,
  onDone?: (copied: Copied) => void,
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
  const head = await describe(client);
  yield line(head);
  let allRows = 0;
  for (const [done, table] of head.tables.entries()) {
    const rows = client.query(copyTo(`COPY ${copyTarget(table)} TO STDOUT`));
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
