import type { Pool, PoolClient } from 'pg';
import type { TestService } from './harness.ts';

/** What went over one connection in one statement of a transaction. */
export type Seen = { text: string; paramBytes: number; rows: number };

/** Reports every statement of every transaction from here on; returns what ends it. */
export function watchTransactions(pool: Pool, see: (seen: Seen) => void): () => void {
  const watched = new WeakSet<PoolClient>();
  let isOn = true;
  const watch = (client: PoolClient): void => {
    if (watched.has(client)) return;
    watched.add(client);
    const query = client.query.bind(client) as (
      ...args: unknown[]
    ) => Promise<{ rows?: unknown[] }> | undefined;
    const seeing = (...args: unknown[]): unknown => {
      const answer = query(...args);
      const { text, values } = args[0] as { text: string; values?: unknown[] };
      // The pool's own statements have a callback instead of a promise.
      void answer?.then(
        ({ rows }) =>
          isOn && see({ text, paramBytes: JSON.stringify(values ?? []).length, rows: rows?.length ?? 0 }),
        () => undefined,
      );
      return answer;
    };
    client.query = seeing as never;
  };
  pool.on('acquire', watch);
  return () => {
    isOn = false;
    pool.off('acquire', watch);
  };
}

/** The names of the SQL statements that a call runs, in order. */
export async function statementsOf(service: TestService, call: () => Promise<unknown>): Promise<string[]> {
  const { db } = service.services;
  const { query } = db;
  const seen: string[] = [];
  db.query = (statement: string | { name: string }, params?: unknown[]) => {
    const name = typeof statement === 'string' ? statement : statement.name;
    // Streams that an earlier test left are looked after once a second, alongside any call.
    if (name !== 'moved_revisions') seen.push(name);
    return query(statement as never, params);
  };
  try {
    await call();
  } finally {
    db.query = query;
  }
  return seen;
}
