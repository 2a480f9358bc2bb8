import { access, constants, lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { describeFileError, makeFolder } from '../folder.ts';
import type { Logger } from '../log.ts';
import { prepareCluster } from './embedded-cluster.ts';
import { holdHome, withLock } from './embedded-lock.ts';
import { describePlace } from './embedded-place.ts';
import {
  OWNER,
  createClient,
  ensureRunning,
  processesOn,
  stopProcesses,
  withClient,
} from './embedded-server.ts';
import type { Cluster, Settings } from './embedded-server.ts';
import { ifMissing, waitUntil } from './embedded-system.ts';

export type EmbeddedDatabase = Awaited<ReturnType<typeof openEmbedded>>;

/** Other processes see this one by its idle connection. @types/pg does not know `ref` and `unref`. */
type Hold = pg.Client & { ref(): void; unref(): void };
type Connection = { cluster: Cluster; port: number; hold: Hold };

const HOLD = 'wishgate-hold';
/** The server lists a connection for a moment after its client has closed it. */
const LINGER_MS = 2_000;
/** After this time without a response, the server is left to the next process that opens the database. */
const ANSWER_MS = 3_000;
const MAX_BACKOFF_MS = 5_000;

/** The processes of a machine share one PostgreSQL, and the last one stops it. `settings` apply if this call starts the server. */
export async function openEmbedded(
  dataDir: string,
  log: Logger,
  { settings = {} }: { settings?: Settings } = {},
) {
  if (process.platform === 'win32')
    throw new Error('The bundled PostgreSQL needs Linux or macOS; set DATABASE_URL to use your own');
  // The lock orders the processes of this machine, the claim excludes other machines and containers until this one is gone, and
  // each process's idle connection shows which one is the last.
  const home = await makeHome(dataDir);
  const lockFile = join(home, 'postgres.lock');

  let isReleased = false;
  let recovery = Promise.resolve();
  let release: Promise<void> | undefined;

  const homeHold = await holdHome(home, log);
  let connection = await withLock(lockFile, () => connect()).catch(async (error: unknown) => {
    await homeHold.end(false);
    throw error;
  });
  const { cluster, port } = connection;
  const { openers } = await countUsers(connection.hold).catch(() => ({ openers: 0 }));
  const place = { ...(await describePlace(home, cluster.dir)), isShared: openers > 0 };
  if (place.isOutside)
    log.info(
      { dir: place.dir, dataDir: home },
      'The database is not in DATA_DIR, because the user postgres cannot access it',
    );
  if (place.warning) log.warn({ dir: place.dir, dataDir: home }, place.warning);

  async function connect(known?: Connection): Promise<Connection> {
    // Another process may have released the claim when it closed the database; after a long silence, another machine may own it.
    await homeHold.confirm();
    const cluster = known?.cluster ?? (await prepareCluster(home, log, settings['fsync'] !== 'off'));
    const port = await ensureRunning(cluster, settings, known?.port);
    if (known && port !== known.port)
      throw new Error(`It now listens on port ${port} instead of ${known.port}; restart this process`);
    await ensureDatabase(cluster, port);
    return { cluster, port, hold: await connectHold(cluster, port, onLost) };
  }

  function onLost(): void {
    // Waits for the previous recovery, so that the newest connection remains.
    if (!isReleased) recovery = recovery.then(recover);
  }

  async function recover(): Promise<void> {
    log.warn({ port }, 'The bundled PostgreSQL has stopped; restarting it');
    for (let backoffMs = 100; !isReleased; backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)) {
      try {
        connection = await withLock(lockFile, () => connect(connection));
        log.info({ port }, 'The bundled PostgreSQL is running again');
        return;
      } catch (error) {
        log.error({ err: error }, 'The bundled PostgreSQL could not be restarted yet');
      }
      await delay(backoffMs, undefined, { ref: false });
    }
  }

  async function close(): Promise<void> {
    isReleased = true;
    await recovery;
    const { hold } = connection;
    hold.ref();
    // Under the lock, no process can open the database between the check and the stop.
    await withLock(lockFile, async () => {
      if (await isUnused(hold)) await stopProcesses(cluster.dir);
      await hold.end();
      await homeHold.end((await processesOn(cluster.dir)).length === 0);
    });
  }

  return {
    /** Valid until release, also across restarts of PostgreSQL. */
    url: `postgresql://${OWNER}:${cluster.password}@127.0.0.1:${port}/${OWNER}`,
    place,
    /** Disconnects this process, and stops PostgreSQL if no other client is connected. */
    release: (): Promise<void> => (release ??= close()),
  };
}

/** True also for the remains of a database; opening it reports what is wrong with them. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  const found = ['postgres', 'postgres.password'].map((name) => lstat(join(dataDir, name)).catch(ifMissing));
  return (await Promise.all(found)).some((entry) => entry !== undefined);
}

async function makeHome(dataDir: string): Promise<string> {
  try {
    await makeFolder(dataDir);
    await access(dataDir, constants.W_OK);
    return await realpath(dataDir);
  } catch (error) {
    throw new Error(
      `The data folder ${dataDir} cannot be used: ${describeFileError(error, 'it cannot be created there')}; set DATA_DIR to another folder`,
      { cause: error },
    );
  }
}

const ensureDatabase = (cluster: Cluster, port: number): Promise<void> =>
  withClient(cluster, port, 'postgres', async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [OWNER]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${OWNER}`);
  });

/** Does not keep the process alive: a program that ends without release leaves a server for the next one to adopt. */
async function connectHold(cluster: Cluster, port: number, onLost: () => void): Promise<Hold> {
  const config = { database: OWNER, application_name: HOLD, query_timeout: ANSWER_MS };
  const client = createClient(cluster, port, config) as Hold;
  await client.connect();
  client.once('end', onLost);
  client.unref();
  return client;
}

/** The other connections to the database, and how many processes hold it open with one. */
async function countUsers(client: pg.Client): Promise<{ users: number; openers: number }> {
  const sql = `SELECT count(*)::int AS users, count(*) FILTER (WHERE application_name = $2)::int AS openers
    FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend' AND pid <> pg_backend_pid()`;
  return (await client.query<{ users: number; openers: number }>(sql, [OWNER, HOLD])).rows[0]!;
}

/** An idle connection of another process decides at once, because that process checks again when it releases the database. */
export async function isUnused(client: pg.Client): Promise<boolean> {
  let found = { users: 0, openers: 0 };
  const isOver = await waitUntil(async () => {
    found = await countUsers(client);
    return found.openers > 0 || found.users === 0;
  }, LINGER_MS).catch(() => false);
  return isOver && found.openers === 0;
}
