// Attacks a running service as one caller would, and prints what the callers of another store notice of it.
// Usage: npm run build && npx tsx bench/hostile.ts [words of the attacks to run]; bench/hostile/answers.ts is about memory.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ATTACKS } from './hostile/attacks.ts';
import { asShopper, asStore, createCaller, makeGuest, makeList, startTarget } from './hostile/service.ts';
import type { Caller, Reply, Shopper, Store, Target } from './hostile/service.ts';

const PORT = 4_790;
const SECONDS = 10;
/** Shoppers of the other store, each at an address of their own, and how often each of them asks. */
const SHOPPERS = 20;
const PAUSE_MS = 200;
const GOAL = { times: 5, ms: 250, readyMs: 1_000 };

const percentile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN;

/** What the callers of the other store notice: how long reads took, which were not served, and how long readiness took at worst. */
async function watch(callers: { caller: Caller; shopper: Shopper }[], victim: Store, isOver: () => boolean) {
  const replies: Reply[] = [];
  const ready: Reply[] = [];
  const monitor = createCaller(PORT, '127.0.0.8');
  const body = `{"query":"{ allLists { lid } }","pad":"${'x'.repeat(250_000)}"}`;
  await Promise.all([
    ...callers.map(async ({ caller, shopper }, n) => {
      await delay((n * PAUSE_MS) / callers.length);
      for (let turn = n; !isOver(); turn += 1) {
        const path = `/api/v3/lists/fetch-lists?pid=${encodeURIComponent(shopper.pid)}`;
        const json = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
        replies.push(
          await (turn % 4 === 0
            ? caller.graphql('{ allLists { lid lname } }', {}, asStoreFor(victim, shopper))
            : turn % 25 === 1
              ? caller.send({ path: '/graphql', body, headers: { ...json, ...asShopper(shopper) } })
              : caller.form(path, shopper)),
        );
        await delay(PAUSE_MS);
      }
    }),
    (async () => {
      while (!isOver()) {
        ready.push(await monitor.send({ path: '/readyz', method: 'GET' }));
        await delay(50);
      }
    })(),
  ]);
  monitor.close();
  const failed = replies.filter(({ status }) => status !== 200);
  const times = replies.map(({ ms }) => ms);
  return {
    ...{ count: replies.length, failed: failed.length, why: failed[0] },
    ...{ p50: percentile(times, 0.5), p99: percentile(times, 0.99) },
    ready: Math.max(...ready.map(({ ms, status }) => (status === 200 ? ms : Infinity))),
  };
}

const asStoreFor = (store: Store, { regid }: Shopper) => ({ ...asStore(store), 'x-regid': regid });

/** Bursts over open connections, which have to be served whole. */
async function burst(callers: { caller: Caller; shopper: Shopper }[], size: number): Promise<string> {
  const send = () =>
    Promise.all(
      Array.from({ length: size }, (_, n) => {
        const { caller, shopper } = callers[n % callers.length]!;
        return caller.form(`/api/v3/lists/fetch-lists?pid=${encodeURIComponent(shopper.pid)}`, shopper);
      }),
    );
  const refused: number[] = [];
  const took: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const replies = await send();
    refused.push(replies.filter(({ status }) => status !== 200).length);
    took.push(Math.max(...replies.map(({ ms }) => ms)));
    await delay(500);
  }
  return `refused ${refused.join(', ')}; slowest ${took.map(Math.round).join(', ')} ms`;
}

if (process.argv[2] === '--attack') {
  process.once('message', (target: Target) => void ATTACKS[process.argv[3]!]!(target));
} else {
  const words = process.argv.slice(2);
  const service = await startTarget(PORT, { MAX_STREAMS: '400', RATE_LIMITS: '1' });
  const near = createCaller(PORT, '127.0.0.5');
  const [attacker, victim] = [await service.createStore('Attacker'), await service.createStore('Victim')];
  const guests: Shopper[] = [];
  for (let n = 0; n < 30; n += 1) guests.push(await makeGuest(near, attacker));
  const list = await makeList(near, guests[0]!, 2_000);
  const callers: { caller: Caller; shopper: Shopper }[] = [];
  for (let n = 0; n < SHOPPERS; n += 1) {
    const shopper = await makeGuest(near, victim);
    await makeList(near, shopper, 20);
    callers.push({ caller: createCaller(PORT, `127.0.1.${n + 1}`), shopper });
  }
  const during = async (ms: number) => {
    const end = performance.now() + ms;
    return watch(callers, victim, () => performance.now() > end);
  };
  await during(3_000);
  const quiet = await during(5_000);
  const show = (name: string, { count, p50, p99, failed, ready }: typeof quiet, end = ''): void =>
    console.log(
      `${name.padEnd(44)} p50 ${p50.toFixed(0).padStart(4)} p99 ${p99.toFixed(0).padStart(5)} ms, ${failed} of ${count} failed, readyz ${ready.toFixed(0).padStart(4)} ms ${end}`,
    );
  show('quiet', quiet);
  const limit = Math.max(GOAL.times * quiet.p99, GOAL.ms);
  let missed = 0;
  for (const name of Object.keys(ATTACKS).filter((one) => words.every((word) => one.includes(word)))) {
    const child = fork(fileURLToPath(import.meta.url), ['--attack', name]);
    child.send({ port: PORT, attacker, victim, guests, list } satisfies Target);
    await delay(2_000);
    const found = await during(SECONDS * 1_000);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const isMissed = found.p99 > limit || found.failed > 0 || found.ready > GOAL.readyMs;
    missed += Number(isMissed);
    show(
      name,
      found,
      `${isMissed ? 'MISSED ' : ''}${found.why ? JSON.stringify(found.why).slice(0, 120) : ''}`,
    );
    await delay(1_000);
  }
  if (words.length === 0 || words.includes('burst'))
    for (const [size, shoppers] of [
      [100, callers.slice(0, 1)],
      [300, callers.slice(1)],
      [1_000, callers.slice(1)],
    ] as const)
      console.log(`${size} reads at once of ${shoppers.length} shoppers: ${await burst(shoppers, size)}`);
  console.log(`RSS ${await service.rssMb()} MB; ${missed === 0 ? 'every goal is met' : `${missed} missed`}`);
  near.close();
  for (const { caller } of callers) caller.close();
  await service.stop();
  process.exitCode = missed === 0 ? 0 : 1;
}
