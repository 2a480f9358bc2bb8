import type { NewStore } from '../../src/stores/store.service.ts';
import { outboxOf, seedSubscription, setStock } from '../alerts/kit.ts';
import { startSmtp } from '../alerts/receivers.ts';
import type { TestSmtp } from '../alerts/receivers.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { until } from '../until.ts';

let service: TestService;
let smtp: TestSmtp;
let store: NewStore;

beforeAll(async () => {
  smtp = await startSmtp();
  service = await startService({
    channels: { email: { smtpUrl: smtp.url, from: 'alerts@store.example', connections: 2, dkim: null } },
  });
});
afterAll(async () => {
  await service.close();
  await smtp.close();
});
beforeEach(async () => {
  smtp.received.length = 0;
  smtp.refuse = () => null;
  store = await service.createStore();
});

const QUERY = `query ($state: MessageState, $first: Int, $after: String) {
  alerts(state: $state, first: $first, after: $after) {
    totalCount pageInfo { hasNextPage endCursor }
    edges { node { id state topic epi medium value attempts error } }
  }
}`;
const alerts = async (variables: object, as = store) =>
  (await service.graphql(QUERY, variables, { store: as })).body.data.alerts;
const values = (page: { edges: { node: { value: string } }[] }) => page.edges.map(({ node }) => node.value);

async function failTwo(): Promise<void> {
  for (const name of ['a', 'b', 'c'])
    await seedSubscription(service, store, { epi: '1', value: `${name}@example.com` });
  smtp.refuse = (to) => (to === 'c@example.com' ? null : { code: 554, text: '5.7.1 Refused' });
  await setStock(service, store, '1', 5);
  await service.runTasks();
}

test('a store sees its alerts and dead letters with their reason, page by page; another store sees none', async () => {
  await failTwo();
  const dead = await alerts({ state: 'failed' });
  expect(dead.totalCount).toBe(2);
  expect(dead.edges[0].node).toMatchObject({
    state: 'failed',
    topic: 'backinstock',
    epi: 1,
    medium: 'email',
    value: 'b@example.com',
    attempts: 1,
  });
  expect(dead.edges[0].node.error).toContain('5.7.1 Refused');
  const first = await alerts({ first: 2 });
  expect(first.pageInfo.hasNextPage).toBe(true);
  const second = await alerts({ first: 2, after: first.pageInfo.endCursor });
  expect([...values(first), ...values(second)]).toEqual(['c@example.com', 'b@example.com', 'a@example.com']);
  expect(second.pageInfo.hasNextPage).toBe(false);
  expect((await alerts({}, await service.createStore())).totalCount).toBe(0);
});

test('dead letters can be tried again, one or all, with the same id', async () => {
  await failTwo();
  const dead = await alerts({ state: 'failed' });
  smtp.refuse = () => null;
  smtp.received.length = 0;
  const retry = 'mutation ($ids: [ID!]) { retryAlerts(ids: $ids) }';
  const stranger = await service.createStore();
  expect(
    (await service.graphql(retry, { ids: [dead.edges[0].node.id] }, { store: stranger })).body.data
      .retryAlerts,
  ).toBe(0);
  expect(
    (await service.graphql(retry, { ids: [dead.edges[0].node.id] }, { store })).body.data.retryAlerts,
  ).toBe(1);
  await service.runTasks();
  expect(smtp.received.map(({ mail }) => mail.messageId)).toEqual([
    `<${dead.edges[0].node.id}@store.example>`,
  ]);
  expect((await service.graphql(retry, {}, { store })).body.data.retryAlerts).toBe(1);
  await service.runTasks();
  expect(smtp.received.map(({ to }) => to)).toEqual(['b@example.com', 'a@example.com']);
  expect((await alerts({ state: 'failed' })).totalCount).toBe(0);
});

test('dead letters are tried again while a restock queues alerts of the same subscriptions; those stay as they are', async () => {
  await failTwo();
  const { db } = service.services;
  const portion = await db.pool.connect();
  try {
    await portion.query('BEGIN');
    await portion.query(
      `INSERT INTO outbox (pid, id, lane, medium, kind, recipient, restock_id, subscription_id, topic, epi, due_at, cts)
       SELECT pid, 'newer', lane, medium, kind, recipient, 'newer', subscription_id, topic, epi, now() + interval '1 hour', cts
       FROM outbox WHERE pid = $1 AND recipient = 'a@example.com'`,
      [store.pid],
    );
    const retried = service.graphql('mutation { retryAlerts }', {}, { store }).then(({ body }) => body);
    await until(async () => {
      const waiting = await db.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length === 1;
    });
    await portion.query('COMMIT');
    expect(await retried).toEqual({ data: { retryAlerts: 1 } });
  } finally {
    portion.release();
  }
  expect(values(await alerts({ state: 'failed' }))).toEqual(['a@example.com']);
});

test("a dead letter is told to the store's webhooks", async () => {
  const { db } = service.services;
  await db.query(
    `INSERT INTO webhook (pid, id, url, events, secret, cts, uts) VALUES ($1, 'w', 'http://127.0.0.1/', '{alert.failed}', 'whsec_AAAA', now(), now())`,
    [store.pid],
  );
  await failTwo();
  const events = (await outboxOf(service, store.pid)).filter(({ lane }) => lane === 'webhook');
  expect(events.map(({ payload }) => payload)).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        type: 'alert.failed',
        data: expect.objectContaining({
          value: 'a@example.com',
          error: expect.stringContaining('5.7.1 Refused'),
        }),
      }),
    ]),
  );
  expect(events).toHaveLength(2);
});

test('a caller without a store key, or one that asks for an impossible page, reads no alerts', async () => {
  const shopper = await service.guest(store);
  expect((await service.graphql(QUERY, {}, { shopper })).body.errors[0].extensions.type).toBe('forbidden');
  expect(
    (await service.graphql('mutation { retryAlerts }', {}, { shopper })).body.errors[0].extensions.type,
  ).toBe('forbidden');
  expect((await service.graphql(QUERY, { first: -1 }, { store })).body.errors[0].extensions.type).toBe(
    'invalid-limit',
  );
  expect(
    (await service.graphql(QUERY, { after: 'nonsense' }, { store })).body.errors[0].extensions.type,
  ).toBe('invalid-request');
});
