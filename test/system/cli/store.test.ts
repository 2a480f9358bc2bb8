import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../src/cli/run.ts';
import type { CliResult } from '../../../src/cli/run.ts';
import type { NewStore } from '../../../src/stores/store.service.ts';
import { useService } from '../../harness.ts';
import { program } from '../../program.ts';
import { cleanUp, makeDataDir } from '../fault/fixtures/embedded-kit.ts';
import { runProgram } from '../fault/fixtures/main-process.ts';

// Of its own: maintenance closes every store of a database.
const service = useService({});

/** What the command line needs to find the database of the running service. */
function environment(): Record<string, string> {
  const { db, config } = service.services;
  return { DATABASE_URL: db.pool.options.connectionString!, DATA_DIR: config.dataDir, LOG_LEVEL: 'trace' };
}

/** The one line that goes to standard error: which database it was, without the password. */
const using = (): string => {
  const { host, pathname } = new URL(environment()['DATABASE_URL']!);
  return `Using PostgreSQL at ${host}${pathname} (DATABASE_URL)\n`;
};

const cli = (...args: string[]): Promise<CliResult> => runCli(args, environment());

/** The same as a program of its own. */
async function spawnCli(...args: string[]): Promise<CliResult> {
  const { code, stdout, stderr } = await runProgram('cli/store', environment(), { args });
  return { status: code as CliResult['status'], stdout, stderr };
}

/** Runs a command with --json and returns what it printed, which must be one line. */
async function json<Value>(...args: string[]): Promise<Value> {
  const { status, stdout, stderr } = await cli(...args, '--json');
  expect({ status, stderr }).toEqual({ status: 0, stderr: using() });
  expect(stdout).toMatch(/^[^\n]+\n$/);
  return JSON.parse(stdout) as Value;
}

const me = (store: NewStore) => service.get('/storeadmin/me', { store });

test('as a program it prints one line, names its database on standard error, and its exit status tells how it went', async () => {
  const [created, misread] = await Promise.all([
    spawnCli('create', '--name', 'Spawned', '--json'),
    spawnCli('create', '--json'),
  ]);
  expect(created).toMatchObject({ status: 0, stderr: using() });
  expect(created.stdout).toMatch(/^[^\n]+\n$/);
  await me(JSON.parse(created.stdout) as NewStore).expect(200);
  expect(misread).toEqual({ status: 2, stdout: '', stderr: '--name is missing; see --help\n' });
});

test('what the command line changes of a store counts at once in the running server', async () => {
  const store = await json<NewStore>(
    'create',
    '--name',
    'My shop',
    '--list-types',
    'registry,cart',
    '--custom-items',
  );
  expect(store).toEqual({ pid: expect.any(String), apiKey: expect.stringMatching(/^wg_/), name: 'My shop' });
  expect(Object.keys(store)).toEqual(['pid', 'apiKey', 'name']);
  await me(store).expect(200);

  const updated = await json<object>(
    ...['update', '--pid', store.pid, '--name', 'Our shop', '--no-custom-items', '--inventory-unmanaged'],
    ...['--allowed-origins', 'https://a.example,https://b.example', '--share-url', 'https://a.example/{lid}'],
    ...[
      '--double-opt-in',
      '--no-merged-sessions',
      '--rate-limits',
      'key=500,shopper=7',
      '--default-region',
      'de',
      ...['--restore-days', '7', '--no-measure-alerts', '--attribution-days', '14'],
      ...['--digest-seconds', '600', '--quiet-from', '22:00', '--quiet-to', '07:30'],
      ...['--time-zone', 'Europe/Berlin', '--daily-cap', '3'],
      ...['--logo-url', 'https://a.example/logo.png', '--colour', '#1A73E8', '--sender-name', 'A & Co'],
      ...['--sender-address', 'hello@a.example', '--currency', 'chf', '--locale', 'de-ch'],
      ...['--postal-address', 'A GmbH\nStreet 1', '--imprint-url', 'https://a.example/legal'],
    ],
  );
  expect(updated).toMatchObject({
    pid: store.pid,
    name: 'Our shop',
    listTypes: ['registry', 'cart'],
    customItems: false,
    inventoryManaged: false,
    allowedOrigins: ['https://a.example', 'https://b.example'],
    shareUrl: 'https://a.example/{lid}',
    doubleOptIn: true,
    defaultRegion: 'DE',
    restoreDays: 7,
    measureAlerts: false,
    attributionDays: 14,
    pacing: {
      digestSeconds: 600,
      quietFrom: '22:00',
      quietTo: '07:30',
      timeZone: 'Europe/Berlin',
      dailyCap: 3,
    },
    logoUrl: 'https://a.example/logo.png',
    colour: '#1a73e8',
    senderName: 'A & Co',
    senderAddress: 'hello@a.example',
    postalAddress: 'A GmbH\nStreet 1',
    imprintUrl: 'https://a.example/legal',
    currency: 'CHF',
    locale: 'de-CH',
    mergedSessions: false,
    rateLimits: { key: 500, shopper: 7 },
  });
  const cleared = await json<object>(
    ...['update', '--pid', store.pid, '--no-list-types', '--no-allowed-origins', '--no-share-url'],
    ...['--no-rate-limits', '--no-double-opt-in', '--merged-sessions', '--no-inventory-unmanaged'],
    ...['--no-default-region', '--no-restore-days', '--measure-alerts', '--no-attribution-days'],
    ...['--no-digest-seconds', '--no-quiet-from', '--no-quiet-to'],
    ...['--no-time-zone', '--no-daily-cap', '--no-logo-url', '--no-colour', '--no-sender-name'],
    ...['--no-sender-address', '--no-postal-address', '--no-imprint-url', '--no-currency', '--no-locale'],
  );
  expect(cleared).toMatchObject({
    name: 'Our shop',
    listTypes: [],
    inventoryManaged: true,
    allowedOrigins: [],
    shareUrl: null,
    doubleOptIn: false,
    defaultRegion: null,
    restoreDays: 30,
    measureAlerts: true,
    attributionDays: 7,
    pacing: {},
    logoUrl: null,
    colour: null,
    senderName: null,
    senderAddress: null,
    postalAddress: null,
    imprintUrl: null,
    currency: null,
    locale: 'en',
    mergedSessions: true,
    rateLimits: {},
  });

  const { apiKey, keyId } = await json<{ apiKey: string; keyId: string }>('rotate-key', '--pid', store.pid);
  type Listing = { pid: string; keys: { id: string; hint: string }[] }[];
  const listing = await json<Listing>('list');
  const { keys } = listing.find(({ pid }) => pid === store.pid)!;
  expect(keys.map(({ hint }) => hint)).toEqual([store.apiKey.slice(-4), apiKey.slice(-4)]);
  expect(keys[1]!.id).toBe(keyId);
  expect(JSON.stringify(listing)).not.toMatch(/secret|hash/);
  await me({ ...store, apiKey }).expect(200);
  await json('revoke-key', '--pid', store.pid, '--key-id', keys[0]!.id);
  await me(store).expect(401);
  await me({ ...store, apiKey }).expect(200);
});

test.each(['-id', '--id', '-'])('a key is revoked by its id %s, which looks like a flag', async (id) => {
  const store = await service.createStore();
  await service.services.db.query('UPDATE store_key SET id = $2 WHERE pid = $1', [store.pid, id]);
  await json('rotate-key', '--pid', store.pid);
  await json('revoke-key', '--key-id', id, '--pid', store.pid);
  await me(store).expect(401);
});

test('revoke-sessions ends those of one shopper or of all', async () => {
  const store = await service.createStore();
  const uuid = crypto.randomUUID();
  const [guest, account] = [
    await service.guest(store, uuid),
    await service.account(store, 'ada@example.com'),
  ];
  const isIn = async (shopper: typeof guest): Promise<boolean> =>
    (await service.graphql('{ shopper { uid } }', {}, { shopper })).body.errors === undefined;
  await json('revoke-sessions', '--pid', store.pid, '--uuid', uuid);
  expect([await isIn(guest), await isIn(account)]).toEqual([false, true]);
  await json('revoke-sessions', '--pid', store.pid, '--email', ' ADA@example.com');
  expect(await isIn(account)).toBe(false);
  const again = await service.guest(store, uuid);
  expect(await isIn(again)).toBe(true);
  await json('revoke-sessions', '--pid', store.pid, '--all');
  expect(await isIn(again)).toBe(false);
});

test('maintenance closes and opens one store or all', async () => {
  const [store, other] = [await service.createStore(), await service.createStore()];
  expect(await json('maintenance', '--on', '--pid', store.pid)).toEqual({
    pid: store.pid,
    maintenance: true,
  });
  await me(store).expect(503);
  await me(other).expect(200);
  await json('maintenance', '--off', '--pid', store.pid);
  await me(store).expect(200);
  expect(await json('maintenance', '--on', '--all')).toEqual({ pid: null, maintenance: true });
  await me(other).expect(503);
  await json('maintenance', '--off', '--all');
  await me(other).expect(200);
});

test('without --json it prints for people, and --help explains the whole and each command', async () => {
  const [created, help, commandHelp] = await Promise.all([
    cli('create', '--name', 'Words'),
    cli('--help'),
    cli('revoke-sessions', '--help'),
  ]);
  expect(created).toMatchObject({ status: 0, stderr: using() });
  expect(created.stdout).toMatch(/^Created Words\n {2}pid {6}\S+\n {2}API key {2}wg_\S+\n/);
  for (const name of [
    'create',
    'list',
    'update',
    'rotate-key',
    'revoke-key',
    'revoke-sessions',
    'maintenance',
  ])
    expect(help.stdout).toContain(`  ${name} `);
  expect(commandHelp.stdout).toContain('--email EMAIL');
});

test.each<[number, string, string[]]>([
  [2, 'frobnicate', ['frobnicate']],
  [2, '--name', ['create']],
  [2, '--name', ['create', '--name', ' ']],
  [2, '--tint', ['create', '--name', 'x', '--tint', 'red']],
  [1, 'colour', ['create', '--name', 'x', '--colour', 'red']],
  [2, '--share-url', ['create', '--name', 'x', '--share-url', 'https://x.example', '--no-share-url']],
  [2, '--rate-limits', ['create', '--name', 'x', '--rate-limits', 'key=lots']],
  [2, '--no-allowed-origins', ['create', '--name', 'x', '--allowed-origins', '']],
  [2, '--no-allowed-origins', ['update', '--pid', 'x', '--allowed-origins', ' , ']],
  [2, '--no-list-types', ['create', '--name', 'x', '--list-types=']],
  [2, '--no-rate-limits', ['create', '--name', 'x', '--rate-limits', '']],
  [2, '--no-share-url', ['create', '--name', 'x', '--share-url', '']],
  [2, '--pid', ['rotate-key']],
  [2, '--key-id needs a value', ['revoke-key', '--pid', 'x', '--key-id']],
  [2, '--email, --uuid, --all', ['revoke-sessions', '--pid', 'x', '--all', '--uuid', 'y']],
  [2, '--on, --off', ['maintenance', '--all']],
  [1, 'list-types', ['create', '--name', 'x', '--list-types', 'a/b']],
  [1, 'pid', ['update', '--pid', 'nobody', '--name', 'x']],
  [1, '--key-id', ['revoke-key', '--pid', 'nobody', '--key-id', 'x']],
])('exit status %i names %s', async (status, flag, args) => {
  const { stdout, stderr, ...result } = await cli(...args, '--json');
  expect({ ...result, stdout }).toEqual({ status, stdout: '' });
  // A call that is not understood opens no database.
  const said = status === 1 ? stderr.replace(using(), '') : stderr;
  expect(said).toMatch(/^[^\n]+\n$/);
  expect(said).toContain(flag);
});

describe('without the DATA_DIR of the server', () => {
  let dataDir: string;
  beforeEach(async () => void (dataDir = await makeDataDir()));
  afterEach(cleanUp);

  test.each<[Parameters<typeof runProgram>[0], string[]]>([
    ['cli/store', ['create', '--name', 'x']],
    ['cli/operator', ['list']],
    ['cli/import', ['--pid', 'x', '--file', program('cli/import'), '--format', 'csv']],
    ['cli/backup', [join(tmpdir(), 'wishgate-no-database.backup')]],
    ['cli/upgrade', []],
    ['cli/worker', []],
  ])('%s %j makes no second database: it names the folder and what to set', async (entry, args) => {
    const { code, stdout, stderr } = await runProgram(entry, { DATA_DIR: dataDir }, { args });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^[^\n]+\n$/);
    expect(stderr).toContain(
      `There is no database in DATA_DIR (${dataDir}); set DATA_DIR or DATABASE_URL as for the server`,
    );
    expect(stderr.includes('add --new-database to create one here')).toBe(args[0] === 'create');
    expect(await readdir(dataDir)).toEqual([]);
  });

  test.each<[Parameters<typeof runCli>[2], string[], boolean]>([
    ['store', ['list'], false],
    ['store', ['update', '--pid', 'x', '--name', 'y'], false],
    ['operator', ['key'], true],
  ])('nor does the command %s %j', async (name, args, canCreate) => {
    const { status, stdout, stderr } = await runCli(args, { DATA_DIR: dataDir }, name);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('There is no database in DATA_DIR');
    expect(stderr.includes('add --new-database to create one here')).toBe(canCreate);
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('create makes one where it is told to, says which, and later calls find it', async () => {
    const run = (...args: string[]) => runProgram('cli/store', { DATA_DIR: dataDir }, { args });
    const created = await run('create', '--name', 'First', '--new-database', '--json');
    expect(created).toMatchObject({
      code: 0,
      stderr: `Using the bundled PostgreSQL in ${dataDir} (DATA_DIR)\n`,
    });
    const { pid } = JSON.parse(created.stdout) as NewStore;
    expect(JSON.parse((await run('list', '--json')).stdout)).toMatchObject([{ pid, name: 'First' }]);
  });
});
