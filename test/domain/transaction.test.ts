import type { PoolClient } from 'pg';
import { openDatabase } from '../../src/platform/database/database.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createTestDatabase } from '../setup/database.ts';
import type { TestDatabase } from '../setup/database.ts';

let database: TestDatabase;
let db: Database;
/** Most statements that one connection had at once. */
let most = 0;

/** Counts what a connection is given before it has answered. */
function watch(client: PoolClient): void {
  const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown> | undefined;
  let underWay = 0;
  const counted = (...args: unknown[]): Promise<unknown> | undefined => {
    const answer = query(...args);
    // The pool's own statements have a callback, and a connection to themselves.
    if (answer === undefined) return undefined;
    most = Math.max(most, ++underWay);
    return answer.finally(() => void (underWay -= 1));
  };
  client.query = counted as never;
}

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.url, 2, createLogger('fatal'));
  db.pool.on('connect', watch);
});
beforeEach(() => void (most = 0));
afterAll(async () => {
  await db.close();
  await database.drop();
});

test('a connection gets the statements of a transaction one at a time, however many are asked for at once', async () => {
  const numbers = Array.from({ length: 100 }, (_, index) => index);
  const rows = await db.transaction((tx) =>
    Promise.all(numbers.map((n) => tx.query<{ n: number }>('SELECT $1::int AS n', [n]))),
  );
  expect(rows.map(([row]) => row!.n)).toEqual(numbers);
  expect(most).toBe(1);
});

test('what a failed transaction left behind ends with it: nothing of it runs later or stays', async () => {
  await db.query('CREATE TABLE left_behind (n int)');
  const broken = db.transaction((tx) =>
    Promise.all([
      tx.query('SELECT 1 / 0'),
      ...Array.from({ length: 5 }, () => tx.query('INSERT INTO left_behind VALUES (1)')),
    ]),
  );
  await expect(broken).rejects.toMatchObject({ code: '22012' });
  expect(await db.query('SELECT n FROM left_behind')).toEqual([]);
  expect(most).toBe(1);
});
