import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NewStore } from '../../src/stores/store.service.ts';
import { emitEvents } from '../../src/stores/webhooks/event.repo.ts';
import { addWebhook } from '../../src/stores/webhooks/webhook.repo.ts';
import { isPublicAddress } from '../../src/platform/public-address.ts';
import { outboxOf, seedSubscription, setStock } from '../alerts/kit.ts';
import { startHttp } from '../alerts/receivers.ts';
import type { TestHttp } from '../alerts/receivers.ts';
import { startService } from '../harness.ts';
import type { Fields, TestService, TestShopper } from '../harness.ts';
import { eventFaults } from '../openapi.ts';
import { until } from '../until.ts';

let service: TestService;
let strict: TestService;
let receiver: TestHttp;
let store: NewStore;

const START = new Date('2026-03-01T09:00:00Z');
const later = (ms: number) => new Date(START.getTime() + ms);
const ALL_EVENTS = [
  'list.item.added',
  'list.item.removed',
  'subscription.created',
  'subscription.removed',
  'contact.optedin',
  'contact.optedout',
  'alert.sent',
  'alert.failed',
  'product.restocked',
];

beforeAll(async () => {
  receiver = await startHttp();
  service = await startService({ webhookAllowPrivate: true });
  strict = await startService({ webhookAllowPrivate: false });
});
afterAll(async () => {
  await service.close();
  await strict.close();
  await receiver.close();
});
beforeEach(async () => {
  receiver.received.length = 0;
  receiver.answer = () => ({ status: 204 });
  service.setNow(START);
  store = await service.createStore();
});

const SAVE =
  'mutation ($id: ID, $url: String!, $events: [String!]!) { saveWebhook(id: $id, url: $url, events: $events) { secret webhook { id url events } } }';
const save = async (variables: object, on = service, as = store) =>
  (await on.graphql(SAVE, variables, { store: as })).body;
const deliveries = async (webhookId: string) => {
  const query = '{ id type state attempts error payload }';
  const { body } = await service.graphql(
    `query ($webhookId: ID!) { deliveries(webhookId: $webhookId) { totalCount edges { node ${query} } } }`,
    { webhookId },
    { store },
  );
  return body.data.deliveries.edges.map(({ node }: { node: object }) => node);
};
const emit = () =>
  service.services.db.transaction((tx) =>
    emitEvents(tx, store.pid, [{ type: 'list.item.added', data: { lid: 'L', epi: '1' } }], START),
  );

test('a store reads what webhooks can be told of; nobody else does', async () => {
  const query = '{ webhookEvents }';
  const { body } = await service.graphql(query, {}, { store });
  expect(body).toEqual({ data: { webhookEvents: ALL_EVENTS } });
  expect((await service.graphql(query)).body.errors[0].extensions.type).toBe('unauthorised');
});

test('an event arrives signed in the Standard Webhooks way, and the secret is shown only once', async () => {
  const saved = (await save({ url: `${receiver.url}/hook`, events: ALL_EVENTS })).data.saveWebhook;
  expect(saved.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  await emit();
  await service.runTasks();
  const [{ method, path, headers, body }] = receiver.received as [(typeof receiver.received)[0]];
  expect([method, path]).toEqual(['POST', '/hook']);
  expect(JSON.parse(body)).toEqual({
    type: 'list.item.added',
    timestamp: START.toISOString(),
    data: { lid: 'L', epi: '1' },
  });
  expect(headers['webhook-timestamp']).toBe(String(START.getTime() / 1000));
  const key = Buffer.from(saved.secret.slice(6), 'base64');
  const expected = createHmac('sha256', key)
    .update(`${headers['webhook-id'] as string}.${headers['webhook-timestamp'] as string}.${body}`)
    .digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${expected}`);
  const listed = await service.graphql('{ webhooks { id url events } }', {}, { store });
  expect(listed.body.data.webhooks).toEqual([
    { id: saved.webhook.id, url: `${receiver.url}/hook`, events: ALL_EVENTS },
  ]);
  expect(
    (await save({ id: saved.webhook.id, url: `${receiver.url}/other`, events: ['alert.sent'] })).data
      .saveWebhook.secret,
  ).toBeNull();
});

test('only the chosen events of the own store are sent', async () => {
  await save({ url: receiver.url, events: ['alert.sent'] });
  await emit();
  const other = await service.createStore();
  await service.services.db.transaction((tx) =>
    emitEvents(tx, other.pid, [{ type: 'alert.sent', data: {} }], START),
  );
  await service.runTasks();
  expect(receiver.received).toEqual([]);
});

test('a restock tells of itself and of each alert sent', async () => {
  await setStock(service, store, '1', 0);
  await seedSubscription(service, store, { epi: '1', value: 'ok@example.com' });
  await save({ url: receiver.url, events: ALL_EVENTS });
  await setStock(service, store, '1', 4);
  await service.runTasks();
  const events = receiver.received.map(({ body }) => JSON.parse(body)).map(({ type, data }) => [type, data]);
  const { id } = (await outboxOf(service, store.pid)).find(({ lane }) => lane === 'alert')!;
  expect(events).toEqual(
    expect.arrayContaining([
      ['product.restocked', { epi: '1', stk: 4 }],
      [
        'alert.sent',
        { id, topic: 'backinstock', epi: '1', medium: 'email', value: 'ok@example.com', error: null },
      ],
    ]),
  );
  expect(events).toHaveLength(2);
});

test('a subscription made over REST and left by a shopper is told to the webhook', async () => {
  await save({ url: receiver.url, events: ALL_EVENTS });
  const form = {
    medium: 'email',
    mediumvalue: 's@example.com',
    products: [{ epi: 1, empi: 1, du: 'https://shop.example/p' }],
    topics: ['backinstock'],
  };
  await service.post('/storeadmin/bispa/subscriptions/create', form, { store }).expect(200);
  const shopper = await service.account(store, 's@example.com');
  await service.post('/api/v3/subscriptions/unsubscribe', { epi: 1 }, { shopper }).expect(200);
  await service.runTasks();
  expect(receiver.received.map(({ body }) => JSON.parse(body).type).sort()).toEqual([
    'subscription.created',
    'subscription.removed',
  ]);
});

test('items added to and removed from a list are told to the webhook', async () => {
  await save({ url: receiver.url, events: ALL_EVENTS });
  const shopper = await service.guest(store);
  const { body: list } = await service
    .post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper })
    .expect(200);
  const item = { epi: 11, empi: 1, du: 'https://shop.example/p' };
  await service.post('/api/v3/lists/update-ctx', { lid: list.lid, a: [item] }, { shopper }).expect(200);
  await service.post('/api/v3/lists/update-ctx', { lid: list.lid, d: [item] }, { shopper }).expect(200);
  await service.runTasks();
  const events = receiver.received
    .map(({ body }) => JSON.parse(body))
    .sort((a, b) => (a.type < b.type ? -1 : 1));
  expect(events).toMatchObject([
    { type: 'list.item.added', data: { lid: list.lid, epi: '11' } },
    { type: 'list.item.removed', data: { lid: list.lid, epi: '11' } },
  ]);
});

test('payloads are as the API reference describes them', async () => {
  const { data } = await save({ url: receiver.url, events: ALL_EVENTS });
  const shopper = await service.account(store, 's@example.com');
  const { body: list } = await service
    .post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper })
    .expect(200);
  const item = { epi: 11, empi: 1, du: 'https://shop.example/p' };
  for (const change of [{ a: [item] }, { d: [item] }])
    await service.post('/api/v3/lists/update-ctx', { lid: list.lid, ...change }, { shopper }).expect(200);
  const contact = { medium: 'email', mediumvalue: 's@example.com', topics: ['backinstock'] };
  const products = [item, { ...item, epi: 12 }];
  for (const addtomailinglist of [1, 0])
    await service
      .post('/storeadmin/bispa/subscriptions/create', { ...contact, products, addtomailinglist }, { store })
      .expect(200);
  await service.post('/api/v3/subscriptions/unsubscribe', { epi: 12 }, { shopper }).expect(200);
  await setStock(service, store, '11', 0);
  await setStock(service, store, '11', 5);
  await service.runTasks();
  const payloads = (await deliveries(data.saveWebhook.webhook.id)).map(
    ({ payload }: { payload: { type: string } }) => payload,
  );
  const types = new Set(payloads.map(({ type }: { type: string }) => type));
  expect(ALL_EVENTS.filter((type) => !types.has(type))).toEqual(['alert.failed']);
  for (const payload of payloads) expect([payload.type, eventFaults(payload)]).toEqual([payload.type, null]);
});

describe('items of whole lists are told to the webhook', () => {
  const variant = (epi: number) => ({ epi, empi: 1, du: 'https://shop.example/p' });
  const call = async (path: string, fields: Fields, shopper: TestShopper) =>
    (await service.post(`/api/v3/lists/${path}`, fields, { shopper }).expect(200)).body;
  const makeList = async (shopper: TestShopper, lname: string, ...epis: number[]): Promise<string> => {
    const { lid } = await call('create', { lname }, shopper);
    await call('update-ctx', { lid, a: epis.map(variant) }, shopper);
    return lid;
  };
  /** What was told since the last look, in a fixed order. */
  const told = async () => {
    await service.runTasks();
    const events = receiver.received.splice(0).map(({ body }) => JSON.parse(body));
    return events.map(({ type, data }) => `${type.slice(10)} ${data.epi} ${data.lid} ${data.uid}`).sort();
  };
  const uidOf = async (shopper: TestShopper): Promise<string> =>
    (await service.graphql('{ shopper { uid } }', {}, { shopper })).body.data.shopper.uid;

  const listen = () => save({ url: receiver.url, events: ALL_EVENTS });

  test('when the list is deleted, and when it is duplicated, short or long', async () => {
    const shopper = await service.guest(store);
    const uid = await uidOf(shopper);
    const short = await makeList(shopper, 'Short', 1, 2);
    const long = await makeList(shopper, 'Long', ...Array.from({ length: 500 }, (_, index) => index + 1));
    await call('update-ctx', { lid: long, a: [variant(501)] }, shopper);
    await listen();

    const { lid: twin } = await call('create', { lname: 'Twin', fromlid: short }, shopper);
    expect(await told()).toEqual([`added 1 ${twin} ${uid}`, `added 2 ${twin} ${uid}`]);
    const { lid: copy, _cp: isCopying } = await call('create', { lname: 'Copy', fromlid: long }, shopper);
    expect(isCopying).toBe(true);
    const copied = await told();
    expect([copied.length, new Set(copied).size, copied[0]]).toEqual([501, 501, `added 1 ${copy} ${uid}`]);

    await call('delete-list', { lid: short }, shopper);
    expect(await told()).toEqual([`removed 1 ${short} ${uid}`, `removed 2 ${short} ${uid}`]);
  });

  test('when they go from a guest to an account at login', async () => {
    const [guest, account] = [await service.guest(store), await service.account(store, 'a@example.com')];
    const [guestUid, uid] = [await uidOf(guest), await uidOf(account)];
    const joining = await makeList(guest, 'Wishes', 1, 2);
    const moving = await makeList(guest, 'Garden', 3);
    const target = await makeList(account, 'Wishes', 2);
    await listen();
    await service
      .post(
        '/storeadmin/v3/user/guest-validate-sync',
        { regid: guest.regid, useremail: 'a@example.com', useragenttype: 'web' },
        { store },
      )
      .expect(200);
    expect(await told()).toEqual(
      [
        `removed 1 ${joining} ${guestUid}`,
        `removed 2 ${joining} ${guestUid}`,
        `removed 3 ${moving} ${guestUid}`,
        `added 1 ${target} ${uid}`,
        `added 3 ${moving} ${uid}`,
      ].sort(),
    );
  });

  test('a copy of what a list holds already is no addition', async () => {
    const shopper = await service.guest(store);
    const uid = await uidOf(shopper);
    const fromlid = await makeList(shopper, 'From', 1, 2);
    const tolid = await makeList(shopper, 'Into', 2);
    await listen();
    const copy =
      'mutation ($f: ID!, $t: ID!) { copyItems(fromlid: $f, tolid: $t, epis: [1, 2]) { to { cnt } } }';
    const { body } = await service.graphql(copy, { f: fromlid, t: tolid }, { shopper });
    expect(body.data.copyItems.to.cnt).toBe(2);
    expect(await told()).toEqual([`added 1 ${tolid} ${uid}`]);
  });
});

test('a failing receiver is tried again with backoff under the same id, and its Retry-After counts', async () => {
  const { id: webhookId } = (await save({ url: `${receiver.url}/failing`, events: ALL_EVENTS })).data
    .saveWebhook.webhook;
  // What earlier tests left to be sent becomes due with this clock, too.
  const received = () => receiver.received.filter(({ path }) => path === '/failing');
  await emit();
  receiver.answer = () => ({ status: 500 });
  await service.runTasks();
  receiver.answer = () => ({ status: 503, headers: { 'retry-after': '7200' } });
  service.setNow(later(3_600_000));
  await service.runTasks();
  receiver.answer = () => ({ status: 200 });
  service.setNow(later(3_600_000 + 7_000_000));
  await service.runTasks();
  expect(received()).toHaveLength(2);
  service.setNow(later(3_600_000 + 7_201_000));
  await service.runTasks();
  expect(new Set(received().map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(received().map(({ headers }) => headers['webhook-signature'])).size).toBe(3);
  expect(await deliveries(webhookId)).toMatchObject([{ state: 'sent', attempts: 3, error: null }]);
});

test('receivers that hang hold up their own stores only', async () => {
  let hung = 0;
  const silent = createServer(() => void (hung += 1)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  const silentStores = [store];
  while (silentStores.length < 8) silentStores.push(await service.createStore());
  for (const { pid, ...own } of silentStores) {
    await save({ url, events: ALL_EVENTS }, service, { pid, ...own });
    const events = Array.from({ length: 40 }, () => ({ type: 'list.item.added' as const, data: {} }));
    await service.services.db.transaction((tx) => emitEvents(tx, pid, events, START));
  }
  const running = service.runTasks();
  await until(async () => hung === 8);

  const other = await service.createStore();
  await save({ url: receiver.url, events: ALL_EVENTS }, service, other);
  const arrived = new Promise<void>((resolve) => {
    receiver.answer = () => (resolve(), { status: 204 });
  });
  await service.services.db.transaction((tx) =>
    emitEvents(tx, other.pid, [{ type: 'alert.sent', data: {} }], START),
  );
  await arrived;
  for (const { pid } of silentStores)
    expect((await outboxOf(service, pid)).filter(({ error }) => error !== null)).toEqual([]);
  silent.close();
  silent.closeAllConnections();
  await running;
});

test('an address that answers gets more and more at a time, and another of the same store is not held up by one that hangs', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
  for (const url of [silentUrl, receiver.url]) await save({ url, events: ALL_EVENTS });
  let [underWay, most] = [0, 0];
  receiver.answer = async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    // One slot of the store's eight is with the address that hangs.
    const isLate = receiver.received.length > 10;
    await until(async () => !isLate || most === 7);
    underWay -= 1;
    return { status: 204 };
  };
  const events = Array.from({ length: 60 }, () => ({ type: 'list.item.added' as const, data: {} }));
  await service.services.db.transaction((tx) => emitEvents(tx, store.pid, events, START));
  const running = service.runTasks();
  await until(async () => receiver.received.length === 60);
  expect(most).toBe(7);
  silent.close();
  silent.closeAllConnections();
  await running;
});

test('a redirect is not followed', async () => {
  const { id: webhookId } = (await save({ url: `${receiver.url}/from`, events: ALL_EVENTS })).data.saveWebhook
    .webhook;
  receiver.answer = () => ({ status: 302, headers: { location: `${receiver.url}/to` } });
  await emit();
  await service.runTasks();
  expect(receiver.received.map(({ path }) => path)).toEqual(['/from']);
  expect(await deliveries(webhookId)).toMatchObject([
    { state: 'queued', error: 'the receiver returned 302' },
  ]);
});

test('a delivery can be replayed under its old id; one of another store cannot', async () => {
  const { id: webhookId } = (await save({ url: receiver.url, events: ALL_EVENTS })).data.saveWebhook.webhook;
  receiver.answer = () => ({ status: 410 });
  await emit();
  await service.runTasks();
  const [dead] = await deliveries(webhookId);
  expect(dead).toMatchObject({ state: 'failed', error: 'the receiver returned 410' });
  receiver.answer = () => ({ status: 200 });
  const replay = 'mutation ($id: ID!) { replayDelivery(id: $id) { state } }';
  const stranger = await service.createStore();
  expect(
    (await service.graphql(replay, { id: dead.id }, { store: stranger })).body.errors[0].extensions.type,
  ).toBe('not-found');
  expect((await service.graphql(replay, { id: dead.id }, { store })).body.data.replayDelivery.state).toBe(
    'queued',
  );
  await service.runTasks();
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([dead.id, dead.id]);
});

test('a removed webhook gets nothing more; another store cannot remove it', async () => {
  const { id } = (await save({ url: receiver.url, events: ALL_EVENTS })).data.saveWebhook.webhook;
  const remove = 'mutation ($id: ID!) { deleteWebhook(id: $id) }';
  const stranger = await service.createStore();
  expect((await service.graphql(remove, { id }, { store: stranger })).body.errors[0].extensions.type).toBe(
    'not-found',
  );
  await emit();
  expect((await service.graphql(remove, { id }, { store })).body.data.deleteWebhook).toBe(true);
  await service.runTasks();
  expect(receiver.received).toEqual([]);
  expect(await outboxOf(service, store.pid)).toMatchObject([{ state: 'withheld' }]);
});

test.each([
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f.0.0.1/',
  'http://localhost/',
  'http://[::1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://10.1.2.3/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest/meta-data',
  'http://100.64.0.1/',
  'http://0.0.0.0/',
  'http://[fe80::1]/',
  'http://[fd00::1]/',
  'http://[fec0::1]/',
  'http://[64:ff9b::a00:1]/',
  'http://[2002:a00:1::]/',
])('the target %s is refused when it is saved', async (url) => {
  const own = await strict.createStore();
  const body = await save({ url, events: ALL_EVENTS }, strict, own);
  expect(body.errors[0]).toMatchObject({
    message: 'url must point to a public IP address',
    extensions: { type: 'invalid-request' },
  });
});

test.each(['localhost', '127.0.0.1'])(
  'a target that turns out to be %s at connect time is not called',
  async (host) => {
    const own = await strict.createStore();
    const { db } = strict.services;
    await db.query(
      `INSERT INTO webhook (pid, id, url, events, secret, cts, uts) VALUES ($1, 'w', $2, '{alert.sent}', 'whsec_AAAA', now(), now())`,
      [own.pid, `http://${host}:${receiver.port}/`],
    );
    await db.transaction((tx) =>
      emitEvents(tx, own.pid, [{ type: 'alert.sent', data: {} }], strict.services.now()),
    );
    await strict.runTasks();
    expect(receiver.received).toEqual([]);
    expect(await outboxOf(strict, own.pid)).toMatchObject([
      { state: 'failed', error: 'the IP address is not public' },
    ]);
  },
);

test('a public address counts as public, and what is no address does not', () => {
  expect(['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'].map(isPublicAddress)).toEqual([true, true]);
  expect(isPublicAddress('not an address')).toBe(false);
});

test.each([
  [{ url: 'ftp://shop.example/', events: ['alert.sent'] }],
  [{ url: 'nonsense', events: ['alert.sent'] }],
  [{ url: 'https://user:pass@shop.example/', events: ['alert.sent'] }],
  [{ url: 'https://shop.example/', events: [] }],
  [{ url: 'https://shop.example/', events: ['everything'] }],
])('a webhook with the bad input %j is refused', async (variables) => {
  expect((await save(variables)).errors[0].extensions.type).toBe('invalid-request');
});

test('a store has at most 20 webhooks, also when two are added at once', async () => {
  const { db } = service.services;
  for (let n = 1; n < 20; n += 1) await save({ url: `${receiver.url}/${n}`, events: ['alert.sent'] });
  const other = { id: 'other', url: receiver.url, events: ['alert.sent'], secret: 'whsec_AAAA' };
  let second: ReturnType<typeof save> | undefined;
  await db.transaction(async (tx) => {
    await addWebhook(tx, store.pid, other, START);
    let isAnswered = false;
    second = save({ url: `${receiver.url}/late`, events: ['alert.sent'] }).finally(() => (isAnswered = true));
    await until(async () => {
      const waiting = await db.query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return isAnswered || waiting.length > 0;
    });
  });
  expect((await second!).errors[0]).toMatchObject({
    message: 'A store can have at most 20 webhooks',
    extensions: { type: 'limit-reached' },
  });
  const { body } = await service.graphql('{ webhooks { id } }', {}, { store });
  expect(body.data.webhooks).toHaveLength(20);
});

test('webhooks need a store key, and the demo store has none', async () => {
  const shopper = await service.guest(store);
  for (const query of [
    '{ webhooks { id } }',
    '{ deliveries(webhookId: "x") { totalCount } }',
    'mutation { deleteWebhook(id: "x") }',
    'mutation { replayDelivery(id: "x") { id } }',
  ]) {
    expect((await service.graphql(query, {}, { shopper })).body.errors[0].extensions.type).toBe('forbidden');
  }
  const showing = await startService({ demo: true });
  const asDemo = { ...showing.demo!, name: 'Demo' };
  const refused = await save({ url: receiver.url, events: ALL_EVENTS }, showing, asDemo);
  await showing.close();
  expect(refused.errors[0].extensions.type).toBe('forbidden');
});
