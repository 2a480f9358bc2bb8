// A restock to 100,000 subscribers: queueing, handing over, and list reads meanwhile.
import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Bench, Case } from '../bench.ts';
import { SENDING_MS, SUBSCRIBERS, watchHolders, watchStorm } from '../storm.ts';

const PG_BOSS = fileURLToPath(new URL('../peers/pg-boss.mjs', import.meta.url));
const BATCH = 100;

/** Time from the call that brings the stock until the last subscriber is queued. */
export const restock: Case = {
  name: 'restock',
  title: `Restock to ${SUBSCRIBERS.toLocaleString('en')} subscribers: until the last one is queued`,
  async run(bench) {
    const { bareMs, queuedMs, peakMb } = await watchStorm(bench);
    return {
      unit: 'seconds',
      rows: [
        { name: 'bare INSERT … SELECT of the same rows', value: bareMs / 1_000, ratio: 1 },
        { name: 'wishgate', value: queuedMs / 1_000, ratio: queuedMs / bareMs, goal: { atMost: 2 } },
      ],
      notes: peakMb === null ? [] : [`Memory of the process at its highest: ${Math.round(peakMb)} MB.`],
    };
  },
};

/** The same where they have the product in a list: who of them accepts marketing is looked up in five tables, twice. */
export const holders: Case = {
  name: 'holders',
  title: `Restock to ${SUBSCRIBERS.toLocaleString('en')} list holders: until the last one is queued`,
  async run(bench) {
    const { bareMs, queuedMs, idle, queueing } = await watchHolders(bench);
    const reads = (queueing.p50Ms / idle.p50Ms).toFixed(2);
    return {
      unit: 'seconds',
      rows: [
        { name: 'bare INSERT … SELECT of the same rows', value: bareMs / 1_000, ratio: 1 },
        { name: 'wishgate', value: queuedMs / 1_000, ratio: queuedMs / bareMs, goal: { atMost: 3 } },
      ],
      notes: [`List reads meanwhile take ${reads} times as long as idle (p50).`],
    };
  },
};

async function runPgBoss(
  { data, scratch }: Bench,
  folder: string | null,
): Promise<{ perSecond: number; cpuUs: number }> {
  const args = [SUBSCRIBERS, BATCH, SENDING_MS / 1_000].map(String);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [PG_BOSS, ...args, ...(folder ? [folder] : [])],
    {
      cwd: scratch,
      env: { ...process.env, NODE_ENV: 'production', DATABASE_URL: data.url },
    },
  );
  return JSON.parse(stdout) as { perSecond: number; cpuUs: number };
}

/** Alerts that leave in a second, each a file: claimed, rendered, written and settled one by one. */
export const handover: Case = {
  name: 'handover',
  title: 'Hand-over of queued alerts to files',
  async run(bench) {
    const { sentPerSecond } = await watchStorm(bench);
    bench.progress.now('handover: pg-boss');
    const base = await runPgBoss(bench, await mkdtemp(join(bench.scratch, 'pg-boss-')));
    const limit = await runPgBoss(bench, null);
    return {
      unit: 'alerts/s',
      rows: [
        {
          name: `pg-boss, batches of ${BATCH}, the payload to files`,
          value: base.perSecond,
          ratio: 1,
          cpuUs: base.cpuUs,
        },
        {
          name: `pg-boss, batches of ${BATCH}, to nowhere`,
          value: limit.perSecond,
          ratio: limit.perSecond / base.perSecond,
          cpuUs: limit.cpuUs,
        },
        {
          name: 'wishgate, rendered and to files',
          value: sentPerSecond,
          ratio: sentPerSecond / base.perSecond,
          goal: { atLeast: 1.5 },
        },
      ],
    };
  },
};

/** List reads, 20 a second, while the storm goes on. */
export const readsDuring: Case = {
  name: 'reads-during',
  title: 'List reads during a restock: p50 against idle',
  async run(bench) {
    const { idle, queueing, sending } = await watchStorm(bench);
    const row = (name: string, reads: typeof idle) => ({
      ...{ name, value: reads.p50Ms, ratio: reads.p50Ms / idle.p50Ms, p99Ms: reads.p99Ms },
      ...(reads !== idle && { goal: { atMost: 1.3 } }),
    });
    return {
      unit: 'ms',
      rows: [
        row('idle', idle),
        row('while alerts are queued', queueing),
        row('while alerts are sent', sending),
      ],
    };
  },
};
