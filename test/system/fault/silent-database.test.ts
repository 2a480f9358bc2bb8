import { openDatabase } from '../../../src/platform/database/database.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import { isDatabaseAway } from '../../../src/platform/database/errors.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { startFaultProxy } from '../chaos/fault-proxy.ts';
import type { FaultProxy } from '../chaos/fault-proxy.ts';
import { until } from '../../until.ts';
import { createTestDatabase } from '../../setup/database.ts';
import type { TestDatabase } from '../../setup/database.ts';

let database: TestDatabase;
let proxy: FaultProxy;
let db: Database;

beforeEach(async () => {
  database = await createTestDatabase();
  const url = new URL(database.url);
  proxy = await startFaultProxy(Number(url.port));
  url.port = String(proxy.port);
  db = openDatabase(url.href, 4, createLogger('silent'));
  await db.query('CREATE TABLE lost (n int); INSERT INTO lost VALUES (1)');
});
afterEach(async () => {
  await proxy.close();
  await db.close();
  await database.drop();
});

const LOCK = 'SELECT n FROM lost FOR UPDATE';

test('a connection that has gone silent fails as an absent database, and its locks are given back', async () => {
  const failure = await db
    .transaction(async (tx) => {
      await tx.query(LOCK);
      // From now on this connection is one to a machine that vanished; new ones reach the next.
      proxy.setWeather('half-open');
      proxy.setWeather('clear');
      await tx.query('SELECT 1');
    })
    .catch((error: unknown) => error);
  expect(isDatabaseAway(failure)).toBe(true);
  // PostgreSQL would hold the row for as long as it takes the other machine to answer: for ever.
  expect(await db.transaction((tx) => tx.query(LOCK))).toEqual([{ n: 1 }]);
});

test('after one silent connection no request finds another one, and the server keeps no session of them', async () => {
  await Promise.all([1, 2, 3, 4].map(() => db.query('SELECT FROM pg_sleep(0.2)')));
  proxy.setWeather('half-open');
  proxy.setWeather('clear');
  const failure = await db.query('SELECT 1').catch((error: unknown) => error);
  expect(isDatabaseAway(failure)).toBe(true);
  for (let n = 0; n < 4; n += 1) expect(await db.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  const others =
    'SELECT count(*)::int AS count FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
  await until(async () => (await db.query<{ count: number }>(others))[0]!.count === 0);
});

test('a query to a database that never answers fails as an absent database', async () => {
  await db.query('SELECT 1');
  proxy.setWeather('half-open');
  const failures = await Promise.all([1, 2].map(() => db.query('SELECT 1').catch((error: unknown) => error)));
  expect(failures.map(isDatabaseAway)).toEqual([true, true]);
});

test('a connection that goes silent while it is opened fails as an absent database', async () => {
  proxy.setWeather('half-open', 'SHOW transaction_read_only');
  const other = openDatabase(db.pool.options.connectionString!, 4, createLogger('silent'));
  const failure = await other.query('SELECT 1').catch((error: unknown) => error);
  proxy.setWeather('clear');
  expect(isDatabaseAway(failure)).toBe(true);
  expect(await other.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await other.close();
});

test('a statement that takes long on a living connection is answered', async () => {
  expect(await db.query('SELECT 1 AS one FROM pg_sleep(9)')).toEqual([{ one: 1 }]);
});
