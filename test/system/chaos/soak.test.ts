import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { openEmbedded } from '../../../src/platform/database/embedded.ts';
import type { EmbeddedDatabase } from '../../../src/platform/database/embedded.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { startUnreliableSmtp } from '../fault/dispatch-crash.ts';
import { cleanUp, makeDataDir, makeUsedDataDir, query } from '../fault/fixtures/embedded-kit.ts';
import { startMain } from '../fault/fixtures/main-process.ts';
import type { MainProcess } from '../fault/fixtures/main-process.ts';
import { noteFigures } from '../../figures.ts';
import { inFull } from '../../tier.ts';
import { until } from '../../until.ts';
import { asShopper, asStore, createCaller, newTally, pidOf } from './caller.ts';
import { writeLists } from './list-history.ts';
import { PROBED, readHeld } from './probe.ts';
import type { Held } from './probe.ts';
import { makeGuest } from './pulse.ts';
import { openShop } from './shop.ts';
import { makeStore, repeat } from './stage.ts';

const SECONDS = inFull(600, 1);
const SAMPLES = inFull(60, 2);
const POOL = 8;
/** Timers that come and go at any moment. */
const SPARE = 5;
/** Tables whose rows come and go; those that only grow with what is stored have nothing to shed. */
const CHURNED = [
  'item',
  'list',
  'outbox',
  'subscription',
  'restock',
  'shopper',
  'shopper_revision',
  'product',
];

let embedded: EmbeddedDatabase;
let main: MainProcess;
let smtp: Awaited<ReturnType<typeof startUnreliableSmtp>>;
let authorization: string;
let url: string;

beforeAll(async () => {
  const dataDir = await makeDataDir();
  embedded = await openEmbedded(await makeUsedDataDir(), createLogger('fatal'), {
    settings: { fsync: 'off', autovacuum_naptime: '5s' },
  });
  smtp = await startUnreliableSmtp(0);
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: embedded.url,
    DATABASE_POOL: String(POOL),
    DEMO: '0',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'fatal',
    SMTP_URL: smtp.url,
    // Idle ones stay for a minute; they are no more than is spared.
    MAIL_CONNECTIONS: '2',
    MAIL_FROM: 'alerts@store.example',
  };
  main = startMain(env, 'main', PROBED);
  url = await main.url;
  authorization = await makeStore(embedded.url);
});
afterAll(async () => {
  await main.end();
  await smtp.close();
  await embedded.release();
  await cleanUp();
});

type Table = { live: number; dead: number; bytes: number };

/** What the process and the database hold at a moment. */
type Sample = Held & { connections: number; table: Table };

async function take(): Promise<Sample> {
  const held = await readHeld(main);
  const [connections] = await query<{ count: number }>(
    embedded.url,
    `SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'wishgate'`,
  );
  const names = CHURNED.map((name) => `'${name}'`).join();
  const [table] = await query<Table>(
    embedded.url,
    `SELECT sum(n_live_tup)::int AS live, sum(n_dead_tup)::int AS dead, sum(pg_total_relation_size(relid))::float8 AS bytes
     FROM pg_stat_user_tables WHERE relname IN (${names})`,
  );
  return { ...held, connections: connections!.count, table: table! };
}

/** How many sockets, timers and the like there are. */
const handlesOf = ({ resources }: Held): number =>
  Object.values(resources).reduce((sum, count) => sum + count, 0);

const timersOf = ({ resources }: Held): number => resources['Timeout'] ?? 0;

/** How much a figure grows from the first to the last sample by the line that fits best. */
function growth(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [up, down] = [0, 0];
  values.forEach((value, n) => {
    up += (n - middle) * (value - mean);
    down += (n - middle) ** 2;
  });
  return (up / down) * (values.length - 1);
}

test(`${SECONDS} seconds of mixed load leave memory, handles, connections and tables as they were`, async () => {
  const tally = newTally();
  let isOver = false;
  const over = () => isOver;
  const before = await take();
  const store = createCaller(() => url, asStore(authorization), tally);
  const shop = openShop(store, { variants: 20, crowd: 10 });
  await shop.feed();
  const work = [
    repeat(over, shop.feed),
    repeat(over, shop.visit),
    ...Array.from({ length: 4 }, (_, n) =>
      repeat(over, async () => {
        // Shoppers come and go, so that nothing that is kept of one grows for ever.
        const shopper = await makeGuest(store, pidOf(authorization));
        const end = performance.now() + randomInt(2_000, 10_000);
        const isGone = () => isOver || performance.now() > end;
        const caller = createCaller(() => url, asShopper(shopper), tally, over);
        await writeLists(caller, tally, { isKeyed: n % 2 === 0, isOver: isGone, mark: 'Soak' });
      }),
    ),
  ];
  const samples: Sample[] = [];
  for (let n = 0; n < SAMPLES; n += 1) {
    await delay((SECONDS / SAMPLES) * 1_000);
    samples.push(await take());
  }
  isOver = true;
  await Promise.all(work);
  // What the start needs to warm up does not count.
  const steady = samples.slice(Math.floor(samples.length / 3));
  const last = steady.at(-1)!;
  const heapGrowthMb = growth(steady.map(({ heapMb }) => heapMb));
  const rssGrowthMb = growth(steady.map(({ rssMb }) => rssMb));
  const perRow = steady.map(({ table }) => table.bytes / Math.max(1, table.live));
  const handles = steady.map(handlesOf);
  await noteFigures('soak', {
    seconds: SECONDS,
    calls: tally.done,
    heapMb: [steady[0]!, last].map(({ heapMb }) => Math.round(heapMb)),
    rssMb: [steady[0]!, last].map(({ rssMb }) => Math.round(rssMb)),
    growthMb: { heap: Math.round(heapGrowthMb), rss: Math.round(rssGrowthMb) },
    handles: [Math.min(...handles), Math.max(...handles)],
    connections: Math.max(...samples.map(({ connections }) => connections)),
    bytesARow: [perRow[0], perRow.at(-1)].map((bytes) => Math.round(bytes!)),
    deadTuples: last.table.dead,
  });
  expect(tally.faults).toEqual([]);
  expect(Math.max(...samples.map(({ connections }) => connections))).toBeLessThanOrEqual(POOL + 2);
  // Memory needs more than seconds to tell, and the service keeps idle connections for a minute.
  if (SECONDS < 120) return;
  // Everything that load opens is closed after it: sockets of callers and mail servers, and timers. The pool may keep what it may have, with a timer each.
  await until(async () => {
    const now = await take();
    return (
      now.sockets <= before.sockets + SPARE &&
      timersOf(now) <= timersOf(before) + POOL + SPARE &&
      now.connections <= POOL + 2
    );
  });
  expect(heapGrowthMb).toBeLessThan(15);
  expect(rssGrowthMb).toBeLessThan(60);
  expect(Math.max(...handles.slice(handles.length >> 1))).toBeLessThan(
    Math.max(...handles.slice(0, handles.length >> 1)) * 1.5 + 10,
  );
  expect(perRow.at(-1)).toBeLessThan(perRow[0]! * 1.3);
  expect(last.table.dead).toBeLessThan(last.table.live + 5_000);
});
