import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { createTestDatabase } from '../../setup/database.ts';
import type { TestDatabase } from '../../setup/database.ts';
import { until } from '../../until.ts';
import { cleanUp, countProcesses, makeDataDir, makeUsedDataDir } from './fixtures/embedded-kit.ts';
import { demoAuthorization, identify, startMain } from './fixtures/main-process.ts';

let database: TestDatabase | null = null;

afterEach(async () => {
  await cleanUp();
  await database?.drop();
  database = null;
});

/** Whether somebody waits for a lock in the database of this connection. */
async function isAnyoneWaiting(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
  );
  return rows.length > 0;
}

/** A service with a request that waits to write until `blocker` lets it. */
async function holdRequest(env: Record<string, string>) {
  database = await createTestDatabase();
  const dataDir = await makeDataDir();
  const main = startMain({ DATA_DIR: dataDir, DATABASE_URL: database.url, DEMO: '1', ...env });
  const url = await main.url;
  const authorization = await demoAuthorization(dataDir);
  const name = randomUUID();
  expect((await identify(url, authorization, name)).status).toBe(200);
  const blocker = new pg.Client({ connectionString: database.url });
  blocker.on('error', () => undefined);
  await blocker.connect();
  // A login is recorded once a day.
  await blocker.query("UPDATE shopper SET lastlogin = now() - interval '2 days'");
  await blocker.query('BEGIN; SELECT 1 FROM shopper FOR UPDATE');
  const pending = identify(url, authorization, name);
  await until(() => isAnyoneWaiting(blocker));
  return { main, url, pending, blocker };
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends the service with status 0 and leaves no PostgreSQL behind',
  async (signal) => {
    const dataDir = await makeUsedDataDir();
    const main = startMain({ DATA_DIR: dataDir });
    const answer = await identify(await main.url, await demoAuthorization(dataDir), randomUUID());
    expect(answer.status).toBe(200);
    expect((await main.end(signal)).code).toBe(0);
    expect(await countProcesses(join(dataDir, 'postgres'))).toBe(0);
  },
);

test('a signal during the start ends the service cleanly', async () => {
  const dataDir = await makeUsedDataDir();
  const main = startMain({ DATA_DIR: dataDir });
  await until(async () => (await countProcesses(join(dataDir, 'postgres'))) > 0);
  expect((await main.end()).code).toBe(0);
  expect(await countProcesses(join(dataDir, 'postgres'))).toBe(0);
});

test('a signal ends a service that waits for another process to migrate', async () => {
  database = await createTestDatabase();
  const holder = new pg.Client({ connectionString: database.url });
  await holder.connect();
  await holder.query('SELECT pg_advisory_lock(72707369)');
  const main = startMain({ DATA_DIR: await makeDataDir(), DATABASE_URL: database.url });
  await until(async () => {
    const { rowCount } = await holder.query(
      `SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
       WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`,
    );
    return rowCount === 1;
  });
  await main.end();
  await holder.end();
});

test('while it drains, readiness fails, those who still send requests are answered until none came for DRAIN_DELAY_MS, and then nobody is', async () => {
  database = await createTestDatabase();
  const delayMs = 3_000;
  const main = startMain({
    DATA_DIR: await makeDataDir(),
    DATABASE_URL: database.url,
    DRAIN_DELAY_MS: String(delayMs),
  });
  const url = await main.url;
  const ask = (path: string): Promise<Response | null> => fetch(url + path).catch(() => null);
  const isGone = async (): Promise<boolean> => (await ask('/healthz')) === null;
  const start = performance.now();
  main.child.kill('SIGTERM');
  let ready: Response | null = null;
  await until(async () => (ready = await ask('/readyz'))?.status !== 200);
  const { status, headers } = ready!;
  expect([status, headers.get('retry-after')]).toEqual([503, '5']);
  const alive = await ask('/healthz');
  expect([alive?.status, alive?.headers.get('connection')]).toEqual([200, 'close']);
  let sent = start;
  // For half of the delay; those who only watch do not prolong it afterwards.
  for (let at = start; at - start < delayMs / 2; at = performance.now()) {
    const answer = await ask('/');
    if (answer === null) break;
    expect(answer.status).toBe(200);
    sent = at;
  }
  await until(isGone);
  // Or four seconds were over, after which it waits for nobody.
  const [quietMs, drainedMs] = [sent, start].map((since) => performance.now() - since) as [number, number];
  expect(quietMs >= delayMs || drainedMs >= 4_000).toBe(true);
  expect((await main.ended).code).toBe(0);
});

test('the request under way at a signal is answered, and later ones find nobody', async () => {
  const { main, url, pending, blocker } = await holdRequest({ DRAIN_DELAY_MS: '0' });

  main.child.kill('SIGTERM');
  await until(async () =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    ),
  );
  await blocker.query('COMMIT');
  await blocker.end();
  expect((await pending).status).toBe(200);
  expect((await main.ended).code).toBe(0);
});

test('a request that never ends is cut, and the process ends all the same', async () => {
  const { main, pending, blocker } = await holdRequest({});
  const outcome = pending.catch((error: Error) => error.name);
  await main.end();
  expect(await outcome).toBe('TypeError');
  await blocker.end();
});
