import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkReadable } from '../../../src/cli/copying.ts';
import { useNewStore, useService } from '../../harness.ts';
import { besideService, startProgram } from '../fault/fixtures/main-process.ts';
import type { End } from '../fault/fixtures/main-process.ts';
import { until } from '../../until.ts';

const service = useService();
const store = useNewStore(service);
let folder: string;

beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'wishgate-import-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));

type Answer = { code: End['code']; out: string; err: string };
type Options = { pid?: string; killAfter?: (rows: number) => boolean };

async function countRows(): Promise<number> {
  const [row] = await service.services.db.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM product WHERE pid = $1',
    [store.pid],
  );
  return row!.n;
}

/** Runs the command as an operator does, on the test's database. */
async function runImport(args: string[], { pid = store.pid, killAfter }: Options = {}): Promise<Answer> {
  const { child, ended, end } = startProgram('cli/import', besideService(service), {
    args: ['--pid', pid, ...args],
  });
  if (killAfter) await until(async () => child.exitCode !== null || killAfter(await countRows()));
  const { code, stdout, stderr } = await (killAfter ? end('SIGKILL') : ended);
  return { code, out: stdout, err: stderr };
}

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

const line = (epi: number, more: object = {}): string =>
  JSON.stringify({ epi, empi: 1, du: '/p', dt: `Title ${epi}`, stk: 1, ...more });

const gids = (epi: string, empi: string): string =>
  JSON.stringify({ epi: `gid://shopify/${epi}`, empi: `gid://shopify/${empi}`, du: '/p' });

test('NDJSON: good lines are stored, bad ones are named by number and skipped, and the exit status is 1', async () => {
  const lines = [
    line(1),
    '',
    'not json',
    line(2, { stk: 'many' }),
    '[1]',
    line(3, { stk: '7', pr: '1.5', tags: 'a|b', x: {} }),
    '{"epi":4}',
    line(5, { du: 'ftp://x' }),
    line(6),
    // Shopify's ids are their numbers, and no other gids are ids.
    gids('ProductVariant/7', 'Product/70'),
    gids('Product/8', 'Product/70'),
    gids('ProductVariant/9', 'Order/1'),
  ];
  const { code, out, err } = await runImport([
    '--file',
    await file('mixed.ndjson', `\uFEFF${lines.join('\r\n')}`),
  ]);
  expect(code).toBe(1);
  expect(out).toBe('Done: 4 products written, 7 bad lines skipped.\n');
  expect(
    err
      .match(/line \d+: .*/g)
      ?.map((text) => text.split(':')[0])
      .sort(),
  ).toEqual(['line 11', 'line 12', 'line 3', 'line 4', 'line 5', 'line 7', 'line 8']);
  for (const fault of ['line 7: empi and du are required', 'line 11: epi must be', 'line 12: empi must be'])
    expect(err).toContain(fault);
  const rows = await service.services.db.query(
    'SELECT epi, empi, stk, pr, tags FROM product WHERE pid = $1 ORDER BY epi',
    [store.pid],
  );
  expect(rows).toMatchObject([
    { epi: '1' },
    { epi: '3', stk: 7, pr: 1.5, tags: ['a', 'b'] },
    { epi: '6' },
    { epi: '7', empi: '70' },
  ]);
});

test('CSV: quotes, line breaks in cells, empty cells and other columns are understood', async () => {
  const csv = [
    'epi,empi,du,dt,stk,tags,colour',
    '1,9,/p,"A ""big"", red\nshirt",3,a|b,red',
    '2,9,/p',
    '3,9,/p,,,,',
    '4,9,/p,Hat,-2,,blue',
    '',
  ].join('\n');
  const { code, out, err } = await runImport(['--file', await file('a.csv', csv)]);
  expect([code, out]).toEqual([1, 'Done: 3 products written, 1 bad line skipped.\n']);
  expect(err).toContain('line 4: the line has 3 cells instead of 7');
  const rows = await service.services.db.query(
    'SELECT epi, dt, stk, tags FROM product WHERE pid = $1 ORDER BY epi',
    [store.pid],
  );
  expect(rows).toEqual([
    { epi: '1', dt: 'A "big", red shirt', stk: 3, tags: ['a', 'b'] },
    { epi: '3', dt: null, stk: null, tags: null },
    { epi: '4', dt: 'Hat', stk: -2, tags: null },
  ]);
});

test.each(['ndjson', 'csv'])(
  'a killed %s import goes on where it was, without losing or repeating a line',
  async (format) => {
    const total = 7_000;
    const epis = Array.from({ length: total }, (_, index) => index + 1);
    const lines =
      format === 'csv'
        ? ['epi,empi,du,stk', ...epis.map((epi) => `${epi},1,/p,1`)]
        : epis.map((epi) => line(epi));
    const path = await file(`big.${format}`, `${lines.join('\n')}\n`);
    // A row that somebody else is about to write makes the import wait there, so that the kill comes half-way.
    const other = await service.services.db.pool.connect();
    await other.query('BEGIN');
    await other.query(`INSERT INTO product (pid, epi, empi, du) VALUES ($1, '5000', '1', '/p')`, [store.pid]);
    const killed = await runImport(['--file', path], { killAfter: (rows) => rows >= 2_000 });
    await other.query('ROLLBACK');
    other.release();
    expect(killed.code).toBe('SIGKILL');
    const { code, out, err } = await runImport(['--file', path, '--resume']);
    expect([code, out]).toEqual([0, `Done: ${total} products written, 0 bad lines skipped.\n`]);
    expect(err).toMatch(/continuing after line [1-9]/);
    const [row] = await service.services.db.query(
      'SELECT count(*)::int AS n, max(rev) AS rev FROM product WHERE pid = $1',
      [store.pid],
    );
    expect(row).toEqual({ n: total, rev: 1 });
  },
);

test('a file that was changed in the middle is imported anew, whatever --resume knows of the old one', async () => {
  const lines = Array.from({ length: 4_000 }, (_, index) => line(index + 1));
  const path = await file('middle.ndjson', lines.join('\n'));
  expect((await runImport(['--file', path])).code).toBe(0);
  const changed = lines.map((text, index) => (index === 2_000 ? line(2_001, { stk: 9 }) : text)).join('\n');
  expect(changed).toHaveLength(lines.join('\n').length);
  await file('middle.ndjson', changed);
  const { code, out } = await runImport(['--file', path, '--resume']);
  expect([code, out]).toEqual([0, 'Done: 4000 products written, 0 bad lines skipped.\n']);
  expect(
    await service.services.db.query('SELECT epi FROM product WHERE pid = $1 AND stk = 9', [store.pid]),
  ).toEqual([{ epi: '2001' }]);
  const again = await runImport(['--file', path, '--resume']);
  expect([again.code, again.out]).toEqual([0, expect.stringContaining('already been imported completely')]);
});

test('--strict stops at the first bad line and --max-errors after so many', async () => {
  const path = await file('bad.ndjson', [line(1), 'x', line(2), 'x', 'x', line(3)].join('\n'));
  const strict = await runImport(['--file', path, '--strict']);
  expect([strict.code, strict.out]).toEqual([
    1,
    expect.stringContaining('Too many bad lines at line 2: 1 product written'),
  ]);
  const few = await runImport(['--file', path, '--max-errors', '2']);
  expect([few.code, few.out]).toEqual([1, expect.stringContaining('Too many bad lines at line 5')]);
});

test('a folder is not a file', async () => {
  await expect(checkReadable('/')).rejects.toThrow('Cannot read /: it is a folder');
});

test.each([
  // The file comes first: what is not there has no format.
  [['--file', '/nope'], 1, 'Cannot read /nope: no such file'],
  [['--file', fileURLToPath(import.meta.url)], 2, '--format'],
  [[], 2, '--file is missing'],
  [['--file', 'x.csv', '--max-errors', 'x'], 2, '--max-errors'],
])('the command line %j ends with status %d', async (args, code, words) => {
  const answer = await runImport(args);
  expect([answer.code, answer.err]).toEqual([code, expect.stringContaining(words)]);
});

test('an unknown store and a file without column names are refused', async () => {
  const path = await file('nohead.csv', '1,2,3\n');
  expect(await runImport(['--file', path], { pid: 'nobody' })).toMatchObject({
    code: 1,
    err: expect.stringContaining('No store has this pid; npm run store -- list shows all'),
  });
  expect(await runImport(['--file', path])).toMatchObject({ code: 1, err: expect.stringContaining('epi') });
  expect(await runImport(['--file', await file('empty.csv', '')])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no header line'),
  });
});

test('a file keeps every change of stock that it makes, and nothing for what is new or stays, and wakes those who wait', async () => {
  const variants = Array.from({ length: 1_200 }, (_, n) => n);
  const stock = (name: string, of: (n: number) => number) =>
    file(`${name}.ndjson`, variants.map((n) => line(n, { stk: of(n) })).join('\n'));
  expect((await runImport(['--file', await stock('fresh', (n) => (n === 1_199 ? 0 : 1))])).code).toBe(0);
  const fields = {
    medium: 'email',
    mediumvalue: 'a@example.com',
    products: [{ epi: 1_199, empi: 1, du: '/p' }],
    topics: ['backinstock'],
  };
  await service.post('/storeadmin/bispa/subscriptions/create', fields, { store }).expect(200);
  const later = await stock('later', (n) => (n === 1_199 ? 4 : n < 100 ? 1 : 0));
  expect((await runImport(['--file', later])).code).toBe(0);
  expect(await service.services.db.query('SELECT epi FROM restock WHERE pid = $1', [store.pid])).toEqual([
    { epi: '1199' },
  ]);
  const [kept] = await service.services.db.query<{ n: number; variants: number }>(
    'SELECT count(*)::int AS n, count(DISTINCT epi)::int AS variants FROM stock_change WHERE pid = $1 AND before = 1 AND after = 0',
    [store.pid],
  );
  expect(kept).toEqual({ n: 1_099, variants: 1_099 });
  const { body } = await service.graphql(
    '{ kept: stockChanges(epi: 1198) { before after } none: stockChanges(epi: 99) { before after } }',
    {},
    { store },
  );
  expect(body.data).toEqual({ kept: [{ before: 1, after: 0 }], none: [] });
});
