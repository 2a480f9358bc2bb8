import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import type { Logger } from '../log.ts';
import { METRICS, measure } from '../metrics.ts';
import { failureName, startSpan } from '../tracing.ts';
import { isReadOnly } from './errors.ts';
import { checkWritable, createServers } from './servers.ts';
import { watchSilence } from './timeouts.ts';

/** The connection of an open transaction; it runs one statement at a time. */
export type Session = { query: (config: pg.QueryConfig) => Promise<pg.QueryResult> };

/** All connections are in use, which says nothing about the server. */
const IS_BUSY = 'timeout exceeded when trying to connect';

/** A statement of the health check that takes longer has lost its connection. */
const MONITOR_MS = 2_000;

/** PostgreSQL's code for a warning; no statement of ours causes another one. */
const WARNING = '01000';

/** PostgreSQL ends a cancelled commit that waits for the synchronous replica with a mere warning; it must not be acknowledged. */
const notReplicated = (): Error =>
  Object.assign(new Error('The write did not reach the replica that has to have it'), { code: '08007' });

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
  const onConnect = checkWritable as (client: pg.ClientBase) => void;
  const pool = new pg.Pool({ ...config, connectionString: servers.url(), onConnect });
  const { connect, running } = observePool(pool, 'primary');
  const endWatch = watchSilence(pool.options, running, isPooled, log, lose);
  const monitor = new pg.Pool({ ...pool.options, max: 1, query_timeout: MONITOR_MS });
  const connectMonitor = monitor.connect.bind(monitor);
  for (const one of [pool, monitor]) {
    one.on('connect', (client) => {
      // A connection that the server closes while no query runs only emits an event, which ends the process without a listener.
      client.on('error', lose);
      client.on('notice', ({ code }) => code === WARNING && warned.add(client));
    });
    one.on('error', (error) => log.warn({ reason: error.message }, 'an idle database connection was lost'));
  }

  const connectBy = async (
    from: pg.Pool,
    connectOne: () => Promise<pg.PoolClient>,
  ): Promise<pg.PoolClient> => {
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

  const connectApart = (): Promise<pg.PoolClient> => connectBy(pool, connect);

  const queryOn = async (client: pg.PoolClient, statement: pg.QueryConfig): Promise<pg.QueryResult> => {
    try {
      const result = await client.query(statement);
      if (warned.has(client)) throw notReplicated();
      return result;
    } catch (error) {
      if (isReadOnly(error)) {
        servers.doubt();
        leave();
      }
      throw error;
    }
  };

  const queryBy = async (
    connecting: Promise<pg.PoolClient>,
    statement: pg.QueryConfig,
  ): Promise<pg.QueryResult> => {
    const client = await connecting;
    let hasFailed = true;
    try {
      const result = await queryOn(client, statement);
      hasFailed = false;
      return result;
    } finally {
      client.release(hasFailed);
    }
  };

  const queryApart: Session['query'] = (statement) => queryBy(connectApart(), statement);

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
    queryForMonitor: (statement: pg.QueryConfig) => queryBy(connectBy(monitor, connectMonitor), statement),
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

type ServerRole = 'primary' | 'replica';

/** `label` is the name of a statement that is sent without it, because the pooler does not support prepared statements. */
type Given = { name?: string; label?: string; text: string; rowMode?: string };

const SIMPLE = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/;

/** Returns the statement's own name, `typed` for Prisma's unnamed ones, or the first word of BEGIN, COMMIT and the like. */
function nameOf(statement: Given | string): string {
  const { name, label, text, rowMode }: Given =
    typeof statement === 'string' ? { text: statement } : statement;
  const simple = rowMode === 'array' ? 'typed' : SIMPLE.exec(text)?.[1]?.toLowerCase();
  return name ?? label ?? simple ?? 'unnamed';
}

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1_000;

const pools = new Map<ServerRole, pg.Pool>();

/** Measures a pool's connections, the time spent waiting for one, and the statements. Call it before the first use. */
export function observePool(pool: pg.Pool, server: ServerRole) {
  pools.set(server, pool);
  const running = new Map<pg.PoolClient, number>();
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  const attributes = { 'db.system.name': 'postgresql', 'wishgate.server': server };

  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<pg.QueryResult>;
    client.query = (async (...args: unknown[]) => {
      const statement = nameOf(args[0] as Given | string);
      const span = startSpan('statement', statement, attributes);
      const startedAt = performance.now();
      running.set(client, startedAt);
      let failure: string | undefined;
      try {
        return await query(...args);
      } catch (error) {
        failure = failureName(error);
        throw error;
      } finally {
        running.delete(client);
        METRICS.statements.observe({ statement, server }, secondsSince(startedAt));
        span?.end({ failure });
      }
    }) as never;
  });

  return {
    running,
    connect: async (): Promise<pg.PoolClient> => {
      const startedAt = performance.now();
      try {
        return await connect();
      } finally {
        METRICS.poolWait.observe({ server }, secondsSince(startedAt));
      }
    },
  };
}

measure(METRICS.poolConnections, (gauge) => {
  for (const [server, { idleCount, totalCount }] of pools) {
    gauge.set({ server, state: 'idle' }, idleCount);
    gauge.set({ server, state: 'busy' }, totalCount - idleCount);
  }
});
measure(METRICS.poolMax, (gauge) => pools.forEach((pool, server) => gauge.set({ server }, pool.options.max)));
measure(METRICS.poolWaiting, (gauge) =>
  pools.forEach((pool, server) => gauge.set({ server }, pool.waitingCount)),
);
