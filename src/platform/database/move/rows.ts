import type { Move, Server } from './server.ts';

/** A table with rows of stores, which name theirs by `pid`; a new one is included by itself. */
export type StoreTable = { name: string; columns: string };

export type Counts = Record<string, number>;

/** Without `store`, whose row is handed over last, and `catalog_change` (unlogged), which is empty between transactions. */
const TABLES = `
  SELECT c.relname AS name, string_agg(quote_ident(a.attname), ', ' ORDER BY a.attname) AS columns
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relpersistence = 'p' AND c.relname <> 'store'
  GROUP BY c.relname HAVING 'pid' = ANY (array_agg(a.attname::text)) ORDER BY c.relname`;

export const listTables = (server: Pick<Server, 'rows'>): Promise<StoreTable[]> =>
  server.rows<StoreTable>(TABLES);

export async function countRows(server: Server, tables: readonly string[], pid: string): Promise<Counts> {
  const counts: Counts = {};
  for (const name of tables) {
    const sql = `SELECT count(*)::float8 AS n FROM ${name} WHERE pid = $1`;
    counts[name] = (await server.row<{ n: number }>(sql, pid)).n;
  }
  return counts;
}

/** The number of a store's rows in a table and a sum of their digests, which does not depend on their order. */
export async function digestRows(server: Server, { name, columns }: StoreTable, pid: string) {
  const digest = `('x' || left(md5(ROW(${columns})::text), 16))::bit(64)::bigint`;
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

/** Beyond the source's number, so that the target, which draws meanwhile, never draws one twice. */
const SEQUENCE_GAP = 100_000;

const SEQUENCES = `
  SELECT sequencename AS name, coalesce(last_value, 0)::float8 AS value FROM pg_sequences WHERE schemaname = current_schema()`;

/** Orders by number continue: on the target nothing new comes before what has moved. */
export async function raiseSequences({ source, target }: Move): Promise<void> {
  const sql = `SELECT setval(o.name::regclass, (s.value + ${SEQUENCE_GAP})::bigint) FROM (${SEQUENCES}) o
    JOIN jsonb_to_recordset($1) AS s (name text, value float8) ON s.name = o.name AND s.value > o.value`;
  await target.query(sql, [JSON.stringify(await source.rows(SEQUENCES))]);
}

const OPT_OUTS = `
  SELECT jsonb_agg(s)::text AS rows, (array_agg(ARRAY[uts::text, medium, value] ORDER BY uts DESC, medium DESC, value DESC))[1:1] AS last
  FROM (SELECT * FROM stop WHERE (uts, medium, value) > ($1::timestamptz, $2, $3) ORDER BY uts, medium, value LIMIT 20000) s`;

const MERGE_OPT_OUTS = `
  INSERT INTO stop AS s SELECT * FROM jsonb_populate_recordset(NULL::stop, $1::jsonb)
  ON CONFLICT (medium, value) DO UPDATE SET is_stopped = excluded.is_stopped, answers = excluded.answers, uts = excluded.uts
  WHERE s.uts < excluded.uts`;

/** Adds the numbers that replied STOP after `since` to the target's: of two replies the newer one counts. */
export async function mergeOptOuts({ source, target }: Move, since: Date | null): Promise<void> {
  for (let key = [since?.toISOString() ?? '-infinity', '', '']; ;) {
    const page = await source.row<{ rows: string | null; last: string[][] }>(OPT_OUTS, ...key);
    if (page.rows === null) return;
    await target.query(MERGE_OPT_OUTS, [page.rows]);
    key = page.last[0]!;
  }
}
