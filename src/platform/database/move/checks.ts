import { readApplied } from '../migrate.ts';
import { readStep } from './replication.ts';
import { NO_POOLER, whyNotDirect } from './server.ts';
import type { Move, Server } from './server.ts';

/** What a move needs and does not find, with the line that mends it. */
type Fault = { is: string; mend: string };

const setting = (name: string, value: string): string =>
  `format('psql -c "ALTER SYSTEM SET ${name} = ''%s''", then restart that PostgreSQL', ${value})`;

/** $1 is the side, $2 whether it follows already, $3 why it cannot. An apply worker and those that copy tables have a slot and a sender each. */
const SERVER_FAULTS = `
  SELECT format('The %s %s', $1::text, f."is") AS "is", f.mend
  FROM (SELECT $1 = 'source' AS is_source, CASE WHEN $2::boolean THEN 0 ELSE 1 + current_setting('max_sync_workers_per_subscription')::int END AS wanted,
    current_setting('max_replication_slots')::int AS max_slots, current_setting('max_wal_senders')::int AS max_senders,
    current_setting('max_logical_replication_workers')::int AS max_workers) m
  CROSS JOIN LATERAL (SELECT max_slots - (SELECT count(*) FROM pg_replication_slots) AS slots, max_senders - (SELECT count(*) FROM pg_stat_replication) AS senders,
    max_workers - (SELECT count(*) FROM pg_stat_subscription WHERE pid IS NOT NULL) AS workers) n
  CROSS JOIN LATERAL (VALUES
    (current_setting('server_version_num')::int < 150000, 'is older than PostgreSQL 15', 'upgrade it (docs/operations/upgrade.md)'),
    (pg_is_in_recovery(), 'is a replica', 'name the primary'),
    ($3::text <> '', format('refuses a connection for replication: %s', $3::text), '${NO_POOLER}, and a role that may replicate: psql -c ''ALTER ROLE … REPLICATION'''),
    (slots < wanted, format('has %s free replication slots, and %s are needed', slots, wanted), ${setting('max_replication_slots', 'max_slots + wanted - slots')}),
    (NOT has_database_privilege(current_database(), 'CREATE') OR EXISTS (SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace
      AND relkind = 'r' AND NOT pg_has_role(relowner, 'USAGE')), 'has given the role neither its tables nor the right to create', 'use the role of the service'),
    (is_source AND current_setting('wal_level') <> 'logical', format('has wal_level=%s', current_setting('wal_level')), ${setting('wal_level', `'logical'`)}),
    (is_source AND senders < wanted, format('has %s free WAL senders, and %s are needed', senders, wanted), ${setting('max_wal_senders', 'max_senders + wanted - senders')}),
    (NOT is_source AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user), 'does not let the role create subscriptions', 'psql -c ''ALTER ROLE … SUPERUSER'' for the time of the move'),
    (NOT is_source AND workers < least(wanted, 2), format('has %s free workers for replication', workers), ${setting('max_logical_replication_workers', 'max_workers + wanted - workers')})
  ) AS f (is_fault, "is", mend) WHERE is_fault`;

/** On the target: $1 is the number and $2 the key id of the store $3, $4 whether it is open on the source. */
const STORE_FAULTS = `
  SELECT "is", mend FROM (VALUES
    (EXISTS (SELECT FROM store WHERE link_no = $1 AND pid <> $3), format('A store of the target has the same number in short links (%s)', $1::int),
      format('choose another target, or give this store another number, with which the short links that it has sent end: psql -c "UPDATE store SET link_no = %s WHERE pid = ''%s''"', 1 + floor(random() * 2147483646)::int, $3::text)),
    ($2::text IS NOT NULL AND NOT EXISTS (SELECT FROM service_state WHERE $2 = ANY (key_ids)), 'No service of the target has the key that encrypts the password of the store''s mail server',
      'start a service or worker there once with the same SECRETS_KEY (docs/operations/keys.md)'),
    ($4::boolean AND EXISTS (SELECT FROM store WHERE pid = $3 AND coalesce(move_step, '') NOT IN ('moved', 'arriving')), 'The store is in service on the target, too', 'name another target')
  ) AS f (is_fault, "is", mend) WHERE is_fault`;

const STORE = `SELECT link_no AS no, split_part(password, '.', 1) AS key FROM store LEFT JOIN mail_server USING (pid) WHERE pid = $1`;

const migrationsOf = async (server: Server): Promise<string> =>
  ((await readApplied({ query: ({ text }) => server.query(text) })) ?? [])
    .map(({ name, checksum }) => name + checksum)
    .sort()
    .join();

async function findFaults({ source, target, pid }: Move, follows: boolean): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const server of [source, target])
    faults.push(
      ...(await server.rows<Fault>(SERVER_FAULTS, server.side, follows, await whyNotDirect(server))),
    );
  if (faults.length > 0) return faults;
  if ((await migrationsOf(source)) !== (await migrationsOf(target)))
    return [{ is: 'The databases have different migrations', mend: 'start the same wishgate on both once' }];
  const [here, there] = [await readStep(source, pid), await readStep(target, pid)];
  if (here === undefined) throw new Error('No store has this pid');
  if (here === 'arriving' || (here === 'moved' && there !== null))
    return [
      { is: `The store is not in service on the source (${here})`, mend: 'run it on the server that has it' },
    ];
  const { no, key } = await source.row<{ no: number; key: string | null }>(STORE, pid);
  return target.rows<Fault>(STORE_FAULTS, no, key, pid, here === null || here === 'paused');
}

/** Throws with all that is in its way before anything is changed. */
export async function checkMove(move: Move, follows: boolean): Promise<void> {
  const faults = await findFaults(move, follows);
  const lines = faults.map(({ is, mend }) => `- ${is}\n  → ${mend}`);
  if (lines.length > 0)
    throw new Error(['The store cannot move yet; nothing was changed:', ...lines].join('\n'));
}

/** The lock is of a database, so that it also shows whether both are the same one. */
export async function takeMove({ source, target, pid }: Move): Promise<void> {
  if (!(await source.lockMove(pid))) throw new Error('Another move of this store is under way');
  if (!(await target.lockMove(pid)))
    throw new Error('The source and the target are the same database: name another one with --to');
}
