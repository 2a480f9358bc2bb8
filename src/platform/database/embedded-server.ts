import { spawn } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { totalmem } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { CLEAN_ENV, hasCode, listCommands, waitUntil } from './embedded-system.ts';
import type { OsUser } from './embedded-system.ts';

/** Name of both the superuser and the database. */
export const OWNER = 'wishgate';

export type Cluster = {
  dir: string;
  logFile: string;
  /** Stores the last port, so that addresses of connected processes remain valid after a restart. */
  portFile: string;
  password: string;
  user: OsUser | undefined;
  bin: string;
};

export type Settings = Record<string, string>;

const RECOVERY_PATIENCE_MS = 120_000;
/** A server that is unresponsive or shutting down is stopped after this time. */
const SILENCE_PATIENCE_MS = 10_000;
const CONNECT_TIMEOUT_MS = 3_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** Connects as the superuser; the client never throws out of the event loop when the server goes away. */
export function createClient(cluster: Cluster, port: number, config: pg.ClientConfig): pg.Client {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: OWNER,
    password: cluster.password,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...config,
  });
  client.on('error', () => undefined);
  return client;
}

/** Runs `work` on a connection of its own. */
export async function withClient<Result>(
  cluster: Cluster,
  port: number,
  database: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = createClient(cluster, port, { database });
  // In the middle of a copy neither side would read the other's termination message; the connection then ends with the server.
  const close = (): Promise<void> => client.end().catch(() => undefined);
  try {
    await client.connect();
    const result = await work(client);
    await close();
    return result;
  } catch (error) {
    void close();
    throw error;
  }
}

/** Adopts a running server, waits for a recovering one, replaces a dead or silent one. A new one listens on `port`, if given. */
export async function ensureRunning(cluster: Cluster, settings: Settings, port?: number): Promise<number> {
  const recoveredBy = Date.now() + RECOVERY_PATIENCE_MS;
  let answersBy = Date.now() + SILENCE_PATIENCE_MS;
  for (;;) {
    const running = await processesOn(cluster.dir);
    if (running.length === 0) return start(cluster, settings, port);
    const state = await probe(cluster, running);
    if (typeof state === 'number') return state;
    if (state === 'starting' && Date.now() > recoveredBy) throw slowStart(cluster);
    if (state === 'silent' && Date.now() > answersBy) {
      await stopProcesses(cluster.dir);
      answersBy = Date.now() + SILENCE_PATIENCE_MS;
    }
    await delay(25);
  }
}

/** Returns the port from postmaster.pid if that server responds and is one of the processes on this cluster. */
async function probe(cluster: Cluster, running: { pid?: number }[]): Promise<number | 'starting' | 'silent'> {
  const lines = (await readFile(join(cluster.dir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const port = Number(lines[3]);
  if (!running.some(({ pid }) => pid === Number(lines[0])) || !port) return 'silent';
  try {
    const { rows } = await withClient(cluster, port, 'postgres', (client) =>
      client.query<{ data_directory: string }>('SHOW data_directory'),
    );
    // The server of a copied data folder has the same password.
    return rows[0]?.data_directory === cluster.dir ? port : 'silent';
  } catch (error) {
    if (hasCode(error, '28P01')) {
      const text = `PostgreSQL on ${cluster.dir} refuses the password in postgres.password; restore that file`;
      throw new Error(text, { cause: error });
    }
    // Too many connections: the server is alive, and stopping it would break all of them.
    const isBusy = hasCode(error, '53300', '57P03') && !String(error).includes('shutting down');
    return isBusy ? 'starting' : 'silent';
  }
}

async function start(cluster: Cluster, settings: Settings, fixedPort?: number): Promise<number> {
  const port = fixedPort ?? (await choosePort(cluster));
  // No server runs here, but the pid in a stale file may now belong to any program, which PostgreSQL would mistake for a server.
  await rm(join(cluster.dir, 'postmaster.pid'), { force: true });
  // This process opens the log and PostgreSQL inherits it, so that the user postgres needs no access to its folder.
  const logFile = await open(cluster.logFile, 'a', 0o600);
  try {
    if ((await logFile.stat()).size > MAX_LOG_BYTES) await logFile.truncate();
    const { size: logStart } = await logFile.stat();
    const all = Object.entries({ ...serverSettings(), ...settings, cluster_name: clusterName(cluster.dir) });
    const options = all.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const args = ['-D', cluster.dir, '-p', String(port), ...options];
    // PostgreSQL gets its own session: Ctrl-C reaches only wishgate, so requests in flight still have their database.
    const child = spawn(join(cluster.bin, 'postgres'), args, {
      ...cluster.user,
      cwd: '/',
      env: CLEAN_ENV,
      detached: true,
      stdio: ['ignore', logFile.fd, logFile.fd],
    });
    const ends: string[] = [];
    child.once('error', (error) => ends.push(error.message));
    child.once('exit', (code, signal) => ends.push(`it ended with ${signal ?? `exit code ${code}`}`));
    child.unref();
    const isOver = async (): Promise<boolean> => ends.length > 0 || (await probe(cluster, [child])) === port;
    if (!(await waitUntil(isOver, RECOVERY_PATIENCE_MS))) throw slowStart(cluster);
    if (ends.length > 0) {
      const failure = `${ends[0]} ${await complaintsIn(cluster.logFile, logStart)}`.trim();
      // Another process took the port after it was chosen.
      if (fixedPort === undefined && failure.includes('Address already in use'))
        return await start(cluster, settings);
      throw new Error(`The bundled PostgreSQL did not start (see ${cluster.logFile}): ${failure}`);
    }
  } finally {
    await logFile.close();
  }
  await writeFile(cluster.portFile, `${port}\n`);
  return port;
}

function serverSettings(): Settings {
  const sixteenthMb = Math.floor(totalmem() / 16 / 1024 / 1024);
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    shared_buffers: `${Math.min(256, Math.max(32, sixteenthMb))}MB`,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    // Statements and details would put shoppers' addresses into the log.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
  };
}

async function complaintsIn(logFile: string, from: number): Promise<string> {
  const lines = (await readFile(logFile)).subarray(from).toString('utf8').split('\n');
  return lines
    .filter((line) => /\b(FATAL|PANIC|LOG: {2}could not|HINT|postgres:)/.test(line))
    .slice(-4)
    .join(' ');
}

/** Below the kernel's range for outgoing connections, one of which could otherwise take the port while the server is down. */
async function choosePort(cluster: Cluster): Promise<number> {
  let port = Number(await readFile(cluster.portFile, 'utf8').catch(() => ''));
  while (!port || !(await isFree(port))) port = randomInt(20_000, 32_000);
  return port;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

function slowStart(cluster: Cluster): Error {
  return new Error(
    `PostgreSQL on ${cluster.dir} was not ready after ${RECOVERY_PATIENCE_MS / 1000} s; ` +
      `see ${cluster.logFile} and start again`,
  );
}

/** PostgreSQL puts this into the titles of its processes, which identifies the helpers of a dead server. */
function clusterName(dir: string): string {
  return `wishgate-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`;
}

/** Asks the kernel, because the pid in a file may belong to another process by now. */
export async function processesOn(dir: string): Promise<{ pid: number; isServer: boolean }[]> {
  const helperTitle = `postgres: ${clusterName(dir)}:`;
  return (await listCommands()).flatMap(({ pid, command }) => {
    const [program = '', rest] = command.split(` -D ${dir} -p `);
    const isServer = rest !== undefined && basename(program) === 'postgres';
    return isServer || command.startsWith(helperTitle) ? [{ pid, isServer }] : [];
  });
}

/** Stops all processes on this cluster and waits until they are gone: a fast shutdown first, then an immediate one. */
export async function stopProcesses(dir: string): Promise<void> {
  const pidsOn = async (): Promise<number[]> => (await processesOn(dir)).map(({ pid }) => pid);
  const stop = async (pids: number[], name: NodeJS.Signals, patienceMs: number): Promise<boolean> => {
    for (const pid of pids) {
      try {
        process.kill(pid, name);
        // A suspended process would never receive the other signal.
        process.kill(pid, 'SIGCONT');
      } catch {
        // The process has already ended by itself.
      }
    }
    return waitUntil(async () => (await pidsOn()).length === 0, patienceMs);
  };
  const servers = (await processesOn(dir)).filter(({ isServer }) => isServer).map(({ pid }) => pid);
  // No postmaster is left to shut down the sessions of a dead server.
  if (await stop(servers, 'SIGINT', servers.length > 0 ? 30_000 : 0)) return;
  if (await stop(await pidsOn(), 'SIGQUIT', 10_000)) return;
  const left = (await pidsOn()).join(', ');
  throw new Error(`PostgreSQL on ${dir} does not stop (processes ${left}); stop them and start again`);
}
