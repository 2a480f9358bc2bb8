import { readFile, readdir } from 'node:fs/promises';
import pg from 'pg';
import { epochOf, sessionidOf } from '../../../src/shoppers/identity.rules.ts';
import { dump } from '../../../src/platform/database/backup.ts';
import { migrate, migrateOver, readMigrationState } from '../../../src/platform/database/migrate.ts';
import { load, openBackup } from '../../../src/platform/database/restore.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { fillTables } from '../../fill.ts';
import { startService } from '../../harness.ts';
import type { TestShopper } from '../../harness.ts';
import { withAdmin } from '../../setup/database.ts';
import type { TestDatabase } from '../../setup/database.ts';
import { createEmptyDatabase } from './fixtures/embedded-kit.ts';

// The 49 migrations before the baseline (commit 6ecc802) made the tables that the baseline makes, column for column; fixtures/history.sql notes them.

const BASELINE = '20261117170000_baseline';
const later = async (): Promise<string[]> =>
  (await readdir('prisma/migrations'))
    .filter((name) => name > BASELINE && name !== 'migration_lock.toml')
    .sort();

let history: TestDatabase;
let database: TestDatabase;
let pool: pg.Pool;

// With rows of the store `kept` in every table.
beforeAll(async () => {
  history = await createEmptyDatabase();
  await withAdmin(history.url, async (client) => {
    await client.query(await readFile(`prisma/migrations/${BASELINE}/migration.sql`, 'utf8'));
    await fillTables(client, 'kept');
    await client.query(await readFile('test/system/fault/fixtures/history.sql', 'utf8'));
  });
});
afterAll(() => history.drop());

beforeEach(async () => {
  database = await createEmptyDatabase(history.url);
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  // A connection that is just being closed may still be there when its database is dropped, and is told so.
  pool.on('error', () => undefined);
});

afterEach(async () => {
  await pool.end();
  await database.drop();
});

/** Every row of every table but those that name the migrations, as text. */
async function readAll(db: pg.Pool | pg.Client = pool): Promise<Record<string, string[]>> {
  const { rows: tables } = await db.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> '_prisma_migrations'`,
  );
  const all: Record<string, string[]> = {};
  for (const { name } of tables) {
    const { rows } = await db.query<{ row: string }>(`SELECT t::text AS row FROM "${name}" t ORDER BY 1`);
    all[name] = rows.map(({ row }) => row);
  }
  return all;
}

async function readHistory(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1',
  );
  return rows.map(({ name }) => name);
}

/** The owner of the first list of the store `kept`. */
async function readOwner(): Promise<TestShopper> {
  const { rows } = await pool.query<{ regid: string; epoch: number; secret: Buffer; session_epoch: number }>(
    `SELECT h.regid, h.epoch, s.secret, s.session_epoch FROM shopper h JOIN store s USING (pid) WHERE pid = 'kept' ORDER BY h.regid LIMIT 1`,
  );
  const { regid, epoch, secret, session_epoch: sessionEpoch } = rows[0]!;
  const sessionid = sessionidOf(
    { secret, tokenKeys: [] },
    regid,
    'test',
    epochOf({ sessionEpoch }, { epoch }),
  );
  return { pid: 'kept', regid, sessionid };
}

test('a database with the complete history from before the baseline loses nothing, and has the baseline noted', async () => {
  const before = await readAll();
  expect(Object.keys(before)).toHaveLength(50);
  expect(await readHistory()).toHaveLength(49);
  expect(await migrate(pool, createLogger('silent'))).toBe((await later()).length);
  // Later migrations added columns to these tables.
  const added = (table: string): string =>
    ({
      item: ',',
      product: ',,{}',
      restock: ',f',
      service_state: ',{},,"",""',
      shopper: ',,',
      store: ',,,,30,RS256,,"email,email_verified,sub",,,',
      topic: ',en,{}',
    })[table] ?? (table.startsWith('subscription') ? ',' : '');
  const expected = Object.entries(before).map(([table, rows]) => [
    table,
    rows.map((row) => row.replace(/\)$/, `${added(table)})`)),
  ]);
  expect(await readAll()).toEqual({ ...Object.fromEntries(expected), former_address: [] });
  expect(await readHistory()).toEqual([BASELINE, ...(await later())]);
});

test.each([
  ['in the first pass over the subscribers', [-5_001, null], [5_000, null, true]],
  ['in a later one', [5_000, null], [5_000, null, false]],
  ['in the first pass over the list owners', [-1, -8], [0, 7, true]],
  ['in a later one over them', [-1, 7], [0, 7, false]],
])('an alert event that is %s goes on from there', async (_where, [cursor, item], expected) => {
  await pool.query('UPDATE restock SET cursor_seq = $1, item_seq = $2', [cursor, item]);
  await migrate(pool, createLogger('silent'));
  const { rows } = await pool.query<number[]>({
    text: 'SELECT cursor_seq::int, item_seq::int, is_first_pass FROM restock',
    rowMode: 'array',
  });
  for (const row of rows) expect(row).toEqual(expected);
  expect(rows).not.toHaveLength(0);
});

test('a backup of it is restored with every row, and taken over', async () => {
  const target = await createEmptyDatabase();
  const [source, restored] = [database.url, target.url].map(
    (url) => new pg.Client({ connectionString: url }),
  ) as [pg.Client, pg.Client];
  try {
    await Promise.all([source.connect(), restored.connect()]);
    await load(restored, await openBackup(dump(source)));
    const names = [BASELINE, ...(await later())];
    expect(await migrateOver(restored, createLogger('silent'))).toBe(names.length - 1);
    await migrate(pool, createLogger('silent'));
    expect(await readAll(restored)).toEqual(await readAll());
    expect(await readMigrationState(restored)).toEqual({
      applied: names.length,
      latest: names.at(-1),
      pending: [],
    });
  } finally {
    await Promise.all([source.end(), restored.end()]);
    await target.drop();
  }
});

test('REST and GraphQL read its lists and write to them', async () => {
  await migrate(pool, createLogger('silent'));
  const service = await startService({}, undefined, { database });
  try {
    const shopper = await readOwner();
    const lid = 'kept-list-lid-0';
    const expected = { lid, lname: 'kept-list-lname-0', cnt: 1 };
    const { body: read } = await service
      .post('/api/v3/lists/fetch-list-with-contents', { lid }, { shopper })
      .expect(200);
    expect(read).toMatchObject({ list: expected, items: [{ epi: 'kept-item-epi-0' }] });
    const added = { epi: 1, empi: 2, du: 'https://shop.example/p' };
    await service.post('/api/v3/lists/update-ctx', { lid, a: [added] }, { shopper }).expect(200);
    const { body } = await service.graphql(
      'query ($lid: ID!) { list(lid: $lid) { lid lname cnt } }',
      { lid },
      { shopper },
    );
    expect(body).toEqual({ data: { list: { ...expected, cnt: 2 } } });
  } finally {
    await service.close();
  }
});

test.each([
  ['a part of it', `DELETE FROM _prisma_migrations WHERE migration_name > '20261117'`],
  [
    'one that failed',
    `UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name ~ 'list_aliases'`,
  ],
  [
    'one that was changed',
    `UPDATE _prisma_migrations SET checksum = 'x' WHERE migration_name ~ 'list_aliases'`,
  ],
  [
    'an unknown one',
    `UPDATE _prisma_migrations SET migration_name = '1' WHERE migration_name ~ 'list_aliases'`,
  ],
])('a database with %s is refused in one sentence and stays as it was', async (_name, change) => {
  await pool.query(change);
  const before = [await readAll(), await readHistory()];
  await expect(migrate(pool, createLogger('silent'))).rejects.toThrow(
    `This database has only some of the migrations from before ${BASELINE}, or unknown ones; it was not changed; ` +
      'migrate it with the last version that has them, or start with an empty database',
  );
  expect([await readAll(), await readHistory()]).toEqual(before);
});
