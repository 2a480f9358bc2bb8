import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { createTestDatabase } from '../../setup/database.ts';
import type { TestDatabase } from '../../setup/database.ts';
import { until } from '../../until.ts';
import { cleanUp, countProcesses, makeDataDir } from './fixtures/embedded-kit.ts';
import { demoAuthorization, endMains, identify, startMain } from './fixtures/main-process.ts';

let database: TestDatabase | null = null;

afterEach(async () => {
  await endMains();
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

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends the service with status 0 and leaves no PostgreSQL behind',
  async (signal) => {
    const dataDir = await makeDataDir();
    const main = startMain({ DATA_DIR: dataDir });
    const answer = await identify(await main.url, await demoAuthorization(dataDir), randomUUID());
    expect(answer.status).toBe(200);
    const start = performance.now();
    main.child.kill(signal);
    expect((await main.ended).code).toBe(0);
    expect(performance.now() - start).toBeLessThan(10_000);
    expect(await countProcesses(join(dataDir, 'postgres'))).toBe(0);
  },
);

test('a signal while it starts ends it cleanly, too', async () => {
  const dataDir = await makeDataDir();
  const main = startMain({ DATA_DIR: dataDir });
  await until(async () => (await countProcesses(join(dataDir, 'postgres'))) > 0);
  main.child.kill('SIGTERM');
  expect((await main.ended).code).toBe(0);
  expect(await countProcesses(join(dataDir, 'postgres'))).toBe(0);
});

test('a signal while it waits for another process to migrate ends it within 10 s', async () => {
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
  const start = performance.now();
  main.child.kill('SIGTERM');
  await main.ended;
  expect(performance.now() - start).toBeLessThan(10_000);
  await holder.end();
});

test('while it drains, readiness fails and the process answers still; afterwards nobody does', async () => {
  database = await createTestDatabase();
  const main = startMain({
    DATA_DIR: await makeDataDir(),
    DATABASE_URL: database.url,
    DRAIN_DELAY_MS: '6000',
  });
  const url = await main.url;
  main.child.kill('SIGTERM');
  await until(async () => (await fetch(`${url}/readyz`)).status === 503);
  const healthy = await fetch(`${url}/healthz`);
  expect([healthy.status, healthy.headers.get('connection')]).toEqual([200, 'close']);
  expect((await fetch(`${url}/readyz`)).headers.get('retry-after')).toBe('5');
  expect((await main.ended).code).toBe(0);
  await expect(fetch(`${url}/healthz`)).rejects.toThrow('fetch failed');
});

test('the request under way at a signal is answered, and later ones find nobody', async () => {
  database = await createTestDatabase();
  const dataDir = await makeDataDir();
  const main = startMain({ DATA_DIR: dataDir, DATABASE_URL: database.url, DEMO: '1', DRAIN_DELAY_MS: '0' });
  const url = await main.url;
  const authorization = await demoAuthorization(dataDir);
  const uuid = randomUUID();
  expect((await identify(url, authorization, uuid)).status).toBe(200);

  // A lock on its row keeps the request waiting for as long as the test wants.
  const blocker = new pg.Client({ connectionString: database.url });
  await blocker.connect();
  await blocker.query('BEGIN; SELECT 1 FROM shopper FOR UPDATE');
  const pending = identify(url, authorization, uuid);
  await until(() => isAnyoneWaiting(blocker));

  const start = performance.now();
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
  expect(performance.now() - start).toBeLessThan(10_000);
});

test('a request that never ends is cut, and the process still ends within 10 s', async () => {
  database = await createTestDatabase();
  const dataDir = await makeDataDir();
  const main = startMain({ DATA_DIR: dataDir, DATABASE_URL: database.url, DEMO: '1' });
  const url = await main.url;
  const authorization = await demoAuthorization(dataDir);
  const uuid = randomUUID();
  expect((await identify(url, authorization, uuid)).status).toBe(200);
  const blocker = new pg.Client({ connectionString: database.url });
  blocker.on('error', () => undefined);
  await blocker.connect();
  await blocker.query('BEGIN; SELECT 1 FROM shopper FOR UPDATE');
  const pending = identify(url, authorization, uuid).catch((error: Error) => error.name);
  await until(() => isAnyoneWaiting(blocker));
  const start = performance.now();
  main.child.kill('SIGTERM');
  await main.ended;
  expect(performance.now() - start).toBeLessThan(10_000);
  expect(await pending).toBe('TypeError');
  await blocker.end();
});

test('who still sends requests while it drains is answered until nobody has for DRAIN_DELAY_MS, and those who watch it do not count', async () => {
  database = await createTestDatabase();
  const main = startMain({
    DATA_DIR: await makeDataDir(),
    DATABASE_URL: database.url,
    DRAIN_DELAY_MS: '1000',
  });
  const url = await main.url;
  main.child.kill('SIGTERM');
  await until(async () => (await fetch(`${url}/readyz`)).status === 503);
  const start = performance.now();
  const statuses = new Set<number>();
  while (performance.now() - start < 2_000) statuses.add((await fetch(`${url}/storeadmin/me`)).status);
  expect([...statuses]).toEqual([401]);
  await until(() =>
    fetch(`${url}/readyz`).then(
      () => false,
      () => true,
    ),
  );
  expect((await main.ended).code).toBe(0);
});
