import type { Pool, PoolClient } from 'pg';

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
