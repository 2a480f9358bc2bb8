import { useNewStore, useService } from '../harness.ts';
import type { Caller, TestShopper } from '../harness.ts';

const service = useService();
const store = useNewStore(service);

const SUBSCRIBE = 'mutation($input: SubscribeInput!) { subscribe(input: $input) { message topics } }';

function input(mediumvalue: string, epi: number | string = 1, topic = 'backinstock') {
  return {
    medium: mediumvalue.startsWith('+') ? 'sms' : 'email',
    mediumvalue,
    products: [{ epi, empi: 1, du: '/p' }],
    topics: [topic],
  };
}

async function subscribe(caller: Caller, ...args: Parameters<typeof input>): Promise<string | null> {
  const { body } = await service.graphql(SUBSCRIBE, { input: input(...args) }, caller);
  return body.errors?.[0].extensions.type ?? null;
}

async function count(): Promise<number> {
  const [row] = await service.services.db.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM subscription WHERE pid = $1',
    [store.pid],
  );
  return row!.n;
}

test('without credentials, or with a wrong session, nothing happens', async () => {
  const shopper = await service.account(store, 'ann@example.com');
  expect(await subscribe({}, 'ann@example.com')).toBe('unauthorised');
  expect(await subscribe({ shopper: { ...shopper, sessionid: 'x' } }, 'ann@example.com')).toBe(
    'bad-sessionid',
  );
  await service
    .post('/api/v3/subscriptions/fetch-subs', {}, { shopper: { ...shopper, sessionid: 'x' } })
    .expect(401);
  await service
    .post('/api/v3/subscriptions/unsubscribe', {}, { shopper: { ...shopper, regid: 'x' } })
    .expect(401);
  expect(await count()).toBe(0);
});

test('bad input has the documented type over GraphQL too', async () => {
  const cases: [object, string][] = [
    [{ medium: 'fax' }, 'invalid-medium'],
    [{ mediumvalue: 'x' }, 'invalid-mediumvalue'],
    [{ products: [] }, 'invalid-products'],
    [{ products: [{ epi: 1, du: '/p' }] }, 'invalid-products'],
    [{ topics: [] }, 'invalid-topics'],
    [{ addtomailinglist: 2 }, 'invalid-addtomailinglist'],
    [{ extras: 'x'.repeat(2049) }, 'invalid-extras'],
  ];
  for (const [fields, type] of cases) {
    const { body } = await service.graphql(
      SUBSCRIBE,
      { input: { ...input('ann@example.com'), ...fields } },
      { store },
    );
    expect(body.errors[0].extensions).toMatchObject({ type, status: 400 });
  }
  expect(await count()).toBe(0);
});

test('an account sees every subscription of its address, whenever made, and nobody else sees it', async () => {
  expect(await subscribe({ store }, 'ann@example.com', 1)).toBeNull();
  expect(await subscribe({ store }, 'bob@example.com', 2)).toBeNull();
  const shopper = await service.account(store, 'ann@example.com');
  expect(await subscribe({ shopper }, 'ann@example.com', 'x', 'comingsoon')).toBeNull();
  const { body } = await service.post('/api/v3/subscriptions/fetch-subs', {}, { shopper }).expect(200);
  expect(body).toMatchObject({ limit: 10, offset: 0, total: 2 });
  expect(body.subscriptions).toMatchObject([
    { epi: 'x', topic: 'comingsoon', medium: 'email', mediumvalue: 'ann@example.com', confirmed: true },
    { epi: 1, topic: 'backinstock', product: { epi: 1, du: '/p', dt: null } },
  ]);
  const other = await service.createStore();
  for (const stranger of [
    await service.account(store, 'eve@example.com'),
    await service.guest(store),
    await service.account(other, 'ann@example.com'),
  ]) {
    const answer = await service
      .post('/api/v3/subscriptions/fetch-subs', {}, { shopper: stranger })
      .expect(200);
    expect(answer.body).toMatchObject({ total: 0, subscriptions: [] });
  }
});

test('a guest sees those made under its regid only, with the contact masked', async () => {
  const guest = await service.guest(store);
  expect(await subscribe({ store, shopper: guest }, 'ann@example.com', 1)).toBeNull();
  expect(await subscribe({ store, shopper: guest }, '+49301234567', 2)).toBeNull();
  expect(await subscribe({ store, shopper: await service.guest(store) }, 'ann@example.com', 3)).toBeNull();
  const { body } = await service.post('/api/v3/subscriptions/fetch-subs', {}, { shopper: guest }).expect(200);
  expect(body.total).toBe(2);
  expect(body.subscriptions.map((row: { mediumvalue: string }) => row.mediumvalue)).toEqual([
    '+49***67',
    'a***@example.com',
  ]);
});

test('fetch-subs narrows by topic and medium and pages by limit and offset', async () => {
  for (const epi of [1, 2, 3]) expect(await subscribe({ store }, 'ann@example.com', epi)).toBeNull();
  expect(await subscribe({ store }, 'ann@example.com', 4, 'comingsoon')).toBeNull();
  const shopper = await service.account(store, 'ann@example.com');
  const fetchSubs = async (fields: object) =>
    (await service.post('/api/v3/subscriptions/fetch-subs', { ...fields }, { shopper })).body;
  expect(await fetchSubs({ topic: 'comingsoon' })).toMatchObject({ total: 1, subscriptions: [{ epi: 4 }] });
  expect(await fetchSubs({ medium: 'sms' })).toMatchObject({ total: 0, subscriptions: [] });
  expect(await fetchSubs({ limit: 2, offset: 1 })).toMatchObject({
    limit: 2,
    offset: 1,
    total: 4,
    subscriptions: [{ epi: 3 }, { epi: 2 }],
  });
  expect(await fetchSubs({ medium: 'fax' })).toMatchObject({ type: 'invalid-medium' });
  expect(await fetchSubs({ limit: 0 })).toMatchObject({ limit: 0, total: 4, subscriptions: [] });
  expect(await fetchSubs({ limit: 5_000_000_000 })).toMatchObject({ limit: 100, total: 4 });
  expect(await fetchSubs({ limit: -1 })).toMatchObject({ type: 'invalid-limit' });
  expect(await fetchSubs({ limit: 'x' })).toMatchObject({ type: 'invalid-limit' });
  expect(await fetchSubs({ offset: -1 })).toMatchObject({ type: 'invalid-offset' });
});

test('the connection pages by cursor, and a store key alone sees all of its store', async () => {
  for (const epi of [1, 2, 3]) expect(await subscribe({ store }, `p${epi}@example.com`, epi)).toBeNull();
  const query =
    'query($after: String) { subscriptions(first: 2, after: $after) { edges { node { epi mediumvalue } } pageInfo { hasNextPage endCursor } } }';
  const first = (await service.graphql(query, {}, { store })).body.data.subscriptions;
  expect(first.edges.map((edge: { node: object }) => edge.node)).toEqual([
    { epi: 3, mediumvalue: 'p3@example.com' },
    { epi: 2, mediumvalue: 'p2@example.com' },
  ]);
  expect(first.pageInfo.hasNextPage).toBe(true);
  const second = (await service.graphql(query, { after: first.pageInfo.endCursor }, { store })).body.data
    .subscriptions;
  expect(second).toMatchObject({ edges: [{ node: { epi: 1 } }], pageInfo: { hasNextPage: false } });
});

test('the connection counts all pages where the total is asked for, by what the caller may see and asked for', async () => {
  for (const epi of [1, 2, 3]) expect(await subscribe({ store }, 'ann@example.com', epi)).toBeNull();
  expect(await subscribe({ store }, 'bob@example.com', 1, 'comingsoon')).toBeNull();
  const guest = await service.guest(store);
  expect(await subscribe({ shopper: guest }, 'ann@example.com', 9)).toBeNull();
  const total = async (caller: Caller, args = '(first: 1)'): Promise<unknown> =>
    (await service.graphql(`{ subscriptions${args} { totalCount } }`, {}, caller)).body.data.subscriptions
      .totalCount;
  expect(await total({ store })).toBe(5);
  expect(await total({ store }, '(topic: "comingsoon")')).toBe(1);
  expect(await total({ store }, '(medium: sms)')).toBe(0);
  expect(await total({ shopper: await service.account(store, 'ann@example.com') })).toBe(4);
  expect(await total({ shopper: guest })).toBe(1);
  expect(await total({ store, shopper: guest })).toBe(1);
  expect(await total({ store: await service.createStore() })).toBe(0);
});

test.each([
  '["subscription",1.5]',
  '["subscription",1e30]',
  '["subscription","abc"]',
  '["product",1]',
  'abc',
])('subscriptions refuses the forged cursor %s', async (cursor) => {
  const after = Buffer.from(cursor).toString('base64url');
  const query = 'query($after: String) { subscriptions(after: $after) { edges { cursor } } }';
  for (const caller of [{ store }, { shopper: await service.guest(store) }]) {
    const { body } = await service.graphql(query, { after }, caller);
    expect(body.errors[0].extensions).toMatchObject({ status: 400, type: 'invalid-request' });
  }
});

test('unsubscribe ends what was named and nothing of anybody else', async () => {
  for (const epi of [1, 2]) expect(await subscribe({ store }, 'ann@example.com', epi)).toBeNull();
  expect(await subscribe({ store }, 'ann@example.com', 1, 'comingsoon')).toBeNull();
  expect(await subscribe({ store }, 'bob@example.com', 1)).toBeNull();
  const shopper = await service.account(store, 'ann@example.com');
  const leave = async (fields: object) =>
    (await service.post('/api/v3/subscriptions/unsubscribe', { ...fields }, { shopper }).expect(200)).body;
  expect(await leave({ epi: 1, topic: 'backinstock' })).toMatchObject({
    msg: expect.any(String),
    removed: 1,
  });
  expect(await leave({ epi: 1, topic: 'backinstock' })).toMatchObject({ removed: 0 });
  expect(await leave({ topic: 'comingsoon' })).toMatchObject({ removed: 1 });
  expect(await leave({})).toMatchObject({ removed: 1 });
  expect(await count()).toBe(1);
});

test('with a store key alone, unsubscribe needs a contact and ends only its subscriptions', async () => {
  expect(await subscribe({ store }, 'ann@example.com')).toBeNull();
  expect(await subscribe({ store }, 'bob@example.com')).toBeNull();
  const leave = async (args: string) =>
    (await service.graphql(`mutation { unsubscribe${args} { removed } }`, {}, { store })).body;
  expect((await leave('')).errors[0].extensions.type).toBe('invalid-medium');
  expect((await leave('(medium: email, mediumvalue: "Ann@example.com")')).data.unsubscribe.removed).toBe(1);
  expect(await count()).toBe(1);
});

test('text that the database cannot hold is bad input, not an error of ours', async () => {
  const shopper = await service.account(store, 'ann@example.com');
  for (const fields of [{ topic: 'a\u0000' }, { epi: 'a\u0000' }]) {
    await service.post('/api/v3/subscriptions/unsubscribe', fields, { shopper }).expect(400);
  }
});

test('after a login the next visitor of the device does not see the subscriptions that the guest had made', async () => {
  const uuid = '6f0c4d7e-2b1a-4c3d-8e5f-0a1b2c3d4e5f';
  const guest = await service.guest(store, uuid);
  expect(await subscribe({ store, shopper: guest }, 'ann@example.com')).toBeNull();
  const login = { uuid, useremail: 'ann@example.com', useragenttype: 'test' };
  await service.post('/storeadmin/v3/user/generate-regid', login, { store }).expect(200);
  const next = await service.guest(store, uuid);
  const total = async (shopper: TestShopper): Promise<number> =>
    (await service.post('/api/v3/subscriptions/fetch-subs', {}, { shopper }).expect(200)).body.total;
  expect(await total(next)).toBe(0);
  expect(await total(await service.account(store, 'ann@example.com'))).toBe(1);
});

test("the store's webhooks are told once of each subscription that is made and ended", async () => {
  const { db, now } = service.services;
  await db.query(
    'INSERT INTO webhook (pid, id, url, events, secret, cts, uts) VALUES ($1, $2, $3, $4, $5, $6, $6)',
    [
      store.pid,
      'hook',
      'https://shop.example/hook',
      ['subscription.created', 'subscription.removed'],
      'secret',
      now(),
    ],
  );
  for (let call = 0; call < 2; call += 1) expect(await subscribe({ store }, 'ann@example.com', 7)).toBeNull();
  await service
    .graphql(
      'mutation { unsubscribe(medium: email, mediumvalue: "ann@example.com") { removed } }',
      {},
      { store },
    )
    .expect(200);
  const events = await db.query(
    `SELECT kind, payload -> 'data' AS data FROM outbox WHERE pid = $1 AND lane = 'webhook' ORDER BY seq`,
    [store.pid],
  );
  const data = expect.objectContaining({
    medium: 'email',
    value: 'ann@example.com',
    epi: '7',
    topic: 'backinstock',
  });
  expect(events).toEqual([
    { kind: 'subscription.created', data },
    { kind: 'subscription.removed', data },
  ]);
});

test('a store key that names an unknown shopper is told so, and never sees all subscriptions instead', async () => {
  const store = await service.createStore();
  const stranger = { pid: store.pid, regid: 'nobody', sessionid: '' };
  const caller = { store, shopper: stranger };
  const wish =
    '{ medium: email, mediumvalue: "a@example.com", products: [{ epi: 1, empi: 1, du: "/p" }], topics: ["t"] }';
  for (const query of [
    '{ subscriptions { edges { node { id } } } }',
    'mutation { unsubscribe { removed } }',
    'mutation { unsubscribe(medium: email, mediumvalue: "a@example.com") { removed } }',
    `mutation { subscribe(input: ${wish}) { message } }`,
  ]) {
    const { body } = await service.graphql(query, {}, caller);
    expect(body.errors[0].extensions.type).toBe('sw-badregid');
  }
});
