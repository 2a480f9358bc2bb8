import { randomUUID } from 'node:crypto';
import { revokeSessions } from '../../src/shoppers/shopper.service.ts';
import { useService, useStore } from '../harness.ts';
import type { Fields, StoreAccess, TestShopper } from '../harness.ts';
import { until } from '../until.ts';

const service = useService();
const store = useStore(service);
const stranger = useStore(service);

const GENERATE = '/storeadmin/v3/user/generate-regid';
const SYNC = '/storeadmin/v3/user/guest-validate-sync';
const UPDATE = '/storeadmin/v3/user/update';

const newEmail = (): string => `${randomUUID()}@example.com`;
const newId = (): string => `customer ${randomUUID()}`;

const call = (fields: Fields, caller: StoreAccess = store) =>
  service.post(GENERATE, { useragenttype: 'test', ...fields }, { store: caller });

async function identify(fields: Fields, caller: StoreAccess = store): Promise<TestShopper> {
  const { body } = await call(fields, caller).expect(200);
  return { pid: caller.pid, regid: body.regid, sessionid: body.sessionid };
}

/** The accounts of the store, so that a refusal can be shown to have changed nothing. */
const accounts = () =>
  service.services.db.query<{ regid: string; em: string | null; externalId: string | null }>(
    `SELECT regid, em, external_id AS "externalId" FROM shopper WHERE pid = $1 AND NOT is_guest ORDER BY regid`,
    [store.pid],
  );
const accountOf = async (regid: string) => (await accounts()).find((row) => row.regid === regid);

async function addList({ pid, regid, sessionid }: TestShopper, lname = 'Birthday'): Promise<string> {
  const shopper = { pid, regid, sessionid };
  const { body } = await service.post('/api/v3/lists/create', { lname }, { shopper }).expect(200);
  return body.lid;
}
async function lists(shopper: TestShopper): Promise<string[]> {
  const { body } = await service.post('/api/v3/lists/fetch-lists', {}, { shopper }).expect(200);
  return body.map(({ lname }: { lname: string }) => lname);
}

test('an externalid alone makes an account without an address, which it finds again', async () => {
  const externalid = newId();
  const { body } = await call({ externalid }).expect(200);
  expect(body).toEqual({
    message: 'Regid generated using externalid',
    regid: expect.stringMatching(/^[\w-]{42}[^G]$/),
    sessionid: expect.stringMatching(/^[\w-]{20,}$/),
  });
  expect(await identify({ externalid: ` ${externalid} ` })).toMatchObject({ regid: body.regid });
  expect(await accountOf(body.regid)).toEqual({ regid: body.regid, em: null, externalId: externalid });
  expect((await identify({ externalid }, stranger)).regid).not.toBe(body.regid);
});

test('an account without an address has lists, a profile and no subscriptions, and the store finds it', async () => {
  const externalid = newId();
  const shopper = await identify({ externalid });
  await addList(shopper);
  expect(await lists(shopper)).toEqual(['Birthday']);
  const query = `{ shopper { isGuest userinfo { em uid } lists { edges { node { cby userinfo { em } } } } subscriptions { totalCount } } }`;
  const { body } = await service.graphql(query, {}, { shopper });
  expect(body.data.shopper).toEqual({
    isGuest: false,
    userinfo: { em: null, uid: expect.any(String) },
    lists: { edges: [{ node: { cby: null, userinfo: { em: null } } }] },
    subscriptions: { totalCount: 0 },
  });
  const found = await service.graphql(
    `query ($search: String) { shoppers(filter: { search: $search }) { edges { node { regid externalId isGuest } } } }`,
    { search: externalid },
    { store },
  );
  const node = { regid: shopper.regid, externalId: externalid, isGuest: false };
  expect(found.body.data.shoppers.edges).toEqual([{ node }]);
  const listed = await service.graphql(
    '{ shoppers(kind: account) { edges { node { regid } } } }',
    {},
    { store },
  );
  expect(listed.body.data.shoppers.edges).toContainEqual({ node: { regid: shopper.regid } });
});

test('another shopper sees the owner of a public list without an address, and never the external id', async () => {
  const externalid = newId();
  const owner = await identify({ externalid });
  const lid = await addList(owner);
  await service.post('/api/v3/lists/markPublic', { lid }, { shopper: owner }).expect(200);
  await service.post(UPDATE, { regid: owner.regid, fname: 'Ada' }, { store }).expect(200);
  const reader = await service.guest(store);
  const { body, text } = await service
    .post('/api/v3/lists/fetch-list-with-contents', { lid }, { shopper: reader })
    .expect(200);
  expect(body.userinfo).toMatchObject({ em: null, fname: 'Ada', uid: '' });
  expect(text).not.toContain(externalid);
  const own = await service.graphql('{ shopper { externalId } }', {}, { shopper: owner });
  expect(own.body.errors[0].extensions.type).toBe('forbidden');
});

test.each([
  ['blank', '   '],
  ['too long', 'x'.repeat(256)],
  ['of two lines', 'a\nb'],
  ['with a control character', 'a\u0007b'],
])('an externalid that is %s is refused over REST and GraphQL', async (_name, externalid) => {
  const { body } = await call({ externalid }).expect(400);
  expect(body).toMatchObject({ type: 'invalid-externalid', msg: expect.stringMatching(/^externalid /) });
  const graphql = await service.graphql(
    'mutation ($id: String) { generateRegid(externalid: $id, useragenttype: "t") { regid } }',
    { id: externalid },
    { store },
  );
  expect(graphql.body.errors[0].extensions.type).toBe('invalid-externalid');
  const guest = await service.guest(store);
  await service.post(SYNC, { regid: guest.regid, externalid, useragenttype: 'test' }, { store }).expect(400);
});

test('255 characters are enough for an externalid, and case counts', async () => {
  const { regid } = await identify({ externalid: 'ä'.repeat(255) });
  expect((await identify({ externalid: 'Ä'.repeat(255) })).regid).not.toBe(regid);
});

test('an account that was made by its address gets the externalid, keeps its regid and is found by either', async () => {
  const [useremail, externalid] = [newEmail(), newId()];
  const first = await identify({ useremail });
  expect(await identify({ useremail, externalid })).toEqual(first);
  expect(await identify({ externalid })).toEqual(first);
  expect(await identify({ useremail })).toEqual(first);
});

test('an account that was made by its externalid gets the address', async () => {
  const [useremail, externalid] = [newEmail(), newId()];
  const first = await identify({ externalid });
  const { body } = await call({ externalid, useremail }).expect(200);
  expect(body).toMatchObject({
    message: 'Regid generated using useremail and externalid',
    regid: first.regid,
  });
  expect(await identify({ useremail })).toEqual(first);
});

test('20 parallel first calls by address, by externalid and by both lead to one account', async () => {
  const [useremail, externalid] = [newEmail(), newId()];
  const shoppers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      identify(index % 2 === 0 ? { useremail, externalid } : { useremail }),
    ),
  );
  expect(new Set(shoppers.map(({ regid }) => regid)).size).toBe(1);
  expect((await accounts()).filter(({ em }) => em === useremail)).toHaveLength(1);
  expect(await identify({ externalid })).toEqual(shoppers[0]);
});

test('a new address with the same externalid moves the account, with its regid, sessions and lists', async () => {
  const [old, useremail, externalid] = [newEmail(), newEmail(), newId()];
  const account = await identify({ useremail: old, externalid });
  await addList(account);
  expect(await identify({ useremail, externalid })).toEqual(account);
  expect(await identify({ useremail })).toEqual(account);
  expect(await lists(account)).toEqual(['Birthday']);
  const { body } = await service.graphql('{ shopper { userinfo { em } } }', {}, { shopper: account });
  expect(body.data.shopper.userinfo.em).toBe(useremail);
});

test('a given-up address leads to a new account, which sees nothing of the one that moved', async () => {
  const [old, externalid] = [newEmail(), newId()];
  const account = await identify({ useremail: old });
  await addList(account);
  await identify({ useremail: old, externalid });
  await identify({ useremail: newEmail(), externalid });
  const newcomers = await Promise.all(Array.from({ length: 20 }, () => identify({ useremail: old })));
  expect(new Set(newcomers.map(({ regid }) => regid)).size).toBe(1);
  const newcomer = newcomers[0]!;
  expect(newcomer.regid).not.toBe(account.regid);
  expect(await lists(newcomer)).toEqual([]);
  expect(await lists(account)).toEqual(['Birthday']);
  const wrong = await service.post(
    '/api/v3/lists/fetch-lists',
    {},
    { shopper: { ...newcomer, regid: account.regid } },
  );
  expect(wrong.body.type).toBe('bad-sessionid');
  // And the one after that, too.
  await service.post(UPDATE, { regid: newcomer.regid, email: newEmail() }, { store }).expect(200);
  const third = await identify({ useremail: old });
  expect([account.regid, newcomer.regid]).not.toContain(third.regid);
  expect(await identify({ useremail: old })).toEqual(third);
});

test('20 parallel calls with a new address move an account once; those for the old address never get it afterwards', async () => {
  const [old, useremail, externalid] = [newEmail(), newEmail(), newId()];
  const { regid } = await identify({ useremail: old, externalid });
  const moved = await Promise.all(Array.from({ length: 20 }, () => identify({ useremail, externalid })));
  expect(new Set(moved.map((one) => one.regid))).toEqual(new Set([regid]));
  expect((await identify({ useremail: old })).regid).not.toBe(regid);
  const rows = await service.services.db.query(
    'SELECT em FROM former_address WHERE pid = $1 AND regid = $2',
    [store.pid, regid],
  );
  expect(rows).toEqual([{ em: old }]);
});

test('of 20 accounts that move to one address at once, one has it, and the others have not moved', async () => {
  const useremail = newEmail();
  const ids = Array.from({ length: 20 }, newId);
  const all = await Promise.all(ids.map((externalid) => identify({ externalid, useremail: newEmail() })));
  const answers = await Promise.all(ids.map((externalid) => call({ externalid, useremail })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(19).fill(409)]);
  const holder = all[answers.findIndex(({ status }) => status === 200)]!;
  expect(await identify({ useremail })).toEqual(holder);
});

test('an account can go back to its old address while nobody else has it', async () => {
  const [old, useremail, externalid] = [newEmail(), newEmail(), newId()];
  const account = await identify({ useremail: old, externalid });
  await identify({ useremail, externalid });
  expect(await identify({ useremail: old, externalid })).toEqual(account);
  expect(await identify({ useremail: old })).toEqual(account);
  expect((await identify({ useremail })).regid).not.toBe(account.regid);
});

describe('nothing moves, and 409 says why, when', () => {
  const taken = async (fields: Fields, type: string, msg: string) => {
    const before = await accounts();
    const { body } = await call(fields).expect(409);
    expect(body).toMatchObject({ error: true, type, msg });
    expect(await accounts()).toEqual(before);
  };
  const MESSAGE = 'useremail belongs to another account';

  test('the externalid and the address belong to two accounts', async () => {
    const [useremail, externalid] = [newEmail(), newId()];
    await identify({ useremail });
    await identify({ externalid });
    await taken({ useremail, externalid }, 'address-taken', MESSAGE);
    await identify({ useremail: newEmail(), externalid });
    await taken({ useremail, externalid }, 'address-taken', MESSAGE);
  });

  test('the address belongs to an account with another externalid', async () => {
    const useremail = newEmail();
    await identify({ useremail, externalid: newId() });
    await taken({ useremail, externalid: newId() }, 'address-taken', MESSAGE);
  });

  test('a guest logs in with both: it keeps its list and its session', async () => {
    const [useremail, externalid, uuid] = [newEmail(), newId(), randomUUID()];
    await identify({ useremail });
    await identify({ externalid });
    const guest = await service.guest(store, uuid);
    await addList(guest);
    await taken({ uuid, useremail, externalid }, 'address-taken', MESSAGE);
    await service
      .post(SYNC, { regid: guest.regid, useremail, externalid, useragenttype: 't' }, { store })
      .expect(409);
    expect(await lists(guest)).toEqual(['Birthday']);
  });

  test.each([
    ['address', 'email', 'address-taken'],
    ['external id', 'externalId', 'externalid-taken'],
  ])('user/update names the %s of another account', async (_name, field, type) => {
    const names = { email: newEmail(), externalId: newId() };
    await identify({ useremail: names.email, externalid: names.externalId });
    const { regid } = await identify({ useremail: newEmail() });
    const before = await accounts();
    const value = names[field as keyof typeof names];
    const { body } = await service
      .post(UPDATE, { regid, fname: 'New', [field]: value }, { store })
      .expect(409);
    expect(body).toMatchObject({ type, msg: expect.stringContaining('belongs to another account') });
    expect(await accounts()).toEqual(before);
    const graphql = await service.graphql(
      `mutation ($input: UpdateShopperInput!) { updateShopper(input: $input) { regid } }`,
      { input: { [field]: value } },
      { store, shopper: { pid: store.pid, regid, sessionid: '' } },
    );
    expect(graphql.body.errors[0].extensions).toMatchObject({ type, status: 409 });
  });
});

test('user/update sets both names of an account, and GraphQL answers the same record', async () => {
  const account = await identify({ useremail: newEmail() });
  const [email, externalId] = [newEmail(), newId()];
  const rest = await service
    .post(UPDATE, { regid: account.regid, email: ` ${email.toUpperCase()}`, externalId }, { store })
    .expect(200);
  expect(rest.body).toMatchObject({ regid: account.regid, externalId, userinfo: { em: email } });
  const { body } = await service.graphql(
    `mutation ($input: UpdateShopperInput!) { updateShopper(input: $input) { regid externalId userinfo { em } } }`,
    { input: { email, externalId } },
    { store, shopper: account },
  );
  expect(rest.body).toMatchObject(body.data.updateShopper);
  expect(await identify({ externalid: externalId })).toEqual(account);
});

test('null removes the external id of an account with an address, and of no other', async () => {
  const externalid = newId();
  const account = await identify({ externalid });
  const remove = () =>
    service.graphql(
      'mutation { updateShopper(input: { externalId: null }) { externalId } }',
      {},
      { store, shopper: account },
    );
  expect((await remove()).body.errors[0].extensions.type).toBe('invalid-externalid');
  await identify({ externalid, useremail: newEmail() });
  expect((await remove()).body.data.updateShopper).toEqual({ externalId: null });
  // Like an address that was given up, it leads to a new account.
  expect((await identify({ externalid })).regid).not.toBe(account.regid);
});

test.each([
  [{ email: 'no address' }, 'invalid-useremail', 400],
  [{ email: null }, 'invalid-useremail', 400],
  [{ externalId: 'x'.repeat(256) }, 'invalid-externalid', 400],
])('updateShopper refuses %j', async (input, type, status) => {
  const shopper = await identify({ useremail: newEmail() });
  const { body } = await service.graphql(
    'mutation ($input: UpdateShopperInput!) { updateShopper(input: $input) { regid } }',
    { input },
    { store, shopper },
  );
  expect(body.errors[0].extensions).toMatchObject({ type, status });
});

test('a guest has neither an address nor an external id, and only the store may set them', async () => {
  const guest = await service.guest(store);
  for (const fields of [{ email: newEmail() }, { externalId: newId() }]) {
    const { body } = await service.post(UPDATE, { regid: guest.regid, ...fields }, { store }).expect(403);
    expect(body.type).toBe('login-required');
    await service.post(UPDATE, { regid: guest.regid, ...fields }, { store: stranger }).expect(401);
    await service.post(UPDATE, { regid: guest.regid, ...fields }).expect(401);
  }
});

test('a guest logs in by externalid, and a repeat with the regid of the account merges nothing', async () => {
  const [externalid, uuid] = [newId(), randomUUID()];
  const guest = await service.guest(store, uuid);
  await addList(guest);
  const sync = (regid: string, fields: Fields = { externalid }) =>
    service.post(SYNC, { regid, useragenttype: 'test', ...fields }, { store });
  const { body } = await sync(guest.regid).expect(200);
  expect(body.merged).toEqual({ lists: 1, items: 0, duplicates: 0 });
  const account = await identify({ externalid });
  expect(body).toMatchObject({ regid: account.regid, sessionid: account.sessionid });
  expect(await lists(account)).toEqual(['Birthday']);
  expect((await sync(account.regid).expect(200)).body.merged).toEqual({ lists: 0, items: 0, duplicates: 0 });
  // The account's own regid with a new address moves it; with a stranger's names nothing does.
  const useremail = newEmail();
  await sync(account.regid, { externalid, useremail }).expect(200);
  expect(await identify({ useremail })).toEqual(account);
  const before = await accounts();
  for (const fields of [
    { externalid: newId() },
    { useremail: newEmail() },
    { useremail: newEmail(), externalid: newId() },
  ])
    expect((await sync(account.regid, fields).expect(403)).body.type).toBe('forbidden');
  expect(await accounts()).toEqual(before);
  expect((await sync(guest.regid, {}).expect(400)).body.type).toBe('invalid-useremail');
  const second = await service.guest(store, uuid);
  await addList(second, 'Second');
  expect((await call({ uuid, externalid }).expect(200)).body.message).toBe(
    'Regid generated using externalid; the guest was merged into the account',
  );
  expect((await lists(account)).sort()).toEqual(['Birthday', 'Second']);
});

test('a guest who logs in by an address in the moment in which it is given up is not merged into the account that moves', async () => {
  const [old, uuid] = [newEmail(), randomUUID()];
  const account = await identify({ useremail: old });
  await addList(await service.guest(store, uuid));
  const { db } = service.services;
  const { login } = await db.transaction(async (tx) => {
    await tx.query('UPDATE shopper SET em = $3 WHERE pid = $1 AND regid = $2', [
      store.pid,
      account.regid,
      newEmail(),
    ]);
    const login = identify({ uuid, useremail: old });
    await until(async () => (await db.query('SELECT FROM pg_locks WHERE NOT granted')).length > 0);
    return { login };
  });
  const newcomer = await login;
  expect(newcomer.regid).not.toBe(account.regid);
  expect(await lists(account)).toEqual([]);
  expect(await lists(newcomer)).toEqual(['Birthday']);
});

test("a given-up address does not let its old holder's regid pass at login", async () => {
  const [old, externalid] = [newEmail(), newId()];
  const account = await identify({ useremail: old, externalid });
  await identify({ useremail: newEmail(), externalid });
  const fields = { regid: account.regid, useremail: old, useragenttype: 'test' };
  expect((await service.post(SYNC, fields, { store }).expect(403)).body.type).toBe('forbidden');
});

test('after an erasure the same names lead to an empty account whose old sessions have ended', async () => {
  const [old, useremail, externalid] = [newEmail(), newEmail(), newId()];
  const account = await identify({ useremail: old, externalid });
  await addList(account);
  await identify({ useremail, externalid });
  const erase = (id: string) =>
    service.graphql('mutation ($id: String) { eraseShopper(externalid: $id) { action } }', { id }, { store });
  expect((await erase(externalid)).body.data.eraseShopper).toEqual({ action: 'erase' });
  expect(await accountOf(account.regid)).toEqual({ regid: account.regid, em: null, externalId: null });
  const { db } = service.services;
  const former = 'SELECT 1 FROM former_address WHERE pid = $1 AND regid = $2';
  expect(await db.query(former, [store.pid, account.regid])).toEqual([]);
  for (const fields of [{ externalid }, { useremail }, { useremail: old }]) {
    const again = await identify(fields);
    expect(again.sessionid).not.toBe(account.sessionid);
    expect(await lists(again)).toEqual([]);
  }
  const dead = await service.post('/api/v3/lists/fetch-lists', {}, { shopper: account });
  expect(dead.status).toBe(401);
  expect((await erase(newId())).body.errors[0].extensions.type).toBe('not-found');
});

test('20 parallel calls after an erasure revive one account', async () => {
  const useremail = newEmail();
  const account = await identify({ useremail });
  const erase = 'mutation ($e: String) { eraseShopper(useremail: $e) { id } }';
  await service.graphql(erase, { e: useremail }, { store }).expect(200);
  const externalid = newId();
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, index) => identify(index % 2 ? { useremail } : { useremail, externalid })),
  );
  expect(new Set(all.map(({ regid }) => regid)).size).toBe(1);
  expect((await accounts()).filter(({ em }) => em === useremail)).toHaveLength(1);
  expect(account.sessionid).not.toBe(all[0]!.sessionid);
});

test('an account is exported by its externalid, with it and its former addresses; sessions are revoked by its address', async () => {
  const [old, useremail, externalid] = [newEmail(), newEmail(), newId()];
  const account = await identify({ useremail: old, externalid });
  await identify({ useremail, externalid });
  const { body } = await service.post('/storeadmin/v3/user/export', { externalid }, { store }).expect(200);
  expect(body.data.shopper).toMatchObject({ em: useremail, external_id: externalid });
  expect(body.data.formerAddresses).toEqual([{ pid: store.pid, em: old, moved_at: expect.any(String) }]);
  const found = await service.graphql(
    'query ($id: String) { findShopper(externalid: $id) { regid } }',
    { id: externalid },
    { store: stranger },
  );
  expect(found.body.data.findShopper).toBeNull();
  await expect(revokeSessions(service.services, store.pid, { email: old })).rejects.toThrow(
    'Shopper not found',
  );
  await revokeSessions(service.services, store.pid, { email: useremail });
  expect((await service.post('/api/v3/lists/fetch-lists', {}, { shopper: account })).body.type).toBe(
    'bad-sessionid',
  );
});
