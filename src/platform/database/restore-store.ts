import type pg from 'pg';
import type { Logger } from '../log.ts';
import {
  KEEP_NEWER_OPT_OUT,
  OPT_OUTS,
  PLAIN_TRANSACTION,
  RAISE_SEQUENCES,
  isOfStore,
  quote,
  readTables,
} from './backup.ts';
import type { Copied, OnProgress } from './backup.ts';
import { hasCode } from './embedded-system.ts';
import { beginAlone, migrateOver } from './migrate.ts';
import { fillSchema } from './restore.ts';
import type { OpenBackup } from './restore.ts';

/** `mayReplace` restores over a store that exists; `withoutQueue` leaves out messages that were not sent yet. */
type StoreOptions = { pid: string; mayReplace: boolean; withoutQueue: boolean };

/** The backup is loaded into this schema first, migrated and checked; the schema never outlives the transaction. */
const DRAFT = 'wishgate_restore';

/** What is queued: a message or alert event that has ended since the backup must not start again. */
const QUEUES = Object.entries({ outbox: 'queued', restock: 'open' });

/** In an existing store the backup only adds to these: no opt-out, no log entry and no sent message is undone. */
const KEPT =
  'alert_mute alert_seen audit_entry former_address mailing_answer outbox restock suppression unmeasured'.split(
    ' ',
  );
/** An existing store keeps these as they are: a revoked key stays revoked. */
const KEYS = ['store_key', 'store_session'];
const REVISIONS = new Map([
  ['shopper_revision', { key: 'regid', reset: `, floor = NULL, changed = '{}'` }],
  ['catalog_revision', { key: 'slice', reset: '' }],
]);

/** Parents first: then a concurrent write waits for its parent row, or is seen. Last what triggers fill, deltas before sums. */
const BY_DEPTH = `
  WITH RECURSIVE depth AS (
    SELECT 'store'::regclass::oid AS oid, 0 AS depth
    UNION SELECT k.conrelid, d.depth + 1 FROM depth d JOIN pg_constraint k ON k.confrelid = d.oid AND k.contype = 'f' AND k.conrelid <> d.oid)
  SELECT c.relname AS name FROM pg_class c LEFT JOIN (SELECT oid, max(depth) AS depth FROM depth GROUP BY oid) d USING (oid)
  WHERE c.relnamespace = current_schema()::regnamespace ORDER BY d.depth NULLS LAST, c.relname DESC`;

/** The draft of a store: `run` passes the pid as $1, `live` names a table of the service, and `isThere` whether the service has the store. */
type Draft = {
  run: (sql: string) => Promise<pg.QueryResult>;
  live: (table: string) => string;
  isThere: boolean;
};

/** Puts one store of a backup into a database that other stores use, in one transaction. The store is closed afterwards. */
export async function loadStore(
  connect: () => Promise<pg.ClientBase>,
  backup: OpenBackup,
  { pid, mayReplace, withoutQueue }: StoreOptions,
  log: Logger,
  onProgress?: OnProgress,
): Promise<Copied> {
  const client = await connect();
  await migrateOver(client, log);
  await beginAlone(client);
  const schema = await openDraft(client);
  const live = (table: string): string => `${quote(schema)}.${quote(table)}`;
  const run = (sql: string) => client.query(sql, [pid]);
  const { copied, sequences, later } = await fillSchema(client, backup, onProgress, pid);
  for (const { sql } of later) await client.query(sql);
  // Triggers would count again what the rows already contain; foreign keys were checked when they were added.
  await client.query('SET CONSTRAINTS ALL IMMEDIATE; SET LOCAL session_replication_role = replica');
  const isClosed = await check({ run, live }, pid, mayReplace);
  // Before the first lock of its rows, so that its requests fail at once instead of waiting with the others' connections.
  const closer = await connect();
  const setClosed = (to: boolean) =>
    closer.query(`UPDATE ${live('store')} SET maintenance = $2 WHERE pid = $1`, [pid, to]);
  if (isClosed === false) await setClosed(true);
  try {
    const draft = { run, live, isThere: isClosed !== null };
    await prepareDraft(draft, withoutQueue);
    await copyDraft(draft, client);
    await client.query(`DROP SCHEMA ${DRAFT} CASCADE; SET LOCAL search_path TO ${quote(schema)}`);
    await client.query(RAISE_SEQUENCES, [JSON.stringify(sequences)]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    if (isClosed === false) await setClosed(false);
    throw error;
  }
  await client.query(`BEGIN; ${PLAIN_TRANSACTION}; ANALYZE; COMMIT`);
  return copied;
}

/** Returns the schema of the service's tables. */
async function openDraft(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<Record<'schema' | 'role' | 'database', string>>(
    'SELECT current_schema() AS schema, quote_ident(current_user) AS role, quote_ident(current_database()) AS database',
  );
  const { schema, role, database } = rows[0]!;
  const sql = `SET LOCAL session_replication_role = replica; SET LOCAL session_replication_role = origin;
    CREATE SCHEMA ${DRAFT}; SET LOCAL search_path TO ${DRAFT}`;
  await client.query(sql).catch((cause: unknown) => {
    if (!hasCode(cause, '42501')) throw cause;
    const missing = `GRANT SET ON PARAMETER session_replication_role TO ${role}; GRANT CREATE ON DATABASE ${database} TO ${role};`;
    throw new Error(`The role ${role} may not restore one store. Run as a superuser: ${missing}`, { cause });
  });
  return schema;
}

/** Throws before anything is written. Returns whether the store is closed, null if the service does not have it. */
async function check({ run, live }: Omit<Draft, 'isThere'>, pid: string, mayReplace: boolean) {
  const { rows } = await run(
    `SELECT n.maintenance AS there, n.move_step AS step, (
       SELECT format('%s (%s)', name, pid) FROM ${live('store')} o WHERE o.link_no = s.link_no AND o.pid <> s.pid) AS clash
     FROM store s LEFT JOIN ${live('store')} n USING (pid) WHERE pid = $1`,
  );
  const [found] = rows as { there: boolean | null; step: string | null; clash: string | null }[];
  if (!found) throw new Error(`The backup has no store ${pid}`);
  if (found.step !== null)
    throw new Error(
      'The store is moving to or from another server, or has moved there; end that first: npm run store -- move',
    );
  if (found.clash !== null)
    throw new Error(
      `The store's short links have the same number as those of ${found.clash} in this database`,
    );
  if (found.there !== null && !mayReplace)
    throw new Error(`This database has the store ${pid}; add --replace to restore it over itself`);
  return found.there;
}

/** What ended since the backup stays ended: messages, sessions, token keys. */
async function prepareDraft({ run, live, isThere }: Draft, withoutQueue: boolean): Promise<void> {
  await run(`SELECT FROM ${live('store')} WHERE pid = $1 FOR UPDATE`);
  await run('UPDATE store SET maintenance = true, move_step = NULL WHERE pid = $1');
  for (const [table, state] of QUEUES) {
    const remove = (from: string, where: string) =>
      run(`DELETE FROM ${from} q WHERE pid = $1 AND state = '${state}' AND ${where}`);
    const isOnlyHere = (other: string): string =>
      `NOT EXISTS (SELECT FROM ${other} o WHERE o.pid = q.pid AND o.id = q.id AND o.state = '${state}')`;
    if (withoutQueue) await remove(table, 'true');
    if (!isThere) continue;
    await remove(table, isOnlyHere(live(table)));
    await remove(live(table), isOnlyHere(table));
  }
  await run(
    `UPDATE store s SET token_keys = n.token_keys, session_epoch = greatest(s.session_epoch, n.session_epoch)
     FROM ${live('store')} n WHERE n.pid = s.pid AND s.pid = $1`,
  );
  await run(
    `UPDATE shopper s SET epoch = n.epoch FROM ${live('shopper')} n
     WHERE n.pid = s.pid AND n.regid = s.regid AND s.pid = $1 AND n.epoch > s.epoch`,
  );
  await keepNames(run, live);
  // Without its row, a shopper that the backup does not know would start again with sessions that have ended, or those of an account that has moved on.
  await run(
    `INSERT INTO shopper (pid, regid, is_guest, merged_into, uid, di, epoch)
     SELECT pid, regid, is_guest, merged_into, uid, di, epoch + (NOT is_guest)::int FROM ${live('shopper')}
     WHERE pid = $1 AND (epoch > 0 OR NOT is_guest) ON CONFLICT DO NOTHING`,
  );
}

/** An account keeps the address and external id that it has now: one that it gave up since the backup may be another person's. */
async function keepNames(run: Draft['run'], live: Draft['live']): Promise<void> {
  const rename = (set: string, isSame: string) =>
    run(
      `UPDATE shopper s SET ${set} FROM ${live('shopper')} n WHERE n.pid = s.pid AND s.pid = $1 AND ${isSame}`,
    );
  const isRenamed = `n.regid = s.regid AND (n.em, n.external_id) IS DISTINCT FROM (s.em, s.external_id)
    AND (n.em IS NOT NULL OR n.external_id IS NOT NULL)`;
  for (const column of ['em', 'external_id'])
    await rename(`${column} = NULL`, `n.${column} = s.${column} AND n.regid <> s.regid`);
  await rename('em = NULL, external_id = NULL', isRenamed);
  await rename('em = n.em, external_id = n.external_id', isRenamed);
}

async function copyDraft({ run, live, isThere }: Draft, client: pg.ClientBase): Promise<void> {
  const all = await readTables(client);
  const order = (await client.query<{ name: string }>(BY_DEPTH)).rows.map(({ name }) => name);
  const tables = all
    .filter((table) => isOfStore(table) && !(isThere && KEYS.includes(table.name)))
    .sort((left, right) => order.indexOf(left.name) - order.indexOf(right.name));
  for (const { name, columns } of tables) {
    const list = columns.map(quote).join(', ');
    const insert = `INSERT INTO ${live(name)} (${list}) SELECT ${list} FROM ${quote(name)} WHERE pid = $1`;
    if (REVISIONS.has(name)) await run(moveRevisions(live(name), name));
    else if (isThere && KEPT.includes(name)) await run(`${insert} ON CONFLICT DO NOTHING`);
    else {
      await run(`DELETE FROM ${live(name)} WHERE pid = $1`);
      await run(insert);
    }
  }
  await client.query(
    `INSERT INTO ${live(OPT_OUTS)} AS s (medium, value, is_stopped, answers, uts)
     SELECT medium, value, is_stopped, answers, uts FROM ${OPT_OUTS} ${KEEP_NEWER_OPT_OUT}`,
  );
}

/** Past both, and past those of a store that was here before: a revision counts changes, which are fewer than milliseconds. */
function moveRevisions(live: string, draft: string): string {
  const { key, reset } = REVISIONS.get(draft)!;
  return `
    INSERT INTO ${live} (pid, ${key}, rev)
    SELECT $1, ${key}, greatest((extract(epoch FROM clock_timestamp()) * 1000)::bigint, 1 + max(max(rev)) OVER ())
    FROM (SELECT ${key}, rev FROM ${draft} WHERE pid = $1 UNION ALL SELECT ${key}, rev FROM ${live} WHERE pid = $1) r GROUP BY ${key}
    ON CONFLICT (pid, ${key}) DO UPDATE SET rev = excluded.rev${reset}`;
}
