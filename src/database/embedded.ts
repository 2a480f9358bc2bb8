import { access, constants, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../shared/log.ts';
import { OWNER, prepareCluster } from './embedded-cluster.ts';
import type { Cluster } from './embedded-cluster.ts';
import { holdHome } from './embedded-holder.ts';
import { withLock } from './embedded-lock.ts';
import { describePlace } from './embedded-place.ts';
import type { Place } from './embedded-place.ts';
import { processesOn, stopProcesses } from './embedded-process.ts';
import { createClient, ensureRunning, probe } from './embedded-server.ts';
import type { Settings } from './embedded-server.ts';
import { waitUntil } from './embedded-system.ts';

/** The bundled PostgreSQL, opened by this process. */
export type EmbeddedDatabase = {
  /** Valid until release, also across restarts of PostgreSQL. */
  url: string;
  /** Where its files are. */
  place: Place;
  /** Closes it here, and stops PostgreSQL if nobody else is connected. */
  release(): Promise<void>;
};

/** @types/pg does not know `ref` and `unref`. */
type Hold = { client: pg.Client & { ref(): void; unref(): void }; pid: number };

/** Name under which every opener keeps one idle connection, as its sign of life to the others. */
const HOLD = 'wishgate-hold';
/** Connections that their owner has just closed linger in the server for a moment. */
const LINGER_MS = 2_000;
const MAX_BACKOFF_MS = 5_000;

/**
 * Opens the database in `dataDir` and creates it at first use. Processes with the same folder share one server, also
 * one whose starter was killed. `settings` count when this call starts the server.
 */
export async function openEmbedded(
  dataDir: string,
  log: Logger,
  options: { settings?: Settings } = {},
): Promise<EmbeddedDatabase> {
  if (process.platform === 'win32')
    throw new Error('The bundled PostgreSQL needs Linux or macOS; set DATABASE_URL to use your own');
  const settings = options.settings ?? {};
  const home = await makeHome(dataDir);
  const lockFile = join(home, 'postgres.lock');

  let isReleased = false;
  let recovery = Promise.resolve();
  let release: Promise<void> | undefined;

  const homeHold = await holdHome(home, log);
  const { cluster, port, firstHold } = await withLock(lockFile, async () => {
    await homeHold.confirm();
    const cluster = await prepareCluster(home, log, settings['fsync'] !== 'off');
    const port = await ensureRunning(cluster, settings);
    await ensureDatabase(cluster, port);
    return { cluster, port, firstHold: await connectHold(cluster, port, onLost) };
  }).catch(async (error: unknown) => {
    await homeHold.end(false);
    throw error;
  });
  let hold = firstHold;
  const place = await describePlace(home, cluster.dir);
  if (place.isOutside)
    log.info(
      { dir: place.dir, dataDir: home },
      'The database is not in DATA_DIR, which the user postgres cannot enter',
    );
  if (place.warning) log.warn({ dir: place.dir, dataDir: home }, place.warning);

  function onLost(): void {
    // Waits for the recovery before it, so that the newest connection is the one we keep.
    if (!isReleased) recovery = recovery.then(recover);
  }

  async function recover(): Promise<void> {
    log.warn({ port }, 'The bundled PostgreSQL went away; bringing it back');
    for (let backoffMs = 100; !isReleased; backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS)) {
      try {
        hold = await withLock(lockFile, () => reconnect());
        log.info({ port }, 'The bundled PostgreSQL is back');
        return;
      } catch (error) {
        log.error({ err: error }, 'The bundled PostgreSQL is not back yet');
      }
      await delay(backoffMs, undefined, { ref: false });
    }
  }

  async function reconnect(): Promise<Hold> {
    // Silent for long, we may have been taken for dead: then the files are another's.
    await homeHold.confirm();
    const actual = await ensureRunning(cluster, settings, port);
    if (actual !== port)
      throw new Error(`It now listens on port ${actual} instead of ${port}; restart this process`);
    return connectHold(cluster, port, onLost);
  }

  async function close(): Promise<void> {
    isReleased = true;
    await recovery;
    hold.client.ref();
    await hold.client.end();
    await withLock(lockFile, async () => {
      await stopIfUnused(cluster, port, hold.pid);
      await homeHold.end((await processesOn(cluster.dir)).length === 0);
    });
  }

  return {
    url: `postgresql://${OWNER}:${cluster.password}@127.0.0.1:${port}/${OWNER}`,
    place,
    release: () => (release ??= close()),
  };
}

async function makeHome(dataDir: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true });
    await access(dataDir, constants.W_OK);
    return await realpath(dataDir);
  } catch (error) {
    throw new Error(
      `The data folder ${dataDir} cannot be used: ${String(error)}; set DATA_DIR to one that can`,
      { cause: error },
    );
  }
}

async function ensureDatabase(cluster: Cluster, port: number): Promise<void> {
  const client = createClient(cluster, port, 'postgres', 'wishgate-setup');
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [OWNER]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${OWNER}`);
  } finally {
    await client.end();
  }
}

/** Does not keep the process alive: a program that ends without release leaves a server for the next one to adopt. */
async function connectHold(cluster: Cluster, port: number, onLost: () => void): Promise<Hold> {
  const client = createClient(cluster, port, OWNER, HOLD) as Hold['client'];
  await client.connect();
  client.once('end', onLost);
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  client.unref();
  return { client, pid: rows[0]?.pid ?? 0 };
}

/** The caller holds the lock, so nobody can open the database between the look and the stop. */
async function stopIfUnused(cluster: Cluster, port: number, ownHoldPid: number): Promise<void> {
  const state = await probe(cluster, await processesOn(cluster.dir));
  if (state.name !== 'ready') {
    // Someone else is stopping it, or it is gone; a server in trouble is left to the next opener.
    await waitUntil(
      async () => (await processesOn(cluster.dir)).length === 0,
      state.name === 'stopping' ? 10_000 : 0,
    );
    return;
  }
  const client = createClient(cluster, port, 'postgres', 'wishgate-release');
  try {
    await client.connect();
    if (!(await isUnused(client, ownHoldPid))) return;
  } finally {
    await client.end();
  }
  await stopProcesses(cluster.dir);
}

/** Another opener's sign of life decides at once; it looks again itself when it leaves. */
async function isUnused(client: pg.Client, ownHoldPid: number): Promise<boolean> {
  const sql = `SELECT count(*)::int AS users, count(*) FILTER (WHERE application_name = $3)::int AS openers
    FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend' AND pid <> $2`;
  let openers = 0;
  const isOver = await waitUntil(async () => {
    const { rows } = await client.query<{ users: number; openers: number }>(sql, [OWNER, ownHoldPid, HOLD]);
    openers = rows[0]?.openers ?? 0;
    return openers > 0 || rows[0]?.users === 0;
  }, LINGER_MS);
  return isOver && openers === 0;
}
