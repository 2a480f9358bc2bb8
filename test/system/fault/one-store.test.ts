import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import pg from 'pg';
import { dump } from '../../../src/platform/database/backup.ts';
import { loadStore } from '../../../src/platform/database/restore-store.ts';
import { openBackup } from '../../../src/platform/database/restore.ts';
import { seal } from '../../../src/platform/encrypt.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { contextOf } from '../../../src/stores/mail-server/mail-server.rules.ts';
import { revokeSessions } from '../../../src/shoppers/shopper.service.ts';
import { revokeKey, rotateKey, setMaintenance } from '../../../src/stores/store.service.ts';
import { createClient, item } from '../../api/list-kit.ts';
import { fillTables } from '../../fill.ts';
import { useService } from '../../harness.ts';
import type { TestService } from '../../harness.ts';
import { program } from '../../program.ts';
import { withAdmin } from '../../setup/database.ts';
import { until } from '../../until.ts';
import * as kit from './fixtures/embedded-kit.ts';
import { besideService } from './fixtures/main-process.ts';

// A store that leaves a server for another one, and a mistake that is undone, while the other stores of the server work.

const [from, to] = [useService({}), useService({})];
const run = promisify(execFile);

afterEach(kit.cleanUp);

// The servers number their stores apart, as servers with stores of their own do.
beforeAll(async () => {
  await to.services.db.query(`SELECT setval('store_link_no_seq', 500)`);
});

async function withClients<Result>(
  url: string,
  work: (connect: () => Promise<pg.Client>) => Promise<Result>,
) {
  const clients: pg.Client[] = [];
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    clients.push(client);
    await client.connect();
    return client;
  };
  return work(connect).finally(() => Promise.all(clients.map((client) => client.end())));
}

/** A backup, unpacked: of one store, or of all. */
const backup = (url: string, pid?: string): Promise<Buffer> =>
  withClients(url, async (connect) => {
    const pieces: Buffer[] = [];
    for await (const piece of dump(await connect(), undefined, undefined, pid)) pieces.push(piece);
    return Buffer.concat(pieces);
  });

const restore = (
  url: string,
  bytes: Buffer,
  pid: string,
  { mayReplace = false, withoutQueue = false } = {},
): Promise<unknown> =>
  withClients(url, async (connect) => {
    const opened = await openBackup(Readable.from([bytes], { objectMode: false }));
    return loadStore(connect, opened, { pid, mayReplace, withoutQueue }, createLogger('silent'));
  });

type Rows = Record<string, string[]>;

/** Every row of a store, table by table, without what a restore changes on purpose. */
async function rowsOf({ database: { url } }: Pick<TestService, 'database'>, pid: string): Promise<Rows> {
  const tables = await kit.query<{ name: string }>(
    url,
    `SELECT attrelid::regclass::text AS name FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND attname = 'pid'`,
  );
  const all = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, array_agg((to_jsonb(t) - 'maintenance')::text ORDER BY t::text) AS rows
       FROM "${name}" t WHERE pid = '${pid}' HAVING count(*) > 0`,
  );
  const found = await kit.query<{ name: string; rows: string[] }>(url, all.join(' UNION ALL '));
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
}

const withoutRevisions = ({ shopper_revision: _s, catalog_revision: _c, ...rows }: Rows): Rows => rows;

const revisionsOf = ({ database: { url } }: TestService, pid: string) =>
  kit.query<{ key: string; rev: string }>(
    url,
    `SELECT regid AS key, rev FROM shopper_revision WHERE pid = '${pid}' UNION ALL SELECT slice::text, rev FROM catalog_revision WHERE pid = '${pid}'`,
  );

const openAgain = (service: TestService, pid: string) => setMaintenance(service.services, pid, false);

test("one store's backup has its rows of every table and no others, and is restored to the letter next to other stores", async () => {
  const filled = await fillTables(from.services.db.pool, 'leaving');
  await fillTables(from.services.db.pool, 'staying');
  await fillTables(to.services.db.pool, 'neighbour');
  const [neighbour, all] = [await rowsOf(to, 'neighbour'), await rowsOf(from, 'leaving')];
  await restore(to.database.url, await backup(from.database.url, 'leaving'), 'leaving');

  const restored = await rowsOf(to, 'leaving');
  expect(withoutRevisions(restored)).toEqual(withoutRevisions(all));
  // Every table that the catalogue has, except those of no store.
  const owned = Object.keys(filled).filter((name) => name in neighbour);
  expect(Object.keys(restored).sort()).toEqual(owned.sort());
  expect(owned.length).toBeGreaterThan(40);
  expect(await rowsOf(to, 'neighbour')).toEqual(neighbour);
  expect(await rowsOf(to, 'staying')).toEqual({});
  const before = new Map((await revisionsOf(from, 'leaving')).map(({ key, rev }) => [key, Number(rev)]));
  expect(before.size).toBeGreaterThan(2);
  for (const { key, rev } of await revisionsOf(to, 'leaving'))
    expect(Number(rev)).toBeGreaterThan(before.get(key)!);
  const store = await to.services.db.prisma.store.findUnique({ where: { pid: 'leaving' } });
  expect(store).toMatchObject({ maintenance: true });
  const drafts = `SELECT FROM pg_namespace WHERE nspname = 'wishgate_restore'`;
  expect(await kit.query(to.database.url, drafts)).toEqual([]);
});

test('a row that is made after a restore sorts after all restored ones, whose numbers came from another server', async () => {
  const store = await from.createStore();
  await from.services.db.query(`SELECT setval('list_seq_seq', 5000000)`);
  const client = createClient(from, await from.guest(store));
  await client.create('Restored');
  await restore(to.database.url, await backup(from.database.url, store.pid), store.pid);
  await openAgain(to, store.pid);
  const there = createClient(to, client.shopper);
  await there.create('New');
  const lists: { lname: string }[] = await there.ok('lists/fetch-lists');
  expect(lists.map(({ lname }) => lname)).toEqual(['New', 'Restored']);
});

test('SMS opt-outs of the contacts of a store go with it, those of others do not, and the newer reply wins', async () => {
  const { pid } = await from.createStore();
  const answers = [1, 2, 3].map((n) => `('${pid}', 'sms', '+4915${n}', true, now(), 'shop')`);
  await from.services.db.query(
    `INSERT INTO mailing_answer (pid, medium, value, acceptmarketing, signuptime, acceptsource) VALUES ${answers.join()}`,
  );
  const reply = (service: TestService, n: number, isStopped: boolean, day: number) =>
    service.services.db.query(
      `INSERT INTO stop (medium, value, is_stopped, uts) VALUES ('sms', '+4915${n}', ${isStopped}, '2026-01-0${day}')`,
    );
  for (const n of [1, 2, 3, 4]) await reply(from, n, true, 2);
  await reply(to, 2, false, 1);
  await reply(to, 3, false, 3);
  await restore(to.database.url, await backup(from.database.url, pid), pid);
  const stops = `SELECT value, is_stopped FROM stop WHERE value LIKE '+4915_' ORDER BY value`;
  expect(await kit.query(to.database.url, stops)).toEqual([
    { value: '+49151', is_stopped: true },
    { value: '+49152', is_stopped: true },
    { value: '+49153', is_stopped: false },
  ]);
});

test('the backup of an older version gets what later migrations do to existing rows', async () => {
  const old = await kit.createEmptyDatabase();
  const baseline = await readFile('prisma/migrations/20261117170000_baseline/migration.sql', 'utf8');
  const { pid } = await from.createStore();
  try {
    const bytes = await withClients(old.url, async (connect) => {
      const client = await connect();
      await client.query(baseline);
      await client.query(
        `CREATE TABLE _prisma_migrations (migration_name text, checksum text, finished_at timestamptz, rolled_back_at timestamptz)`,
      );
      const [known] = await kit.query<{ checksum: string }>(
        from.database.url,
        `SELECT checksum FROM _prisma_migrations WHERE migration_name LIKE '%_baseline'`,
      );
      await client.query(
        `INSERT INTO _prisma_migrations VALUES ('20261117170000_baseline', '${known!.checksum}', now())`,
      );
      await client.query(`INSERT INTO store (pid, name, secret, locale) VALUES ('old', 'Old', '', 'de-AT')`);
      await client.query(
        `INSERT INTO topic (pid, name, trigger, subject, html, text, sms) VALUES ('old', 'backinstock', 'backinstock', '', '', '', '')`,
      );
      return backup(old.url, 'old');
    });
    await to.services.db.query(`DELETE FROM store WHERE link_no = 1`);
    await restore(to.database.url, bytes, 'old');
    const topic = await to.services.db.prisma.topic.findFirst({ where: { pid: 'old' } });
    expect(topic).toMatchObject({ textLanguage: 'de', translations: {} });
    const newer = Buffer.from(bytes.toString().replace('20261117170000_baseline', '20991117170000_baseline'));
    await expect(restore(to.database.url, newer, pid)).rejects.toThrow(
      'This version does not know the migration 20991117170000_baseline',
    );
  } finally {
    await old.drop();
  }
});

describe('a restore of one store is refused before anything is written', () => {
  test.each<[string, (pid: string) => Promise<unknown>, (pid: string) => string, string]>([
    [
      'where the store exists',
      async () => undefined,
      (pid) => pid,
      'add --replace to restore it over itself',
    ],
    [
      'where another store has the number of its short links',
      async (pid) =>
        from.services.db.query(`UPDATE store SET pid = $2, name = 'Other shop' WHERE pid = $1`, [
          pid,
          `clash-${pid}`,
        ]),
      (pid) => pid,
      "The store's short links have the same number as those of Other shop (clash-",
    ],
    [
      'where the store has moved to another server',
      async (pid) => from.services.db.query(`UPDATE store SET move_step = 'moved' WHERE pid = $1`, [pid]),
      (pid) => pid,
      'The store is moving to or from another server, or has moved there',
    ],
    [
      'with a store that the backup does not have',
      async () => undefined,
      () => 'none',
      'The backup has no store',
    ],
  ])('%s', async (_name, prepare, name, reason) => {
    const { pid } = await from.createStore();
    const bytes = await backup(from.database.url, pid);
    await prepare(pid);
    const stores = 'SELECT s::text FROM store s ORDER BY pid';
    const before = await kit.query(from.database.url, stores);
    await expect(restore(from.database.url, bytes, name(pid))).rejects.toThrow(reason);
    expect(await kit.query(from.database.url, stores)).toEqual(before);
  });

  test('from a backup that is cut, and the store stays open and as it is', async () => {
    const store = await from.createStore();
    const client = createClient(from, await from.guest(store));
    await client.create('Kept');
    const before = await rowsOf(from, store.pid);
    const bytes = (await backup(from.database.url, store.pid)).subarray(0, -300);
    await expect(restore(from.database.url, bytes, store.pid, { mayReplace: true })).rejects.toThrow(
      'The backup',
    );
    expect(await rowsOf(from, store.pid)).toEqual(before);
    await client.ok('lists/fetch-lists');
  });

  test('that fails while it writes leaves the store open and as it is', async () => {
    const store = await from.createStore();
    const client = createClient(from, await from.guest(store));
    await client.create('Refused');
    const before = await rowsOf(from, store.pid);
    const bytes = await backup(from.database.url, store.pid);
    // The same row may stay, but not be written again.
    await from.services.db.query(
      `ALTER TABLE list ADD CONSTRAINT refused CHECK (lname <> 'Refused') NOT VALID`,
    );
    try {
      const restoring = restore(from.database.url, bytes, store.pid, { mayReplace: true });
      await expect(restoring).rejects.toThrow('violates check constraint');
    } finally {
      await from.services.db.query('ALTER TABLE list DROP CONSTRAINT refused');
    }
    expect(await rowsOf(from, store.pid)).toEqual(before);
    await client.ok('lists/fetch-lists');
  });

  test('by a role that may not switch triggers off, with the statement that permits it', async () => {
    const role = `r_${randomBytes(6).toString('hex')}`;
    const { pid } = await from.createStore();
    const bytes = await backup(from.database.url, pid);
    const { url, drop } = await kit.createEmptyDatabase();
    await withAdmin(from.database.url, async (admin) => {
      try {
        await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
        await admin.query(`ALTER DATABASE "${new URL(url).pathname.slice(1)}" OWNER TO ${role}`);
        const own = Object.assign(new URL(url), { username: role, password: 'secret' }).href;
        const missing = `GRANT SET ON PARAMETER session_replication_role TO ${role}`;
        await expect(restore(own, bytes, pid)).rejects.toThrow(missing);
        await admin.query(missing);
        // A database without any store gets the tables, too.
        await restore(own, bytes, pid);
        expect(await kit.query(url, 'SELECT pid FROM store')).toEqual([{ pid }]);
        await admin.query(`REVOKE SET ON PARAMETER session_replication_role FROM ${role}`);
      } finally {
        await drop();
        await admin.query(`DROP ROLE IF EXISTS ${role}`);
      }
    });
  });
});

/** Queues messages that are due in a day. */
const queue = (service: TestService, pid: string, ...ids: string[]) =>
  service.services.db.query(
    `INSERT INTO outbox (pid, id, lane, kind, medium, recipient, due_at, cts)
     SELECT $1, id, 'message', 'test', 'email', 'a@example.com', now() + interval '1 day', now() FROM unnest($2::text[]) AS id`,
    [pid, ids],
  );
const readQueue = (service: TestService, pid: string) =>
  service.services.db.query('SELECT id, state FROM outbox WHERE pid = $1 ORDER BY id', [pid]);

test('a mistake is undone from a backup of all stores: lists return, what ended since stays ended, and other stores work on', async () => {
  const { db } = from.services;
  const [store, other] = [await from.createStore(), await from.createStore()];
  const { pid } = store;
  const [client, bystander] = [
    createClient(from, await from.account(store, 'ada@example.com')),
    createClient(from, await from.guest(other)),
  ];
  const revoked = createClient(from, await from.account(store, 'eve@example.com'));
  const { lid } = await client.create('Birthday');
  await client.add(lid, item(1), item(2));
  await revoked.create('Of an ended session');
  // The backup does not know this guest, who has saved nothing.
  const uuid = randomUUID();
  const unseen = createClient(from, await from.guest(store, uuid));
  const leaked = await rotateKey(from.services, pid, 'leaked');
  await queue(from, pid, 'a-sent-since', 'b-still-queued');
  const bytes = await backup(from.database.url);

  await client.ok('lists/delete-list', { lid });
  await client.create('Made since');
  // Twice, so that the response is cached.
  for (const _time of [1, 2])
    expect(await client.ok('lists/fetch-lists')).toMatchObject([{ lname: 'Made since' }]);
  await db.query(`UPDATE outbox SET state = 'sent' WHERE pid = $1 AND id = 'a-sent-since'`, [pid]);
  await queue(from, pid, 'c-queued-by-mistake');
  await db.query(
    `INSERT INTO suppression (pid, medium, value, cts) VALUES ($1, 'email', 'a@example.com', now())`,
    [pid],
  );
  await revokeKey(from.services, pid, leaked.keyId);
  await db.query(`UPDATE shopper SET epoch = epoch + 1 WHERE pid = $1 AND regid = $2`, [
    pid,
    revoked.shopper.regid,
  ]);
  await revokeSessions(from.services, pid, { uuid });
  const before = new Map((await revisionsOf(from, pid)).map(({ key, rev }) => [key, Number(rev)]));
  const neighbours = (async () => {
    for (let made = 0; made < 10; made += 1) await bystander.create(`List ${made}`);
  })();

  await restore(from.database.url, bytes, pid, { mayReplace: true });
  await neighbours;
  expect(await bystander.ok('lists/fetch-lists')).toHaveLength(10);
  expect(await client.failure(503, 'lists/fetch-lists')).toBe('maintenance');
  await openAgain(from, pid);
  expect(await client.ok('lists/fetch-lists')).toMatchObject([{ lname: 'Birthday', cnt: 2 }]);
  await client.ok('lists/create', { lname: 'After it' });
  for (const ended of [revoked, unseen]) await ended.call('lists/fetch-lists').expect(401);
  await from.get('/storeadmin/me', { store: { pid, apiKey: leaked.apiKey } }).expect(401);
  await from.get('/storeadmin/me', { store }).expect(200);
  expect((await rowsOf(from, pid))['suppression']).toHaveLength(1);
  expect(await readQueue(from, pid)).toEqual([
    { id: 'a-sent-since', state: 'sent' },
    { id: 'b-still-queued', state: 'queued' },
  ]);
  const after = await revisionsOf(from, pid);
  expect(after.length).toBeGreaterThanOrEqual(before.size);
  for (const { key, rev } of after) expect(Number(rev)).toBeGreaterThan(before.get(key) ?? 0);
});

test('accounts keep the address and external id of today: one that was given up since the backup leads to its new holder', async () => {
  const store = await from.createStore();
  const { pid } = store;
  const call = async (fields: Record<string, string>) => {
    const answer = { useragenttype: 'test', ...fields };
    return (await from.post('/storeadmin/v3/user/generate-regid', answer, { store }).expect(200)).body;
  };
  const moved = await call({ useremail: 'old@example.com', externalid: 'moved' });
  const leaving = await call({ useremail: 'leaving@example.com', externalid: 'leaving' });
  const bytes = await backup(from.database.url, pid);
  await call({ useremail: 'third@example.com', externalid: 'leaving' });
  await call({ useremail: 'leaving@example.com', externalid: 'moved' });
  const holder = await call({ useremail: 'old@example.com' });
  await restore(from.database.url, bytes, pid, { mayReplace: true });
  await openAgain(from, pid);

  const same = async (fields: Record<string, string>) => (await call(fields)).regid;
  expect(await same({ useremail: 'leaving@example.com' })).toBe(moved.regid);
  expect(await same({ externalid: 'moved' })).toBe(moved.regid);
  expect(await same({ useremail: 'third@example.com' })).toBe(leaving.regid);
  const again = await call({ useremail: 'old@example.com' });
  expect(again.regid).toBe(holder.regid);
  // The backup did not know this account, so its sessions have ended.
  expect(again.sessionid).not.toBe(holder.sessionid);
  expect(await rowsOf(from, pid)).toHaveProperty('former_address');
});

test('a restore that is killed while it writes leaves the store closed and as it was, and can be run again', async () => {
  const store = await from.createStore();
  const client = createClient(from, await from.guest(store));
  const { lid } = await client.create('Birthday');
  const file = join(await kit.makeDataDir(), 'store.backup');
  const env = { ...process.env, ...besideService(from) };
  await run(process.execPath, [program('cli/backup'), file, '--pid', store.pid], { env });
  await client.ok('lists/delete-list', { lid });
  const before = await rowsOf(from, store.pid);
  const call = [program('cli/restore'), file, '--pid', store.pid, '--replace'];
  await withAdmin(from.database.url, async (admin) => {
    await admin.query('BEGIN');
    await admin.query('SELECT FROM shopper WHERE pid = $1 FOR UPDATE', [store.pid]);
    const restoring = spawn(process.execPath, call, { env, stdio: 'ignore' });
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'DELETE FROM%"shopper"%'`;
    await until(async () => (await from.services.db.query(waiting)).length === 1);
    restoring.kill('SIGKILL');
    await admin.query('ROLLBACK');
    await until(async () => (await from.services.db.query(waiting)).length === 0);
  });
  expect(await rowsOf(from, store.pid)).toEqual(before);
  expect(await client.failure(503, 'lists/fetch-lists')).toBe('maintenance');
  await run(process.execPath, call, { env });
  await openAgain(from, store.pid);
  expect(await client.ok('lists/fetch-lists')).toMatchObject([{ lname: 'Birthday' }]);
});

describe('the commands of docs/operations/backup.md', () => {
  let stories: string[];
  let env: Record<string, string>;
  let folder: string;

  beforeAll(async () => {
    const page = await readFile('docs/operations/backup.md', 'utf8');
    stories = [...page.matchAll(/^```bash\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
  });
  beforeEach(async () => {
    folder = await kit.makeDataDir();
    env = { PATH: process.env['PATH']!, HOME: folder, LOG_LEVEL: 'warn' };
  });

  /** Runs a block with the programs themselves in place of npm, in a folder of its own. */
  const shell = (service: TestService, code: string, pid: string) => {
    const npm = (['store', 'backup', 'restore'] as const).map(
      (name) =>
        `*"run --silent ${name} --"*) shift 4; "${process.execPath}" "${program(`cli/${name}`)}" "$@" ;;`,
    );
    const script = `set -euo pipefail\nnpm() { case "$*" in ${npm.join(' ')} *) echo "unknown: $*" >&2; exit 1 ;; esac; }\n${code}`;
    return run('bash', ['-c', script], { cwd: folder, env: { ...env, ...besideService(service), PID: pid } });
  };

  test('move a merchant who leaves: the store works there with its lists, and warns where its secrets cannot be read', async () => {
    const store = await from.createStore();
    const client = createClient(from, await from.guest(store));
    await client.create('Birthday');
    await queue(from, store.pid, 'waiting');
    const login = { pid: store.pid, host: 'smtp.example.com', port: 587, login: 'shop' };
    await from.services.db.query(
      `INSERT INTO mail_server (pid, host, port, security, login, password, version, cts, uts) VALUES ($1, $2, $3, 'starttls', $4, $5, 'v', now(), now())`,
      [...Object.values(login), seal(randomBytes(32), 'secret', contextOf(login))],
    );
    await shell(from, stories[0]!, store.pid);
    expect(await client.failure(503, 'lists/fetch-lists')).toBe('maintenance');
    const { stdout, stderr } = await shell(to, stories[1]!, store.pid);
    expect(stdout).toContain('It is closed and sends no messages.');
    expect(stderr).toContain("The password of the store's mail server cannot be decrypted");
    const there = createClient(to, client.shopper);
    expect(await there.ok('lists/fetch-lists')).toMatchObject([{ lname: 'Birthday' }]);
    expect(await readQueue(to, store.pid)).toEqual([{ id: 'waiting', state: 'queued' }]);
  });

  test('undo a mistake from the backup of the night, with the queue left out', async () => {
    const store = await from.createStore();
    const client = createClient(from, await from.guest(store));
    const { lid } = await client.create('Birthday');
    await queue(from, store.pid, 'waiting');
    await shell(from, 'npm run --silent backup -- wishgate.backup', store.pid);
    await client.ok('lists/delete-list', { lid });
    await shell(from, stories[2]!, store.pid);
    expect(await client.ok('lists/fetch-lists')).toMatchObject([{ lname: 'Birthday' }]);
    expect(await readQueue(from, store.pid)).toEqual([]);
  });
});
