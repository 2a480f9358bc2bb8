import { cp, mkdir, readFile, readdir, readlink, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findBinaries, usableBinaries } from '../../src/database/embedded-binaries.ts';
import { ensurePostgresUser } from '../../src/database/embedded-system.ts';
import { openEmbedded } from '../../src/database/embedded.ts';
import type { EmbeddedDatabase } from '../../src/database/embedded.ts';
import { createLogger } from '../../src/shared/log.ts';
import * as kit from './fixtures/embedded-kit.ts';

const log = createLogger('silent');
const opened: EmbeddedDatabase[] = [];

async function open(dataDir: string): Promise<EmbeddedDatabase> {
  const database = await openEmbedded(dataDir, log, { settings: { fsync: 'off' } });
  opened.push(database);
  return database;
}

afterEach(async () => {
  for (const database of opened.splice(0)) await database.release();
  await kit.cleanUp();
});

// What these guarantee concerns only root, whose PostgreSQL runs as someone else.
const rootTest = process.getuid?.() === 0 ? test : test.skip;

rootTest(
  'a data folder that the user postgres cannot enter keeps its database elsewhere, the same for all',
  async () => {
    const dir = join(await kit.makePrivateDir(), 'data');
    const database = await open(dir);
    const place = await readlink(join(dir, 'postgres'));
    kit.removeLater(place);
    expect(place.startsWith(dir)).toBe(false);
    expect(await kit.openElsewhere(dir).url).toBe(database.url);
    const [row] = await kit.query(database.url, 'SHOW data_directory');
    expect(row).toEqual({ data_directory: place });
    expect((await stat(join(dir, 'postgres.password'))).uid).toBe(0);
  },
);

rootTest('a deleted private data folder starts afresh and the old database is kept aside', async () => {
  const dir = join(await kit.makePrivateDir(), 'data');
  const first = await open(dir);
  const place = await readlink(join(dir, 'postgres'));
  kit.removeLater(place);
  await kit.query(first.url, 'CREATE TABLE t AS SELECT 42 AS a');
  await first.release();
  await rm(dir, { recursive: true });
  const { url } = await open(dir);
  await expect(kit.query(url, 'SELECT a FROM t')).rejects.toMatchObject({ code: '42P01' });
  const kept = (await readdir(dirname(place)))
    .map((name) => join(dirname(place), name))
    .filter((path) => path.startsWith(`${place}.old-`));
  kept.forEach(kit.removeLater);
  expect(kept).toHaveLength(1);
  expect(await readFile(join(kept[0]!, 'PG_VERSION'), 'utf8')).toMatch(/^\d+\n$/);
});

rootTest('programs below a private folder are run from a copy', async () => {
  const user = await ensurePostgresUser();
  const original = dirname(dirname((await findBinaries(user, log)).postgres));
  const privateDir = await kit.makePrivateDir();
  const shared = await kit.makeDataDir();
  await mkdir(join(privateDir, 'native'));
  await cp(original, join(privateDir, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !/\.so\.\d+$/.test(path) || !path.includes('libpq'),
  });
  await cp(join(dirname(original), 'package.json'), join(privateDir, 'package.json'));
  const binaries = await usableBinaries(join(privateDir, 'native'), user, log, shared);
  expect(binaries.postgres.startsWith(shared)).toBe(true);
  expect(Number(binaries.major)).toBeGreaterThanOrEqual(15);
  expect(await usableBinaries(join(privateDir, 'native'), user, log, shared)).toEqual(binaries);
});
