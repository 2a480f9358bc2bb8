import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { Logger } from '../log.ts';

/** The interval of the checks; a statement that is under way at two of them in a row is asked about. */
const LOOK_MS = 3_000;
/** A server that does not list its sessions within this time is away. */
const ANSWER_MS = 2_000;

/** Properties that pg has and its types lack. Nothing public says whether a statement is under way (`_activeQuery`). */
type Watched = pg.PoolClient & {
  processID: number;
  _activeQuery: object | null;
  connection: { stream: Duplex };
};

/** SQL: the busy sessions; `isOwn` is false behind a pooler that the configuration does not name, because it renumbers sessions. */
const SESSIONS = `
  SELECT $2 = pg_backend_pid() AS "isOwn", ARRAY(SELECT pid FROM pg_stat_activity WHERE pid = ANY($1) AND state NOT LIKE 'idle%') AS busy`;

/** SQL: a session whose response was lost still holds the locks of its transaction. */
const END = 'SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid';

/** What the server says about sessions; null when it does not respond. */
type Said = { dead: number[]; end: () => Promise<void> } | null;

/**
 * Asks on a separate connection which sessions are dead: unknown to the server, or idle there while we wait here. A pooler that accepts the connection is
 * alive, and delays queries while it is paused.
 */
async function askWhichAreDead(
  options: pg.ClientConfig,
  pids: readonly number[],
  isPooled: boolean,
): Promise<Said> {
  const limits = { connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS };
  const client = new pg.Client({ ...options, ...limits }) as unknown as pg.Client & Watched;
  client.on('error', () => undefined);
  try {
    await client.connect();
    if (isPooled) {
      void client.end().catch(() => undefined);
      return { dead: [], end: async () => undefined };
    }
    const { rows } = await client.query<{ isOwn: boolean; busy: number[] }>(SESSIONS, [
      pids,
      client.processID,
    ]);
    const { isOwn, busy } = rows[0]!;
    const dead = isOwn ? pids.filter((pid) => !busy.includes(pid)) : [];
    return {
      dead,
      async end() {
        try {
          if (dead.length > 0) await client.query(END, [dead]);
        } finally {
          // Not awaited: this connection may be silent, too.
          void client.end().catch(() => undefined);
        }
      },
    };
  } catch (error) {
    client.connection.stream.destroy();
    // A rejection, such as too many connections, proves that the server is alive.
    const isRefusal = 'severity' in (error as object);
    return isRefusal ? { dead: [], end: async () => undefined } : null;
  }
}

/**
 * Closes silent connections: without it, a network that drops packets would block a request until TCP gives up, after a quarter of an hour. Long statements
 * go on, because the server is asked whether it still runs them. Returns the function that stops the checks.
 */
export function watchSilence(pool: pg.Pool, log: Logger, isPooled: boolean): () => void {
  const clients = new Map<Watched, object | null>();
  pool.on('connect', (client) => void clients.set(client as Watched, null));
  pool.on('remove', (client) => void clients.delete(client as Watched));
  let isAsking = false;
  let unanswered = 0;

  const look = async (): Promise<void> => {
    const silent = new Map<Watched, object>();
    for (const [client, seen] of clients) {
      const query = client._activeQuery;
      if (query !== null && query === seen) silent.set(client, query);
      clients.set(client, query);
    }
    if (silent.size === 0) return;
    const pids = [...silent.keys()].map(({ processID }) => processID);
    const said = await askWhichAreDead(pool.options, pids, isPooled);
    unanswered = said ? 0 : unanswered + 1;
    // A slow server gets a second chance.
    if (said === null && unanswered < 2) return;
    const dead = said?.dead ?? pids;
    for (const [client, query] of silent) {
      if (!dead.includes(client.processID) || client._activeQuery !== query) continue;
      log.warn('a database connection was silent and is given up');
      client.connection.stream.destroy();
    }
    await said?.end();
  };

  const timer = setInterval(() => {
    if (isAsking) return;
    isAsking = true;
    look()
      .catch((error: unknown) => log.warn({ err: error }, 'silent database connections could not be ended'))
      .finally(() => (isAsking = false));
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
