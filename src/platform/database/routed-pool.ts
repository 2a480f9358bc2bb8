import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import type { Logger } from '../log.ts';
import { METRICS, measure } from '../metrics.ts';
import { bindSpan, failureName, startSpan } from '../tracing.ts';
import { isReadOnly } from './errors.ts';
import { checkWritable, createServers } from './servers.ts';

/** The connection of an open transaction; it runs one statement at a time. */
export type Session = { query: (config: pg.QueryConfig) => Promise<pg.QueryResult> };

export type RoutedPool = {
  /**
   * For Prisma: calls during a transaction of ours use its connection, so that typed calls and statements see each other and roll
   * back together. A Prisma promise runs where it is awaited, so await it inside, too.
   */
  pool: pg.Pool;
  /** Routes the pool's statements to this session while `work` runs. */
  runIn: <Result>(session: Session, work: () => Promise<Result>) => Promise<Result>;
  isInside: () => boolean;
  /** Runs a statement on a connection of its own, also inside a transaction. */
  queryApart: Session['query'];
  /** Runs a statement of a health check, on a connection that never waits behind requests. */
  queryForMonitor: Session['query'];
  connectApart: () => Promise<pg.PoolClient>;
  queryOn: (client: pg.PoolClient, config: pg.QueryConfig) => Promise<pg.QueryResult>;
  /** Increases when a connection is lost or another server becomes the primary: cached data may not match the new server. */
  era: () => number;
  onLost: (listener: () => void) => void;
  end: () => Promise<void>;
};

/** All connections are in use, which says nothing about the server. */
const IS_BUSY = 'timeout exceeded when trying to connect';

/** A statement of the health check that takes longer has lost its connection. */
const MONITOR_MS = 2_000;

/** PostgreSQL's code for a warning; no statement of ours causes another one. */
const WARNING = '01000';

/** PostgreSQL ends a cancelled commit that waits for the synchronous replica with a mere warning; it must not be acknowledged. */
const notReplicated = (): Error =>
  Object.assign(new Error('The write did not reach the replica that has to have it'), { code: '08007' });

/** Creates the only pool of a process; `url` may name several servers. */
export function createRoutedPool(url: string, config: pg.PoolConfig, log: Logger): RoutedPool {
  const sessions = new AsyncLocalStorage<Session>();
  const lostListeners = new Set<() => void>();
  const eraOf = new WeakMap<pg.ClientBase, number>();
  const warned = new WeakSet<pg.ClientBase>();
  let era = 0;
  /** The pool closes a connection from an earlier era when a request checks it out. */
  let oldestEra = 0;
  let open = 0;

  const lose = (): void => {
    era += 1;
    lostListeners.forEach((listener) => listener());
  };
  const leave = (): void => {
    lose();
    oldestEra = era;
  };
  const servers = createServers(url, log, leave);
  // The pool awaits it, which its types do not know yet.
  const check = checkWritable as (client: pg.ClientBase) => void;
  const pool = new pg.Pool({ ...config, connectionString: servers.url(), onConnect: check });
  observePool(pool, 'primary');
  const monitor = new pg.Pool({ ...pool.options, max: 1, query_timeout: MONITOR_MS });
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => unknown;
  for (const one of [pool, monitor]) {
    one.on('connect', (client) => {
      // A connection that the server closes while no query runs only emits an event, which ends the process without a listener.
      client.on('error', lose);
      client.on('notice', ({ code }) => code === WARNING && warned.add(client));
    });
    one.on('error', (error) => log.warn({ reason: error.message }, 'an idle database connection was lost'));
  }

  const connectBy = async (from: pg.Pool, connectOne: () => unknown): Promise<pg.PoolClient> => {
    for (let canTurn = servers.areSeveral; ;) {
      await servers.settle();
      from.options.connectionString = servers.url();
      const startedIn = era;
      try {
        const client = (await connectOne()) as pg.PoolClient;
        if (!eraOf.has(client)) eraOf.set(client, startedIn);
        if (eraOf.get(client)! >= oldestEra) return client;
        client.release(true);
      } catch (error) {
        if ((error as Error).message !== IS_BUSY) servers.doubt();
        if (!canTurn) throw error;
        canTurn = false;
      }
    }
  };

  const connectApart = (): Promise<pg.PoolClient> => connectBy(pool, connect);

  const noteError = (error: unknown): unknown => {
    if (isReadOnly(error)) {
      servers.doubt();
      leave();
    }
    return error;
  };

  const queryOn: RoutedPool['queryOn'] = async (client, statement) => {
    try {
      const result = await client.query(statement);
      if (warned.has(client)) throw notReplicated();
      return result;
    } catch (error) {
      throw noteError(error);
    }
  };

  const queryBy = async (
    connectOne: () => Promise<pg.PoolClient>,
    statement: pg.QueryConfig,
  ): Promise<pg.QueryResult> => {
    const client = await connectOne();
    let hasFailed = true;
    try {
      const result = await queryOn(client, statement);
      hasFailed = false;
      return result;
    } finally {
      client.release(hasFailed);
    }
  };

  const queryApart: Session['query'] = (statement) => queryBy(connectApart, statement);

  pool.query = ((statement: pg.QueryConfig | string, values?: unknown[]) => {
    const query = sessions.getStore()?.query ?? queryApart;
    return query(typeof statement === 'string' ? { text: statement, values } : statement);
  }) as never;
  pool.connect = ((...args: unknown[]) => {
    const session = args.length === 0 ? sessions.getStore() : undefined;
    if (session) return Promise.resolve(standIn(session));
    return args.length === 0 ? connectApart() : connect(...args);
  }) as never;
  return {
    pool,
    async runIn(session, work) {
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
    queryApart,
    queryForMonitor: (statement) => queryBy(() => connectBy(monitor, () => monitor.connect()), statement),
    connectApart,
    queryOn,
    era: () => era,
    onLost: (listener) => void lostListeners.add(listener),
    end: async () => void (await Promise.all([pool.end(), monitor.end()])),
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

type Callback = (error: unknown, ...rest: unknown[]) => void;
type Call = (...args: unknown[]) => unknown;

export type ServerRole = 'primary' | 'replica';

/** `label` is the name of a statement that is sent without it, because the pooler does not support prepared statements. */
type Given = { name?: string; label?: string; text: string; rowMode?: string };

const SIMPLE = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/;

/** Returns the statement's own name, `typed` for Prisma's unnamed ones, or the first word of BEGIN, COMMIT and the like. */
function nameOf(statement: unknown): string {
  const given = typeof statement === 'string' ? { text: statement } : (statement as Given);
  const { name, label, text, rowMode }: Given = given;
  const known = name ?? label;
  if (known !== undefined) return known;
  if (rowMode === 'array') return 'typed';
  return SIMPLE.exec(text)?.[1]?.toLowerCase() ?? 'unnamed';
}

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1_000;

/** Reports how a call ended, whether it takes a callback as its last argument or returns a promise. */
function withEnd(call: Call, args: unknown[], end: (error: unknown) => void): unknown {
  const last = args.at(-1);
  if (typeof last === 'function') {
    const observed: Callback = (error, ...rest) => {
      end(error);
      (last as Callback)(error, ...rest);
    };
    return call(...args.slice(0, -1), observed);
  }
  const result = call(...args) as { then?: Promise<unknown>['then'] };
  if (typeof result?.then === 'function')
    void result.then(
      () => end(null),
      (error: unknown) => end(error ?? true),
    );
  return result;
}

function observeClient(client: pg.PoolClient, server: ServerRole): void {
  const query = client.query.bind(client) as Call;
  client.query = ((...args: unknown[]) => {
    const statement = nameOf(args[0]);
    const span = startSpan('statement', statement, {
      'db.system.name': 'postgresql',
      'wishgate.server': server,
    });
    const startedAt = performance.now();
    return withEnd(query, args, (error) => {
      METRICS.statements.observe({ statement, server }, secondsSince(startedAt));
      span?.end(error ? { failure: failureName(error) } : {});
    });
  }) as never;
}

const pools = new Map<ServerRole, pg.Pool>();

/** Measures a pool's connections, the time spent waiting for one, and the statements. Call it before the first use. */
export function observePool(pool: pg.Pool, server: ServerRole): void {
  pools.set(server, pool);
  const connect = pool.connect.bind(pool) as Call;
  pool.connect = ((...args: unknown[]) => {
    const startedAt = performance.now();
    const [callback] = args;
    // The request that returns a connection calls the callback of the one that waits for it; the span belongs to the latter.
    const bound = typeof callback === 'function' ? [bindSpan(callback as Callback)] : args;
    return withEnd(connect, bound, () => METRICS.poolWait.observe({ server }, secondsSince(startedAt)));
  }) as never;
  pool.on('connect', (client) => observeClient(client, server));
}

measure(METRICS.poolConnections, (gauge) => {
  for (const [server, { idleCount, totalCount }] of pools) {
    gauge.set({ server, state: 'idle' }, idleCount);
    gauge.set({ server, state: 'busy' }, totalCount - idleCount);
  }
});
measure(METRICS.poolMax, (gauge) => {
  for (const [server, { options }] of pools) gauge.set({ server }, options.max);
});
measure(METRICS.poolWaiting, (gauge) => {
  for (const [server, { waitingCount }] of pools) gauge.set({ server }, waitingCount);
});
