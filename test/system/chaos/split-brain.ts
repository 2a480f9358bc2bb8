import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** A write that a server acknowledged: on which timeline, which every promotion increases, and when it began and ended. */
type Acknowledged = { n: number; name: string; timeline: string; begin: number; end: number };

/** Somebody who writes to every server itself, past everything that stands before it, and sees who takes it. */
export type SplitBrainWatch = {
  /** Ends it; what an older primary acknowledged after a newer one, and what the server at this address has not kept. */
  end(primaryUrl: string): Promise<{ acknowledged: number; split: string[]; lost: number[] }>;
};

const PAUSE_MS = 250;
/** As in the service: a commit that no longer waits for the replica says so with a mere warning. */
const WARNING = '01000';

/** SQL: a write of its own transaction, and the timeline it is on. */
const WRITE = `INSERT INTO probe VALUES ($1) RETURNING left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) AS timeline`;

/** Starts it; `urls` are the servers by name, the first one is the primary. */
export async function watchForSplitBrain(urls: ReadonlyMap<string, string>): Promise<SplitBrainWatch> {
  const acknowledged: Acknowledged[] = [];
  let isOver = false;
  let last = 0;

  const connect = async (connectionString: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };

  const first = await connect([...urls.values()][0]!);
  await first.query('CREATE TABLE probe (n int PRIMARY KEY)');
  await first.end();

  const clients = new Set<pg.Client>();
  const write = async (name: string, url: string): Promise<void> => {
    const client = await connect(url);
    clients.add(client);
    let isWarned = false;
    client.on('notice', ({ code }) => (isWarned ||= code === WARNING));
    try {
      while (!isOver && !isWarned) {
        const n = (last += 1);
        const begin = performance.now();
        const { rows } = await client.query<{ timeline: string }>(WRITE, [n]);
        if (!isWarned) acknowledged.push({ n, name, ...rows[0]!, begin, end: performance.now() });
        await delay(PAUSE_MS);
      }
    } finally {
      clients.delete(client);
      void client.end().catch(() => undefined);
    }
  };
  const writers = [...urls].map(async ([name, url]) => {
    while (!isOver) {
      // A replica refuses, and a server that is down is not there.
      await write(name, url).catch(() => undefined);
      await delay(PAUSE_MS);
    }
  });

  return {
    async end(primaryUrl) {
      isOver = true;
      // One that waits for a replica that never comes ends like this.
      for (const client of clients) void client.end().catch(() => undefined);
      await Promise.all(writers);
      const reader = await connect(primaryUrl);
      const { rows } = await reader.query<{ n: number }>('SELECT n FROM probe');
      await reader.end();
      const kept = new Set(rows.map(({ n }) => n));
      const isSplit = (one: Acknowledged): boolean =>
        acknowledged.some(({ timeline, end }) => timeline > one.timeline && end < one.begin);
      return {
        acknowledged: acknowledged.length,
        split: acknowledged.filter(isSplit).map(({ name, timeline }) => `${name} on ${timeline}`),
        lost: acknowledged.filter(({ n }) => !kept.has(n)).map(({ n }) => n),
      };
    },
  };
}
