import { randomUUID } from 'node:crypto';
import { useService, useStore } from '../harness.ts';
import type { TestShopper } from '../harness.ts';

const service = useService();
const store = useStore(service);

const EMAIL = 'pat@example.com';
const ERASE =
  'mutation ($useremail: String, $regid: String) { eraseShopper(useremail: $useremail, regid: $regid) { action subject detail } }';
const EXPORT = 'mutation ($useremail: String) { exportShopper(useremail: $useremail) { data } }';

/** A shopper with a list, an item and a subscription. */
async function furnish(email: string): Promise<TestShopper> {
  const shopper = await service.account(store, email);
  const caller = { shopper };
  const { body: list } = await service
    .post('/api/v3/lists/create', { lname: 'Birthday' }, caller)
    .expect(200);
  await service
    .post(
      '/api/v3/lists/update-ctx',
      { lid: list.lid, a: [{ epi: 1, empi: 10, du: 'https://shop.example/p', note: 'in red' }] },
      caller,
    )
    .expect(200);
  await service
    .post(
      '/storeadmin/bispa/subscriptions/create',
      {
        medium: 'email',
        mediumvalue: email,
        products: [{ epi: 1, empi: 10, du: 'https://shop.example/p' }],
        topics: ['backinstock'],
      },
      { store },
    )
    .expect(200);
  return shopper;
}

test('an export holds the record, lists with items, and subscriptions, and is recorded without naming the person', async () => {
  await furnish(EMAIL);
  const { body } = await service.graphql(EXPORT, { useremail: EMAIL }, { store });
  const { data } = body.data.exportShopper;
  expect(data.shopper.em).toBe(EMAIL);
  expect(data.lists).toMatchObject([{ lname: 'Birthday', items: [{ epi: '1', note: 'in red' }] }]);
  expect(data.subscriptions).toMatchObject([{ topic: 'backinstock', value: EMAIL }]);
  const log = await service.graphql('{ auditLog { action subject keyId detail } }', {}, { store });
  expect(log.body.data.auditLog[0].action).toBe('export');
  expect(JSON.stringify(log.body)).not.toContain('pat@');
});

test('an erasure leaves no row that names the person, ends the sessions and is recorded', async () => {
  const email = 'erase.me@example.com';
  const shopper = await furnish(email);
  // The restock queues an alert to the person and uses the subscription up.
  const restock = { products: [{ epi: 1, empi: 10, du: 'https://shop.example/p', stk: 5 }] };
  await service.post('/storeadmin/v3/products/upsert', restock, { store }).expect(200);
  await service.runTasks();
  const { body } = await service.graphql(ERASE, { useremail: email }, { store });
  expect(body.data.eraseShopper).toMatchObject({ action: 'erase', detail: { lists: 1, messages: 1 } });
  const dump = await service.services.db.query<{ table_name: string }>(
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
  );
  for (const { table_name: table } of dump) {
    const rows = await service.services.db.query<{ row: string }>(
      `SELECT t::text AS row FROM "${table}" t WHERE t::text ILIKE '%erase.me%'`,
    );
    expect({ table, rows }).toEqual({ table, rows: [] });
  }
  const { body: call } = await service.post('/api/v3/lists/fetch-lists', {}, { shopper }).expect(401);
  expect(call.type).toBe('bad-sessionid');
});

test('a person who comes back after an erasure has the old regid, an empty account and a new sessionid', async () => {
  const email = 'back@example.com';
  const before = await furnish(email);
  await service.graphql(ERASE, { regid: before.regid }, { store });
  const after = await service.account(store, email);
  expect(after.regid).toBe(before.regid);
  expect(after.sessionid).not.toBe(before.sessionid);
  const { body } = await service.post('/api/v3/lists/fetch-lists', {}, { shopper: after }).expect(200);
  expect(body).toEqual([]);
  const found = await service.graphql(
    'query ($e: String) { findShopper(useremail: $e) { userinfo { em } } }',
    { e: email },
    { store },
  );
  expect(found.body.data.findShopper.userinfo.em).toBe(email);
});

test("another store finds nobody and cannot export or erase another store's shopper", async () => {
  const other = await service.createStore();
  const shopper = await service.account(store, 'private@example.com');
  const found = await service.graphql(
    'query ($r: String) { findShopper(regid: $r) { uid } }',
    { r: shopper.regid },
    { store: other },
  );
  expect(found.body.data.findShopper).toBeNull();
  for (const query of [EXPORT, ERASE]) {
    const { body } = await service.graphql(query, { useremail: 'private@example.com' }, { store: other });
    expect(body.errors[0].extensions.type).toBe('not-found');
  }
});

test('a shopper can neither look up, export nor erase', async () => {
  const shopper = await service.account(store);
  for (const query of [
    '{ findShopper(useremail: "a@b.co") { uid } }',
    '{ auditLog { id } }',
    'mutation { eraseShopper(useremail: "a@b.co") { id } }',
  ]) {
    const { body } = await service.graphql(query, {}, { shopper });
    expect(body.errors[0].extensions.type).toBe('forbidden');
  }
});

test('an export and an erasure cover what was asked for by and for the person, and what that person confirmed', async () => {
  const optIn = await service.createStore({ doubleOptIn: true });
  const subscribe = async (caller: object, mediumvalue: string): Promise<void> => {
    const input = `{ medium: email, mediumvalue: "${mediumvalue}", products: [{ epi: 1, empi: 10, du: "/p" }], topics: ["backinstock"] }`;
    const { body } = await service.graphql(`mutation { subscribe(input: ${input}) { message } }`, {}, caller);
    expect(body.errors).toBeUndefined();
  };
  const uuid = randomUUID();
  const email = 'asked.for@example.com';
  await subscribe({ shopper: await service.guest(optIn, uuid) }, 'friend@example.com');
  await service.post(
    '/storeadmin/v3/user/generate-regid',
    { uuid, useremail: email, useragenttype: 'test' },
    { store: optIn },
  );
  const stranger = await service.guest(optIn);
  await subscribe({ shopper: stranger }, email);
  await subscribe({ shopper: stranger }, 'friend@example.com');
  await service.services.db.query(
    `INSERT INTO contact_proof (pid, medium, value, regid, used_at) VALUES ($1, 'email', $2, $3, now())`,
    [optIn.pid, email, stranger.regid],
  );
  const { body } = await service.graphql(EXPORT, { useremail: email }, { store: optIn });
  const { data } = body.data.exportShopper;
  expect(data.subscriptions).toMatchObject([{ value: email }]);
  expect(data.subscriptionRequests).toMatchObject([{ value: 'friend@example.com' }, { value: email }]);
  expect(data.confirmations).toMatchObject([{ value: email }]);
  expect(JSON.stringify(data)).not.toContain(stranger.regid);
  const erased = await service.graphql(ERASE, { useremail: email }, { store: optIn });
  expect(erased.body.data.eraseShopper.detail).toMatchObject({ subscriptions: 1 });
  const left = await service.services.db.query(
    `SELECT 'request' AS what, value, regid = $2 AS "isStrangers" FROM subscription_request WHERE pid = $1
     UNION ALL SELECT 'subscription', value, NULL FROM subscription WHERE pid = $1
     UNION ALL SELECT 'proof', value, NULL FROM contact_proof WHERE pid = $1 ORDER BY 1`,
    [optIn.pid, stranger.regid],
  );
  expect(left).toEqual([
    { what: 'request', value: 'friend@example.com', isStrangers: true },
    { what: 'subscription', value: 'friend@example.com', isStrangers: null },
  ]);
});
