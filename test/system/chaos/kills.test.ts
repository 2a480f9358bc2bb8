import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { openEmbedded } from '../../../src/platform/database/embedded.ts';
import type { EmbeddedDatabase } from '../../../src/platform/database/embedded.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { startUnreliableSmtp } from '../fault/dispatch-crash.ts';
import {
  cleanUp,
  makeDataDir,
  makeUsedDataDir,
  query as ask,
  serverPid,
} from '../fault/fixtures/embedded-kit.ts';
import { noteFigures } from '../../figures.ts';
import { inFull } from '../../tier.ts';
import { until } from '../../until.ts';
import { asShopper, asStore, createCaller, newTally, pidOf } from './caller.ts';
import { startFaultProxy } from './fault-proxy.ts';
import type { FaultProxy } from './fault-proxy.ts';
import { checkLists } from './list-check.ts';
import { writeLists } from './list-history.ts';
import { makeGuest, startPulse } from './pulse.ts';
import { openShop } from './shop.ts';
import { PAUSE_MS, makeStore, repeat, spread, supervise, superviseService, untilAll } from './stage.ts';
import type { Supervised, SupervisedService } from './stage.ts';

/** At every change each kind once. */
const KILLS = inFull(1_000, 8);
const WRITERS = inFull(6, 3);

let embedded: EmbeddedDatabase;
let proxy: FaultProxy;
let service: SupervisedService;
let worker: Supervised;
let authorization: string;
let smtp: Awaited<ReturnType<typeof startUnreliableSmtp>>;

beforeAll(async () => {
  const [databaseDir, dataDir] = [await makeUsedDataDir(), await makeDataDir()];
  embedded = await openEmbedded(databaseDir, createLogger('fatal'), { settings: { fsync: 'off' } });
  const url = new URL(embedded.url);
  proxy = await startFaultProxy(Number(url.port));
  url.port = String(proxy.port);
  smtp = await startUnreliableSmtp(0);
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: url.href,
    DATABASE_POOL: '8',
    DEMO: '0',
    RATE_LIMITS: 'off',
    SMTP_URL: smtp.url,
    MAIL_FROM: 'alerts@store.example',
    DISPATCH_LEASE_MS: '5000',
    DISPATCH_RETRY_MS: '50',
  };
  service = await superviseService(env);
  worker = supervise('cli/worker', env);
  authorization = await makeStore(embedded.url);
});
afterAll(async () => {
  await service.close();
  await worker.close();
  await proxy.close();
  await smtp.close();
  await embedded.release();
  await cleanUp();
});

const query = <Row extends pg.QueryResultRow>(text: string): Promise<Row[]> => ask(embedded.url, text);

/** A random backend that works for the service. */
async function backend(): Promise<number | undefined> {
  const rows = await query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'wishgate' ORDER BY random() LIMIT 1`,
  );
  return rows[0]?.pid;
}

/** Bad weather for a while. */
async function storm(weather: 'slow' | 'half-open'): Promise<void> {
  proxy.setWeather(weather);
  await delay(randomInt(200, 2_000));
  proxy.setWeather('clear');
}

/** False if the process has ended by itself meanwhile. */
function killed(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Everything that may happen to a service. */
const FAULTS: Record<string, () => Promise<unknown>> = {
  service: () => service.end('SIGKILL'),
  worker: () => worker.end('SIGKILL'),
  database: () => until(async () => killed(await serverPid(embedded.place.dir))),
  backend: () =>
    until(async () => {
      const pid = await backend();
      return pid === undefined || killed(pid);
    }),
  session: async () => query(`SELECT pg_terminate_backend(${(await backend()) ?? 0})`),
  cut: async () => proxy.cut(),
  slow: () => storm('slow'),
  'half-open': () => storm('half-open'),
};

/** How many alerts are still to be sent, or to be found. */
async function backlog(): Promise<number> {
  const [row] = await query<{ count: number }>(
    `SELECT (SELECT count(*) FROM outbox WHERE state = 'queued')::int + (SELECT count(*) FROM restock WHERE state = 'open')::int AS count`,
  );
  return row!.count;
}

test(`${KILLS} times a part is killed, cut off or silent under writes: nothing acknowledged is lost or doubled, no answer is wrong, everybody is told once`, async () => {
  const start = performance.now();
  const tally = newTally();
  let isOver = false;
  const over = () => isOver;
  const store = createCaller(() => service.url, asStore(authorization), tally, undefined, PAUSE_MS);
  const pulse = startPulse(store, over);
  const shop = openShop(store, { variants: 20, crowd: 10 });
  const selling = Promise.all([repeat(over, shop.feed), repeat(over, shop.visit)]);
  const writers = Array.from({ length: WRITERS }, async (_, n) => {
    const shopper = await makeGuest(store, pidOf(authorization));
    const caller = createCaller(() => service.url, asShopper(shopper), tally, over, PAUSE_MS);
    return writeLists(caller, tally, {
      isKeyed: n % 2 === 0,
      isOver: over,
      mark: `Writer ${n}`,
      isDisturbed: true,
    });
  });

  const back: Record<string, number[]> = {};
  const kinds = Object.keys(FAULTS);
  for (let n = 0; n < KILLS && tally.faults.length === 0; n += 1) {
    const kind = n < kinds.length ? kinds[n]! : kinds[randomInt(kinds.length)]!;
    const enough = tally.done + randomInt(5, 100);
    await until(() => tally.done >= enough);
    await FAULTS[kind]!();
    (back[kind] ??= []).push(await pulse.beat());
  }
  isOver = true;
  const histories = await Promise.all(writers);
  await Promise.all([selling, pulse.ended]);
  await shop.restockAll();
  await untilAll(async () => (await backlog()) === 0);

  const lists = await checkLists(query, histories);
  const kept = new Set(
    (await query<{ regid: string }>('SELECT regid FROM shopper')).map(({ regid }) => regid),
  );
  const lostAccounts = [...pulse.regids].filter((regid) => !kept.has(regid));
  const alerts = shop.judge(smtp.receipts, () => true);
  await noteFigures('kills', {
    kills: Object.values(back).flat().length,
    byKind: Object.fromEntries(Object.entries(back).map(([kind, times]) => [kind, times.length])),
    acknowledged: tally.done,
    lost: lists.lost.length + lostAccounts.length,
    doubled: lists.doubled.length,
    keptAnswers: histories.reduce((sum, { replays }) => sum + replays, 0),
    refused: tally.refused,
    broken: tally.broken,
    alerts: { told: alerts.told, copies: alerts.copies },
    backMs: Object.fromEntries(Object.entries(back).map(([kind, times]) => [kind, spread(times)])),
    seconds: Math.round((performance.now() - start) / 1_000),
  });
  expect(tally.faults).toEqual([]);
  expect(lists).toEqual({ ...lists, lost: [], doubled: [], miscounted: [], disordered: [] });
  expect(lostAccounts).toEqual([]);
  expect(alerts).toEqual({ ...alerts, untold: [], twice: [], intruded: [] });
  expect(lists.acknowledged).toBeGreaterThan(KILLS);
});
