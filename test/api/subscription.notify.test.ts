import type { NewStore } from '../../src/stores/store.service.ts';
import { useService } from '../harness.ts';
import type { Caller, TestShopper } from '../harness.ts';

// "Notify me" in a storefront whose store does not ask everybody to confirm.
const service = useService();
let store: NewStore;
const start = new Date('2030-05-05T12:00:00Z');
const ANN = 'ann@example.com';
const BOB = 'bob@example.com';
const PHONE = '+49301234567';
beforeEach(async () => {
  service.setNow(start);
  store = await service.createStore();
});

const SUBSCRIBE =
  'mutation($input: SubscribeInput!) { subscribe(input: $input) { message confirmed topics } }';
const SUBSCRIBED = 'Subscribed to alerts';
const CONFIRM =
  'Please confirm: the contact receives a message with a link, and alerts start after the link is opened';

async function subscribe(
  caller: Caller,
  mediumvalue: string,
  epi: number | string = 1,
  fields: object = {},
): Promise<string> {
  const input = {
    medium: mediumvalue.startsWith('+') ? 'sms' : 'email',
    mediumvalue,
    products: [{ epi, empi: 1, du: '/p' }],
    topics: ['backinstock'],
    ...fields,
  };
  const { body } = await service.graphql(SUBSCRIBE, { input }, caller);
  if (body.errors) return body.errors[0].extensions.type;
  const { message, confirmed } = body.data.subscribe;
  expect(confirmed).toBe(message === SUBSCRIBED);
  return message;
}

/** What the store has: each contact with whether it is to be alerted. */
async function waiting(): Promise<[string, boolean][]> {
  const rows = await service.services.db.query<{ value: string; ok: boolean }>(
    'SELECT value, confirmed_at IS NOT NULL AS ok FROM subscription WHERE pid = $1 ORDER BY value, epi',
    [store.pid],
  );
  return rows.map(({ value, ok }) => [value, ok]);
}

/** Links of the messages that wait to ask a contact to confirm, oldest first. */
async function links(recipient: string): Promise<string[]> {
  const rows = await service.services.db.query<{ text: string }>(
    `SELECT payload ->> 'text' AS text FROM outbox WHERE pid = $1 AND kind = 'confirm' AND recipient = $2 ORDER BY seq`,
    [store.pid, recipient],
  );
  return rows.map(({ text }) => new URL(/https?:\/\/\S+\/(confirm|c)\/\S+/.exec(text)![0]).pathname);
}

async function press(link: string | undefined): Promise<void> {
  await service.http.post(link!).expect(200);
}

/** Who is alerted when stock comes back. */
async function restock(): Promise<string[]> {
  for (const stk of [0, 4]) {
    const products = [{ epi: 1, empi: 1, du: '/p', stk }];
    await service.post('/storeadmin/v3/products/upsert', { products }, { store }).expect(200);
  }
  await service.runTasks();
  const alerts = await service.services.db.query<{ recipient: string }>(
    `SELECT recipient FROM outbox WHERE pid = $1 AND lane = 'alert' ORDER BY recipient`,
    [store.pid],
  );
  return alerts.map(({ recipient }) => recipient);
}

async function shown(shopper: TestShopper): Promise<[unknown, string, boolean][]> {
  const { body } = await service.post('/api/v3/subscriptions/fetch-subs', {}, { shopper }).expect(200);
  return body.subscriptions.map((row: { epi: unknown; mediumvalue: string; confirmed: boolean }) => [
    row.epi,
    row.mediumvalue,
    row.confirmed,
  ]);
}

test.each([
  ['by mail', ANN, 'a***@example.com'],
  ['by text message', PHONE, '+49***67'],
])('a guest who asks %s is alerted once the link is opened, and not before', async (_how, to, masked) => {
  const shopper = await service.guest(store);
  expect(await subscribe({ shopper }, to)).toBe(CONFIRM);
  expect(await waiting()).toEqual([[to, false]]);
  expect(await shown(shopper)).toEqual([[1, masked, false]]);
  const [link, ...more] = await links(to);
  expect(more).toEqual([]);
  expect(await restock()).toEqual([]);
  await press(link);
  expect(await shown(shopper)).toEqual([[1, masked, true]]);
  await service.runTasks();
  expect(await restock()).toEqual([to]);
});

test('an account is subscribed by its own address at once; another address or a number waits for its link', async () => {
  const shopper = await service.account(store, ANN);
  expect(await subscribe({ shopper }, 'ANN@example.com')).toBe(SUBSCRIBED);
  expect(await subscribe({ shopper }, BOB)).toBe(CONFIRM);
  expect(await subscribe({ shopper }, PHONE)).toBe(CONFIRM);
  expect(await waiting()).toEqual([
    [PHONE, false],
    [ANN, true],
    [BOB, false],
  ]);
  expect(await links(ANN)).toEqual([]);
  expect(await shown(shopper)).toEqual([[1, ANN, true]]);
  for (const to of [BOB, PHONE]) await press((await links(to))[0]);
  expect(await waiting()).toEqual([
    [PHONE, true],
    [ANN, true],
    [BOB, true],
  ]);
});

test('a store that names the shopper answers for the contact: it is subscribed at once', async () => {
  const shopper = await service.guest(store);
  expect(await subscribe({ store, shopper }, ANN)).toBe(SUBSCRIBED);
  expect(await subscribe({ store }, BOB)).toBe(SUBSCRIBED);
  expect(await waiting()).toEqual([
    [ANN, true],
    [BOB, true],
  ]);
  // What the store answered for stays as it is when the guest asks for it by itself.
  expect(await subscribe({ shopper }, ANN)).toBe(SUBSCRIBED);
  expect(await shown(shopper)).toEqual([[1, 'a***@example.com', true]]);
  expect(await links(ANN)).toEqual([]);
});

test('who confirmed once need not again for the same guest; another device or account cannot make use of it', async () => {
  const guest = await service.guest(store);
  await subscribe({ shopper: guest }, ANN);
  await press((await links(ANN))[0]);
  expect(await subscribe({ shopper: guest }, ANN, 2)).toBe(SUBSCRIBED);
  expect(await shown(guest)).toMatchObject([
    [2, 'a***@example.com', true],
    [1, 'a***@example.com', true],
  ]);
  for (const shopper of [await service.guest(store), await service.account(store, BOB)])
    expect(await subscribe({ shopper }, ANN, 3)).toBe(CONFIRM);
  expect(await waiting()).toEqual([
    [ANN, true],
    [ANN, true],
    [ANN, false],
  ]);
});

test('a stranger cannot end or renew what the contact itself has, whoever made it', async () => {
  const owner = await service.account(store, ANN);
  await subscribe({ shopper: owner }, ANN);
  const stranger = await service.guest(store);
  expect(await subscribe({ shopper: stranger }, ANN)).toBe(CONFIRM);
  expect(await shown(stranger)).toEqual([[1, 'a***@example.com', false]]);
  const leave = await service
    .post('/api/v3/subscriptions/unsubscribe', {}, { shopper: stranger })
    .expect(200);
  expect(leave.body.removed).toBe(1);
  expect(await shown(owner)).toEqual([[1, ANN, true]]);
  expect(await restock()).toEqual([ANN]);
});

test('a contact gets three confirming messages a day because of strangers, accounts among them, and two of one', async () => {
  const account = await service.account(store, BOB);
  for (let epi = 0; epi < 5; epi += 1) expect(await subscribe({ shopper: account }, ANN, epi)).toBe(CONFIRM);
  expect(await links(ANN)).toHaveLength(2);
  for (let epi = 0; epi < 5; epi += 1)
    expect(await subscribe({ shopper: await service.guest(store) }, ANN, epi)).toBe(CONFIRM);
  const due = await service.services.db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM outbox WHERE pid = $1 AND kind = 'confirm' AND due_at <= $2`,
    [store.pid, start],
  );
  expect(due).toEqual([{ n: 3 }]);
});

test('guests make 120 subscriptions an hour from one address at most; beyond, nothing is stored or sent', async () => {
  const shopper = await service.guest(store);
  const products = Array.from({ length: 60 }, (_, epi) => ({ epi, empi: 1, du: '/p' }));
  for (const who of ['p1@example.com', 'p2@example.com'])
    expect(await subscribe({ shopper }, who, 1, { products })).toBe(CONFIRM);
  expect(await subscribe({ shopper }, 'p3@example.com')).toBe('too-many-requests');
  expect(await waiting()).toHaveLength(120);
  expect(await links('p3@example.com')).toEqual([]);
});

test('the answer about the mailing list of a guest counts once the contact confirms', async () => {
  const shopper = await service.guest(store);
  await subscribe({ shopper }, ANN, 1, { addtomailinglist: 1 });
  const consents = () =>
    service.services.db.query(
      `SELECT prefs -> 'Mediums' -> 'email' -> 'acceptmarketing' AS accepts FROM shopper WHERE pid = $1 AND em = $2`,
      [store.pid, ANN],
    );
  expect(await consents()).toEqual([]);
  await press((await links(ANN))[0]);
  expect(await consents()).toEqual([{ accepts: true }]);
});

test('without a session, or with that of another store, nothing is stored or sent', async () => {
  const shopper = await service.guest(store);
  const other = await service.createStore();
  expect(await subscribe({}, ANN)).toBe('unauthorised');
  expect(await subscribe({ shopper: { ...shopper, sessionid: 'x' } }, ANN)).toBe('bad-sessionid');
  expect(await subscribe({ shopper: { ...shopper, pid: other.pid } }, ANN)).toBe('sw-badregid');
  expect(await subscribe({ shopper }, 'not an address')).toBe('invalid-mediumvalue');
  expect(await waiting()).toEqual([]);
  expect(await links(ANN)).toEqual([]);
});

test('what a guest asked for and nobody confirmed is forgotten after 30 days', async () => {
  const shopper = await service.guest(store);
  await subscribe({ shopper }, ANN);
  service.setNow(new Date(start.getTime() + 31 * 86_400_000));
  await service.runTasks();
  expect(await waiting()).toEqual([]);
  expect(await shown(shopper)).toEqual([]);
});
