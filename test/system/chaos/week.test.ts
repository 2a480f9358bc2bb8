import { setTimeout as delay } from 'node:timers/promises';
import { startUnreliableSmtp } from '../fault/dispatch-crash.ts';
import { cleanUp, makeDataDir } from '../fault/fixtures/embedded-kit.ts';
import { untilReady } from '../fault/fixtures/main-process.ts';
import { noteFigures } from '../../figures.ts';
import { startCluster } from '../parts/cluster.ts';
import type { Cluster } from '../parts/cluster.ts';
import { describeWith } from '../parts/parts.ts';
import { askPostgres } from '../parts/postgres.ts';
import { inFull, isLong } from '../../tier.ts';
import { until } from '../../until.ts';
import { asShopper, asStore, createCaller, newTally, pidOf } from './caller.ts';
import { checkLists } from './list-check.ts';
import { writeLists } from './list-history.ts';
import { makeGuest } from './pulse.ts';
import { openShop } from './shop.ts';
import { PAUSE_MS, makeStore, repeat, supervise, superviseService, untilAll } from './stage.ts';
import type { Supervised, SupervisedService } from './stage.ts';

/** A feed a minute; the next minute begins when its share of shoppers has come. */
const MINUTES = inFull(7 * 24 * 60, 20);
const ALERTS = inFull(100_000, 160);
/** When there is a deploy, in shares of the week. */
const DEPLOYS = isLong ? [0.2, 0.7] : [0.7];
const VISITORS = inFull(6, 3);
const LIST_WRITERS = 2;
/** Far more than a busy machine takes for a mail: a third of it is the patience with the mail server. */
const LEASE_MS = 20_000;

describeWith(['PostgreSQL 15'], "a merchant's week", () => {
  let cluster: Cluster;
  let smtp: Awaited<ReturnType<typeof startUnreliableSmtp>>;
  let services: SupervisedService[] = [];
  let worker: Supervised;
  let authorization: string;
  let primaryUrl: string;

  beforeAll(async () => {
    cluster = await startCluster({ isSynchronous: true });
    smtp = await startUnreliableSmtp(0);
    primaryUrl = cluster.primary.url;
    const [first, second] = [new URL(primaryUrl), new URL(cluster.replicaUrl)];
    const env = {
      DATA_DIR: await makeDataDir(),
      DATABASE_URL: `postgresql://wishgate@${first.host},${second.host}/wishgate`,
      DATABASE_POOL: '8',
      DEMO: '0',
      RATE_LIMITS: 'off',
      SMTP_URL: smtp.url,
      MAIL_FROM: 'alerts@store.example',
      DISPATCH_LEASE_MS: String(LEASE_MS),
    };
    services = [await superviseService(env), await superviseService(env)];
    worker = supervise('cli/worker', env);
    authorization = await makeStore(primaryUrl);
  });
  afterAll(async () => {
    for (const service of services) await service.close();
    await worker.close();
    await smtp.close();
    await cluster.remove();
    await cleanUp();
  });

  /** As a load balancer does: only services that say that they are ready get requests, in turn. */
  function balance(isOver: () => boolean): { base: () => string; ended: Promise<unknown> } {
    const isIn = services.map(() => true);
    let turn = 0;
    const ended = Promise.all(
      services.map(async ({ url }, n) => {
        while (!isOver()) {
          isIn[n] = await fetch(`${url}/readyz`).then(
            ({ status }) => status === 200,
            () => false,
          );
          await delay(100);
        }
      }),
    );
    const base = (): string => {
      const ready = services.filter((_service, n) => isIn[n]);
      return (ready.length > 0 ? ready : services)[(turn += 1) % (ready.length || services.length)]!.url;
    };
    return { base, ended };
  }

  /** One process after the other gets the new version. */
  async function deploy(): Promise<void> {
    for (const each of [...services, worker]) {
      expect(await each.end('SIGTERM')).toBe(0);
      if ('url' in each) await untilReady((each as SupervisedService).url);
    }
  }

  /** The primary dies, and its synchronous replica takes over. */
  async function failOver(): Promise<void> {
    await cluster.primary.process.stop('SIGKILL');
    await askPostgres(cluster.replicaUrl, 'SELECT pg_promote()');
    primaryUrl = cluster.replicaUrl;
  }

  test(`${MINUTES} minutes of feeds, ${ALERTS} alerts, deploys and a failover: nothing is lost, nobody is told twice, who left hears nothing`, async () => {
    const start = performance.now();
    const tally = newTally();
    let isOver = false;
    const over = () => isOver;
    const { base, ended } = balance(over);
    const store = createCaller(base, asStore(authorization), tally, undefined, PAUSE_MS);
    const shop = openShop(store, { variants: 40, crowd: Math.min(25, ALERTS / 80) });
    await shop.feed();
    const visitors = Array.from({ length: VISITORS }, () => repeat(over, shop.visit));
    const writers = Array.from({ length: LIST_WRITERS }, async (_, n) => {
      const shopper = await makeGuest(store, pidOf(authorization));
      const caller = createCaller(base, asShopper(shopper), tally, over, PAUSE_MS);
      return writeLists(caller, tally, {
        isKeyed: n % 2 === 0,
        isOver: over,
        mark: `Writer ${n}`,
        isDisturbed: true,
      });
    });

    const isAt = (minute: number, share: number): boolean => minute === Math.round(MINUTES * share);
    let brokenInDeploys = 0;
    let failedOverAt = 0;
    const deploys: Promise<void>[] = [];
    for (let minute = 1; minute <= MINUTES; minute += 1) {
      await until(() => shop.due() >= (minute / MINUTES) * ALERTS);
      await shop.feed();
      if (DEPLOYS.some((share) => isAt(minute, share))) {
        const before = tally.broken;
        deploys.push(deploy().then(() => void (brokenInDeploys += tally.broken - before)));
      }
      if (!isAt(minute, 0.5)) continue;
      await Promise.all(deploys);
      failedOverAt = Date.now();
      await failOver();
    }
    await Promise.all(deploys);
    isOver = true;
    const histories = await Promise.all(writers);
    await Promise.all([...visitors, ended]);
    await shop.restockAll();
    const query = <Row extends object>(text: string) => askPostgres<Row>(primaryUrl, text);
    await untilAll(async () => {
      const open = await query(
        `SELECT 1 FROM outbox WHERE state = 'queued' UNION ALL SELECT 1 FROM restock WHERE state = 'open' LIMIT 1`,
      );
      return open.length === 0;
    });

    const lists = await checkLists(query, histories);
    // What arrived while the database went away could not be recorded, and comes again under its id.
    const alerts = shop.judge(smtp.receipts, (time) => Math.abs(time - failedOverAt) < 2 * LEASE_MS);
    await noteFigures('week', {
      minutes: MINUTES,
      due: alerts.due,
      told: alerts.told,
      untold: alerts.untold.length,
      twice: alerts.twice.length,
      afterLeaving: alerts.intruded.length,
      copies: alerts.copies,
      listWrites: lists.acknowledged,
      lost: lists.lost.length,
      refused: tally.refused,
      broken: tally.broken,
      brokenInDeploys,
      seconds: Math.round((performance.now() - start) / 1_000),
    });
    expect(tally.faults).toEqual([]);
    expect(alerts).toEqual({ ...alerts, untold: [], twice: [], intruded: [], unexplained: [] });
    expect(alerts.due).toBeGreaterThanOrEqual(ALERTS);
    expect(lists).toEqual({ ...lists, lost: [], doubled: [], miscounted: [], disordered: [] });
  });
});
