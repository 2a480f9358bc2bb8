import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip, gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { readFileCall } from '../../../src/cli/copying.ts';
import { dump } from '../../../src/platform/database/backup.ts';
import { explainUnpacking } from '../../../src/platform/database/backup-format.ts';
import { load, openBackup } from '../../../src/platform/database/restore.ts';
import { createClient } from '../../api/list-kit.ts';
import { fillTables } from '../../fill.ts';
import { useService } from '../../harness.ts';
import { until } from '../../until.ts';
import * as kit from './fixtures/embedded-kit.ts';
import {
  demoAuthorization,
  identify,
  runProgram,
  startMain,
  startProgram,
  untilReady,
} from './fixtures/main-process.ts';
import type { End } from './fixtures/main-process.ts';

// Of its own: the whole database is saved and compared.
const service = useService({});
let folder: string;
const made: { drop(): Promise<void> }[] = [];

beforeAll(async () => {
  await fillTables(service.services.db.pool, 'filled');
});

afterAll(async () => {
  for (const database of made) await database.drop();
});

beforeEach(async () => void (folder = await kit.makeDataDir()));
afterEach(kit.cleanUp);

/** An empty database on the server of this run. */
async function makeEmpty(): Promise<string> {
  const database = await kit.createEmptyDatabase();
  made.push(database);
  return database.url;
}

/** Every row of every table and the state of every sequence, as text. */
async function contentOf(url: string): Promise<Record<string, string[]>> {
  const relations = await kit.query<{ name: string; kind: string }>(
    url,
    `SELECT relname AS name, relkind AS kind FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S')`,
  );
  const parts = relations.map(({ name, kind }) =>
    kind === 'r'
      ? `SELECT '${name}' AS name, coalesce(array_agg(t::text ORDER BY t::text), '{}') AS rows FROM "${name}" t`
      : `SELECT '${name}', ARRAY[last_value::text || is_called] FROM "${name}"`,
  );
  const all = await kit.query<{ name: string; rows: string[] }>(url, parts.join(' UNION ALL '));
  return Object.fromEntries(all.map(({ name, rows }) => [name, rows]));
}

/** Everything that the catalogue says of constraints, indexes and triggers; the newest index of a table is the one that ties go to. */
const SHAPE = `
  SELECT conname AS name, pg_get_constraintdef(oid) AS text FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  UNION ALL SELECT indrelid::regclass::text, max(indexrelid)::regclass::text FROM pg_index GROUP BY indrelid
    HAVING indrelid::regclass::text !~ '^pg_'
  UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT tgname, pg_get_triggerdef(oid) || tgenabled::text FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1, 2`;

const backup = (env: Record<string, string>, ...args: string[]): Promise<End> =>
  runProgram('cli/backup', env, { args });
const restore = (env: Record<string, string>, file: string, input?: Buffer): Promise<End> =>
  runProgram('cli/restore', env, { args: [file], ...(input && { input }) });

test('a restored backup has every row of every table, every sequence, constraint, index and trigger', async () => {
  const file = join(folder, 'whole.backup');
  const { url } = service.database;
  const written = await backup({ DATABASE_URL: url }, file);
  expect(written).toMatchObject({ code: 0 });
  expect(written.stdout).toMatch(/^Wrote .*whole.backup: \d+ tables, \d+ rows, /);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).toEqual(['whole.backup']);
  const target = await makeEmpty();
  expect(await restore({ DATABASE_URL: target }, file)).toMatchObject({ code: 0 });
  const content = await contentOf(url);
  expect(await contentOf(target)).toEqual(content);
  const filled = Object.values(content).filter((rows) => rows.length > 0);
  expect(filled.length).toBeGreaterThan(55);
  expect(await kit.query(target, SHAPE)).toEqual(await kit.query(url, SHAPE));
});

test('a file that is there is replaced only where that is asked for, and then at once by a whole one', async () => {
  const file = join(folder, 'kept.backup');
  await writeFile(file, 'the only copy');
  const env = { DATABASE_URL: service.database.url };
  const refused = await backup(env, file);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--overwrite') });
  expect(await readFile(file, 'utf8')).toBe('the only copy');
  const nowhere = await backup(env, join(folder, 'none', 'x'));
  expect(nowhere).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Cannot write [^\s:]+: the folder does not exist\n$/),
  });
  // One that fails half-way leaves the old one as it was.
  const failed = await backup({ DATABASE_URL: 'postgresql://x@127.0.0.1:1/x' }, file, '--overwrite');
  expect([failed.code, await readFile(file, 'utf8')]).toEqual([1, 'the only copy']);
  const replaced = await backup(env, file, '--overwrite');
  expect(replaced).toMatchObject({ code: 0 });
  const { size } = await stat(file);
  expect(replaced.stdout).toContain(
    `, ${(size / 1e3).toLocaleString('en', { maximumFractionDigits: 1 })} kB in the file`,
  );
  expect(await readdir(folder)).toEqual(['kept.backup']);
});

test('what is written when a backup has begun is not in it, whichever table comes when', async () => {
  const client = createClient(service, await service.guest(await service.createStore()));
  await client.create('Made before the backup');
  const reader = new pg.Client(service.database.url);
  await reader.connect();
  const pieces = dump(reader);
  const { value: head } = await pieces.next();
  await client.create('Made during the backup');
  const read: Buffer[] = [head as Buffer];
  for await (const piece of pieces) read.push(piece);
  await reader.end();
  const saved = Buffer.concat(read).toString();
  expect(saved).toContain('Made before the backup');
  expect(saved).not.toContain('Made during the backup');
});

test('a backup that is taken while others write holds all that was acknowledged before, and lists that fit their items', async () => {
  const store = await service.createStore();
  const client = createClient(service, await service.guest(store));
  const { lid } = await client.create('Busy');
  let added = 0;
  let isOver = false;
  const writer = (async () => {
    for (; !isOver; added += 1) await client.add(lid, { epi: added, empi: 1, du: 'https://shop.example/p' });
  })();
  await until(() => added > 3);
  const before = added;
  const { code, bytes, stderr } = await backup({ DATABASE_URL: service.database.url }, '-');
  isOver = true;
  await writer;
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^Using PostgreSQL at .*\nBacked up /),
  });
  const target = await makeEmpty();
  expect(await restore({ DATABASE_URL: target }, '-', bytes)).toMatchObject({ code: 0 });
  const [row] = await kit.query<{ cnt: number; items: number }>(
    target,
    `SELECT cnt, (SELECT count(*)::int FROM item i WHERE i.pid = l.pid AND i.lid = l.lid) AS items FROM list l WHERE pid = '${store.pid}'`,
  );
  expect(row!.cnt).toBe(row!.items);
  expect(row!.items).toBeGreaterThanOrEqual(before);
});

const RELATIONS = `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`;

describe('a file that is no whole backup is refused with its reason, and leaves the database empty', () => {
  let whole: Buffer;
  let target: string;

  beforeAll(async () => {
    whole = (await backup({ DATABASE_URL: service.database.url }, '-')).bytes;
    target = await makeEmpty();
  });

  const changed = (from: string, to: string): Buffer =>
    gzipSync(gunzipSync(whole).toString('latin1').replace(from, to), {});
  test.each<[string, () => Buffer, string]>([
    ['cut', () => whole.subarray(0, whole.length - 20), 'The backup is not complete: it ends in the middle'],
    [
      'cut, and packed again',
      () => gzipSync(gunzipSync(whole).subarray(0, -300)),
      'The backup is not complete: it ends in the middle',
    ],
    [
      'with a turned bit',
      () => Buffer.from(whole).fill(whole.at(-6)! ^ 4, whole.length - 6, whole.length - 5),
      'The backup is damaged',
    ],
    ['with another value', () => changed('filled-item-lid-0', 'filled-item-lid-1'), 'The backup is damaged'],
    [
      'of a newer version',
      () => changed('20261117170000_baseline', '20991117170000_baseline'),
      'This version does not know the migration 20991117170000_baseline',
    ],
    [
      'of another form',
      () => changed('"version":1', '"version":2'),
      'The backup has form 2 and this version reads form 1',
    ],
    ['of something else', () => gzipSync('hello\n'), 'This file is not a wishgate backup'],
    ['that is not packed', () => Buffer.from('hello\n'), 'This file is not a wishgate backup'],
    ['that is empty', () => Buffer.alloc(0), 'The backup is not complete'],
  ])('%s', async (_name, make, reason) => {
    const client = new pg.Client({ connectionString: target });
    client.on('error', () => undefined);
    await client.connect();
    const plain = Readable.from([make()], { objectMode: false }).pipe(createGunzip());
    const loading = openBackup(plain).then((backup) => load(client, backup));
    const refused: unknown = await loading.catch(explainUnpacking);
    await client.end();
    expect(String(refused)).toContain(reason);
    expect(await kit.query(target, RELATIONS)).toEqual([]);
  });

  test('the program says it in one line and ends with status 1', async () => {
    const { code, stderr } = await restore({ DATABASE_URL: target }, '-', whole.subarray(0, -20));
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^Using PostgreSQL at \S+ \(DATABASE_URL\)\nThe backup is not complete: it ends in the middle\n$/,
      ),
    });
    expect(await kit.query(target, RELATIONS)).toEqual([]);
  });

  test('a database that has something is refused and keeps it', async () => {
    const content = await contentOf(service.database.url);
    const { code, stderr } = await restore({ DATABASE_URL: service.database.url }, '-', whole);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('The database is not empty'),
    });
    expect(await contentOf(service.database.url)).toEqual(content);
  });

  test('a restore that is killed leaves the database empty, and the next one succeeds', async () => {
    const own = await makeEmpty();
    const { child, end } = startProgram('cli/restore', { DATABASE_URL: own }, { args: ['-'], input: null });
    child.stdin!.write(whole.subarray(0, whole.length / 2));
    const copying = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'COPY %'`;
    await until(async () => (await kit.query(own, copying)).length > 0);
    await end('SIGKILL');
    expect(await restore({ DATABASE_URL: own }, '-', whole)).toMatchObject({ code: 0 });
    expect((await contentOf(own))['item']).toEqual((await contentOf(service.database.url))['item']);
  });
});

/** What a shopper's first list holds, read by REST and by GraphQL. */
async function readBoth(url: string, query: URLSearchParams): Promise<unknown[]> {
  const [pid, regid, sessionid] = ['pid', 'regid', 'sessionid'].map((name) => query.get(name)!);
  const rest = await fetch(`${url}/api/v3/lists/fetch-lists?pid=${encodeURIComponent(pid!)}`, {
    method: 'POST',
    body: query,
  });
  const graphql = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-pid': pid!,
      'x-regid': regid!,
      'x-sessionid': sessionid!,
    },
    body: JSON.stringify({ query: '{ allLists { lid lname cnt uts } }' }),
  });
  return [await rest.json(), await graphql.json()];
}

describe('the bundled database', () => {
  test('is saved beside the running service and brought back in another folder, where REST and GraphQL read the same', async () => {
    const from = await kit.makeUsedDataDir();
    const to = join(await kit.makeDataDir(), 'data');
    kit.removeLater(to);
    const file = join(folder, 'bundled.backup');
    const main = startMain({ DATA_DIR: from });
    const url = await main.url;
    const authorization = await demoAuthorization(from);
    const pid = Buffer.from(authorization.slice(6), 'base64').toString().split(':')[0]!;
    const guest = await (await identify(url, authorization, '6ba7b810-9dad-41d1-80b4-00c04fd430c8')).json();
    const who = new URLSearchParams({ pid, regid: guest.regid, sessionid: guest.sessionid });
    const list = new URLSearchParams([...who, ['lname', 'Garden']]);
    await fetch(`${url}/api/v3/lists/create?pid=${encodeURIComponent(pid)}`, { method: 'POST', body: list });
    const lists = await readBoth(url, who);
    expect(lists[1]).toMatchObject({ data: { allLists: [{ lname: 'Garden' }] } });

    expect(await backup({ DATA_DIR: from }, file)).toMatchObject({ code: 0 });
    await untilReady(url);
    await main.end();

    expect(await restore({ DATA_DIR: to }, file)).toMatchObject({ code: 0 });
    expect(await kit.countProcesses(join(to, 'postgres'))).toBe(0);
    const again = startMain({ DATA_DIR: to });
    expect(await readBoth(await again.url, who)).toEqual(lists);
    // Beside a running service, too, a folder that has data is refused.
    expect(await restore({ DATA_DIR: to }, file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The database is not empty'),
    });
    expect((await again.end()).code).toBe(0);

    // With nothing running, the backup starts the database, and stops it again.
    expect(await backup({ DATA_DIR: to }, file, '--overwrite')).toMatchObject({ code: 0 });
    expect(await kit.countProcesses(join(to, 'postgres'))).toBe(0);
  });

  test('is not made by a restore of a file that is not there, and a call that is not understood says so', async () => {
    const dir = await kit.makeDataDir();
    expect(() => readFileCall([], {})).toThrow('Name one file');
    const run = (...args: string[]): Promise<End> => runProgram('cli/restore', { DATA_DIR: dir }, { args });
    const [unknown, help, absent] = await Promise.all([
      run('a', '--what'),
      run('--help'),
      run(join(folder, 'absent')),
    ]);
    expect(unknown).toMatchObject({ code: 2, stderr: 'Unknown flag --what; see --help\n' });
    expect(help.stdout).toMatch(/^Restore a backup into an empty database/);
    expect(absent).toMatchObject({ code: 1, stderr: expect.stringContaining('absent') });
    expect(await readdir(dir)).toEqual([]);
  });
});
