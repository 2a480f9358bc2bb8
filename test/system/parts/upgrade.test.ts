import { chown, mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as kit from '../fault/fixtures/embedded-kit.ts';
import { runProgram, startMain, startProgram, untilReady } from '../fault/fixtures/main-process.ts';
import type { End } from '../fault/fixtures/main-process.ts';
import { fillTables } from '../../fill.ts';
import { withAdmin } from '../../setup/database.ts';
import { copyKept, migrateAt } from '../../setup/server.ts';
import { until } from '../../until.ts';
import { describeWith, programOf } from './parts.ts';
import { runPostgresTool, startPostgresOn } from './postgres.ts';
import { partUser } from './process.ts';

const OLD_BIN = dirname(programOf('PostgreSQL 15'));
const SUMS = `SELECT (SELECT count(*)::int FROM item) AS items, (SELECT md5(string_agg(i::text, '' ORDER BY i::text)) FROM item i) AS item,
  (SELECT md5(string_agg(s::text, '' ORDER BY s::text)) FROM shopper s) AS shopper, (SELECT last_value::int FROM item_seq_seq) AS seq`;

afterEach(kit.cleanUp);

/** A data folder as a service left it that bundled PostgreSQL 15. */
async function makeOlderFolder(): Promise<string> {
  const dir = await kit.makeDataDir();
  await copyKept('-older-folder', dir, fillOlder);
  return dir;
}

async function fillOlder(dir: string): Promise<void> {
  const data = join(dir, 'postgres');
  const user = await partUser();
  await mkdir(data, { mode: 0o700 });
  await writeFile(join(dir, 'pw'), 'secret');
  if (user) await Promise.all([data, join(dir, 'pw')].map((path) => chown(path, user.uid, user.gid)));
  const form = [`--pwfile=${join(dir, 'pw')}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'];
  await runPostgresTool('initdb', ['-D', data, '-U', 'wishgate', ...form, '--no-sync']);
  await rename(join(dir, 'pw'), join(dir, 'postgres.password'));
  const server = await startPostgresOn(data);
  const url = (database: string): string =>
    `postgresql://wishgate:secret@127.0.0.1:${server.port}/${database}`;
  await kit.query(url('postgres'), 'CREATE DATABASE wishgate');
  await migrateAt(url('wishgate'));
  await withAdmin(url('wishgate'), async (client) => void (await fillTables(client, 'old')));
  await writeFile(join(dir, 'sums.json'), JSON.stringify(await kit.query(url('wishgate'), SUMS)));
  await server.stop('SIGINT');
}

/** What its database said of its rows. */
const sumsOf = async (dir: string): Promise<unknown> =>
  JSON.parse(await readFile(join(dir, 'sums.json'), 'utf8')) as unknown;

async function readUpgraded(dir: string): Promise<unknown> {
  const opener = kit.openElsewhere(dir);
  const rows = await kit.query(await opener.url, SUMS);
  await opener.release();
  return rows;
}

const CALL = { args: ['--old-bin', OLD_BIN] };
const upgrade = (dir: string): Promise<End> => runProgram('cli/upgrade', { DATA_DIR: dir }, CALL);

describeWith(['PostgreSQL 15'], 'a data folder of an older PostgreSQL', () => {
  test('is refused by the service with what to do, and keeps every row when that is done', async () => {
    const dir = await makeOlderFolder();
    const refused = await startMain({ DATA_DIR: dir }).ended;
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/was created by PostgreSQL 15, .* run: npm run upgrade/),
    });

    const done = await upgrade(dir);
    expect(done).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Upgraded from PostgreSQL 15 to \d+: /),
    });
    expect(await readFile(join(dir, 'postgres-15', 'PG_VERSION'), 'utf8')).toBe('15\n');
    expect((await readdir(dir)).filter((name) => /upgrade|programs/.test(name))).toEqual([]);
    expect(await kit.countProcesses(join(dir, 'postgres'))).toBe(0);
    expect(await readUpgraded(dir)).toEqual(await sumsOf(dir));

    const main = startMain({ DATA_DIR: dir, DEMO: '0' });
    await untilReady(await main.url);
    const again = await upgrade(dir);
    expect(again.stdout).toMatch(/^Nothing to do/);
    expect((await main.end()).code).toBe(0);
  });

  test('survives upgrades that are killed anywhere: the service never starts on part of it, and the next upgrade ends it', async () => {
    const dir = await makeOlderFolder();
    const { end } = startProgram('cli/upgrade', { DATA_DIR: dir }, CALL);
    await until(async () => (await readdir(dir)).includes('postgres.upgrade.port'));
    await end('SIGKILL');
    kit.removeLater(join(dir, 'postgres.upgrade'));
    expect(await readFile(join(dir, 'postgres', 'PG_VERSION'), 'utf8')).toBe('15\n');
    expect((await upgrade(dir)).code).toBe(0);

    // As after a kill between the two renames at the end.
    await writeFile(join(dir, 'postgres.upgrade.mark'), join(dir, 'postgres-15'));
    await rename(join(dir, 'postgres'), join(dir, 'postgres.upgrade'));
    expect(await startMain({ DATA_DIR: dir }).ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('run: npm run upgrade'),
    });
    expect((await upgrade(dir)).stdout).toContain(`kept in ${join(dir, 'postgres-15')}`);
    expect(await readUpgraded(dir)).toEqual(await sumsOf(dir));
  });
});
