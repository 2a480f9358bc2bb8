import type { Duplex } from 'node:stream';
import pg from 'pg';
import type { Logger } from '../log.ts';

/** So often is looked; a statement that was under way at the look before as well is asked about. */
const LOOK_MS = 3_000;
/** A server that does not tell for so long what its sessions do is away. */
const ANSWER_MS = 2_000;

/** What pg knows of a connection and its types do not tell. */
type Watched = pg.PoolClient & {
  processID: number;
  _activeQuery: object | null;
  connection: { stream: Duplex };
};

/** SQL: which sessions are at work; `isOwn` is false behind a pooler that we were not told of, whose sessions have other numbers. */
const SESSIONS = `
  SELECT $2 = pg_backend_pid() AS "isOwn", ARRAY(SELECT pid FROM pg_stat_activity WHERE pid = ANY($1) AND state NOT LIKE 'idle%') AS busy`;

/** SQL: a session whose answer was lost on the way still holds its transaction's locks. */
const END = 'SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) pid';

/** What the server says of sessions: null when it says nothing at all. */
type Said = { dead: number[]; end: () => Promise<void> } | null;

/**
 * Asks on a connection of its own which of these are dead: unknown to the server, or waiting for us there while we wait for them here. A pooler (`isPooled`) that
 * lets us in is alive, and holds back what it is asked while it pauses.
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
          // Without waiting: it may have gone silent, too.
          void client.end().catch(() => undefined);
        }
      },
    };
  } catch (error) {
    client.connection.stream.destroy();
    // A refusal, such as too many connections, is an answer, too: the server lives and may be at the statements.
    const isRefusal = 'severity' in (error as object);
    return isRefusal ? { dead: [], end: async () => undefined } : null;
  }
}

/**
 * Ends connections that have gone silent: a network that drops packets, or a server that vanished, tells nobody, and a request on such a
 * connection would wait for a quarter of an hour. Statements that take long are left alone: the server is asked whether it is at them.
 * Answers how to end the watch.
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
    // A machine that is only slow is asked twice.
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
