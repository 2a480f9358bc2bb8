import pg from 'pg';
import { splitAddress } from '../database-address.ts';
import type { Logger } from '../log.ts';
import { READ_ONLY } from './errors.ts';

const PROBE_MS = 2_000;
/** While no server is writable, they are checked again after this time. */
const REST_MS = 200;

/** Throws on a read-only server, such as a replica. Runs for each new connection. */
export async function checkWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (rows[0]?.transaction_read_only === 'on')
    throw Object.assign(new Error('The database server only reads: it is a replica, or closed for writes'), {
      code: READ_ONLY,
    });
}

/** Returns the timeline that a server writes, which every promotion increases; null if the server is away or read-only. */
async function historyOf(connectionString: string): Promise<string | null> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await checkWritable(client);
    const { rows } = await client.query<{ history: string }>(
      'SELECT left(pg_walfile_name(pg_current_wal_flush_lsn()), 8) AS history',
    );
    return rows[0]!.history;
  } catch {
    return null;
  } finally {
    // Not awaited, because one server that hangs would delay the others.
    void client.end().catch(() => undefined);
  }
}

/** Follows the primary among several servers; calls `onChange` when it is a different one. */
export function createServers(url: string, log: Logger, onChange: () => void) {
  const urls = splitAddress(url);
  const areSeveral = urls.length > 1;
  let current = urls[0]!;
  let newest = '';
  let isInDoubt = areSeveral;
  let looking: Promise<void> | null = null;

  const look = async (): Promise<void> => {
    const histories = await Promise.all(urls.map(historyOf));
    // The newest timeline wins, and none older than one seen before: an old primary that comes back by itself gets no writes.
    const known = histories.filter((history) => history !== null && history >= newest).sort();
    const index = histories.indexOf(known.at(-1) ?? '');
    if (index < 0)
      throw Object.assign(new Error('None of the servers of DATABASE_URL can be written to'), {
        code: '08001',
      });
    newest = histories[index]!;
    isInDoubt = false;
    if (urls[index] === current) return;
    current = urls[index]!;
    log.warn({ server: new URL(current).host }, 'another database server is written to from now on');
    onChange();
  };

  return {
    url: () => current,
    areSeveral,
    /** Looks for the writable server after `doubt`; throws while there is none. */
    async settle() {
      if (!isInDoubt) return;
      looking ??= look().finally(() => setTimeout(() => (looking = null), isInDoubt ? REST_MS : 0).unref());
      await looking;
    },
    /** Reports that the current server is gone or read-only. */
    doubt: () => void (isInDoubt = areSeveral),
  };
}
