import { useNewStore, useService } from '../harness.ts';
import type { TestShopper } from '../harness.ts';

const service = useService({ rateLimits: false, webhookAllowPrivate: true });
const store = useNewStore(service);
beforeEach(async () => {
  await service
    .graphql(
      'mutation ($events: [String!]!) { saveWebhook(url: "http://127.0.0.1:9/x", events: $events) { secret } }',
      { events: ['list.item.added', 'subscription.created'] },
      { store },
    )
    .expect(200);
});

const PHONE = '+4915123456789';
const PRODUCT = { epi: 1, empi: 10, du: 'https://shop.example/p' };

const fill = (shopper: TestShopper, input: object) =>
  service
    .graphql(
      'mutation ($input: UpdateShopperInput!) { updateShopper(input: $input) { userinfo { m ut } } }',
      { input },
      { store, shopper },
    )
    .expect(200);
const subscribe = (medium: string, mediumvalue: string) =>
  service
    .post(
      '/storeadmin/bispa/subscriptions/create',
      { medium, mediumvalue, products: [PRODUCT], topics: ['backinstock'] },
      { store },
    )
    .expect(200);
async function erase(name: object) {
  const { body } = await service.graphql(
    'mutation ($useremail: String, $regid: String) { eraseShopper(useremail: $useremail, regid: $regid) { detail } }',
    name,
    { store },
  );
  return body.data?.eraseShopper.detail ?? body.errors[0].extensions.type;
}
async function exportOf(useremail: string) {
  const { body } = await service.graphql(
    'mutation ($useremail: String) { exportShopper(useremail: $useremail) { data } }',
    { useremail },
    { store },
  );
  return body.data.exportShopper.data;
}
/** What the store's outbox says of whom, oldest first. */
const outbox = async (): Promise<string[]> =>
  (
    await service.services.db.query<{ about: string }>(
      `SELECT coalesce(payload #>> '{data,value}', recipient) AS about FROM outbox WHERE pid = $1 ORDER BY seq`,
      [store.pid],
    )
  ).map(({ about }) => about);
const rowsWith = (value: string) =>
  service.services.db.query<{ table: string }>(
    `SELECT 'subscription' AS table FROM subscription WHERE pid = $2 AND value = $1
     UNION ALL SELECT 'alert_seen' FROM alert_seen WHERE pid = $2 AND value = $1
     UNION ALL SELECT 'suppression' FROM suppression WHERE pid = $2 AND value = $1
     UNION ALL SELECT 'outbox' FROM outbox WHERE pid = $2 AND (recipient = $1 OR payload::text LIKE '%' || $1 || '%')`,
    [value, store.pid],
  );

test('an erasure takes the events that name the person and leaves those of people with a similar address', async () => {
  const others = ['joann@shop.com', 'ann@shop.com', 'ann@shop.co.uk', 'o-ann@shop.co', 'ann@shop.co-op.de'];
  for (const email of ['ann@shop.co', ...others]) await subscribe('email', email);
  await service.account(store, 'ann@shop.co');
  expect(await erase({ useremail: 'ann@shop.co' })).toMatchObject({ subscriptions: 1, messages: 1 });
  expect(await outbox()).toEqual(others);
});

test.each(['', ' ', '1', 'sms', 'email', '.'])(
  'a shopper whose mobile number is "%s" takes no message of others along',
  async (m) => {
    await subscribe('email', 'other@example.com');
    await subscribe('sms', PHONE);
    const shopper = await service.account(store, 'me@example.com');
    await fill(shopper, { m });
    expect(await erase({ useremail: 'me@example.com' })).toMatchObject({ subscriptions: 0, messages: 0 });
    expect(await outbox()).toEqual(['other@example.com', PHONE]);
  },
);

test('an empty text clears a field that can be empty', async () => {
  const shopper = await service.account(store);
  await fill(shopper, { m: PHONE, ut: 'vip' });
  const { body } = await fill(shopper, { m: '', ut: ' ' });
  expect(body.data.updateShopper.userinfo).toEqual({ m: null, ut: null });
});

test('a mail to somebody else goes when its text names the person, and stays when it names a namesake', async () => {
  const friend = await service.account(store);
  await service.account(store, 'ann@shop.co');
  const { body: list } = await service
    .post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper: friend })
    .expect(200);
  const mail = (toemail: string, note: string) =>
    service
      .post('/api/v3/lists/emailList', { lid: list.lid, toemail, note }, { shopper: friend })
      .expect(200);
  await mail('one@example.com', 'Ask „Ann@Shop.co“, please.');
  await mail('two@example.com', 'or write to ann@shop.co.');
  await mail('three@example.com', 'joann@shop.co or ann@shop.company knows');
  expect(await erase({ useremail: 'ann@shop.co' })).toMatchObject({ messages: 2 });
  expect(await outbox()).toEqual(['three@example.com']);
});

test('events about a list are found by the public id of its owner', async () => {
  const [mine, theirs] = [await service.account(store, 'mine@example.com'), await service.account(store)];
  for (const shopper of [mine, theirs]) {
    const { body: list } = await service.post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper });
    await service.post('/api/v3/lists/update-ctx', { lid: list.lid, a: [PRODUCT] }, { shopper }).expect(200);
  }
  expect((await exportOf('mine@example.com')).messages).toMatchObject([{ kind: 'list.item.added' }]);
  expect(await erase({ useremail: 'mine@example.com' })).toMatchObject({ messages: 1 });
  expect(await outbox()).toHaveLength(1);
});

test('a mobile number finds subscriptions, events, alerts and opt-outs however the store wrote it', async () => {
  const email = 'sms@example.com';
  const shopper = await service.account(store, email);
  await fill(shopper, { m: '+49 (151) 2345-6789' });
  await subscribe('sms', PHONE);
  const now = new Date();
  const { db } = service.services;
  await db.query("INSERT INTO alert_seen VALUES ($1, 'sms', $2, '1', 'backinstock', $3)", [
    store.pid,
    PHONE,
    now,
  ]);
  await db.query("INSERT INTO suppression VALUES ($1, 'sms', $2, $3)", [store.pid, PHONE, now]);
  const data = await exportOf(email);
  expect(data).toMatchObject({
    shopper: { m: '+49 (151) 2345-6789' },
    subscriptions: [{ value: PHONE }],
    messages: [{ kind: 'subscription.created' }],
    alertsReceived: [{ value: PHONE, topic: 'backinstock' }],
    optOuts: [{ value: PHONE }],
  });
  expect(await erase({ useremail: email })).toMatchObject({ subscriptions: 1, messages: 1 });
  expect(await rowsWith(PHONE)).toEqual([]);
});

test('an export tells of lists that were made for the person without showing what is in them, and an erasure takes the name off', async () => {
  const email = 'gift@example.com';
  await service.account(store, email);
  const owner = await service.account(store);
  const { body: list } = await service
    .post(
      '/api/v3/lists/create',
      { lname: 'Gifts', lnote: 'a secret', cfor: email, regid: owner.regid },
      { store },
    )
    .expect(200);
  const { listsMadeFor } = await exportOf(email);
  expect(listsMadeFor).toEqual([{ lid: list.lid, lname: 'Gifts', cfor: email, cts: expect.any(String) }]);
  await erase({ useremail: email });
  const [row] = await service.services.db.query('SELECT lname, cfor FROM list WHERE lid = $1', [list.lid]);
  expect(row).toEqual({ lname: 'Gifts', cfor: null });
});

test('a shopper who is named twice is not looked up, exported or erased', async () => {
  const { regid } = await service.account(store, 'one@example.com');
  for (const call of [
    'query: findShopper { uid }',
    'mutation: exportShopper { data }',
    'mutation: eraseShopper { id }',
  ]) {
    const [, kind, field, selection] = /^(\w+): (\w+) (.*)$/.exec(call)!;
    const { body } = await service.graphql(
      `${kind} ($regid: String) { ${field}(useremail: "two@example.com", regid: $regid) ${selection} }`,
      { regid },
      { store },
    );
    expect(body.errors[0]).toMatchObject({
      message: 'Send only one of useremail, externalid, regid and uid',
      extensions: { type: 'invalid-request' },
    });
  }
});
