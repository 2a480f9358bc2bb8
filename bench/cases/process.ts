// The process itself: what it takes to start, what it holds in memory, and what a second one on the same database adds.
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, Case, Row } from '../bench.ts';
import { CONNECTIONS, median } from '../contest.ts';
import { graphqlCall, rawRequest, shopperCall, startLoader } from '../load.ts';
import type { ContenderName, Running } from '../servers.ts';
import { memoryMb } from '../usage.ts';
import { loadShoppers } from './reads.ts';

const STARTS = 3;
const SETTLE_MS = 2_000;
const LISTS = '/api/v3/lists/fetch-lists';

const NAMES = {
  wishgate: 'wishgate',
  fastify: 'Fastify + pg, four routes',
  apollo: 'Apollo as it comes + Prisma, one query',
} satisfies Partial<Record<ContenderName, string>>;
const NAMED = Object.keys(NAMES) as (keyof typeof NAMES)[];

/** Time from the start of the process until it says that it is ready. */
export const start: Case = {
  name: 'start',
  title: 'Start of the process until it is ready, the database being up to date',
  async run(bench) {
    const rows: Row[] = [];
    for (const name of NAMED) {
      const times: number[] = [];
      for (let n = 0; n < STARTS; n += 1) {
        bench.progress.now(`start: ${name}, ${n + 1} of ${STARTS}`);
        const running = await bench.servers.startApart(name);
        times.push(running.readyMs);
        await running.stop();
      }
      rows.push({ name: NAMES[name], value: median(times) });
    }
    return { unit: 'ms', rows };
  },
};

const requestsFor = (bench: Bench, name: ContenderName): string[] =>
  loadShoppers(bench).map((shopper) =>
    rawRequest(
      name === 'apollo'
        ? graphqlCall('{ allLists { lid listcontents { epi } } }', shopper)
        : shopperCall(LISTS, shopper),
    ),
  );

/** Memory when nothing was asked yet, and after a load of list reads. */
export const memory: Case = {
  name: 'memory',
  title: 'Memory of the process: idle, and at its highest under a load of list reads',
  async run(bench) {
    const rows: Row[] = [];
    for (const name of NAMED) {
      bench.progress.now(`memory: ${name}`);
      const running = await bench.servers.startApart(name);
      await delay(SETTLE_MS);
      const idle = memoryMb(running.pid);
      await bench.loader.load({
        ...{ port: running.port, requests: requestsFor(bench, name), connections: CONNECTIONS },
        ms: bench.rounds * bench.roundMs,
      });
      const loaded = memoryMb(running.pid);
      await running.stop();
      if (idle === null || loaded === null)
        return { unit: 'MB', rows, notes: ['This system does not tell.'] };
      rows.push(
        { name: `${NAMES[name]}, idle`, value: idle.now },
        { name: `${NAMES[name]}, under load`, value: loaded.peak },
      );
    }
    return { unit: 'MB', rows };
  },
};

/** The same load on one process and on two of one database. */
export const twoProcesses: Case = {
  name: 'two-processes',
  title: 'Two wishgate processes on one database, first reads of lists',
  async run(bench) {
    const requests = requestsFor(bench, 'wishgate-first');
    const second = startLoader();
    const pair = [
      await bench.servers.start('wishgate-first'),
      await bench.servers.startApart('wishgate-first'),
    ] as const;
    const rate = async (servers: readonly Running[]): Promise<number> => {
      const outcomes = await Promise.all(
        servers.map(({ port }, index) =>
          (index === 0 ? bench.loader : second).load({
            ...{ port, requests, connections: CONNECTIONS / servers.length },
            ms: bench.roundMs,
          }),
        ),
      );
      return outcomes.reduce((sum, { answers, seconds }) => sum + answers / seconds, 0);
    };
    const [one, two]: [number[], number[]] = [[], []];
    try {
      for (let round = 0; round <= bench.rounds; round += 1) {
        bench.progress.now(`two-processes: round ${round} of ${bench.rounds}`);
        const rates = [await rate([pair[0]]), await rate(pair)] as const;
        if (round === 0) continue;
        one.push(rates[0]);
        two.push(rates[1]);
      }
    } finally {
      second.close();
      await pair[1].stop();
    }
    return {
      unit: 'requests/s',
      rows: [
        { name: 'one process', value: median(one), ratio: 1 },
        { name: 'two processes', value: median(two), ratio: median(two) / median(one) },
      ],
      notes: [
        `This machine has ${cpus().length} cores, and PostgreSQL and the load take theirs of them: a second process needs free ones.`,
      ],
    };
  },
};

const COUNTS = ['1', '2', '3'] as const;
const LOADS = { 'wishgate-first': 'first reads', wishgate: 'nothing changed since' } as const;

/** The same load on one service that has one, two and three processes. */
export const processes: Case = {
  name: 'processes',
  title: 'One service with PROCESSES=1, 2 and 3, reads of lists',
  async run(bench) {
    const rows: Row[] = [];
    for (const [name, what] of Object.entries(LOADS) as [keyof typeof LOADS, string][]) {
      const requests = requestsFor(bench, name);
      const services: Running[] = [];
      for (const count of COUNTS) services.push(await bench.servers.startApart(name, { PROCESSES: count }));
      const outcomes = COUNTS.map((): { perSecond: number; p99Ms: number }[] => []);
      for (let round = 0; round <= bench.rounds; round += 1)
        for (const [index, { port }] of services.entries()) {
          bench.progress.now(`processes: ${what}, round ${round} of ${bench.rounds}`);
          const load = { port, requests, connections: CONNECTIONS, ms: bench.roundMs };
          const { answers, seconds, p99Ms } = await bench.loader.load(load);
          if (round > 0) outcomes[index]!.push({ perSecond: answers / seconds, p99Ms });
        }
      const rates = outcomes.map((all) => median(all.map(({ perSecond }) => perSecond)));
      rows.push(
        ...COUNTS.map((count, index) => ({
          name: `PROCESSES=${count}, ${what}`,
          value: rates[index]!,
          ratio: rates[index]! / rates[0]!,
          p99Ms: median(outcomes[index]!.map(({ p99Ms }) => p99Ms)),
        })),
      );
      await Promise.all(services.map(({ stop }) => stop()));
    }
    return {
      unit: 'requests/s',
      rows,
      notes: [
        `This machine has ${cpus().length} cores, which PostgreSQL and the load generator also use: PROCESSES=auto is ${Math.min(8, Math.max(1, cpus().length - 1))} here.`,
      ],
    };
  },
};
