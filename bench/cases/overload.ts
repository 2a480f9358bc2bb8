// More than the process can do: what it still does, how long that takes, and how soon it is over. Who is refused asks again at once, as bad clients do.
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, Case, Row } from '../bench.ts';
import { median } from '../contest.ts';
import { ask, rawRequest, shopperCall } from '../load.ts';
import type { Call } from '../load.ts';
import type { Outcome } from '../loader.ts';
import { shoppersOf } from '../data.ts';
import { cpuUs, postgresCpuUs } from '../usage.ts';

/** Connections that keep the process busy: twice MAX_REQUESTS. */
const FULL = 64;
const LOADS = {
  quiet: { name: 'quiet: a quarter of the connections', connections: FULL / 4 },
  peak: { name: `peak: ${FULL} connections`, connections: FULL },
  double: { name: `2 × as many`, connections: 2 * FULL },
  tenfold: { name: `10 × as many`, connections: 10 * FULL },
  flood: { name: '1,500 connections', connections: 1_500 },
};
type Load = keyof typeof LOADS;
const NAMES = Object.keys(LOADS) as Load[];

/** Who has waited for QUEUE_WAIT_MS is refused, so that nobody is served much later. */
const SLOWEST_MS = 1_100;
/** The server takes the connections of each load one after the other, which lasts about a second; what comes after it counts more. */
const LEAST_MS = 4_000;
const RECOVERED = 20;
const LIMIT_MS = 10_000;

/** Milliseconds from the end of a load until calls are answered as when it is quiet, several in a row. */
async function untilQuiet(port: number, call: Call, quietMs: number): Promise<number> {
  const start = performance.now();
  let inRow = 0;
  while (performance.now() - start < LIMIT_MS) {
    const sentAt = performance.now();
    const isFine = await ask(port, call).then(
      () => performance.now() - sentAt <= quietMs,
      () => false,
    );
    inRow = isFine ? inRow + 1 : 0;
    if (inRow === RECOVERED) return sentAt - start;
    if (!isFine) await delay(10);
  }
  return Infinity;
}

/** What came of one load, and what the two servers worked for each answer, in microseconds; null where the system does not tell. */
type Found = Outcome & { cpuUs: number | null; postgresUs: number | null };

const rateOf = ({ answers, seconds }: Found): number => answers / seconds;

/** Loads up to more than twenty times of what keeps the process busy. */
export const overload: Case = {
  name: 'overload',
  title: 'Overload: REST fetch-lists from more connections than there are turns, without a pause after 503',
  async run(bench: Bench) {
    const calls = [...shoppersOf(bench.data.size, LOADS.flood.connections)].map((shopper) =>
      shopperCall('/api/v3/lists/fetch-lists', shopper),
    );
    const requests = calls.map(rawRequest);
    const server = await bench.servers.startApart('wishgate', { MAX_REQUESTS: String(FULL / 2) });
    const found = Object.fromEntries(NAMES.map((name) => [name, [] as Found[]])) as Record<Load, Found[]>;
    const recoveries: number[] = [];
    const { postmaster } = bench;
    const worked = (): (number | null)[] => [
      cpuUs(server.pid),
      postmaster === null ? null : postgresCpuUs(postmaster),
    ];
    const load = async (name: Load): Promise<Found> => {
      const before = worked();
      const outcome = await bench.loader.load({
        ...{ port: server.port, requests, connections: LOADS[name].connections },
        ...{ ms: Math.max(LEAST_MS, bench.roundMs), mayRefuse: true },
      });
      const [own, postgres] = worked().map((now, at) =>
        now === null || before[at] == null ? null : (now - before[at]) / outcome.answers,
      );
      return { ...outcome, cpuUs: own!, postgresUs: postgres! };
    };
    try {
      for (let round = 0; round <= bench.rounds; round += 1)
        for (const name of NAMES) {
          bench.progress.now(`overload: ${name}, round ${round} of ${bench.rounds}`);
          const outcome = await load(name);
          // The first round warms up.
          if (round > 0) found[name].push(outcome);
          if (round > 0 && name === 'flood')
            recoveries.push(await untilQuiet(server.port, calls[0]!, found.quiet.at(-1)!.p99Ms));
        }
    } finally {
      await server.stop();
    }
    const middle = (name: Load, of: (outcome: Found) => number): number => median(found[name].map(of));
    const peak = middle('peak', rateOf);
    const rows = NAMES.map((name): Row => {
      const rate = middle(name, rateOf);
      const isBeyond = name === 'double' || name === 'tenfold';
      return {
        name: LOADS[name].name,
        value: rate,
        ratio: rate / peak,
        ...(isBeyond && { goal: { atLeast: 0.9 } }),
        p50Ms: middle(name, ({ p50Ms }) => p50Ms),
        p99Ms: middle(name, ({ p99Ms }) => p99Ms),
        cpuUs: middle(name, (one) => one.cpuUs ?? 0),
        postgresUs: middle(name, (one) => one.postgresUs ?? 0),
      };
    });
    const refused = NAMES.slice(2).map((name) =>
      Math.round(middle(name, (one) => one.refused / one.seconds)),
    );
    return {
      unit: 'answers/s',
      rows,
      notes: [
        `Ten times as many: p99 of what was served is ${middle('tenfold', ({ p99Ms }) => p99Ms).toFixed(0)} ms (at most ${SLOWEST_MS}).`,
        `Refused a second: ${refused.join(', ')}.`,
        `Answers as quick as before after ${median(recoveries).toFixed(0)} ms (at most 5,000).`,
      ],
    };
  },
};
