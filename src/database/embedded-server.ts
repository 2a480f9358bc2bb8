import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { OWNER } from './embedded-cluster.ts';
import type { Cluster } from './embedded-cluster.ts';
import { clusterName, processesOn, stopProcesses } from './embedded-process.ts';
import type { ClusterProcess } from './embedded-process.ts';
import { CLEAN_ENV, hasCode } from './embedded-system.ts';

/** Values of PostgreSQL's configuration by name. */
export type Settings = Record<string, string>;

/** A server that says it is recovering is left to it for so long. */
const RECOVERY_PATIENCE_MS = 120_000;
/** A server that says nothing, or has been told to stop, is stopped after so long. */
const SILENCE_PATIENCE_MS = 10_000;
const CONNECT_TIMEOUT_MS = 3_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** A client for the cluster's superuser; it never throws out of the event loop when the server goes away. */
export function createClient(
  cluster: Cluster,
  port: number,
  database: string,
  applicationName: string,
): pg.Client {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: OWNER,
    password: cluster.password,
    database,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  return client;
}

/**
 * Makes sure that the cluster answers, and returns its port: adopts a running server, waits for a recovering one,
 * replaces a dead or silent one. With `port`, a new server listens there or not at all.
 */
export async function ensureRunning(cluster: Cluster, settings: Settings, port?: number): Promise<number> {
  const recoveredBy = Date.now() + RECOVERY_PATIENCE_MS;
  let answersBy = Date.now() + SILENCE_PATIENCE_MS;
  for (;;) {
    const running = await processesOn(cluster.dir);
    if (running.length === 0) return start(cluster, settings, port);
    const state = await probe(cluster, running);
    if (state.name === 'ready') return state.port;
    if (state.name === 'starting' && Date.now() > recoveredBy) throw slowStart(cluster);
    if (state.name !== 'starting' && Date.now() > answersBy) {
      await stopProcesses(cluster.dir);
      answersBy = Date.now() + SILENCE_PATIENCE_MS;
    }
    await delay(25);
  }
}

type ServerState = { name: 'ready'; port: number } | { name: 'starting' | 'stopping' | 'silent' };

/** Asks the server named in postmaster.pid, provided that this process exists and works on this cluster. */
export async function probe(cluster: Cluster, running: ClusterProcess[]): Promise<ServerState> {
  const lines = (await readFile(join(cluster.dir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const port = Number(lines[3]);
  if (!running.some(({ pid }) => pid === Number(lines[0])) || !port) return { name: 'silent' };
  const client = createClient(cluster, port, 'postgres', 'wishgate-probe');
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    return rows[0]?.data_directory === cluster.dir ? { name: 'ready', port } : { name: 'silent' };
  } catch (error) {
    if (hasCode(error, '28P01')) {
      const text = `PostgreSQL on ${cluster.dir} refuses the password in postgres.password; restore that file`;
      throw new Error(text, { cause: error });
    }
    if (hasCode(error, '57P03'))
      return { name: String(error).includes('shutting down') ? 'stopping' : 'starting' };
    // Too many connections: it lives, and stopping it would hurt all of them.
    return { name: hasCode(error, '53300') ? 'starting' : 'silent' };
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function start(cluster: Cluster, settings: Settings, port?: number): Promise<number> {
  // Nothing runs here, but the pid in a left-over file may by now be any program's, which PostgreSQL would take for itself.
  await rm(join(cluster.dir, 'postmaster.pid'), { force: true });
  for (let attempt = 0; ; attempt += 1) {
    const candidate = port ?? (await choosePort(cluster, attempt));
    const failure = await launch(cluster, settings, candidate);
    if (failure === undefined) {
      await writeFile(cluster.portFile, `${candidate}\n`);
      return candidate;
    }
    const isTaken = failure.includes('Address already in use');
    if (!isTaken || port !== undefined || attempt >= 5) {
      throw new Error(`The bundled PostgreSQL did not start (see ${cluster.logFile}): ${failure}`);
    }
  }
}

/** Undefined when the server is ready, otherwise what it left in its log before it ended. */
async function launch(cluster: Cluster, settings: Settings, port: number): Promise<string | undefined> {
  const logFile = await openLog(cluster);
  try {
    const { size: logStart } = await logFile.stat();
    const args = Object.entries(serverSettings(cluster, settings)).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    // Its own session: Ctrl-C in a terminal reaches us alone, so requests in flight still find their database.
    const child = spawn(cluster.binaries.postgres, ['-D', cluster.dir, '-p', String(port), ...args], {
      ...cluster.user,
      cwd: '/',
      env: CLEAN_ENV,
      detached: true,
      stdio: ['ignore', logFile.fd, logFile.fd],
    });
    let ended: string | undefined;
    child.once('error', (error) => (ended = error.message));
    child.once('exit', (code, signal) => (ended = `it ended with ${signal ?? `exit code ${code}`}`));
    child.unref();
    const readyBy = Date.now() + RECOVERY_PATIENCE_MS;
    for (;;) {
      if (ended !== undefined) return `${ended} ${await lastComplaint(cluster.logFile, logStart)}`.trim();
      const state = await probe(cluster, child.pid === undefined ? [] : [{ pid: child.pid, isServer: true }]);
      if (state.name === 'ready') return undefined;
      if (Date.now() > readyBy) throw slowStart(cluster);
      await delay(10);
    }
  } finally {
    await logFile.close();
  }
}

function serverSettings(cluster: Cluster, settings: Settings): Settings {
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
    ...settings,
    cluster_name: clusterName(cluster.dir),
  };
}

/** Opened by us and inherited, so that the user postgres needs no access to the folder it lies in. */
async function openLog(cluster: Cluster): Promise<Awaited<ReturnType<typeof open>>> {
  const size = await stat(cluster.logFile).then(
    (file) => file.size,
    () => 0,
  );
  if (size > MAX_LOG_BYTES) await truncate(cluster.logFile);
  return open(cluster.logFile, 'a', 0o600);
}

async function lastComplaint(logFile: string, from: number): Promise<string> {
  const lines = (await readFile(logFile)).subarray(from).toString('utf8').split('\n');
  return lines
    .filter((line) => /\b(FATAL|PANIC|LOG: {2}could not|HINT|postgres:)/.test(line))
    .slice(-4)
    .join(' ');
}

/**
 * The last port while it is free, else a random one. Both lie below the range from which the kernel serves outgoing
 * connections, one of which could otherwise take the port while the server is down, even a connection to itself.
 */
async function choosePort(cluster: Cluster, attempt: number): Promise<number> {
  const last = Number(await readFile(cluster.portFile, 'utf8').catch(() => ''));
  if (attempt === 0 && last && (await isFree(last))) return last;
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
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
