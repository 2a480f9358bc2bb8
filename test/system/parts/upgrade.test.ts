import { chown, mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCli, startCli } from '../fault/fixtures/cli-process.ts';
import * as kit from '../fault/fixtures/embedded-kit.ts';
import { endMains, startMain } from '../fault/fixtures/main-process.ts';
import { fillTables } from '../../fill.ts';
import { until } from '../../until.ts';
import { describeWith, programOf } from './parts.ts';
import { runPostgresTool, startPostgresOn } from './postgres.ts';
import { partUser } from './process.ts';
import pg from 'pg';
import { migrate } from '../../../src/database/migrate.ts';
import { createLogger } from '../../../src/shared/log.ts';

const OLD_BIN = dirname(programOf('PostgreSQL 15'));
const SUMS = `SELECT (SELECT count(*)::int FROM item) AS items, (SELECT md5(string_agg(i::text, '' ORDER BY i::text)) FROM item i) AS item,
  (SELECT md5(string_agg(s::text, '' ORDER BY s::text)) FROM shopper s) AS shopper, (SELECT last_value::int FROM item_seq_seq) AS seq`;

afterEach(async () => {
  await endMains();
  await kit.cleanUp();
});

/** A data folder as a service left it that bundled PostgreSQL 15, and what its database says of its rows. */
async function makeOlderFolder(): Promise<{ dir: string; sums: unknown }> {
  const dir = await kit.makeDataDir();
  const data = join(dir, 'postgres');
  const user = await partUser();
  await mkdir(data, { mode: 0o700 });
  await writeFile(join(dir, 'pw'), 'secret');
  if (user) await Promise.all([data, join(dir, 'pw')].map((path) => chown(path, user.uid, user.gid)));
  await runPostgresTool('initdb', [
    '-D',
    data,
    '-U',
    'wishgate',
    `--pwfile=${join(dir, 'pw')}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ]);
  await rename(join(dir, 'pw'), join(dir, 'postgres.password'));
  const server = await startPostgresOn(data);
  const url = (database: string): string =>
    `postgresql://wishgate:secret@127.0.0.1:${server.port}/${database}`;
  await kit.query(url('postgres'), 'CREATE DATABASE wishgate');
  const pool = new pg.Pool({ connectionString: url('wishgate'), max: 1 });
  await migrate(pool, createLogger('silent'));
  await fillTables(pool, 'old');
  await pool.end();
  const sums = await kit.query(url('wishgate'), SUMS);
  await server.stop('SIGINT');
  return { dir, sums };
}

async function readUpgraded(dir: string): Promise<unknown> {
  const opener = kit.openElsewhere(dir);
  const rows = await kit.query(await opener.url, SUMS);
  await opener.release();
  return rows;
}

const upgrade = (dir: string): ReturnType<typeof runCli> =>
  runCli('cli/upgrade', ['--old-bin', OLD_BIN], { DATA_DIR: dir });

describeWith(['PostgreSQL 15'], 'a data folder of an older PostgreSQL', () => {
  test('is refused by the service with what to do, and keeps every row when that is done', async () => {
    const { dir, sums } = await makeOlderFolder();
    const refused = await startMain({ DATA_DIR: dir }).ended;
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/was made by PostgreSQL 15 .* run: npm run upgrade/),
    });

    const done = await upgrade(dir);
    expect({ ...done, stdout: done.stdout.toString() }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Upgraded from PostgreSQL 15 to \d+: /),
    });
    expect(await readFile(join(dir, 'postgres-15', 'PG_VERSION'), 'utf8')).toBe('15\n');
    expect((await readdir(dir)).filter((name) => /upgrade|programs/.test(name))).toEqual([]);
    expect(await kit.countProcesses(join(dir, 'postgres'))).toBe(0);
    expect(await readUpgraded(dir)).toEqual(sums);

    const main = startMain({ DATA_DIR: dir, DEMO: '0' });
    expect((await fetch(`${await main.url}/readyz`)).status).toBe(200);
    const again = await upgrade(dir);
    expect(again.stdout.toString()).toMatch(/^Nothing to do/);
    main.child.kill('SIGTERM');
    expect((await main.ended).code).toBe(0);
  });

  test('survives upgrades that are killed anywhere: the service never starts on part of it, and the next upgrade ends it', async () => {
    const { dir, sums } = await makeOlderFolder();
    const { child, ended } = startCli('cli/upgrade', ['--old-bin', OLD_BIN], { DATA_DIR: dir });
    await until(async () => (await readdir(dir)).includes('postgres.upgrade.port'));
    await kit.kill(child);
    await ended;
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
    expect((await upgrade(dir)).stdout.toString()).toContain(`kept in ${join(dir, 'postgres-15')}`);
    expect(await readUpgraded(dir)).toEqual(sums);
  });
});
