import { setTimeout as delay } from 'node:timers/promises';
import { startUnreliableSmtp } from '../fault/dispatch-crash.ts';
import { noteFigures } from '../../figures.ts';
import { describeWith } from '../parts/parts.ts';
import { askPostgres } from '../parts/postgres.ts';
import { inFull, isLong } from '../../tier.ts';
import { asShopper, asStore, createCaller, newTally, pidOf } from './caller.ts';
import { SERVERS, startExampleCluster } from './example-cluster.ts';
import type { ExampleCluster } from './example-cluster.ts';
import { checkLists } from './list-check.ts';
import { writeLists } from './list-history.ts';
import { makeGuest } from './pulse.ts';
import { openShop } from './shop.ts';
import { watchForSplitBrain } from './split-brain.ts';
import { makeStore, repeat, untilAll } from './stage.ts';
import { startVisits } from './visits.ts';

type Fault = { target: string; how: 'crash' | 'kill' | 'stop' | 'cutOff' };

const TARGETS = ['primary', 'replica', 'etcd leader', 'gateway', 'pgbouncer', 'redis'];
const ALL = TARGETS.flatMap((target) =>
  (['kill', 'stop', 'cutOff'] as const).map((how) => ({ target, how })),
);
/** In full each of them ten times; at every change only a PostgreSQL crashes, which takes the least time. */
const FAULTS = inFull(180, 1);
/** How long nothing may succeed; reads have more time after the loss of anything but a primary. */
const LIMITS = { writes: 30_000, reads: 5_000, otherReads: 10_000 };
/** Of each loop of callers, so that the machine's time is left for the cluster. */
const PAUSE_MS = 100;
/** Faults of the long run last so long. */
const [SHORTEST_MS, LONGEST_MS] = [6_000, 12_000];

/** All faults in random order, and again, until there are enough. */
function drawFaults(): Fault[] {
  if (!isLong) return [{ target: 'primary', how: 'crash' }];
  const drawn: Fault[] = [];
  while (drawn.length < FAULTS)
    drawn.push(
      ...ALL.map((fault) => ({ fault, at: Math.random() }))
        .sort((a, b) => a.at - b.at)
        .map(({ fault }) => fault),
    );
  return drawn.slice(0, FAULTS);
}

describeWith(
  ['PostgreSQL 15', 'HAProxy', 'PgBouncer', 'Redis', 'Patroni', 'etcd'],
  'the example cluster',
  () => {
    let cluster: ExampleCluster;
    let smtp: Awaited<ReturnType<typeof startUnreliableSmtp>>;

    beforeAll(async () => {
      smtp = await startUnreliableSmtp(0);
      const settings = {
        LOG_LEVEL: 'error',
        SMTP_URL: smtp.url,
        MAIL_FROM: 'alerts@store.example',
        DISPATCH_LEASE_MS: '10000',
        DISPATCH_RETRY_MS: '50',
      };
      cluster = await startExampleCluster(settings, { canCut: isLong });
    });
    afterAll(async () => {
      await cluster?.end();
      await smtp.close();
    });

    const partOf = async (target: string): Promise<string> => {
      const one = <Item>(items: readonly Item[]): Item => items[Math.floor(Math.random() * items.length)]!;
      const primary = (await cluster.primary())!;
      if (target === 'primary') return primary;
      if (target === 'replica') return one(SERVERS.filter((name) => name !== primary));
      if (target === 'etcd leader') return cluster.etcdLeader();
      return target === 'redis' ? 'redis' : `${target}${one([1, 2, 3])}`;
    };

    test(`${FAULTS} faults under writes and reads: nothing acknowledged is lost or doubled, no two primaries, ${isLong ? 'writes back within 30 s and reads within 5 s, ' : ''}everybody is told once`, async () => {
      const start = performance.now();
      const first = (await cluster.primary())!;
      const urls = [first, ...SERVERS.filter((name) => name !== first)].map(
        (name) => [name, cluster.serverUrl(name, 'postgres')] as const,
      );
      const brains = await watchForSplitBrain(new Map(urls));
      const primaryUrl = async (): Promise<string> =>
        cluster.serverUrl((await cluster.primary())!, 'wishgate');
      const authorization = await makeStore(await primaryUrl());
      // Limits are counted, in Redis, and not reached.
      const limits = JSON.stringify({ key: 1e6, shopper: 1e6, address: 1e6 });
      await askPostgres(await primaryUrl(), `UPDATE store SET rate_limits = '${limits}'`);

      const tally = newTally();
      let isOver = false;
      const over = () => isOver;
      const base = () => cluster.url;
      const store = createCaller(base, asStore(authorization), tally, undefined, PAUSE_MS);
      const guest = () => makeGuest(store, pidOf(authorization));
      const visits = await startVisits(base, await guest(), tally);
      const shop = openShop(store, { variants: 8, crowd: 4 });
      const selling = Promise.all([repeat(over, shop.feed), repeat(over, shop.visit)]);
      const writers = [true, false].map(async (isKeyed) => {
        const caller = createCaller(base, asShopper(await guest()), tally, over, PAUSE_MS);
        return writeLists(caller, tally, {
          isKeyed,
          isOver: over,
          mark: `Writer ${isKeyed}`,
          isDisturbed: true,
        });
      });

      const seen: Record<string, { writes: number; reads: number; whole: number }[]> = {};
      const late: string[] = [];
      for (const { target, how } of drawFaults()) {
        await visits.mark();
        const name = await partOf(target);
        const at = performance.now();
        await cluster[how](name);
        if (isLong) await delay(SHORTEST_MS + Math.random() * (LONGEST_MS - SHORTEST_MS));
        if (target === 'primary')
          await untilAll(async () => ![name, undefined].includes(await cluster.primary()));
        await cluster.heal(name);
        await cluster.untilWhole();
        const gaps = visits.gaps();
        const label = `${how} ${target}`;
        (seen[label] ??= []).push({ ...gaps, whole: Math.round(performance.now() - at) });
        process.stderr.write(
          `${((performance.now() - start) / 1_000).toFixed(0)} s: ${label} (${name}): ${JSON.stringify(seen[label].at(-1))}, ${JSON.stringify(tally)}\n`,
        );
        const readLimit = target === 'primary' ? LIMITS.reads : LIMITS.otherReads;
        // Other tests share the cores with a short run.
        if (isLong && (gaps.writes > LIMITS.writes || gaps.reads > readLimit))
          late.push(`${label}: ${JSON.stringify(gaps)}`);
      }
      isOver = true;
      await visits.end();
      const histories = await Promise.all(writers);
      await selling;
      await shop.restockAll();
      const url = await primaryUrl();
      const query = <Row extends object>(text: string) => askPostgres<Row>(url, text);
      await untilAll(async () => {
        const open = `SELECT 1 FROM outbox WHERE state = 'queued' UNION ALL SELECT 1 FROM restock WHERE state = 'open' LIMIT 1`;
        return (await query(open)).length === 0;
      });

      const lists = await checkLists(query, histories);
      // Visits do not wait for each other, so their items come in any order.
      lists.disordered = lists.disordered.filter((text) => !text.startsWith('Visits'));
      const rows = await query<{ lid: string; epi: number }>('SELECT lid, epi::int FROM item');
      const lost = visits.lists.flatMap(({ lid, acknowledged }) => {
        const kept = rows.filter((row) => row.lid === lid).map(({ epi }) => epi);
        if (new Set(kept).size < kept.length) lists.doubled.push(lid);
        return [...acknowledged].filter((epi) => !kept.includes(epi)).map((epi) => `${lid}: ${epi}`);
      });
      const brain = await brains.end(cluster.serverUrl((await cluster.primary())!, 'postgres'));
      const alerts = shop.judge(smtp.receipts, () => true);
      await noteFigures('cluster', {
        faults: Object.values(seen).flat().length,
        acknowledged: tally.done,
        listWrites: lists.acknowledged,
        lost: lists.lost.length + lost.length + brain.lost.length,
        doubled: lists.doubled.length,
        probes: brain.acknowledged,
        split: brain.split.length,
        refused: tally.refused,
        broken: tally.broken,
        alerts: { told: alerts.told, twice: alerts.twice.length, copies: alerts.copies },
        longestGapMs: Object.fromEntries(
          Object.entries(seen).map(([label, all]) => [
            label,
            {
              writes: Math.max(...all.map(({ writes }) => writes)),
              reads: Math.max(...all.map(({ reads }) => reads)),
            },
          ]),
        ),
        seconds: Math.round((performance.now() - start) / 1_000),
      });
      expect(tally.faults).toEqual([]);
      expect(brain).toEqual({ ...brain, split: [], lost: [] });
      expect(lost).toEqual([]);
      expect(lists).toEqual({ ...lists, lost: [], doubled: [], miscounted: [], disordered: [] });
      expect(alerts).toEqual({ ...alerts, untold: [], twice: [], intruded: [] });
      expect(late).toEqual([]);
    });
  },
);
