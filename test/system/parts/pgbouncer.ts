import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { programOf } from './parts.ts';
import { freePort, makePartFolder, startPart } from './process.ts';
import type { PartProcess } from './process.ts';

/** A PgBouncer of Debian's before one database, in transaction mode. */
export type PgBouncer = {
  /** The database's address through it. */
  url: string;
  /** A command of its console, such as `PAUSE`; answers the rows. */
  console(command: string): Promise<Record<string, unknown>[]>;
  /** Ends it at once, as a crash does, and starts it again when `meanwhile` is over. */
  restart(meanwhile: () => Promise<void>): Promise<void>;
  remove(): Promise<void>;
};

/** Starts PgBouncer before the database of `target` with that many connections to it. */
export async function startPgBouncer(target: string, poolSize: number): Promise<PgBouncer> {
  const { dir, remove } = await makePartFolder();
  const { hostname, port: targetPort, username, password, pathname } = new URL(target);
  const port = await freePort();
  const [users, config] = [join(dir, 'users.txt'), join(dir, 'pgbouncer.ini')];
  await writeFile(users, `"${username}" "${password}"\n`);
  await writeFile(
    config,
    [
      '[databases]',
      `${pathname.slice(1)} = host=${hostname} port=${targetPort}`,
      '[pgbouncer]',
      `listen_addr = 127.0.0.1`,
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${users}`,
      `admin_users = ${username}`,
      'pool_mode = transaction',
      `default_pool_size = ${poolSize}`,
      'server_login_retry = 1',
    ].join('\n'),
  );
  const start = (): Promise<PartProcess> => startPart(programOf('PgBouncer'), [config], port);
  let process = await start();
  const address = (database: string): string => `postgresql://${username}@127.0.0.1:${port}/${database}`;
  return {
    url: address(pathname.slice(1)),
    async console(command) {
      const client = new pg.Client({ connectionString: address('pgbouncer') });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(command)).rows;
      } finally {
        await client.end();
      }
    },
    async restart(meanwhile) {
      await process.stop('SIGKILL');
      await meanwhile();
      process = await start();
    },
    async remove() {
      await process.stop('SIGKILL');
      await remove();
    },
  };
}
