import type { Table } from '../backup-format.ts';
import { KEEP_NEWER_OPT_OUT, RAISE_SEQUENCES, SEQUENCES, TABLES, isOfStore, quote } from '../backup.ts';
import type { Move, Server } from './server.ts';

export type Counts = Record<string, number>;

/** The row of `store` is handed over last, and `catalog_change` (unlogged) is empty between transactions. */
const NOT_COPIED = ['store', 'catalog_change'];

export async function listTables(server: Pick<Server, 'rows'>): Promise<Table[]> {
  const tables = await server.rows<Table>(TABLES);
  return tables.filter((table) => isOfStore(table) && !NOT_COPIED.includes(table.name));
}

export async function countRows(server: Server, tables: readonly string[], pid: string): Promise<Counts> {
  const each = tables.map((name) => `SELECT '${name}' AS name, count(*)::float8 FROM ${name} WHERE pid = $1`);
  const found = await server.rows<{ name: string; count: number }>(each.join(' UNION ALL '), pid);
  return Object.fromEntries(found.map(({ name, count }) => [name, count]));
}

/** The number of a store's rows in a table and a sum of their digests, which does not depend on their order. */
export async function digestRows(server: Server, { name, columns }: Table, pid: string) {
  const digest = `('x' || left(md5(ROW(${columns.map(quote).join()})::text), 16))::bit(64)::bigint`;
  const sql = `SELECT count(*) || ' rows, digest ' || coalesce(sum(${digest}::numeric), 0) AS digest FROM ${name} WHERE pid = $1`;
  return (await server.row<{ digest: string }>(sql, pid)).digest;
}

const PORTION = 10_000;

/** Removes what belongs to a store in short transactions; its own row stays, so that an interrupted run can be repeated. */
export async function removeRows(server: Server, pid: string, onPortion: (text: string) => void) {
  let removed = 0;
  // Neither triggers nor foreign keys act, as with replicated rows.
  await server.query('SET session_replication_role = replica');
  for (const { name } of await listTables(server)) {
    const sql = `DELETE FROM ${name} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${name} WHERE pid = $1 LIMIT ${PORTION}))`;
    for (let count = PORTION; count === PORTION; removed += count) {
      count = (await server.query(sql, [pid])).rowCount!;
      onPortion(`removing old rows: ${removed} (${name})`);
    }
  }
  await server.query('RESET session_replication_role');
  return removed;
}

export async function raiseSequences({ source, target }: Move): Promise<void> {
  await target.query(RAISE_SEQUENCES, [JSON.stringify(await source.rows(SEQUENCES))]);
}

const OPT_OUTS = `
  SELECT jsonb_agg(s)::text AS rows, (array_agg(ARRAY[uts::text, medium, value] ORDER BY uts DESC, medium DESC, value DESC))[1:1] AS last
  FROM (SELECT * FROM stop WHERE (uts, medium, value) > ($1::timestamptz, $2, $3) ORDER BY uts, medium, value LIMIT 20000) s`;

const MERGE_OPT_OUTS = `INSERT INTO stop AS s SELECT * FROM jsonb_populate_recordset(NULL::stop, $1::jsonb) ${KEEP_NEWER_OPT_OUT}`;

/** Adds the numbers that replied STOP after `since` to the target's: of two replies the newer one counts. */
export async function mergeOptOuts({ source, target }: Move, since: Date | null): Promise<void> {
  for (let key = [since?.toISOString() ?? '-infinity', '', '']; ;) {
    const page = await source.row<{ rows: string | null; last: string[][] }>(OPT_OUTS, ...key);
    if (page.rows === null) return;
    await target.query(MERGE_OPT_OUTS, [page.rows]);
    key = page.last[0]!;
  }
}
