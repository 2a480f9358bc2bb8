import type pg from 'pg';
import { METRICS, measure } from '../metrics.ts';
import { failureName, startSpan } from '../tracing.ts';

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

export type ObservedPool = {
  connect: () => Promise<pg.PoolClient>;
  /** The connections with a statement under way, and the time of its start. */
  running: ReadonlyMap<pg.PoolClient, number>;
};

/** Measures a pool's connections, the time spent waiting for one, and the statements. Call it before the first use. */
export function observePool(pool: pg.Pool, server: ServerRole): ObservedPool {
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
    async connect() {
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
