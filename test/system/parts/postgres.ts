import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { run } from '../../../src/platform/database/embedded-system.ts';
import { copyKept, migrateAt } from '../../setup/server.ts';
import { until } from '../../until.ts';
import { programOf } from './parts.ts';
import { freePort, makePartFolder, partUser, startPart } from './process.ts';
import type { PartProcess } from './process.ts';

/** A PostgreSQL 15 of Debian's. */
export type Postgres15 = {
  /** Login of a superuser to its database. */
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

/** Makes a cluster for everybody on this machine, also to replicate, whose database `wishgate` has every migration. */
async function makeCluster(dir: string): Promise<void> {
  const data = join(dir, 'data');
  const form = ['--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
  await runPostgresTool('initdb', ['-D', data, '-U', 'wishgate', ...form]);
  const everybody = ['all', 'replication'].map((database) => `host ${database} all 127.0.0.1/32 trust\n`);
  await writeFile(join(data, 'pg_hba.conf'), everybody.join(''));
  const server = await startPostgresOn(data);
  await askPostgres(addressOf(server, 'postgres'), 'CREATE DATABASE wishgate');
  await migrateAt(addressOf(server, 'wishgate'));
  // In order, so that copies need no recovery.
  await server.stop('SIGINT');
}

const addressOf = ({ port }: PartProcess, database: string): string =>
  `postgresql://wishgate@127.0.0.1:${port}/${database}`;

/** Starts a PostgreSQL 15; its database has every migration, or nothing. */
export async function startPostgres15({ isEmpty = false, settings = {} } = {}): Promise<Postgres15> {
  const folder = await makePartFolder();
  await copyKept('-postgres-15', folder.dir, makeCluster);
  const dir = join(folder.dir, 'data');
  const server = await startPostgresOn(dir, settings);
  if (isEmpty) await askPostgres(addressOf(server, 'postgres'), 'CREATE DATABASE empty');
  return {
    url: addressOf(server, isEmpty ? 'empty' : 'wishgate'),
    dir,
    process: server,
    async remove() {
      // Immediately: nothing of it is needed again.
      await server.stop('SIGQUIT');
      await folder.remove();
    },
  };
}
