import pg from 'pg';
import type { Logger } from '../log.ts';
import { METRICS, measure } from '../metrics.ts';
import { failureName, startSpan } from '../tracing.ts';

type ServerRole = 'primary' | 'replica';

/** `label` is the name of a statement that is sent without it, because the pooler does not support prepared statements. */
type Given = { name?: string; label?: string; text: string; rowMode?: string };

const SIMPLE = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/;

/** Returns the statement's own name, `typed` for Prisma's unnamed ones, or the first word of statements such as BEGIN and COMMIT. */
function nameOf(statement: Given | string): string {
  const { name, label, text, rowMode }: Given =
    typeof statement === 'string' ? { text: statement } : statement;
  const simple = rowMode === 'array' ? 'typed' : SIMPLE.exec(text)?.[1]?.toLowerCase();
  return name ?? label ?? simple ?? 'unnamed';
}

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1_000;

const pools = new Map<ServerRole, pg.Pool>();

/** The connections with a statement under way, and the time of its start. */
type Running = ReadonlyMap<pg.PoolClient, number>;

/** Measures a pool's connections, the time spent waiting for one, and the statements. Call it before the first use. */
export function observePool(pool: pg.Pool, server: ServerRole) {
  pools.set(server, pool);
  const running = new Map<pg.PoolClient, number>();
  const open = new Set<pg.PoolClient>();
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  const attributes = { 'db.system.name': 'postgresql', 'wishgate.server': server };

  pool.on('remove', (client) => open.delete(client));
  pool.on('connect', (client) => {
    open.add(client);
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
    running: running as Running,
    /** All connections of the pool. */
    open: open as ReadonlySet<pg.PoolClient>,
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

/** The interval of the checks; a statement that has been under way for this time is asked about. */
const LOOK_MS = 3_000;
/** A server that does not list its sessions within this time is away. */
const LIMITS = { connectionTimeoutMillis: 2_000, query_timeout: 2_000 };

/** pg's types lack the session's number. */
const pidOf = (client: pg.ClientBase): number => (client as pg.ClientBase & { processID: number }).processID;

/** SQL: the busy sessions; `isOwn` is false behind a pooler that the configuration does not name, because it renumbers sessions. */
const SESSIONS = `
  SELECT $2 = pg_backend_pid() AS "isOwn", ARRAY(SELECT pid FROM pg_stat_activity WHERE pid = ANY($1) AND state NOT LIKE 'idle%') AS busy`;

/** SQL: a session whose response was lost still holds the locks of its transaction, and each takes one of the server's connections. */
const END = `
  SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = ANY($1::int[]) OR (pid = ANY($2::int[]) AND state = 'idle')`;

/**
 * Closes silent connections, which TCP would keep for a quarter of an hour; long statements go on, because the server is asked. Where one is
 * silent the idle ones probably are: `onLost` replaces all, so that requests do not find them one by one.
 */
export function watchSilence(
  options: pg.ClientConfig,
  { running, open }: Pick<ReturnType<typeof observePool>, 'running' | 'open'>,
  isPooled: boolean,
  log: Logger,
  onLost: () => void,
): () => void {
  let isAsking = false;
  let unanswered = 0;

  /** Returns those whose statement is still under way; `end` closes the socket then, as pg documents. */
  const giveUp = (silent: [pg.PoolClient, number][]): number[] =>
    silent
      .filter(([client, startedAt]) => running.get(client) === startedAt)
      .map(([client]) => {
        log.warn('Closed a database connection that did not respond');
        void (client as unknown as pg.Client).end().catch(() => undefined);
        onLost();
        return pidOf(client);
      });

  /** Asks on a separate connection which sessions are dead: unknown to the server, or idle there while we wait here. */
  const ask = async (silent: [pg.PoolClient, number][]): Promise<void> => {
    const asking = new pg.Client({ ...options, ...LIMITS });
    asking.on('error', () => undefined);
    try {
      await asking.connect();
      // A pooler that accepts the connection is alive, and delays queries while it is paused.
      if (!isPooled) {
        const pids = silent.map(([client]) => pidOf(client));
        const { rows } = await asking.query<{ isOwn: boolean; busy: number[] }>(SESSIONS, [
          pids,
          pidOf(asking),
        ]);
        const { isOwn, busy } = rows[0]!;
        const dead = isOwn ? giveUp(silent.filter(([client]) => !busy.includes(pidOf(client)))) : [];
        const idle = [...open].filter((client) => !running.has(client)).map(pidOf);
        if (dead.length > 0) await asking.query(END, [dead, idle]);
      }
      unanswered = 0;
    } catch (error) {
      // A rejection, such as too many connections, proves that the server is alive; a slow server gets a second chance.
      unanswered = error instanceof pg.DatabaseError ? 0 : unanswered + 1;
      if (unanswered > 1) giveUp(silent);
    } finally {
      // Not awaited: this connection may be silent, too.
      void asking.end().catch(() => undefined);
    }
  };

  const timer = setInterval(() => {
    const silent = [...running].filter(([, startedAt]) => performance.now() - startedAt > LOOK_MS);
    if (isAsking || silent.length === 0) return;
    isAsking = true;
    void ask(silent).finally(() => (isAsking = false));
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
