// The servers that are measured, each a process of its own.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';

/** A server that answers. */
export type Running = { name: string; port: number; pid: number; readyMs: number; stop(): Promise<void> };

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const READY_LIMIT_MS = 60_000;

/** What `npm start` gives to Node; the peers have it, too. */
const NODE_FLAGS = ['--max-semi-space-size=64'];
/** What wishgate runs with in every measurement; the rest are its defaults. */
const WISHGATE = { DEMO: '0', LOG_LEVEL: 'error', RATE_LIMITS: 'off', DRAIN_DELAY_MS: '0' };

/** The contenders by name: what is started, and with what. */
export const CONTENDERS = {
  wishgate: { script: 'dist/main.js', env: WISHGATE },
  /** Without cached responses every read is a first one. */
  'wishgate-first': { script: 'dist/main.js', env: { ...WISHGATE, RESPONSE_CACHE_MB: '0' } },
  'wishgate-bare': { script: 'bench/peers/bare-wishgate.mjs', env: {} },
  'node-http': { script: 'bench/peers/bare-node.mjs', env: {} },
  express: { script: 'bench/peers/bare-express.mjs', env: {} },
  fastify: { script: 'bench/peers/fastify.mjs', env: {} },
  'fastify-json': { script: 'bench/peers/fastify.mjs', env: { JSON_BY_DATABASE: '1' } },
  mercurius: { script: 'bench/peers/mercurius.mjs', env: {} },
  yoga: { script: 'bench/peers/yoga.mjs', env: {} },
  apollo: { script: 'bench/peers/apollo.mjs', env: {} },
} satisfies Record<string, { script: string; env: Record<string, string> }>;

/** The name of something that can be started. */
export type ContenderName = keyof typeof CONTENDERS;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a contender on a port of its own and waits until it is ready. */
export async function startContender(name: ContenderName, env: Record<string, string>): Promise<Running> {
  const { script, env: own } = CONTENDERS[name];
  const port = await freePort();
  const start = performance.now();
  const child = spawn(process.execPath, [...NODE_FLAGS, script], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production', ...own, ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await untilReady(child, name, port);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  return { name, port, pid: child.pid!, readyMs: performance.now() - start, stop: () => stop(child) };
}

async function untilReady(child: ChildProcess, name: string, port: number): Promise<void> {
  const limit = performance.now() + READY_LIMIT_MS;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${name} ended with code ${child.exitCode} at its start`);
    if (performance.now() > limit) throw new Error(`${name} is not ready after ${READY_LIMIT_MS / 1_000} s`);
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await delay(10);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
