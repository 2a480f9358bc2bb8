import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrate, readMigrationState } from '../../../src/platform/database/migrate.ts';
import { createLogger } from '../../../src/platform/log.ts';
import type { TestDatabase } from '../../setup/database.ts';
import { createEmptyDatabase } from './fixtures/embedded-kit.ts';

const log = createLogger('silent');
const pools: pg.Pool[] = [];
let database: TestDatabase;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wishgate-migrations-'));
  database = await createEmptyDatabase();
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

test('a migration that fails leaves the database as it was, and all are applied when it is repaired', async () => {
  await migrate(openPool(), log, folder);
  await addMigration('20260102000000_second', 'INSERT INTO a VALUES (2);');
  await addMigration('20260103000000_third', 'CREATE TABLE b (id int); SELECT 1/0;');
  await expect(migrate(openPool(), log, folder)).rejects.toThrow('20260103000000_third failed');
  expect(
    (await openPool().query(`SELECT to_regclass('b') AS b, (SELECT count(*)::int FROM a) AS a`)).rows,
  ).toEqual([{ a: 1, b: null }]);
  expect(await readMigrationState(openPool(), folder)).toMatchObject({ applied: 1 });
  await addMigration('20260103000000_third', 'CREATE TABLE b (id int);');
  expect(await migrate(openPool(), log, folder)).toBe(2);
});

test('a migration of a newer build is no obstacle, and is named in a warning', async () => {
  await addMigration('20260102000000_newer', 'CREATE TABLE b (id int);');
  await migrate(openPool(), log, folder);
  await rm(join(folder, '20260102000000_newer'), { recursive: true });
  const lines: string[] = [];
  const noted = createLogger('warn', { write: (line) => void lines.push(line) });
  expect(await migrate(openPool(), noted, folder)).toBe(0);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    {
      migrations: ['20260102000000_newer'],
      msg: expect.stringContaining('A newer version has migrated this database'),
    },
  ]);
});

test('a migration of a newer build that this one cannot work with ends the start, and says what to do', async () => {
  await addMigration('20260102000000_newer_breaking', 'CREATE TABLE b (id int);');
  await migrate(openPool(), log, folder);
  await rm(join(folder, '20260102000000_newer_breaking'), { recursive: true });
  await expect(migrate(openPool(), log, folder)).rejects.toThrow(
    /incompatibly \(migration 20260102000000_newer_breaking\); start the newer version, or restore the backup/,
  );
});

test('a migration that takes something away says in its name that older versions cannot work with it', async () => {
  const real = 'prisma/migrations';
  const later = (await readdir(real)).filter((name) => /^\d/.test(name));
  const silent = [];
  for (const name of later) {
    const sql = await readFile(join(real, name, 'migration.sql'), 'utf8');
    if (/\bDROP\s+(TABLE|COLUMN)|\bRENAME\b|SET\s+NOT\s+NULL/i.test(sql) && !name.endsWith('_breaking'))
      silent.push(name);
  }
  expect(silent).toEqual([]);
});

test('a folder of migrations that could not be read is read again', async () => {
  const pool = openPool();
  await migrate(pool, log, folder);
  const aside = `${folder}-aside`;
  await rename(folder, aside);
  await expect(readMigrationState(pool, folder)).rejects.toThrow('ENOENT');
  await rename(aside, folder);
  expect((await readMigrationState(pool, folder)).pending).toEqual([]);
});

test('pending migrations are named until they are applied', async () => {
  const pool = openPool();
  const first = '20260101000000_first';
  expect(await readMigrationState(pool, folder)).toEqual({ applied: 0, latest: null, pending: [first] });
  await migrate(pool, log, folder);
  expect(await readMigrationState(pool, folder)).toEqual({ applied: 1, latest: first, pending: [] });
});
