// Contenders in turns: each round gives each of them the same load for the same time, so that what the machine does beside hits all alike.
import { isDeepStrictEqual } from 'node:util';
import type { Bench } from './bench.ts';
import { ask, rawRequest } from './load.ts';
import type { Call } from './load.ts';
import type { Outcome } from './loader.ts';
import type { Running } from './servers.ts';
import { cpuUs, postgresCpuUs } from './usage.ts';

/** Connections of every load. */
export const CONNECTIONS = 20;
/** Shoppers of every load. */
export const SHOPPERS = 200;

/** Somebody who is measured, and what it is sent; calls may differ from round to round where they must not repeat. */
export type Contender = {
  name: string;
  server: Running;
  calls: readonly Call[] | ((round: number) => readonly Call[]);
};

/** What was measured of one contender: medians over the rounds. */
export type Score = {
  name: string;
  perSecond: number;
  /** How many times what the first contender does. */
  ratio: number;
  p50Ms: number;
  p99Ms: number;
  /** CPU time of the server process and of PostgreSQL for one request, in microseconds; null where it is not told. */
  cpuUs: number | null;
  postgresUs: number | null;
};

type Round = { outcome: Outcome; cpuUs: number | null; postgresUs: number | null };

/** The middle one of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

const medianOf = (values: readonly (number | null)[]): number | null =>
  values.some((value) => value === null) ? null : median(values as number[]);

/** Refuses to go on unless all of them answer these calls with the same record. */
export async function compare(
  contenders: readonly Contender[],
  clean: (answer: unknown) => unknown = (answer) => answer,
): Promise<void> {
  const [first, ...others] = contenders;
  const callsOf = ({ calls }: Contender): readonly Call[] => (typeof calls === 'function' ? calls(0) : calls);
  const wanted = callsOf(first!).slice(0, SHOPPERS);
  for (const [index, call] of wanted.entries()) {
    const expected = clean(await ask(first!.server.port, call));
    for (const other of others) {
      const answer = clean(await ask(other.server.port, callsOf(other)[index]!));
      if (!isDeepStrictEqual(answer, expected))
        throw new Error(
          `${other.name} does not answer what ${first!.name} answers at ${call.path}:\n` +
            `${JSON.stringify(answer)}\n${JSON.stringify(expected)}`,
        );
    }
  }
}

async function play(bench: Bench, { server, calls }: Contender, round: number): Promise<Round> {
  const requests = (typeof calls === 'function' ? calls(round) : calls).map(rawRequest);
  const read = () => [cpuUs(server.pid), bench.postmaster && postgresCpuUs(bench.postmaster)] as const;
  const before = read();
  const outcome = await bench.loader.load({
    port: server.port,
    requests,
    connections: CONNECTIONS,
    ms: bench.roundMs,
  });
  const after = read();
  const [own, postgres] = after.map((us, index) =>
    us === null || before[index] == null ? null : (us - before[index]) / outcome.answers,
  );
  return { outcome, cpuUs: own!, postgresUs: postgres! };
}

/** After this number of responses V8 has compiled the hot code; on a busy machine it may take several rounds. */
const WARM_ANSWERS = 3_000;
const MAX_WARM_ROUNDS = 5;

async function warmUp(bench: Bench, contender: Contender): Promise<void> {
  let answers = 0;
  for (let round = 1; round <= MAX_WARM_ROUNDS && answers < WARM_ANSWERS; round += 1) {
    // Rounds of their own: what is sent once must not come again when it counts.
    answers += (await play(bench, contender, -round)).outcome.answers;
  }
}

/** Measures contenders against the first of them: first they warm up, then there are as many rounds as were asked for. */
export async function contest(
  bench: Bench,
  title: string,
  contenders: readonly Contender[],
): Promise<Score[]> {
  const rounds = new Map<Contender, Round[]>(contenders.map((contender) => [contender, []]));
  for (const contender of contenders) {
    bench.progress.now(`${title}: warming up ${contender.name}`);
    await warmUp(bench, contender);
  }
  for (let round = 1; round <= bench.rounds; round += 1) {
    for (const contender of contenders) {
      bench.progress.now(`${title}: round ${round} of ${bench.rounds}, ${contender.name}`);
      rounds.get(contender)!.push(await play(bench, contender, round));
    }
  }
  const rateOf = (contender: Contender): number =>
    median(rounds.get(contender)!.map(({ outcome }) => outcome.answers / outcome.seconds));
  const base = rateOf(contenders[0]!);
  return contenders.map((contender) => {
    const played = rounds.get(contender)!;
    const perSecond = rateOf(contender);
    return {
      name: contender.name,
      perSecond,
      ratio: perSecond / base,
      p50Ms: median(played.map(({ outcome }) => outcome.p50Ms)),
      p99Ms: median(played.map(({ outcome }) => outcome.p99Ms)),
      cpuUs: medianOf(played.map((one) => one.cpuUs)),
      postgresUs: medianOf(played.map((one) => one.postgresUs)),
    };
  });
}
