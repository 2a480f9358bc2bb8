import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase } from '../../../src/platform/database/database.ts';
import { migrate, readMigrationState } from '../../../src/platform/database/migrate.ts';
import { findTopic, topicsOf } from '../../../src/alerts/topics/topic.repo.ts';
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

test('a migration that fails leaves nothing, keeps those before it, and can be repeated when it is repaired', async () => {
  await addMigration('20260102000000_second', 'CREATE TABLE b (id int); SELECT 1/0;');
  await expect(migrate(openPool(), log, folder)).rejects.toThrow('20260102000000_second failed');
  expect(
    (await openPool().query(`SELECT to_regclass('b') AS b, (SELECT count(*)::int FROM a) AS a`)).rows,
  ).toEqual([{ a: 1, b: null }]);
  await addMigration('20260102000000_second', 'CREATE TABLE b (id int);');
  expect(await migrate(openPool(), log, folder)).toBe(1);
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
    /cannot work with \(migration 20260102000000_newer_breaking\); start the newer version, or restore the backup/,
  );
});

test('a migration that takes something away says in its name that older versions cannot work with it', async () => {
  // Those before it came with the first release.
  const later = (await readdir(real)).filter((name) => name > '20261116150000' && /^\d/.test(name));
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

const real = 'prisma/migrations';

/** A database as it was before a migration. */
async function migrateUpTo(last: string): Promise<ReturnType<typeof openPool>> {
  for (const name of await readdir(real))
    if (name < last) await cp(join(real, name), join(folder, name), { recursive: true });
  await rm(join(folder, '20260101000000_first'), { recursive: true });
  const pool = openPool();
  await migrate(pool, log, folder);
  return pool;
}

test('lists from before the quota are weighed with their items and copies when it comes', async () => {
  const pool = await migrateUpTo('20261115111527_byte_quota');
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

test('answers from before the mailing list are on it: of accounts, of phone numbers and of who left everything', async () => {
  const pool = await migrateUpTo('20261116050424_mailing_list');
  const prefs = (answer: object): string => JSON.stringify({ Mediums: { email: answer } });
  const yes = { acceptmarketing: true, signuptime: 1_767_225_600_000, acceptsource: 'subscription' };
  await pool.query(`
    INSERT INTO store (pid, name, secret) VALUES ('p', 'Shop', 's');
    INSERT INTO shopper (pid, regid, is_guest, uid, di, lastlogin, em, prefs) VALUES
      ('p', 'a', false, 'a', 'd', now(), 'yes@x.example', '${prefs(yes)}'),
      ('p', 'b', false, 'b', 'd', now(), 'no@x.example', '${prefs({ ...yes, acceptmarketing: false })}'),
      ('p', 'c', false, 'c', 'd', now(), 'left@x.example', '${prefs(yes)}'),
      ('p', 'd', false, 'd', 'd', now(), 'store@x.example', '${prefs({ ...yes, acceptsource: 'popup' })}'),
      ('p', 'e', false, 'e', 'd', now(), 'text@x.example', '${prefs({ ...yes, signuptime: 'today' })}'),
      ('p', 'f', false, 'f', 'd', now(), 'huge@x.example', '${prefs({ ...yes, signuptime: 1e20 })}'),
      ('p', 'g', true, 'g', 'd', now(), NULL, '{"Mediums": 1}');
    INSERT INTO suppression (pid, medium, value, cts) VALUES
      ('p', 'email', 'left@x.example', '2026-02-01'), ('p', 'sms', '+4930', '2026-02-01');
    INSERT INTO subscription_request (pid, id, regid, asker, medium, value, epi, empi, du, topic, mailinglist, confirmed_at) VALUES
      ('p', '1', 'a', 'a', 'sms', '+491', '1', '1', '/', 't', false, '2026-01-01'),
      ('p', '2', 'a', 'a', 'sms', '+491', '2', '1', '/', 't', true, '2026-01-02'),
      ('p', '3', 'a', 'a', 'sms', '+492', '1', '1', '/', 't', true, NULL)`);
  await migrate(pool, log, real);
  const { rows } = await pool.query(
    `SELECT value, acceptmarketing, acceptsource, regid, to_char(signuptime AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS at
     FROM mailing_answer ORDER BY value`,
  );
  expect(rows.map((row) => Object.values(row as object).join(' '))).toEqual([
    '+491 true subscription a 2026-01-02',
    '+4930 false unsubscribe  2026-02-01',
    'left@x.example false unsubscribe c 2026-02-01',
    'no@x.example false subscription b 2026-01-01',
    'yes@x.example true subscription a 2026-01-01',
  ]);
});

test('a store with a topic or subscribers under a name that becomes built-in keeps it manual, and others get the built-in', async () => {
  const pool = await migrateUpTo('20261116102033_wishlist_alerts');
  await pool.query(`
    INSERT INTO store (pid, name, secret) VALUES ('row', 'A', 's'), ('subs', 'B', 's'), ('asked', 'C', 's'), ('none', 'D', 's');
    INSERT INTO topic (pid, name, trigger, tag, subject, html, text, sms) VALUES ('row', 'pricedrop', 'tag', 'sale', 'Mine', 'h', 't', 's');
    INSERT INTO subscription (pid, id, medium, value, epi, empi, du, topic) VALUES
      ('row', '1', 'email', 'a@x.example', '1', '1', '/p', 'pricedrop'), ('subs', '2', 'email', 'a@x.example', '1', '1', '/p', 'lowstock'),
      ('subs', '3', 'email', 'b@x.example', '1', '1', '/p', 'lowstock'), ('none', '4', 'email', 'a@x.example', '1', '1', '/p', 'backinstock');
    INSERT INTO subscription_request (pid, id, regid, asker, medium, value, epi, empi, du, topic) VALUES
      ('asked', '5', 'g', 'g', 'email', 'a@x.example', '1', '1', '/p', 'wishlistrestock')`);
  await migrate(pool, log, real);
  const { rows } = await pool.query(
    'SELECT pid, name, trigger, subject, list_holders AS holders FROM topic ORDER BY pid',
  );
  expect(rows).toEqual([
    { pid: 'asked', name: 'wishlistrestock', trigger: 'manual', subject: '', holders: false },
    { pid: 'row', name: 'pricedrop', trigger: 'tag', subject: 'Mine', holders: false },
    { pid: 'subs', name: 'lowstock', trigger: 'manual', subject: '', holders: false },
  ]);
  const db = openDatabase(database.url, 2, log);
  try {
    const kept = (await topicsOf(db, 'subs')).map(({ name, trigger }) => `${name} ${trigger}`);
    expect(kept).toEqual([
      ...['backinstock automatic', 'comingsoon manual', 'pricedrop pricedrop'],
      ...['lowstock manual', 'wishlistrestock automatic'],
    ]);
    // It says what every store's says until the store writes something else.
    const [own, standard] = await Promise.all(['subs', 'none'].map((pid) => findTopic(db, pid, 'lowstock')));
    expect(own!.texts).toEqual(standard!.texts);
  } finally {
    await db.close();
  }
});
