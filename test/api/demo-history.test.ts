import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { HOUSEKEEPING } from '../../src/alerts/dispatch/housekeeping.ts';
import { DAY_MS } from '../../src/platform/time.ts';
import { ensureDemoStore } from '../../src/web/demo-store/demo.ts';
import { HISTORY_DOMAIN } from '../../src/web/demo-store/history.service.ts';
import type { OutboxMail } from '../../src/web/demo-store/message.ts';
import { startService, useService } from '../harness.ts';

const service = useService({ demo: true });

const PERIOD =
  'days { adds subscriptions alerts } adds subscriptions alerts previous { adds subscriptions alerts }';
const REVENUE = `sent clicked ordered totals { orders amount fromAlerts fromLists } topics { topic clicked totals { orders amount } }
  days { sent clicked totals { orders amount } } previous { ordered }`;
const FIGURES = `{
  month: activityReport(days: 30) { ${PERIOD} }
  all: activityReport(days: 90) { ${PERIOD} }
  today: activityReport(days: 1) { adds subscriptions alerts }
  revenue(days: 30) { ${REVENUE} }
  mostWishlisted(first: 100) { count }
  waitingDemand { epi waiting stk }
  sent: alerts(state: sent, first: 0) { totalCount }
  unsent: alerts(state: queued, first: 0) { totalCount }
  subscriptions(first: 0) { totalCount }
  products(first: 100) { edges { node { epi waiting stk cts } } }
  shoppers(first: 100) { edges { node { uid isGuest userinfo { em fname cts } } } }
}`;

const read = async (own: typeof service = service) => {
  await own.runTasks();
  return (await own.graphql(FIGURES, {}, { store: own.demo! }).expect(200)).body.data;
};

const sum = (numbers: readonly (number | string)[]): number =>
  Math.round(numbers.reduce<number>((total, one) => total + Number(one), 0) * 100) / 100;

test('a new demo store has a history, and its figures agree with its rows', async () => {
  const { month, all, today, revenue, ...rows } = await read();
  const { item, list, subscriptionRequest } = service.services.db.prisma;
  const where = { pid: service.demo!.pid };

  for (const field of ['adds', 'subscriptions', 'alerts'] as const) {
    expect(month.previous[field]).toBeGreaterThan(20);
    expect(month[field]).toBeGreaterThan(month.previous[field]);
    expect(month[field]).toBe(sum(month.days.map((day: typeof month) => day[field])));
  }
  expect(all.previous).toEqual({ adds: 0, subscriptions: 0, alerts: 0 });
  expect(today).toEqual({ adds: 0, subscriptions: 0, alerts: 0 });
  expect([rows.sent.totalCount, rows.unsent.totalCount]).toEqual([month.alerts, 0]);
  expect(await item.count({ where })).toBe(all.adds);
  expect(sum(rows.mostWishlisted.map(({ count }: { count: number }) => count))).toBe(all.adds);
  expect((await list.aggregate({ where, _sum: { cnt: true } }))._sum.cnt).toBe(all.adds);

  // Everybody who signed up got an alert or still waits.
  expect(rows.subscriptions.totalCount).toBe(all.subscriptions - all.alerts);
  expect(await subscriptionRequest.count({ where })).toBe(rows.subscriptions.totalCount);
  type Variant = { epi: number; waiting: number; stk: number; cts: number };
  const variants = rows.products.edges.map(({ node }: { node: Variant }) => node) as Variant[];
  expect(sum(variants.map(({ waiting }) => waiting))).toBe(rows.subscriptions.totalCount);
  const soldOut = variants.filter(({ stk }) => stk === 0);
  expect(rows.waitingDemand).toHaveLength(soldOut.length);
  for (const { epi, waiting } of soldOut) {
    expect(rows.waitingDemand).toContainEqual({ epi, waiting, stk: 0 });
    expect(waiting).toBeLessThanOrEqual(4);
  }
  for (const { cts } of variants) expect(Date.now() - cts).toBeGreaterThan(88 * DAY_MS);

  expect(revenue.sent).toBe(month.alerts);
  expect(revenue.clicked).toBeLessThan(revenue.sent);
  expect(revenue.ordered).toBeLessThan(revenue.clicked);
  expect(revenue.ordered).toBeGreaterThan(revenue.previous.ordered);
  const [total] = revenue.totals;
  expect(sum(revenue.topics.map(({ clicked }: { clicked: number }) => clicked))).toBe(revenue.clicked);
  const ofTopics = revenue.topics.flatMap(({ totals }: typeof revenue) => totals);
  expect(sum(ofTopics.map(({ amount }: { amount: string }) => amount))).toBe(Number(total.fromAlerts));
  expect(sum(ofTopics.map(({ orders }: { orders: number }) => orders))).toBe(revenue.ordered);
  const ofDays = revenue.days.flatMap(({ totals }: typeof revenue) => totals);
  expect(sum(ofDays.map(({ amount }: { amount: string }) => amount))).toBe(Number(total.amount));
  expect(Number(total.fromLists)).toBeGreaterThan(0);
});

test("a shopper's page shows the shopper's own list and alerts, a guest's too, and everybody has a reserved address", async () => {
  const store = service.demo!;
  const { shoppers } = await read();
  const { prisma } = service.services.db;
  const kinds = new Set<boolean>();
  for (const { node } of shoppers.edges) {
    if (!node.isGuest)
      expect(node.userinfo.em).toMatch(
        new RegExp(`^${node.userinfo.fname.toLowerCase()}\\..+${HISTORY_DOMAIN}$`),
      );
    const query = `query ($uid: String!) { findShopper(uid: $uid) {
      lists(first: 10, st: null) { edges { node { lname cnt } } } subscriptions(first: 20) { edges { node { epi: id } } } } }`;
    const { body } = await service.graphql(query, { uid: node.uid }, { store }).expect(200);
    expect(body.data.findShopper.lists.edges).toHaveLength(1);
    expect(body.data.findShopper.lists.edges[0].node.cnt).toBeGreaterThan(0);
    if (body.data.findShopper.subscriptions.edges.length > 0) kinds.add(node.isGuest);
  }
  expect(kinds).toEqual(new Set([true, false]));
  const where = { pid: store.pid };
  const contacts = [
    ...(await prisma.outboxMessage.findMany({ where })).map(({ recipient }) => recipient),
    ...(await prisma.subscription.findMany({ where })).map(({ value }) => value),
  ];
  expect(contacts.filter((contact) => !contact.endsWith(HISTORY_DOMAIN))).toEqual([]);
});

test('housekeeping deletes nothing of it on the first day', async () => {
  const before = await read();
  const endOfDay = new Date((Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS - 1);
  for (const { name, run } of HOUSEKEEPING)
    expect([name, await run(service.services, endOfDay)]).toEqual([name, 0]);
  expect(await read()).toEqual(before);
});

test('neither another start nor a lost file adds to it, and two starts at once write it once', async () => {
  const before = await read();
  await ensureDemoStore(service.services);
  await rm(join(service.services.config.dataDir, 'demo-store.json'));
  service.demo = await ensureDemoStore(service.services);
  expect(await read()).toEqual(before);

  const own = await startService({ demo: true });
  await own.services.db.prisma.store.deleteMany({});
  await own.services.db.prisma.tally.deleteMany({});
  const [one, other] = await Promise.all([ensureDemoStore(own.services), ensureDemoStore(own.services)]);
  expect(one).toEqual(other);
  own.demo = one;
  const { month, subscriptions, waitingDemand } = await read(own);
  expect([month.alerts, subscriptions, waitingDemand]).toEqual([
    before.month.alerts,
    before.subscriptions,
    before.waitingDemand,
  ]);
  await own.close();
});

test('a start that fails leaves no store without its history', async () => {
  const own = await startService({ demo: true });
  const { prisma } = own.services.db;
  await prisma.store.deleteMany({});
  await prisma.tally.deleteMany({});
  await prisma.$executeRawUnsafe('ALTER TABLE revenue_sum ADD CONSTRAINT nothing CHECK (false)');
  await expect(ensureDemoStore(own.services)).rejects.toThrow('nothing');
  expect([await prisma.store.count(), await prisma.shopper.count()]).toEqual([0, 0]);
  await prisma.$executeRawUnsafe('ALTER TABLE revenue_sum DROP CONSTRAINT nothing');
  own.demo = await ensureDemoStore(own.services);
  expect((await read(own)).month.alerts).toBeGreaterThan(20);
  await own.close();
});

test('a visitor who waits with others gets the alert at once, and the test panel shows only visitors’ messages', async () => {
  const own = await startService({ demo: true });
  const { waitingDemand, today } = await read(own);
  const [{ epi, waiting }] = waitingDemand;
  const outbox = async () => {
    const { body } = await own.http.get('/demo/api/outbox').expect(200);
    return Promise.all(
      (body as OutboxMail[]).map(async ({ eml }) => (await PostalMime.parse(eml)).to?.[0]?.address),
    );
  };
  expect(await outbox()).toEqual([]);
  const store = own.demo!;
  const fields = {
    ...{ medium: 'email', mediumvalue: 'visitor@example.com', topics: ['backinstock'] },
    products: [{ epi, empi: 102, du: '/demo#/p/kettle' }],
  };
  await own.post('/storeadmin/bispa/subscriptions/create', fields, { store }).expect(200);
  await own.http.post('/demo/api/stock').send({ epi, isInStock: true }).expect(200);
  const after = await read(own);
  expect(await outbox()).toEqual(['visitor@example.com']);
  expect(after.today.alerts - today.alerts).toBe(waiting + 1);
  expect(after.unsent.totalCount).toBe(0);
  await own.close();
});

test('a person of the history can be exported and erased like any other', async () => {
  const own = await startService({ demo: true });
  const store = own.demo!;
  const { prisma } = own.services.db;
  const alert = await prisma.outboxMessage.findFirstOrThrow({
    where: { pid: store.pid, recipient: { startsWith: 'anna.berger' } },
  });
  const where = { pid: store.pid, em: alert.recipient };
  const { regid, em } = await prisma.shopper.findFirstOrThrow({ where });
  const exported = await own.post('/storeadmin/v3/user/export', { regid }, { store }).expect(200);
  expect(JSON.stringify(exported.body)).toContain(em!);
  const erase = 'mutation ($regid: String) { eraseShopper(regid: $regid) { id } }';
  await own.graphql(erase, { regid }, { store }).expect(200);
  expect([
    await prisma.outboxMessage.count({ where: { pid: store.pid, recipient: em! } }),
    await prisma.list.count({ where: { pid: store.pid, regid } }),
  ]).toEqual([0, 0]);
  await own.close();
});
