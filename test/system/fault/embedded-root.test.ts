import { cp, mkdir, readFile, readdir, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensurePostgresUser } from '../../../src/platform/database/embedded-system.ts';
import { describePlace, findBinaries } from '../../../src/platform/database/embedded-place.ts';
import { createLogger } from '../../../src/platform/log.ts';
import * as kit from './fixtures/embedded-kit.ts';
import { startMain } from './fixtures/main-process.ts';

const log = createLogger('silent');

afterEach(kit.cleanUp);

// What these guarantee concerns only root, whose PostgreSQL runs as someone else.
const rootTest = process.getuid?.() === 0 ? test : test.skip;

rootTest(
  'a data folder that the user postgres cannot enter keeps its database elsewhere, the same for all, and every start says where, in the banner and in the log',
  async () => {
    const dir = join(await kit.makePrivateDir(), 'data');
    for (let round = 0; round < 2; round += 1) {
      const main = startMain({ DATA_DIR: dir, LOG_LEVEL: 'info' });
      await main.url;
      const place = await readlink(join(dir, 'postgres'));
      kit.removeLater(place);
      const { stdout } = await main.end();
      expect(stdout).toContain(`bundled PostgreSQL in ${place}\n`);
      expect(stdout).toContain(`not in DATA_DIR (${dir})`);
      expect(stdout).toContain(`written to ${dir}/outbox\n`);
      expect(stdout).toContain(`"dir":"${place}","dataDir":"${dir}","msg":"The database is not in DATA_DIR`);
    }
    const database = await kit.open(dir);
    const place = await readlink(join(dir, 'postgres'));
    expect(place.startsWith(dir)).toBe(false);
    expect(await kit.openElsewhere(dir).url).toBe(database.url);
    const [row] = await kit.query(database.url, 'SHOW data_directory');
    expect(row).toEqual({ data_directory: place });
    expect((await stat(join(dir, 'postgres.password'))).uid).toBe(0);
  },
);

rootTest(
  'a deleted private data folder starts afresh and the old database is kept aside; a database elsewhere that is gone is missed, not replaced by an empty one',
  async () => {
    const dir = join(await kit.makePrivateDir(), 'data');
    const first = await kit.open(dir);
    const place = await readlink(join(dir, 'postgres'));
    kit.removeLater(place);
    await kit.query(first.url, 'CREATE TABLE t AS SELECT 42 AS a');
    await first.release();
    await rm(dir, { recursive: true });
    const second = await kit.open(dir);
    await expect(kit.query(second.url, 'SELECT a FROM t')).rejects.toMatchObject({ code: '42P01' });
    const kept = (await readdir(dirname(place)))
      .map((name) => join(dirname(place), name))
      .filter((path) => path.startsWith(`${place}.old-`));
    kept.forEach(kit.removeLater);
    expect(kept).toHaveLength(1);
    expect(await readFile(join(kept[0]!, 'PG_VERSION'), 'utf8')).toMatch(/^\d+\n$/);

    await second.release();
    await rm(place, { recursive: true });
    await expect(kit.open(dir)).rejects.toThrow(
      `The database of DATA_DIR was in ${place}, which no longer exists; restore that folder`,
    );
    await rm(join(dir, 'postgres'));
    const { url } = await kit.open(dir);
    expect(await kit.query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  },
);

test.each([
  [
    'on another volume than its data folder',
    '/dev',
    tmpdir(),
    expect.stringContaining(`The database is in ${tmpdir()} and not on the volume`),
  ],
  ['elsewhere on the same volume', '/etc', '/usr', null],
  ['in the data folder', '/usr', '/usr/bin', null],
])(
  'a database %s: the operator is warned where a container would lose it',
  async (_name, dataDir, dir, warning) => {
    expect(await describePlace(dataDir, dir)).toEqual({ dir, isOutside: !dir.startsWith(dataDir), warning });
  },
);

rootTest('programs below a private folder are run from a copy', async () => {
  const user = await ensurePostgresUser();
  const original = dirname((await findBinaries(user, log)).bin);
  const privateDir = await kit.makePrivateDir();
  const shared = await kit.makeDataDir();
  await mkdir(join(privateDir, 'native'));
  await cp(original, join(privateDir, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !/\.so\.\d+$/.test(path) || !path.includes('libpq'),
  });
  await cp(join(dirname(original), 'package.json'), join(privateDir, 'package.json'));
  const binaries = await findBinaries(user, log, join(privateDir, 'native'), shared);
  expect(binaries.bin.startsWith(shared)).toBe(true);
  expect(Number(binaries.major)).toBeGreaterThanOrEqual(15);
  expect(await findBinaries(user, log, join(privateDir, 'native'), shared)).toEqual(binaries);
});
