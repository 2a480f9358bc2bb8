import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '../../../src/platform/database/database.ts';
import { createStore } from '../../../src/stores/store.service.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { startMain, untilReady } from '../fault/fixtures/main-process.ts';
import type { MainProcess } from '../fault/fixtures/main-process.ts';
import { freePort } from '../parts/process.ts';
import { isLong } from '../../tier.ts';
import { until } from '../../until.ts';

/** A program that is started again whenever it has ended, as systemd does. */
export type Supervised = {
  /** Ends it with this signal and waits for its end; the exit status or signal. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
  /** Ends it for good. */
  close(): Promise<void>;
};

/** The service or the worker under a supervisor. */
export function supervise(name: 'main' | 'cli/worker', env: Record<string, string>): Supervised {
  let isClosing = false;
  let running: MainProcess;
  const start = (): void => {
    running = startMain({ LOG_LEVEL: 'fatal', ...env }, name);
    void running.ended.then(() => isClosing || start());
  };
  start();
  const end: Supervised['end'] = async (signal) => (await running.end(signal)).code;
  return {
    end,
    async close() {
      isClosing = true;
      await end('SIGKILL');
    },
  };
}

/** The service at a port of its own that stays the same over restarts. */
export type SupervisedService = Supervised & { url: string };

/** Starts it and waits until it is ready. */
export async function superviseService(env: Record<string, string>): Promise<SupervisedService> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const service = { ...supervise('main', { ...env, PORT: String(port) }), url };
  await untilReady(url);
  return service;
}

/** Makes a store in the database of a service that is up; answers its Authorization header. */
export async function makeStore(databaseUrl: string): Promise<string> {
  const db = openDatabase(databaseUrl, 2, createLogger('fatal'));
  try {
    const { pid, apiKey } = await createStore({ db, now: () => new Date() }, { name: 'Chaos' });
    return `Basic ${Buffer.from(`${pid}:${apiKey}`).toString('base64')}`;
  } finally {
    await db.close();
  }
}

/** Before each call of a short run, whose cores others need, too. */
export const PAUSE_MS = isLong ? 0 : 20;

/** Waits for what many processes must say: to ask them costs them more than the wait. */
export const untilAll = (condition: () => Promise<boolean>): Promise<void> =>
  until(async () => (await condition()) || delay(200, false));

/** Does something again and again until the run is over. */
export async function repeat(isOver: () => boolean, step: () => Promise<void>): Promise<void> {
  while (!isOver()) await step();
}

/** Middle and largest of some times. */
export function spread(times: readonly number[]): { p50: number; max: number } {
  const sorted = [...times].sort((a, b) => a - b);
  return { p50: Math.round(sorted[sorted.length >> 1] ?? 0), max: Math.round(sorted.at(-1) ?? 0) };
}
