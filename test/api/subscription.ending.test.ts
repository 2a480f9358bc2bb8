import type { NewStore } from '../../src/stores/store.service.ts';
import { useService } from '../harness.ts';
import type { Caller, Fields, TestShopper } from '../harness.ts';

// Ending one subscription by its id, and what a store ends and makes over REST, for a contact or for a shopper that it names.
const service = useService();
let store: NewStore;
const ANN = 'ann@example.com';
const BOB = 'bob@example.com';
beforeEach(async () => {
  store = await service.createStore();
});

const CREATE = '/storeadmin/bispa/subscriptions/create';
const REMOVE = '/storeadmin/bispa/subscriptions/remove';
const LEAVE = '/api/v3/subscriptions/unsubscribe';
const NOTHING = { msg: 'No matching subscriptions', removed: 0 };

const named = ({ regid }: { regid: string }): Caller => ({ store, headers: { 'x-regid': regid } });

function create(mediumvalue: string, epi: number | string, caller: Caller = { store }, fields: Fields = {}) {
  const products = [{ epi, empi: 1, du: '/p' }];
  const medium = mediumvalue.startsWith('+') ? 'sms' : 'email';
  return service.post(CREATE, { medium, mediumvalue, products, topics: ['backinstock'], ...fields }, caller);
}

async function remove(fields: Fields, caller: Caller = { store }): Promise<unknown> {
  const { body } = await service.post(REMOVE, fields, caller);
  return body.type ?? body.removed;
}

async function leave(fields: Fields, shopper: TestShopper): Promise<unknown> {
  return (await service.post(LEAVE, fields, { shopper }).expect(200)).body;
}

/** What the caller sees, newest first, each by its variant. */
async function idsOf(caller: Caller): Promise<Record<string, string>> {
  const { body } = await service.graphql('{ subscriptions { edges { node { id epi } } } }', {}, caller);
  const nodes = body.data.subscriptions.edges.map((edge: { node: { id: string; epi: string } }) => edge.node);
  return Object.fromEntries(nodes.map(({ id, epi }: { id: string; epi: string }) => [epi, id]));
}

async function left(): Promise<string[]> {
  const rows = await service.services.db.query<{ one: string }>(
    `SELECT value || ' ' || epi AS one FROM subscription WHERE pid = $1 ORDER BY one`,
    [store.pid],
  );
  return rows.map(({ one }) => one);
}

test('an account ends one subscription by its id, and no other', async () => {
  const shopper = await service.account(store, ANN);
  for (const epi of ['a', 'b']) await create(ANN, epi).expect(200);
  const { a } = await idsOf({ shopper });
  expect(await leave({ id: a, topic: 'comingsoon' }, shopper)).toEqual(NOTHING);
  expect(await leave({ id: a }, shopper)).toEqual({ msg: 'Unsubscribed', removed: 1 });
  expect(await leave({ id: a }, shopper)).toEqual(NOTHING);
  expect(await left()).toEqual([`${ANN} b`]);
});

test('a guest ends one request by its id', async () => {
  const shopper = await service.guest(store);
  for (const epi of ['a', 'b']) await create(ANN, epi, named(shopper)).expect(200);
  const { b } = await idsOf({ shopper });
  const { body } = await service.graphql(
    'mutation($id: ID) { unsubscribe(id: $id) { msg removed } }',
    { id: b },
    { shopper },
  );
  expect(body.data.unsubscribe).toEqual({ msg: 'Unsubscribed', removed: 1 });
  expect(await left()).toEqual([`${ANN} a`]);
});

test("somebody else's id, an unknown one and one of another store end nothing and look the same", async () => {
  const guest = await service.guest(store);
  await create(ANN, 'a').expect(200);
  await create(ANN, 'b', named(guest)).expect(200);
  const { a, b } = await idsOf({ store });
  const { b: request } = await idsOf({ shopper: guest });
  const other = await service.createStore();
  const strangers = [await service.account(store, BOB), await service.guest(store)];
  for (const shopper of [...strangers, await service.account(other, ANN)])
    for (const id of [a, b, request, 'unknown']) expect(await leave({ id }, shopper)).toEqual(NOTHING);
  for (const id of [a, b, request]) {
    const { body } = await service.post(REMOVE, { id }, { store: other }).expect(200);
    expect(body).toEqual(NOTHING);
  }
  expect(await leave({ id: a }, guest)).toEqual(NOTHING);
  expect(await left()).toEqual([`${ANN} a`, `${ANN} b`]);
});

test('a store ends the subscriptions of a contact over REST, all or those of a topic or variant, or one by its id', async () => {
  for (const epi of ['a', 'b', 'c']) await create(ANN, epi).expect(200);
  await create(ANN, 'a', { store }, { topics: ['comingsoon'] }).expect(200);
  await create(BOB, 'a').expect(200);
  const contact = { medium: 'email', mediumvalue: ' Ann@Example.com' };
  expect(await remove({ ...contact, topic: 'comingsoon' })).toBe(1);
  expect(await remove({ ...contact, epi: 'a' })).toBe(1);
  expect(await remove({ ...contact, epi: 'a' })).toBe(0);
  const { b, a } = await idsOf({ store });
  expect(await remove({ ...contact, id: a })).toBe(0);
  expect(await remove({ id: b })).toBe(1);
  expect(await remove(contact)).toBe(1);
  expect(await left()).toEqual([`${BOB} a`]);
});

test('remove refuses bad input, a missing contact and a wrong key, and ends nothing', async () => {
  await create(ANN, 'a').expect(200);
  for (const [fields, type] of [
    [{}, 'invalid-medium'],
    [{ topic: 'backinstock', epi: 'a' }, 'invalid-medium'],
    [{ mediumvalue: ANN }, 'invalid-medium'],
    [{ medium: 'pigeon', mediumvalue: ANN }, 'invalid-medium'],
    [{ medium: 'email' }, 'invalid-mediumvalue'],
    [{ medium: 'sms', mediumvalue: ANN }, 'invalid-mediumvalue'],
    [{ id: 'a\u0000' }, 'invalid-request'],
  ] as const)
    expect(await remove(fields)).toBe(type);
  const contact = { medium: 'email', mediumvalue: ANN };
  expect(await remove(contact, { store: { ...store, apiKey: 'x' } })).toBe('unauthorised');
  expect(await remove(contact, {})).toBe('unauthorised');
  const shopper = await service.account(store, ANN);
  expect(await remove(contact, { headers: { 'x-pid': store.pid, 'x-regid': shopper.regid } })).toBe(
    'unauthorised',
  );
  expect(await remove(contact, { store: await service.createStore() })).toBe(0);
  expect(await left()).toEqual([`${ANN} a`]);
});

test('with x-regid, what a store makes over REST is of that shopper, and it ends only that', async () => {
  const [guest, account] = [await service.guest(store), await service.account(store, BOB)];
  await create(ANN, 'a', named(guest)).expect(200);
  await create('+49301234567', 'b', named(guest)).expect(200);
  await create(ANN, 'c').expect(200);
  await create(BOB, 'd', named(account)).expect(200);
  expect(Object.keys(await idsOf({ shopper: guest }))).toEqual(['b', 'a']);
  expect(await remove({ medium: 'email', mediumvalue: ANN }, named(account))).toBe(0);
  expect(await remove({ medium: 'sms', mediumvalue: '+49301234567' }, named(guest))).toBe(1);
  expect(await remove({}, named(guest))).toBe(1);
  expect(await left()).toEqual([`${ANN} c`, `${BOB} d`]);
  expect(await remove({}, named(account))).toBe(1);
  expect(await left()).toEqual([`${ANN} c`]);
});

test('with double opt-in, a contact that a store names for a shopper over REST waits as over GraphQL', async () => {
  store = await service.createStore({ doubleOptIn: true });
  const guest = await service.guest(store);
  const { body } = await create(ANN, 'a', named(guest)).expect(200);
  expect(body.message).toContain('confirm');
  const rows = await service.post('/api/v3/subscriptions/fetch-subs', {}, { shopper: guest }).expect(200);
  expect(rows.body.subscriptions).toMatchObject([
    { epi: 'a', mediumvalue: 'a***@example.com', confirmed: false },
  ]);
});

test('a regid that the store does not have is answered 401 on REST, and nothing is made or ended', async () => {
  await create(ANN, 'a').expect(200);
  const stranger = await service.guest(await service.createStore());
  for (const regid of ['nobody', stranger.regid, 'x'.repeat(600)]) {
    const { body } = await create(ANN, 'b', named({ regid })).expect(401);
    expect(body.type).toBe('sw-badregid');
    expect(await remove({ medium: 'email', mediumvalue: ANN }, named({ regid }))).toBe('sw-badregid');
  }
  expect(await left()).toEqual([`${ANN} a`]);
});

test('a shopper cannot name a contact: a guest would find out what is masked', async () => {
  const guest = await service.guest(store);
  await create(ANN, 'a', named(guest)).expect(200);
  for (const args of ['(medium: email, mediumvalue: "ann@example.com")', '(medium: email)']) {
    const { body } = await service.graphql(
      `mutation { unsubscribe${args} { removed } }`,
      {},
      { shopper: guest },
    );
    expect(body.errors[0].extensions.type).toBe('forbidden');
  }
  expect(await left()).toEqual([`${ANN} a`]);
});
