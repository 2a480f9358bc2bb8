import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate, pendingMigrations } from '../../src/database/migrate.ts';
import { createLogger } from '../../src/shared/log.ts';
import { createTestDatabase } from '../setup/database.ts';
import type { TestDatabase } from '../setup/database.ts';

const log = createLogger('silent');
const pools: pg.Pool[] = [];
let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wishgate-migrations-'));
  database = await createTestDatabase();
  await openPool().query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  await addMigration('20260101000000_first', 'CREATE TABLE a (id int); INSERT INTO a VALUES (1);');
});

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.end()));
  await database.drop();
  await rm(folder, { recursive: true });
});

function openPool(): pg.Pool {
  const pool = new pg.Pool({ connectionString: database.url });
  // A connection that is just being closed may still be there when its database is dropped, and is told so.
  pool.on('error', () => undefined);
  pools.push(pool);
  return pool;
}

async function addMigration(name: string, sql: string): Promise<void> {
  await mkdir(join(folder, name), { recursive: true });
  await writeFile(join(folder, name, 'migration.sql'), sql);
}

test('processes that migrate at once apply each migration once', async () => {
  await addMigration('20260102000000_second', 'INSERT INTO a VALUES (2);');
  const counts = await Promise.all([1, 2, 3, 4, 5].map(() => migrate(openPool(), log, folder)));
  expect(counts.sort()).toEqual([0, 0, 0, 0, 2]);
  expect((await openPool().query('SELECT id FROM a ORDER BY id')).rows).toEqual([{ id: 1 }, { id: 2 }]);
});

test("an applied migration is recorded in the form of Prisma's own tools", async () => {
  await migrate(openPool(), log, folder);
  const { rows } = await openPool().query('SELECT * FROM _prisma_migrations');
  expect(rows).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      checksum: createHash('sha256')
        .update('CREATE TABLE a (id int); INSERT INTO a VALUES (1);')
        .digest('hex'),
      migration_name: '20260101000000_first',
      started_at: expect.any(Date),
      finished_at: expect.any(Date),
      logs: null,
      rolled_back_at: null,
      applied_steps_count: 1,
    },
  ]);
});

test('a migration that was changed after it was applied is refused by name', async () => {
  await migrate(openPool(), log, folder);
  await addMigration('20260101000000_first', 'CREATE TABLE b (id int);');
  await expect(migrate(openPool(), log, folder)).rejects.toThrow('20260101000000_first was changed');
});

test('a migration that fails leaves nothing, keeps those before it, and can be repeated when it is repaired', async () => {
  await addMigration('20260102000000_second', 'CREATE TABLE b (id int); SELECT 1/0;');
  await expect(migrate(openPool(), log, folder)).rejects.toThrow('20260102000000_second failed');
  expect(
    (await openPool().query(`SELECT to_regclass('b') AS b, (SELECT count(*)::int FROM a) AS a`)).rows,
  ).toEqual([{ a: 1, b: null }]);
  await addMigration('20260102000000_second', 'CREATE TABLE b (id int);');
  expect(await migrate(openPool(), log, folder)).toBe(1);
});

test('a migration of a newer build is no obstacle', async () => {
  await addMigration('20260102000000_newer', 'CREATE TABLE b (id int);');
  await migrate(openPool(), log, folder);
  await rm(join(folder, '20260102000000_newer'), { recursive: true });
  expect(await migrate(openPool(), log, folder)).toBe(0);
});

test('a folder of migrations that could not be read is read again', async () => {
  const pool = openPool();
  await migrate(pool, log, folder);
  const aside = `${folder}-aside`;
  await rename(folder, aside);
  await expect(pendingMigrations(pool, folder)).rejects.toThrow('ENOENT');
  await rename(aside, folder);
  expect(await pendingMigrations(pool, folder)).toEqual([]);
});

test('pending migrations are named until they are applied', async () => {
  const pool = openPool();
  expect(await pendingMigrations(pool, folder)).toEqual(['20260101000000_first']);
  await migrate(pool, log, folder);
  expect(await pendingMigrations(pool, folder)).toEqual([]);
});

test('lists from before the quota are weighed with their items and copies when it comes', async () => {
  const real = 'prisma/migrations';
  for (const name of await readdir(real))
    if (name < '20261115111527_byte_quota')
      await cp(join(real, name), join(folder, name), { recursive: true });
  await rm(join(folder, '20260101000000_first'), { recursive: true });
  const pool = openPool();
  await migrate(pool, log, folder);
  await pool.query(`
    INSERT INTO store (pid, name, secret) VALUES ('p', 'Shop', 's');
    INSERT INTO shopper (pid, regid, is_guest, uid, di, lastlogin) VALUES ('p', 'r', true, 'u', 'd', now());
    INSERT INTO list (pid, lid, regid, lname, lprops, di, uid) VALUES
      ('p', 'a', 'r', 'Full', '{"k": "ä"}', 'd', 'u'), ('p', 'b', 'r', 'Bare', '{}', 'd', 'u');
    INSERT INTO item (pid, lid, epi, id, empi, du, note, di) VALUES
      ('p', 'a', '1', 'i1', '10', '/x', 'hi', 'd'), ('p', 'a', '2', 'i2', '10', '/y', NULL, 'd');
    INSERT INTO list_copy (pid, lid, portion, items) VALUES ('p', 'b', 0, '[]')`);
  await migrate(pool, log, real);
  const { rows } = await pool.query('SELECT lid, bytes::int FROM list ORDER BY lid');
  const item = (text: string): number => 256 + `${text}{}{}[]`.length;
  expect(rows).toEqual([
    {
      lid: 'a',
      bytes: 256 + 'Full{}{}'.length + Buffer.byteLength('{"k": "ä"}') + item('110/xhi') + item('210/y'),
    },
    { lid: 'b', bytes: 256 + 'Bare{}{}{}'.length + '[]'.length },
  ]);
});
