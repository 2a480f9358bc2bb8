import { readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from '../../../src/platform/database/embedded-lock.ts';
import { inFull } from '../../tier.ts';
import { until } from '../../until.ts';
import * as kit from './fixtures/embedded-kit.ts';

afterEach(kit.cleanUp);

describe('opening', () => {
  test('an empty folder becomes a database that only this machine can reach', async () => {
    const dir = await kit.makeDataDir();
    const { url } = await kit.open(dir);
    const [row] = await kit.query(
      url,
      `SELECT current_database() AS db, current_setting('server_encoding') AS encoding, lower('ÄÖ') AS lower,
         current_setting('listen_addresses') AS host, current_setting('unix_socket_directories') AS sockets,
         current_setting('synchronous_commit') AS durable`,
    );
    expect(row).toEqual({
      db: 'wishgate',
      encoding: 'UTF8',
      lower: 'äö',
      host: '127.0.0.1',
      sockets: '',
      durable: 'on',
    });
    expect((await stat(join(dir, 'postgres.password'))).mode & 0o777).toBe(0o600);
    await expect(kit.query(url.replace(/:[^:@]+@/, ':wrong@'), 'SELECT 1')).rejects.toMatchObject({
      code: '28P01',
    });
  });

  test('a folder that another machine or container has open is refused, with its name, and left alone', async () => {
    const dir = await kit.makeUsedDataDir();
    await (await kit.open(dir)).release();
    const pidFile = join(dir, 'postgres', 'postmaster.pid');
    await writeFile(pidFile, 'theirs');
    const holder = join(dir, 'postgres.holder.9');
    let beats = 0;
    const beat = (): Promise<void> => writeFile(holder, `other-host pid:[1] 7 ${(beats += 1)}\n`);
    let beating = beat();
    await beating;
    const timer = setInterval(() => (beating = beating.then(beat)), 100);
    await expect(kit.open(dir)).rejects.toThrow(
      /^DATA_DIR is in use by process 7 on the host or container other-host/,
    );
    clearInterval(timer);
    await beating;
    expect(await readFile(pidFile, 'utf8')).toBe('theirs');
    expect(await kit.countProcesses(join(dir, 'postgres'))).toBe(0);
  });

  test('a first start that is killed during initdb is repaired by the next', async () => {
    let dir: string;
    do {
      // One that was quicker than the kill is no such start.
      dir = await kit.makeDataDir();
      const { child } = kit.openElsewhere(dir);
      await until(async () => (await readdir(dir)).some((name) => /^postgres(\.init-.*)?$/.test(name)));
      await kit.kill(child);
    } while ((await readdir(dir)).includes('postgres'));
    const { url } = await kit.open(dir);
    expect(await kit.query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect((await readdir(dir)).filter((name) => name.includes('.init-') || name.includes('.lock'))).toEqual(
      [],
    );
  });

  // Rounds of staggered arrivals: one alone shows a lock that is broken twice in only a third of the runs.
  test.each(Array.from({ length: inFull(30, 10) }, (_, round) => round))(
    'a lock of a dead process is broken once however many wait (round %i)',
    async () => {
      const dir = await kit.makeDataDir();
      const path = join(dir, 'x.lock');
      await symlink(`${process.pid}@1@left-over`, path);
      let inside = 0;
      let most = 0;
      const arrive = async (position: number) => {
        for (let step = 0; step < position; step += 1) await readdir(dir);
        await withLock(path, async () => {
          most = Math.max(most, (inside += 1));
          await readdir(dir);
          inside -= 1;
        });
      };
      await Promise.all(Array.from({ length: 12 }, (_, position) => arrive(position)));
      expect(most).toBe(1);
      expect(await readdir(dir)).toEqual([]);
    },
  );
});

describe('after a crash', () => {
  test('of a service that was killed, the committed row is there and PostgreSQL is reused', async () => {
    const dir = await kit.makeUsedDataDir();
    const victim = kit.openElsewhere(dir, 'CREATE TABLE t AS SELECT 42 AS a');
    const url = await victim.url;
    const pid = await kit.serverPid(join(dir, 'postgres'));
    await kit.kill(victim.child);
    const next = await kit.open(dir);
    expect(next.url).toBe(url);
    expect(await kit.serverPid(join(dir, 'postgres'))).toBe(pid);
    expect(await kit.query(next.url, 'SELECT a FROM t')).toEqual([{ a: 42 }]);
  });

  test('the next start recovers what was committed before service and PostgreSQL were killed, though the number in the pid file now belongs to another program', async () => {
    const dir = await kit.makeUsedDataDir();
    const victim = kit.openElsewhere(dir, 'CREATE TABLE t AS SELECT 42 AS a');
    await victim.url;
    await kit.kill(victim.child);
    process.kill(await kit.serverPid(join(dir, 'postgres')), 'SIGKILL');
    await writeFile(
      join(dir, 'postgres', 'postmaster.pid'),
      `${process.pid}\n${dir}/postgres\n1\n1\n\n127.0.0.1\n\nready\n`,
    );
    const { url } = await kit.open(dir);
    expect(await kit.query(url, 'SELECT a FROM t')).toEqual([{ a: 42 }]);
  });

  test('a PostgreSQL that does not answer is replaced', async () => {
    const dir = await kit.makeUsedDataDir();
    const victim = kit.openElsewhere(dir, 'CREATE TABLE t AS SELECT 42 AS a');
    await victim.url;
    await kit.kill(victim.child);
    const pid = await kit.serverPid(join(dir, 'postgres'));
    process.kill(pid, 'SIGSTOP');
    const { url } = await kit.open(dir);
    expect(await kit.serverPid(join(dir, 'postgres'))).not.toBe(pid);
    expect(await kit.query(url, 'SELECT a FROM t')).toEqual([{ a: 42 }]);
  });

  test.each(['SIGKILL', 'SIGINT'] as const)(
    'PostgreSQL ends by %s under an open service: it returns at the same address',
    async (signal) => {
      const dir = await kit.makeUsedDataDir();
      const { url } = await kit.open(dir);
      const elsewhere = kit.openElsewhere(dir);
      expect(await elsewhere.url).toBe(url);
      await kit.query(url, 'CREATE TABLE t AS SELECT 42 AS a');
      const pid = await kit.serverPid(join(dir, 'postgres'));
      process.kill(pid, signal);
      const holds = `SELECT count(*)::int AS n, pg_postmaster_start_time() AS t FROM pg_stat_activity WHERE application_name = 'wishgate-hold'`;
      await until(async () => (await kit.query<{ n: number }>(url, holds).catch(() => []))[0]?.n === 2);
      expect(await kit.serverPid(join(dir, 'postgres'))).not.toBe(pid);
      expect(await kit.query(url, 'SELECT a FROM t')).toEqual([{ a: 42 }]);
    },
  );
});

describe('releasing', () => {
  test('openers of this process and others share the database until the last one, which stops PostgreSQL and gives the folder free, and may release twice', async () => {
    const dir = await kit.makeUsedDataDir();
    const claim = async (): Promise<string> => {
      const names = (await readdir(dir)).filter((name) => /^postgres\.holder\.\d+$/.test(name));
      return readFile(join(dir, names.join()), 'utf8');
    };
    const [first, second] = [await kit.open(dir), await kit.open(dir)];
    const third = kit.openElsewhere(dir);
    expect([second.url, await third.url]).toEqual([first.url, first.url]);
    await first.release();
    // Its process ends by itself then.
    expect(await third.release()).toBe(0);
    expect(await kit.query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await claim()).not.toBe('released\n');
    await Promise.all([second.release(), second.release()]);
    await second.release();
    expect(await kit.countProcesses(join(dir, 'postgres'))).toBe(0);
    expect(await claim()).toBe('released\n');
  });

  test('openers that race with releases always get an address that answers', async () => {
    const dir = await kit.makeUsedDataDir();
    const visit = async () => {
      for (let round = 0; round < inFull(4, 2); round += 1) {
        const database = await kit.open(dir);
        expect(await kit.query(database.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
        await database.release();
      }
    };
    await Promise.all([visit(), visit(), visit()]);
    expect(await kit.countProcesses(join(dir, 'postgres'))).toBe(0);
  });
});
