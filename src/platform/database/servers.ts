import pg from 'pg';
import type { Logger } from '../log.ts';
import { splitAddress } from '../database-address.ts';
import { READ_ONLY } from './errors.ts';

/** How long a server may take to say whether it can be written to. */
const PROBE_MS = 2_000;
/** While no server can be written to, they are asked again after this long. */
const REST_MS = 200;

/** Throws where writing is impossible, such as on a replica. Runs for each new connection. */
export async function checkWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (rows[0]?.transaction_read_only === 'on')
    throw Object.assign(new Error('The database server only reads: it is a replica, or closed for writes'), {
      code: READ_ONLY,
    });
}

/** The timeline that a server writes, which every promotion begins anew; null where it is away or only reads. */
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
    // Without waiting: one that hangs would hold up the others.
    void client.end().catch(() => undefined);
  }
}

export type Servers = {
  /** Address of the one that is written to, as far as is known. */
  url: () => string;
  /** Whether there is another one to turn to. */
  areSeveral: boolean;
  /** Looks for the one that can be written to, where that is in doubt; fails while there is none. */
  settle(): Promise<void>;
  /** Reports that the current one is gone, or only reads. */
  doubt(): void;
};

/** Follows the writable one of several servers; calls `onChange` when it is another than before. */
export function createServers(url: string, log: Logger, onChange: () => void): Servers {
  const urls = splitAddress(url);
  const areSeveral = urls.length > 1;
  let current = urls[0]!;
  let newest = '';
  let isInDoubt = areSeveral;
  let looking: Promise<void> | null = null;

  const look = async (): Promise<void> => {
    const histories = await Promise.all(urls.map(historyOf));
    // The newest history wins, and none that is older than one seen before: an old primary that comes back on its own is not written to.
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
    async settle() {
      if (!isInDoubt) return;
      looking ??= look().finally(() => setTimeout(() => (looking = null), isInDoubt ? REST_MS : 0).unref());
      await looking;
    },
    doubt: () => void (isInDoubt = areSeveral),
  };
}
