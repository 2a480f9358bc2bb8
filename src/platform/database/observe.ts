import type pg from 'pg';
import { METRICS, measure } from '../metrics.ts';
import { bindSpan, failureName, startSpan } from '../tracing.ts';

type Callback = (error: unknown, ...rest: unknown[]) => void;
type Call = (...args: unknown[]) => unknown;

export type ServerRole = 'primary' | 'replica';

/** What a statement is given as; `label` is the name of one that has to go without it, because a pooler knows none. */
type Given = { name?: string; label?: string; text: string; rowMode?: string };

const SIMPLE = /^(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/;

/** What a statement is called: its own name; `typed` for Prisma's, which has none; the first word of what opens and ends transactions. */
function nameOf(statement: unknown): string {
  const given = typeof statement === 'string' ? { text: statement } : (statement as Given);
  const { name, label, text, rowMode }: Given = given;
  const known = name ?? label;
  if (known !== undefined) return known;
  if (rowMode === 'array') return 'typed';
  return SIMPLE.exec(text)?.[1]?.toLowerCase() ?? 'unnamed';
}

const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1_000;

/** Reports how a call ended, whether it takes a callback last or returns a promise. */
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

/** Measures a pool: its connections, how long one is waited for, and what runs on them. To be called before anybody uses it. */
export function observePool(pool: pg.Pool, server: ServerRole): void {
  pools.set(server, pool);
  const connect = pool.connect.bind(pool) as Call;
  pool.connect = ((...args: unknown[]) => {
    const startedAt = performance.now();
    const [callback] = args;
    // The request that returns a connection calls the one that waits for it; the span is that of the one that waits.
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
