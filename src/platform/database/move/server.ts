import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { describeFailure } from '../../errors.ts';
import { hasCode } from '../embedded-system.ts';

/** One of the two databases of a move, on a connection of its own. */
export type Server = Awaited<ReturnType<typeof connectTo>>;

export type Move = { source: Server; target: Server; pid: string };

/** The same texts of values on both sides, and no time limits. */
const OPTIONS = Object.entries({
  ...{ statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0, timezone: 'UTC' },
  ...{ datestyle: 'ISO,YMD', intervalstyle: 'postgres', extra_float_digits: 1, bytea_output: 'hex' },
});

export const NO_POOLER = 'name PostgreSQL itself, not a pooler (--from, --to)';
const LOCK_TRIES = 600;
const MOVE_TRIES = 50;
const PAUSE_MS = 100;

async function openClient(url: string, more: object): Promise<pg.Client> {
  const settings = { connectionTimeoutMillis: 5_000, application_name: 'wishgate-move' };
  const client = new pg.Client({ connectionString: url, ...settings, ...more });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

export async function connectTo(url: string, side: 'source' | 'target') {
  const options = OPTIONS.map(([name, value]) => `-c ${name}=${value}`).join(' ');
  const client = await openClient(url, { options }).catch((error: unknown) => {
    const text = describeFailure(error);
    const hint = text.includes('startup parameter') ? `; ${NO_POOLER}` : '';
    throw new Error(`The ${side} cannot be reached: ${text}${hint}`, { cause: error });
  });
  const query = (sql: string, values?: unknown[]) => client.query(sql, values);
  const rows = async <Row>(sql: string, ...values: unknown[]) => (await query(sql, values)).rows as Row[];
  const row = async <Row>(sql: string, ...values: unknown[]) => (await rows<Row>(sql, ...values))[0]!;
  /** Runs a transaction that waits briefly for its locks, because other writers queue behind it, and tries again. */
  const patiently = async (work: () => Promise<unknown>): Promise<void> => {
    for (let left = LOCK_TRIES; ; left -= 1) {
      try {
        await query(`BEGIN; SET LOCAL lock_timeout = '200ms'`);
        await work();
        return void (await query('COMMIT'));
      } catch (error) {
        await query('ROLLBACK');
        if (left === 0 || !hasCode(error, '55P03', '40P01')) throw error;
        await delay(PAUSE_MS);
      }
    }
  };
  /** Lets one move of a store run at a time; false if this database has the lock. A killed command's connection may live a moment longer. */
  const lockMove = async (pid: string): Promise<boolean> => {
    for (let left = MOVE_TRIES; ; left -= 1) {
      const sql = 'SELECT pg_try_advisory_lock(hashtextextended($1, 815005)) AS is';
      const { is } = await row<{ is: boolean }>(sql, pid);
      if (is || left === 0) return is;
      await delay(PAUSE_MS);
    }
  };
  return { url, side, query, rows, row, patiently, lockMove, end: () => client.end() };
}

/** Poolers refuse this kind of connection, and it needs the right to replicate. Returns why it failed, or an empty text. */
export async function whyNotDirect({ url }: Server): Promise<string> {
  try {
    const client = await openClient(url, { replication: 'database' });
    await client.query('IDENTIFY_SYSTEM').finally(() => client.end());
    return '';
  } catch (error) {
    return describeFailure(error);
  }
}
