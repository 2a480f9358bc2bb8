import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLEAN_ENV, ensurePostgresUser, isRoot } from '../../../src/platform/database/embedded-system.ts';
import type { OsUser } from '../../../src/platform/database/embedded-system.ts';
import { until } from '../../until.ts';

/** A program that runs beside the service. */
export type PartProcess = {
  pid: number;
  port: number;
  /** Everything it wrote. */
  output: () => string;
  signal(signal: NodeJS.Signals): void;
  /** Ends it (SIGTERM unless told otherwise) and waits until it is gone. */
  stop(signal?: NodeJS.Signals): Promise<void>;
};

/** The account that programs run as which refuse to be root; undefined stands for our own. */
export async function partUser(): Promise<OsUser | undefined> {
  return isRoot() ? ensurePostgresUser() : undefined;
}

/** A folder that such a program may write to. */
export async function makePartFolder(): Promise<{ dir: string; remove(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'wishgate-part-'));
  const user = await partUser();
  await chmod(dir, 0o750);
  if (user) await chown(dir, user.uid, user.gid);
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** A port that nobody listens at. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).then((isThere) => {
    socket.destroy();
    return isThere as boolean;
  });
}

/** Starts a program and waits until it listens; the failure has what it wrote. */
export async function startPart(file: string, args: readonly string[], port: number): Promise<PartProcess> {
  const child = spawn(file, args, {
    ...(await partUser()),
    env: CLEAN_ENV,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (part: Buffer) => (text += part.toString()));
  child.stderr.on('data', (part: Buffer) => (text += part.toString()));
  const ended = once(child, 'close');
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  await until(async () => {
    if (hasEnded()) throw new Error(`${file} ended: ${text}`);
    return isListening(port);
  });
  return {
    pid: child.pid!,
    port,
    output: () => text,
    signal: (signal) => void child.kill(signal),
    async stop(signal = 'SIGTERM') {
      if (!hasEnded()) child.kill(signal);
      await ended;
    },
  };
}
