import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { splitAddress } from '../database-address.ts';
import { codedError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { READ_ONLY, isReadOnly } from './errors.ts';
import { observePool, watchSilence } from './pool-watch.ts';

/** The connection of an open transaction; it runs one statement at a time. */
export type Session = { query: (config: pg.QueryConfig) => Promise<pg.QueryResult> };

/** All connections are in use, which says nothing about the server. */
const IS_BUSY = 'timeout exceeded when trying to connect';

/** A statement of the health check that takes longer has lost its connection. */
const MONITOR_MS = 2_000;

/** The part of PostgreSQL that a commit waits in; its warnings have no code of their own, and their text depends on the language. */
const REPLICA_WAIT = 'SyncRepWaitForLSN';

export type RoutedPool = ReturnType<typeof createRoutedPool>;

/** Creates the only pool of a process; `url` may name several servers. */
export function createRoutedPool(url: string, config: pg.PoolConfig, isPooled: boolean, log: Logger) {
  const sessions = new AsyncLocalStorage<Session>();
  const lostListeners = new Set<() => void>();
  const generationOf = new WeakMap<pg.ClientBase, number>();
  const warned = new WeakSet<pg.ClientBase>();
  let generation = 0;
  /** The pool closes a connection of an earlier generation when a request checks it out. */
  let oldestGeneration = 0;
  let open = 0;

  const lose = (): void => {
    generation += 1;
    lostListeners.forEach((listener) => listener());
  };
  const leave = (): void => {
    lose();
    oldestGeneration = generation;
  };
  const servers = createServers(url, log, leave);
  // The pool awaits it, which its types do not know yet.
  const onConnect = ((client) => checkWritable(client, config.connectionTimeoutMillis)) as (
    client: pg.ClientBase,
  ) => void;
  const pool = new pg.Pool({ ...config, connectionString: servers.url(), onConnect });
  const observed = observePool(pool, 'primary');
  const endWatch = watchSilence(pool.options, observed, isPooled, log, leave);
  const monitor = new pg.Pool({ ...pool.options, max: 1, query_timeout: MONITOR_MS });
  const connectMonitor = monitor.connect.bind(monitor);
  for (const one of [pool, monitor]) {
    one.on('connect', (client) => {
      // A connection that the server closes while no query runs only emits an event, which ends the process without a listener.
      client.on('error', lose);
      client.on('notice', ({ routine }) => routine === REPLICA_WAIT && warned.add(client));
    });
    one.on('error', (error) => log.warn({ reason: error.message }, 'Lost an idle database connection'));
  }

  const connectBy = async (from: pg.Pool, connectOne: () => Promise<pg.PoolClient>) => {
    for (let canTurn = servers.areSeveral; ;) {
      await servers.settle();
      from.options.connectionString = servers.url();
      const startedIn = generation;
      try {
        const client = await connectOne();
        if (!generationOf.has(client)) generationOf.set(client, startedIn);
        if (generationOf.get(client)! >= oldestGeneration) return client;
        client.release(true);
      } catch (error) {
        if ((error as Error).message !== IS_BUSY) servers.doubt();
        if (!canTurn) throw error;
        canTurn = false;
      }
    }
  };

  const connectApart = (): Promise<pg.PoolClient> => connectBy(pool, observed.connect);

  const queryOn = async (client: pg.PoolClient, statement: pg.QueryConfig): Promise<pg.QueryResult> => {
    try {
      const result = await client.query(statement);
      // PostgreSQL ends a cancelled commit that waits for the synchronous replica with a mere warning; it must not be acknowledged.
      if (warned.has(client)) throw codedError('08007', 'The write did not reach the synchronous replica');
      return result;
    } catch (error) {
      if (isReadOnly(error)) {
        servers.doubt();
        leave();
      }
      throw error;
    }
  };

  const queryApart: Session['query'] = (statement) =>
    useClient(connectApart(), (client) => queryOn(client, statement));

  pool.query = ((statement: pg.QueryConfig | string, values?: unknown[]) => {
    const query = sessions.getStore()?.query ?? queryApart;
    return query(typeof statement === 'string' ? { text: statement, values } : statement);
  }) as never;
  pool.connect = (async () => {
    const session = sessions.getStore();
    return session ? standIn(session) : connectApart();
  }) as never;

  return {
    /** For Prisma: calls during a transaction of ours use its connection. A Prisma promise runs where it is awaited, so await it inside. */
    pool,
    /** Routes the pool's statements to this session while `work` runs. */
    runIn: async <Result>(session: Session, work: () => Promise<Result>): Promise<Result> => {
      open += 1;
      try {
        // Awaited inside, because `work` may return a Prisma promise unawaited.
        return await sessions.run(session, async () => await work());
      } finally {
        // While it is enabled, Node 20 tracks every promise of the process: list reads were about 3 % slower (one run of `npm run
        // bench` each).
        if ((open -= 1) === 0) sessions.disable();
      }
    },
    isInside: () => sessions.getStore() !== undefined,
    /** Runs a statement on a connection of its own, also inside a transaction. */
    queryApart,
    /** Runs a statement of a health check, on a connection that never waits behind requests. */
    queryForMonitor: (statement: pg.QueryConfig) =>
      useClient(connectBy(monitor, connectMonitor), (client) => queryOn(client, statement)),
    connectApart,
    queryOn,
    /** Increases when a connection is lost or another server becomes the primary: cached data may not match the new server. */
    generation: () => generation,
    onLost: (listener: () => void) => void lostListeners.add(listener),
    async end() {
      endWatch();
      await Promise.all([pool.end(), monitor.end()]);
    },
  };
}

/** Runs `work` on a connection, which the pool closes after an error. */
export async function useClient<Result>(
  connecting: Promise<pg.PoolClient>,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await connecting;
  let hasFailed = true;
  try {
    const result = await work(client);
    hasFailed = false;
    return result;
  } finally {
    client.release(hasFailed);
  }
}

let savepoints = 0;

/** Prisma gets a savepoint for its own transaction inside of ours, so that it can roll back alone. */
function standIn(session: Session): Pick<pg.PoolClient, 'query' | 'on' | 'removeListener' | 'release'> {
  const name = `inner_${(savepoints += 1)}`;
  const inner: Record<string, string> = {
    BEGIN: `SAVEPOINT ${name}`,
    COMMIT: `RELEASE SAVEPOINT ${name}`,
    ROLLBACK: `ROLLBACK TO SAVEPOINT ${name}`,
  };
  const query = (config: pg.QueryConfig): Promise<pg.QueryResult> =>
    session.query({ ...config, text: inner[config.text] ?? config.text });
  const nothing = (): never => undefined as never;
  return { query: query as never, on: nothing, removeListener: nothing, release: nothing };
}

const PROBE_MS = 2_000;
/** While no server is writable, they are checked again after this time. */
const REST_MS = 200;

/** Throws on a read-only server, such as a replica. Runs for each new connection, which may be silent and is not watched yet. */
async function checkWritable(client: pg.ClientBase, timeoutMs = PROBE_MS): Promise<void> {
  // pg's types lack the limit of one statement.
  const statement = { text: 'SHOW transaction_read_only', query_timeout: timeoutMs };
  const { rows } = await client.query<{ transaction_read_only: string }>(statement);
  if (rows[0]?.transaction_read_only === 'on')
    throw codedError(READ_ONLY, 'The database server is read-only: it is a replica, or closed for writes');
}

/** Returns the timeline that a server writes, which every promotion increases; null if the server is unavailable or read-only. */
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
    if (index < 0) throw codedError('08001', 'No server of DATABASE_URL accepts writes');
    newest = histories[index]!;
    isInDoubt = false;
    if (urls[index] === current) return;
    current = urls[index]!;
    log.warn({ server: new URL(current).host }, 'Writing to another database server from now on');
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
