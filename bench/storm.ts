// One restock that very many wait for, by subscriptions or by what is in their lists: how long the queueing takes, how fast alerts are handed over, what list reads feel of it. Three
// measurements look at it, so it is had once.
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../src/platform/database/database.ts';
import type { Bench } from './bench.ts';
import { median } from './contest.ts';
import { ask, shopperCall, storeCall } from './load.ts';
import { withScratchStore } from './scratch-store.ts';
import { loadShoppers } from './cases/reads.ts';
import { memoryMb } from './usage.ts';

/** Who waits. */
export const SUBSCRIBERS = 100_000;
/** How long the sending is watched: of 100,000 mails nobody waits for the last. */
export const SENDING_MS = 10_000;
const IDLE_MS = 4_000;
const READ_PAUSE_MS = 50;
const EPI = '1';

/** Latency of list reads in one phase. */
export type Reads = { p50Ms: number; p99Ms: number };

/** What was seen. */
export type Storm = {
  bareMs: number;
  queuedMs: number;
  sentPerSecond: number;
  idle: Reads;
  queueing: Reads;
  sending: Reads;
  peakMb: number | null;
};

/** Who waits, and for what. */
type Crowd = { name: string; seed: (db: Database, pid: string) => Promise<void>; bareInsert: string };

const seen = new WeakMap<Bench, Promise<Storm>>();

/** What a storm does; the first one to ask makes it. */
export function watchStorm(bench: Bench): Promise<Storm> {
  const storm = seen.get(bench) ?? makeStorms(bench, SUBSCRIBED);
  seen.set(bench, storm);
  return storm;
}

/** The same where everybody has the product in a list. */
export function watchHolders(bench: Bench): Promise<Storm> {
  return makeStorms(bench, HOLDING);
}

/** Reads lists of shoppers, 20 times a second at most, until told to stop. */
function watchReads(bench: Bench, port: number): () => Promise<Reads> {
  const shoppers = loadShoppers(bench);
  const times: number[] = [];
  let isOn = true;
  const loop = (async () => {
    for (let n = 0; isOn; n += 1) {
      const start = performance.now();
      await ask(port, shopperCall('/api/v3/lists/fetch-lists', shoppers[n % shoppers.length]!));
      times.push(performance.now() - start);
      await delay(READ_PAUSE_MS);
    }
  })();
  // Told to whoever ends it; until then a server that is gone must not end the whole run.
  loop.catch(() => undefined);
  return async () => {
    isOn = false;
    await loop;
    times.sort((a, b) => a - b);
    return { p50Ms: median(times), p99Ms: times[Math.floor((times.length - 1) * 0.99)]! };
  };
}

/** SQL: 100,000 rows. */
const SEED = `
  INSERT INTO subscription (pid, id, medium, value, epi, empi, du, topic, confirmed_at, cts)
  SELECT $1, gen_random_uuid()::text, 'email', 's' || n || '@example.com', $2, '1', 'https://shop.example/p/1', 'backinstock', now(), now()
  FROM generate_series(1, $3) n`;

async function seedSubscribers(db: Database, pid: string): Promise<void> {
  await db.query(SEED, [pid, EPI, SUBSCRIBERS]);
  await db.query('ANALYZE subscription');
}

/** SQL: the same rows into the same table, with its indexes and nothing else. */
const BARE_INSERT = `
  INSERT INTO outbox (pid, id, lane, medium, kind, recipient, restock_id, subscription_id, topic, epi, has_place, due_at, cts)
  SELECT pid, gen_random_uuid()::text, 'alert', medium, 'alert', value, 'bare', id, topic, epi, true, now(), now()
  FROM subscription WHERE pid = $1 ORDER BY seq`;

const SUBSCRIBED: Crowd = { name: 'restock', seed: seedSubscribers, bareInsert: BARE_INSERT };

/** SQL: 100,000 rows of each table that says who holds what, and a topic that tells them; empty texts are the standard ones. */
const HOLDER_TABLES = [
  `INSERT INTO topic (pid, name, trigger, subject, html, text, sms, list_holders)
   SELECT $1, 'wishlistrestock', 'automatic', '', '', '', '', true WHERE $2 <> '' AND $3 > 0`,
  `INSERT INTO shopper (pid, regid, is_guest, uid, di, em, lastlogin)
   SELECT $1, 'r' || n, false, 'u' || n, 'd', 's' || n || '@example.com', now() FROM generate_series(1, $3) n WHERE $2 <> ''`,
  `INSERT INTO list (pid, lid, regid, lname, di, uid)
   SELECT $1, 'l' || n, 'r' || n, 'List', 'd', 'u' FROM generate_series(1, $3) n WHERE $2 <> ''`,
  `INSERT INTO item (pid, lid, epi, id, empi, du, di) SELECT $1, 'l' || n, $2, n, '1', '/p', 'd' FROM generate_series(1, $3) n`,
  `INSERT INTO mailing_answer (pid, medium, value, acceptmarketing, signuptime, acceptsource, regid)
   SELECT $1, 'email', 's' || n || '@example.com', true, now(), 'subscription', 'r' || n FROM generate_series(1, $3) n WHERE $2 <> ''`,
];

const HOLDING: Crowd = {
  name: 'holders',
  async seed(db, pid) {
    for (const table of HOLDER_TABLES) await db.query(table, [pid, EPI, SUBSCRIBERS]);
    await db.query('ANALYZE shopper, list, item, mailing_answer');
  },
  bareInsert: `
    INSERT INTO outbox (pid, id, lane, medium, kind, recipient, restock_id, topic, epi, has_place, due_at, cts)
    SELECT pid, gen_random_uuid()::text, 'alert', medium, 'alert', value, 'bare', 'wishlistrestock', '1', true, now(), now()
    FROM mailing_answer WHERE pid = $1 ORDER BY seq`,
};

/** How long the bare insert takes; no dispatcher is up that would send what it queues. */
async function timeBareInsert(db: Database, { seed, bareInsert }: Crowd): Promise<number> {
  return withScratchStore(db, async ({ pid }) => {
    await seed(db, pid);
    const start = performance.now();
    await db.query(bareInsert, [pid]);
    return performance.now() - start;
  });
}

async function isQueued(db: Database, pid: string): Promise<boolean> {
  const [restock] = await db.query<{ state: string }>('SELECT state FROM restock WHERE pid = $1', [pid]);
  return restock?.state === 'done';
}

async function countSent(db: Database, pid: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM outbox WHERE pid = $1 AND state = 'sent'`,
    [pid],
  );
  return row!.count;
}

async function makeStorm(bench: Bench, crowd: Crowd): Promise<Storm> {
  const { db } = bench.data;
  const bareMs = await timeBareInsert(db, crowd);
  return withScratchStore(db, async (store) => {
    const server = await bench.servers.startApart('wishgate');
    try {
      const { port } = server;
      const setStock = (stk: number) =>
        ask(
          port,
          storeCall('/storeadmin/v3/products/upsert', store, {
            products: JSON.stringify([
              { epi: EPI, empi: 1, du: 'https://shop.example/p/1', dt: 'Shirt', stk },
            ]),
          }),
        );
      await setStock(0);
      await crowd.seed(db, store.pid);
      const endIdle = watchReads(bench, port);
      await delay(IDLE_MS);
      const idle = await endIdle();

      const start = performance.now();
      const endQueueing = watchReads(bench, port);
      await setStock(5);
      while (!(await isQueued(db, store.pid))) await delay(20);
      const queuedMs = performance.now() - start;
      const queueing = await endQueueing();

      const sentBefore = await countSent(db, store.pid);
      const sendingStart = performance.now();
      const endSending = watchReads(bench, port);
      await delay(SENDING_MS);
      const sent = (await countSent(db, store.pid)) - sentBefore;
      const sentPerSecond = sent / ((performance.now() - sendingStart) / 1_000);
      const sending = await endSending();
      return {
        bareMs,
        queuedMs,
        sentPerSecond,
        idle,
        queueing,
        sending,
        peakMb: memoryMb(server.pid)?.peak ?? null,
      };
    } finally {
      await server.stop();
    }
  });
}

const MAX_STORMS = 3;

/** Medians over a few storms; other servers are stopped, for they would send along. */
async function makeStorms(bench: Bench, crowd: Crowd): Promise<Storm> {
  await bench.servers.stopAll();
  const storms: Storm[] = [];
  const count = Math.min(MAX_STORMS, bench.rounds);
  for (let round = 1; round <= count; round += 1) {
    bench.progress.now(`${crowd.name}: storm ${round} of ${count}`);
    storms.push(await makeStorm(bench, crowd));
  }
  const middle = (read: (storm: Storm) => number): number => median(storms.map(read));
  const reads = (phase: 'idle' | 'queueing' | 'sending'): Reads => ({
    p50Ms: middle((storm) => storm[phase].p50Ms),
    p99Ms: middle((storm) => storm[phase].p99Ms),
  });
  const peaks = storms.map(({ peakMb }) => peakMb);
  return {
    bareMs: middle(({ bareMs }) => bareMs),
    queuedMs: middle(({ queuedMs }) => queuedMs),
    sentPerSecond: middle(({ sentPerSecond }) => sentPerSecond),
    idle: reads('idle'),
    queueing: reads('queueing'),
    sending: reads('sending'),
    peakMb: peaks.includes(null) ? null : Math.max(...(peaks as number[])),
  };
}
