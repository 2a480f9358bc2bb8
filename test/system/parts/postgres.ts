import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { run } from '../../../src/database/embedded-system.ts';
import { until } from '../../until.ts';
import { programOf } from './parts.ts';
import { freePort, makePartFolder, partUser, startPart } from './process.ts';
import type { PartProcess } from './process.ts';

/** A PostgreSQL 15 of Debian's, with one empty database. */
export type Postgres15 = {
  /** Login of a superuser to the database `wishgate`. */
  url: string;
  /** The folder of its data, and what runs on it. */
  dir: string;
  process: PartProcess;
  remove(): Promise<void>;
};

/** A program of PostgreSQL 15, such as `pg_basebackup`, run to its end. */
export async function runPostgresTool(name: string, args: string[]): Promise<string> {
  const { ok, stdout, stderr } = await run(
    join(dirname(programOf('PostgreSQL 15')), name),
    args,
    await partUser(),
  );
  if (!ok) throw new Error(`${name} failed: ${stderr}`);
  return stdout;
}

/** Runs a statement on a connection of its own. */
export async function askPostgres<Row>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** Waits until a server that listens takes questions, too. */
export async function untilServing(url: string): Promise<void> {
  await until(() =>
    askPostgres(url, 'SELECT 1').then(
      () => true,
      () => false,
    ),
  );
}

/** Starts PostgreSQL on a data folder that is there already, such as a base backup; `settings` are its own, for `postgres -c`. */
export async function startPostgresOn(
  data: string,
  settings: Record<string, string | number> = {},
): Promise<PartProcess> {
  const port = Number(settings['port'] ?? (await freePort()));
  const all = { unix_socket_directories: '', listen_addresses: '127.0.0.1', fsync: 'off', ...settings, port };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = await startPart(programOf('PostgreSQL 15'), ['-D', data, ...options], port);
  // It listens before it lets anybody in.
  const answer = ['-h', '127.0.0.1', '-p', String(port)];
  await until(() =>
    runPostgresTool('pg_isready', answer).then(
      () => true,
      () => false,
    ),
  );
  return server;
}

/** Starts an empty PostgreSQL 15; everybody on this machine may log in, also to replicate. */
export async function startPostgres15(settings: Record<string, string | number> = {}): Promise<Postgres15> {
  const folder = await makePartFolder();
  const dir = join(folder.dir, 'data');
  await runPostgresTool('initdb', [
    '-D',
    dir,
    '-U',
    'wishgate',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ]);
  const everybody = ['all', 'replication'].map((database) => `host ${database} all 127.0.0.1/32 trust\n`);
  await writeFile(join(dir, 'pg_hba.conf'), everybody.join(''));
  const server = await startPostgresOn(dir, settings);
  const address = (database: string): string => `postgresql://wishgate@127.0.0.1:${server.port}/${database}`;
  await untilServing(address('postgres'));
  await askPostgres(address('postgres'), 'CREATE DATABASE wishgate');
  return {
    url: address('wishgate'),
    dir,
    process: server,
    async remove() {
      // Immediately: nothing of it is needed again.
      await server.stop('SIGQUIT');
      await folder.remove();
    },
  };
}
