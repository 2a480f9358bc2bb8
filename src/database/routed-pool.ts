import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { observePool } from './observe.ts';

/** The connection of an open transaction; it is given one statement at a time. */
export type Session = { query: (config: pg.QueryConfig) => Promise<pg.QueryResult> };

/** A pool whose statements can be led into a transaction. */
export type RoutedPool = {
  /**
   * For Prisma: what is asked in the course of a transaction of ours goes to that transaction's connection, so that typed calls and
   * statements see each other and are undone together. A promise of Prisma runs where it is awaited; that must be inside, too.
   */
  pool: pg.Pool;
  /** Runs `work` so that the pool's statements go to this session. */
  runIn: <Result>(session: Session, work: () => Promise<Result>) => Promise<Result>;
  /** Runs a statement on a connection of its own, whatever goes on around it. */
  queryApart: Session['query'];
  /** A connection for a new transaction. */
  connectApart: () => Promise<pg.PoolClient>;
};

/** Makes the one pool of a process. */
export function createRoutedPool(config: pg.PoolConfig): RoutedPool {
  const sessions = new AsyncLocalStorage<Session>();
  let open = 0;
  const pool = new pg.Pool(config);
  observePool(pool);
  const query = pool.query.bind(pool) as (...args: unknown[]) => unknown;
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => unknown;
  pool.query = ((...args: [pg.QueryConfig]) => {
    const session = sessions.getStore();
    return session ? session.query(...args) : query(...args);
  }) as never;
  // The pool's own `query` connects with a callback: such a connection is never the transaction's.
  pool.connect = ((...args: unknown[]) => {
    const session = args.length === 0 ? sessions.getStore() : undefined;
    return session ? Promise.resolve(standIn(session)) : connect(...args);
  }) as never;
  return {
    pool,
    async runIn(session, work) {
      open += 1;
      try {
        // Awaited inside: `work` may hand out a promise of Prisma's as it is.
        return await sessions.run(session, async () => await work());
      } finally {
        // While it is on, Node 20 follows every promise of the process: list reads were about 3 % slower (one run of `npm run bench` each).
        if ((open -= 1) === 0) sessions.disable();
      }
    },
    queryApart: (statement) => query(statement) as Promise<pg.QueryResult>,
    connectApart: () => connect() as Promise<pg.PoolClient>,
  };
}

let savepoints = 0;

/** What Prisma gets for a transaction of its own inside of ours: a savepoint, which it can undo alone. */
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
