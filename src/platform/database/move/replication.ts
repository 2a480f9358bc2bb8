import { createHash } from 'node:crypto';
import { escapeIdentifier, escapeLiteral } from 'pg';
import { listTables, removeRows } from './rows.ts';
import type { Counts } from './rows.ts';
import type { Move, Server } from './server.ts';

/** The publication on the source, the subscription and its slot, and the fences. */
const nameOf = (pid: string): string =>
  `wishgate_${createHash('sha256').update(pid).digest('hex').slice(0, 16)}`;

type Step = 'paused' | 'closed' | 'moved' | 'arriving';

/** Undefined if the database has no such store; null if the store works there. */
export async function readStep({ rows }: Server, pid: string): Promise<Step | null | undefined> {
  return (await rows<{ step: Step | null }>('SELECT move_step AS step FROM store WHERE pid = $1', pid))[0]
    ?.step;
}

/** Sets the step on the source while no writer of the store is under way: later ones see it (`store_fence`). */
export const setStep = ({ source, pid }: Move, step: Step | null): Promise<void> =>
  source.patiently(async () => {
    await source.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 815004))', [pid]);
    await source.query('UPDATE store SET move_step = $2 WHERE pid = $1 AND move_step IS DISTINCT FROM $2', [
      pid,
      step,
    ]);
  });

/** Raises the fences on all tables, or takes them away. */
export async function fence(server: Server, pid: string, isRaised: boolean): Promise<void> {
  const [name, own] = [nameOf(pid), escapeLiteral(pid)];
  const isThere =
    (await server.rows('SELECT FROM pg_trigger WHERE tgname = $1 LIMIT 1', `${name}_insert`)).length > 0;
  if (!isRaised && !isThere) return;
  const raise = (table: string, event: string, row: string): string =>
    `CREATE OR REPLACE TRIGGER ${name}_${event} BEFORE ${event} ON ${table} FOR EACH ROW WHEN (${row}.pid = ${own}) EXECUTE FUNCTION store_fence(${own})`;
  for (const { name: table } of [...(await listTables(server)), { name: 'store' }])
    await server.patiently(async () => {
      // A vacuum gives way to this lock after a second; until then nobody queues behind it.
      await server.query(
        `SET LOCAL lock_timeout = '5s'; LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE; SET LOCAL lock_timeout = '200ms'`,
      );
      for (const event of ['delete', 'update', 'insert'])
        await server.query(
          isRaised
            ? raise(table, event, event === 'delete' ? 'OLD' : 'NEW')
            : `DROP TRIGGER IF EXISTS ${name}_${event} ON ${table}`,
        );
    });
}

/** Removes all that a database has of a store. */
export async function clear(server: Server, pid: string, show: (text: string) => void): Promise<number> {
  const count = await removeRows(server, pid, show);
  await fence(server, pid, false);
  await server.query('DELETE FROM store WHERE pid = $1', [pid]);
  return count;
}

/** The comment of the publication names the target that a move was begun with. */
export async function publish({ source, target, pid }: Move, comment: string): Promise<void> {
  const name = nameOf(pid);
  const tables = (await listTables(source)).map(
    (table) => `${table.name} WHERE (pid = ${escapeLiteral(pid)})`,
  );
  await source.query(`CREATE PUBLICATION ${name} FOR TABLE ${tables.join(', ')}`);
  await source.query(`COMMENT ON PUBLICATION ${name} IS ${escapeLiteral(comment)}`);
  await target.query(
    `CREATE SUBSCRIPTION ${name} CONNECTION ${escapeLiteral(source.url)} PUBLICATION ${name}`,
  );
}

/** Ends the replication; the publication last, because it shows that a move is under way. */
export async function unsubscribe(move: Move): Promise<void> {
  const { source, target, pid } = move;
  const name = nameOf(pid);
  const { hasSlot, hasSubscription } = await findLinks(move);
  // After a failover of the source the slot is gone, and PostgreSQL drops no subscription that names it.
  if (hasSubscription && !hasSlot)
    await target.query(
      `ALTER SUBSCRIPTION ${name} DISABLE; ALTER SUBSCRIPTION ${name} SET (slot_name = NONE)`,
    );
  await target.query(`DROP SUBSCRIPTION IF EXISTS ${name}`);
  await source.query(
    'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = $1 AND NOT active',
    [name],
  );
  await source.query(`DROP PUBLICATION IF EXISTS ${name}`);
}

export type Links = { comment: string | null; hasSlot: boolean; hasSubscription: boolean; target: string };

/** What an earlier run of a move has left, and the name of the target for the comment. */
export async function findLinks({ source, target, pid }: Move): Promise<Links> {
  const there = await target.row<Pick<Links, 'hasSubscription' | 'target'>>(
    `SELECT EXISTS (SELECT FROM pg_subscription JOIN pg_database d ON d.oid = subdbid WHERE subname = $1 AND datname = current_database()) AS "hasSubscription",
      'wishgate moves a store to ' || system_identifier || ' ' || current_database() AS target FROM pg_control_system()`,
    nameOf(pid),
  );
  const here = await source.row<Pick<Links, 'comment' | 'hasSlot'>>(
    `SELECT (SELECT obj_description(oid, 'pg_publication') FROM pg_publication WHERE pubname = $1) AS comment,
      EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = $1) AS "hasSlot"`,
    nameOf(pid),
  );
  return { ...there, ...here };
}

const TABLES_COPIED = `
  SELECT r.srrelid::regclass::text AS name, r.srsubstate::text AS state, coalesce(p.tuples_processed, 0)::float8 AS rows,
    (SELECT apply_error_count + sync_error_count FROM pg_stat_subscription_stats WHERE subid = s.oid)::int AS problems
  FROM pg_subscription s JOIN pg_subscription_rel r ON r.srsubid = s.oid LEFT JOIN pg_stat_progress_copy p ON p.relid = r.srrelid
  WHERE s.subname = $1`;

/** `done` rows are on the target, out of `counts` of the source; `isReady` when all tables follow their changes. */
export async function readCopy({ target, pid }: Move, counts: Counts) {
  type Copied = { name: string; state: string; rows: number; problems: number };
  const tables = await target.rows<Copied>(TABLES_COPIED, nameOf(pid));
  const rowsOf = ({ name, state, rows }: Copied) => ('sr'.includes(state) ? (counts[name] ?? 0) : rows);
  const done = tables.reduce((sum, table) => sum + rowsOf(table), 0);
  return { done, isReady: tables.every(({ state }) => state === 'r'), problems: tables[0]?.problems ?? 0 };
}

/** How many bytes of the source's WAL up to a position the target has not stored yet; null if the slot is gone. */
export async function readLag({ source, pid }: Move, position = ''): Promise<number | null> {
  const sql = `SELECT greatest(coalesce(nullif($2, '')::pg_lsn, pg_current_wal_lsn()) - confirmed_flush_lsn, 0)::float8 AS lag
    FROM pg_replication_slots WHERE slot_name = $1 AND wal_status <> 'lost'`;
  return (await source.rows<{ lag: number }>(sql, nameOf(pid), position))[0]?.lag ?? null;
}

/** A message that a dispatcher may be sending: its lease ends within the period of a lease. */
export type Claimed = { id: string; claim: number };

export const listBeingSent = ({ source, pid }: Move, leaseMs: number): Promise<Claimed[]> =>
  source.rows<Claimed>(
    `SELECT id, claim FROM outbox
     WHERE pid = $1 AND state = 'queued' AND claim > 0 AND due_at > now() AND due_at <= now() + $2 * interval '1 millisecond'`,
    pid,
    leaseMs,
  );

/** How many of them still have no outcome and a lease. */
export async function countUnsettled({ source, pid }: Move, sent: readonly Claimed[]): Promise<number> {
  const sql = `SELECT count(*)::int AS count FROM jsonb_to_recordset($2) AS c (id text, claim int) JOIN outbox o ON o.pid = $1 AND o.id = c.id
    WHERE o.state = 'queued' AND o.claim = c.claim AND o.due_at > now()`;
  return (await source.row<{ count: number }>(sql, pid, JSON.stringify(sent))).count;
}

/** The store's row with its settings as they are on the source now, and another step. */
async function storeAs(step: Step | null, { source, pid }: Move): Promise<Record<string, unknown>> {
  const sql = 'SELECT to_jsonb(s) AS store FROM store s WHERE pid = $1';
  const { store } = await source.row<{ store: object }>(sql, pid);
  return { ...store, move_step: step };
}

export async function announce(move: Move): Promise<void> {
  const sql = 'INSERT INTO store SELECT * FROM jsonb_populate_record(NULL::store, $1)';
  await move.target.query(sql, [await storeAs('arriving', move)]);
}

/** Makes the target the store's server: the moment of the move. Returns false if it has been undone meanwhile. */
export async function handOver(move: Move): Promise<boolean> {
  const store = await storeAs(null, move);
  const columns = Object.keys(store).map((column) => escapeIdentifier(column));
  const sql = `UPDATE store SET (${columns.join()}) = (SELECT ${columns.join()} FROM jsonb_populate_record(NULL::store, $2))
    WHERE pid = $1 AND move_step = 'arriving'`;
  return (await move.target.query(sql, [move.pid, store])).rowCount === 1;
}

/** Waits for a hand-over that is still under way, and returns whether the target serves the store. */
export async function isServing({ target, pid }: Move): Promise<boolean> {
  await target.query(`UPDATE store SET move_step = move_step WHERE pid = $1 AND move_step = 'arriving'`, [
    pid,
  ]);
  const step = await readStep(target, pid);
  return step === null || step === 'paused' || step === 'closed';
}
