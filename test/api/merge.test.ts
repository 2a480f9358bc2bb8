import { randomUUID } from 'node:crypto';
import type { NewStore } from '../../src/stores/store.service.ts';
import { startService, useService } from '../harness.ts';
import type { Fields, TestShopper } from '../harness.ts';

const service = useService();
let store: NewStore;
let uuid: string;
let email: string;
let guest: TestShopper;

const START = Date.UTC(2030, 0, 1);
const at = (minute: number) => service.setNow(new Date(START + minute * 60_000));
beforeEach(async () => {
  at(0);
  store = await service.createStore({ listTypes: ['registry'], customItems: true });
  uuid = randomUUID();
  email = `${randomUUID()}@example.com`;
  guest = await service.guest(store, uuid);
});

type Item = {
  epi: number;
  empi?: number;
  du?: string;
  qty?: number;
  note?: string;
  cprops?: object;
  lbls?: string[];
};
type Report = { lists: number; items: number; duplicates: number };
const call = async (path: string, fields: Fields, shopper: TestShopper) =>
  (await service.post(`/api/v3/lists/${path}`, fields, { shopper }).expect(200)).body;
const create = async (shopper: TestShopper, lname: string, more: Fields = {}): Promise<string> =>
  (await call('create', { lname, ...more }, shopper)).lid;
const add = (shopper: TestShopper, lid: string, ...items: Item[]) =>
  call(
    'update-ctx',
    { lid, a: items.map((item) => ({ empi: item.epi, du: `https://shop.example/p/${item.epi}`, ...item })) },
    shopper,
  );
const listsOf = async (shopper: TestShopper) =>
  (await call('fetch-user-lists', {}, shopper)).data as Record<string, unknown>[];
const itemsOf = async (shopper: TestShopper, lid: string) =>
  (await call('fetch-list-with-contents', { lid }, shopper)).items as Record<string, unknown>[];
const episOf = async (shopper: TestShopper, lid: string) =>
  (await itemsOf(shopper, lid)).map(({ epi }) => epi);
const rowsOf = (regid: string) =>
  service.services.db.query('SELECT 1 FROM list WHERE pid = $1 AND regid = $2', [store.pid, regid]);

/** Merges the guest into the account and answers the report; generate-regid has none to show. */
const ways: Record<string, () => Promise<Report | null>> = {
  'generate-regid': async () => {
    await service
      .post(
        '/storeadmin/v3/user/generate-regid',
        { uuid, useremail: email, useragenttype: 'test' },
        { store },
      )
      .expect(200);
    return null;
  },
  'guest-validate-sync': async () => {
    const fields = { regid: guest.regid, useremail: email, useragenttype: 'test' };
    return (await service.post('/storeadmin/v3/user/guest-validate-sync', fields, { store }).expect(200)).body
      .merged;
  },
  'mutation generateRegid': async () => {
    const query =
      'mutation ($uuid: String, $useremail: String) { generateRegid(uuid: $uuid, useremail: $useremail, useragenttype: "test") { regid } }';
    const { body } = await service.graphql(query, { uuid, useremail: email }, { store });
    expect(body.errors).toBeUndefined();
    return null;
  },
  'mutation syncGuest': async () => {
    const query = `mutation ($regid: String!, $useremail: String!) {
      syncGuest(regid: $regid, useremail: $useremail, useragenttype: "test") { merged { lists items duplicates } } }`;
    const { body } = await service.graphql(query, { regid: guest.regid, useremail: email }, { store });
    expect(body.errors).toBeUndefined();
    return body.data.syncGuest.merged;
  },
};
const merge = () => ways['guest-validate-sync']!() as Promise<Report>;

test.each(Object.keys(ways))(
  '%s joins lists of one name, moves the others and empties the guest',
  async (way) => {
    const account = await service.account(store, email);
    const mine = await create(account, 'Favourites');
    await add(account, mine, { epi: 1 }, { epi: 2 });
    const theirs = await create(guest, 'Favourites');
    await add(guest, theirs, { epi: 2 }, { epi: 3 });
    const other = await create(guest, 'Holiday');
    await add(guest, other, { epi: 1 });
    const report = await ways[way]!();
    if (report !== null) expect(report).toEqual({ lists: 2, items: 2, duplicates: 1 });
    expect((await listsOf(account)).map(({ lid }) => lid).sort()).toEqual([mine, other].sort());
    expect(await episOf(account, mine)).toEqual([3, 2, 1]);
    expect(await episOf(account, other)).toEqual([1]);
    expect(await rowsOf(guest.regid)).toHaveLength(0);
    const again = await ways[way]!();
    if (again !== null) expect(again).toEqual({ lists: 0, items: 0, duplicates: 0 });
  },
);

test('a list without a type and one of type wl are of one type', async () => {
  const account = await service.account(store, email);
  const mine = await create(account, 'Favourites', { lty: 'wl' });
  await add(guest, await create(guest, 'Favourites'), { epi: 1 });
  expect(await merge()).toEqual({ lists: 1, items: 1, duplicates: 0 });
  expect(await episOf(account, mine)).toEqual([1]);
});

test('a list of another type moves over, whatever its name', async () => {
  const account = await service.account(store, email);
  await create(account, 'Favourites');
  const theirs = await create(guest, 'Favourites', { lty: 'registry' });
  expect(await merge()).toEqual({ lists: 1, items: 0, duplicates: 0 });
  expect((await listsOf(account)).map(({ lid }) => lid)).toContain(theirs);
});

test('names are compared with their case', async () => {
  const account = await service.account(store, email);
  await create(account, 'favourites');
  await create(guest, 'Favourites');
  await merge();
  expect(await listsOf(account)).toHaveLength(2);
});

test("an archived list of the account is not joined: the guest's moves over", async () => {
  const account = await service.account(store, email);
  const mine = await create(account, 'Favourites');
  await call('markArchived', { lid: mine }, account);
  const theirs = await create(guest, 'Favourites');
  await add(guest, theirs, { epi: 1 });
  await merge();
  expect(await episOf(account, theirs)).toEqual([1]);
  expect(await episOf(account, mine)).toEqual([]);
});

test('of several lists with the name, the oldest is joined', async () => {
  const account = await service.account(store, email);
  const oldest = await create(account, 'Favourites');
  const renamed = await create(account, 'Something');
  await call('update', { lid: renamed, lname: 'Favourites' }, account);
  await add(guest, await create(guest, 'Favourites'), { epi: 1 });
  await merge();
  expect(await episOf(account, oldest)).toEqual([1]);
  expect(await episOf(account, renamed)).toEqual([]);
});

test('two lists of the guest with one name join the same list, and each variant is there once', async () => {
  const account = await service.account(store, email);
  const mine = await create(account, 'Favourites');
  const first = await create(guest, 'Favourites');
  const second = await create(guest, 'Something');
  await call('update', { lid: second, lname: 'Favourites' }, guest);
  await add(guest, first, { epi: 1, note: 'first' });
  at(1);
  await add(guest, second, { epi: 1, note: 'second' }, { epi: 2 });
  expect(await merge()).toEqual({ lists: 2, items: 2, duplicates: 1 });
  expect((await itemsOf(account, mine)).map(({ epi, note }) => [epi, note])).toEqual([
    [2, null],
    [1, 'second'],
  ]);
});

test('two lists of the guest with a name that the account lacks stay two lists', async () => {
  const account = await service.account(store, email);
  const first = await create(guest, 'Favourites');
  const second = await create(guest, 'Something');
  await call('update', { lid: second, lname: 'Favourites' }, guest);
  expect((await merge()).lists).toBe(2);
  expect((await listsOf(account)).map(({ lid }) => lid)).toEqual([second, first]);
});

test("the guest's save-for-later list joins the account's, whatever their names", async () => {
  const account = await service.account(store, email);
  const mine = (await call('sfl/create', { lname: 'Later' }, account)).list.lid;
  const theirs = (await call('sfl/create', { lname: 'Not now' }, guest)).list.lid;
  await add(account, mine, { epi: 1 });
  await add(guest, theirs, { epi: 1 }, { epi: 2 });
  expect(await merge()).toEqual({ lists: 1, items: 1, duplicates: 1 });
  expect((await call('sfl/fetch', {}, account)).list).toMatchObject({ lid: mine, lname: 'Later', cnt: 2 });
});

test("without one of its own, the account gets the guest's save-for-later list, and sfl/create finds it", async () => {
  const account = await service.account(store, email);
  const theirs = (await call('sfl/create', {}, guest)).list.lid;
  await add(guest, theirs, { epi: 1 });
  await merge();
  expect((await call('sfl/create', {}, account)).list).toMatchObject({ lid: theirs, cnt: 1 });
});

test.each([
  {
    what: "the guest's is newer",
    accountAt: 1,
    guestAt: 2,
    expected: { note: 'guest', qty: 5, cprops: { by: 'guest' } },
  },
  {
    what: "the account's is newer",
    accountAt: 2,
    guestAt: 1,
    expected: { note: 'account', qty: 3, cprops: { by: 'account' } },
  },
])('the newer note, quantity and properties win: $what', async ({ accountAt, guestAt, expected }) => {
  const account = await service.account(store, email);
  const mine = await create(account, 'Favourites');
  const theirs = await create(guest, 'Favourites');
  at(accountAt);
  await add(account, mine, { epi: 1, note: 'account', qty: 3, cprops: { by: 'account' } });
  at(guestAt);
  await add(guest, theirs, { epi: 1, note: 'guest', qty: 5, cprops: { by: 'guest' } });
  const [before] = await itemsOf(account, mine);
  await merge();
  const items = await itemsOf(account, mine);
  expect(items).toHaveLength(1);
  expect(items[0]).toMatchObject({ ...expected, id: before!['id'] });
});

test('a joined item keeps its product, so that what was counted for it stays right', async () => {
  const account = await service.account(store, email);
  const mine = await create(account, 'Favourites');
  const theirs = await create(guest, 'Favourites');
  await add(account, mine, { epi: 1, empi: 70 });
  at(1);
  await add(guest, theirs, { epi: 1, empi: 71 });
  await merge();
  expect((await itemsOf(account, mine))[0]).toMatchObject({ epi: 1, empi: 70 });
  await call('update-ctx', { lid: mine, d: [{ epi: 1 }] }, account);
  await service.runTasks();
  const { body } = await service.graphql('{ mostWishlisted { empi count } }', {}, { store });
  expect(body.data.mostWishlisted).toEqual([]);
});

test('a joined custom item has the kind that its parts say', async () => {
  const account = await service.account(store, email);
  const mine = await create(account, 'Favourites');
  const theirs = await create(guest, 'Favourites');
  const custom = { title: 'Pen', du: '/pen' };
  const [{ epi }] = (await call('update-ctx', { lid: mine, a: [custom] }, account)).a;
  await call('update-ctx', { lid: theirs, a: [custom] }, guest);
  at(1);
  await call('update-ctx', { lid: theirs, u: [{ epi, bundle: [{ title: 'Cap' }] }] }, guest);
  await merge();
  expect(await itemsOf(account, mine)).toMatchObject([
    { epi, lity: 'customBundle', bundle: [{ title: 'Cap' }] },
  ]);
});

test('a note is not lost to a newer item without one', async () => {
  const account = await service.account(store, email);
  const mine = await create(account, 'Favourites');
  const theirs = await create(guest, 'Favourites');
  await add(account, mine, { epi: 1, note: 'size M', lbls: ['Kitchen'] });
  at(1);
  await add(guest, theirs, { epi: 1, qty: 2 });
  await merge();
  expect((await itemsOf(account, mine))[0]).toMatchObject({ note: 'size M', lbls: ['Kitchen'], qty: 2 });
  expect((await listsOf(account))[0]).toMatchObject({ cnt: 1, itemcmnts: 1 });
});

test('a moved list keeps its id and contents, and carries the account from now on', async () => {
  const theirs = await create(guest, 'Holiday', { lnote: 'warm', lprops: { a: 1 } });
  await add(guest, theirs, { epi: 1, note: 'mine' });
  const [before] = await itemsOf(guest, theirs);
  const [record] = await listsOf(guest);
  at(1);
  await merge();
  const account = await service.account(store, email);
  const [after] = await listsOf(account);
  expect(after).toMatchObject({
    lid: theirs,
    lnote: 'warm',
    lprops: { a: 1 },
    cnt: 1,
    itemcmnts: 1,
    cby: email,
    uby: email,
    uts: START + 60_000,
  });
  expect(after!['uid']).not.toBe(record!['uid']);
  expect((await itemsOf(account, theirs))[0]).toEqual(before);
});

test('a merge that passes the size limits succeeds whole', async () => {
  const small = await startService({ rateLimits: false, maxLists: 2, maxItems: 2 });
  try {
    const shop = await small.createStore();
    const visitor = await small.guest(shop);
    const account = await small.account(shop, email);
    const post = async (path: string, fields: Fields, shopper: TestShopper) =>
      (await small.post(`/api/v3/lists/${path}`, fields, { shopper }).expect(200)).body;
    for (const [shopper, base] of [
      [account, 10],
      [visitor, 20],
    ] as const) {
      for (const lname of ['Favourites', `Own ${base}`]) {
        const { lid } = await post('create', { lname }, shopper);
        const a = [1, 2].map((n) => ({ epi: base + n, empi: base + n, du: '/p' }));
        await post('update-ctx', { lid, a }, shopper);
      }
    }
    const fields = { regid: visitor.regid, useremail: email, useragenttype: 'test' };
    const { body } = await small
      .post('/storeadmin/v3/user/guest-validate-sync', fields, { store: shop })
      .expect(200);
    expect(body.merged).toEqual({ lists: 2, items: 4, duplicates: 0 });
    expect(
      (await post('fetch-user-lists', {}, account)).data.map(({ cnt }: { cnt: number }) => cnt).sort(),
    ).toEqual([2, 2, 4]);
  } finally {
    await small.close();
  }
});

test('after the merge the old sessionid opens the account, and only the account', async () => {
  const theirs = await create(guest, 'Holiday');
  await merge();
  const account = await service.account(store, email);
  const mixed = { ...account, sessionid: guest.sessionid };
  expect((await listsOf(mixed)).map(({ lid }) => lid)).toEqual([theirs]);
  await add(mixed, theirs, { epi: 1 });
  const { body } = await service.post('/api/v3/lists/fetch-user-lists', {}, { shopper: guest }).expect(401);
  expect(body.type).toBe('sw-badregid');
});

test('a later visitor with the same uuid gets a new session and no lists', async () => {
  await create(guest, 'Holiday');
  await merge();
  const later = await service.guest(store, uuid);
  expect(later.regid).toBe(guest.regid);
  expect(later.sessionid).not.toBe(guest.sessionid);
  expect(await listsOf(later)).toEqual([]);
});

test('re-adding everything after a merge doubles nothing, custom items included', async () => {
  const account = await service.account(store, email);
  const mine = await create(account, 'Favourites');
  const theirs = await create(guest, 'Favourites');
  const items = [1, 2, 3].map((epi) => ({ epi, empi: epi, du: '/p' }));
  const custom = { title: 'Gift wrap', du: '/wrap', price: 3 };
  await call('update-ctx', { lid: theirs, a: [...items, custom] }, guest);
  await merge();
  await call('update-ctx', { lid: mine, a: [...items, custom] }, account);
  expect(await itemsOf(account, mine)).toHaveLength(4);
});

test('lists that a store adds to a guest after its merge follow at the next one', async () => {
  await create(guest, 'Holiday');
  await merge();
  await service
    .post('/api/v3/lists/create', { lname: 'By the store', regid: guest.regid }, { store })
    .expect(200);
  expect((await merge()).lists).toBe(1);
  const account = await service.account(store, email);
  expect(await listsOf(account)).toHaveLength(2);
});

test('a joined list that is still being copied arrives whole, and a moved one goes on being copied', async () => {
  const account = await service.account(store, email);
  const mine = await create(account, 'Favourites');
  const source = await create(guest, 'Source');
  for (const base of [0, 400]) {
    await add(guest, source, ...Array.from({ length: 400 }, (_, n) => ({ epi: 1 + base + n })));
  }
  await create(guest, 'Favourites', { fromlid: source });
  const moved = await create(guest, 'Moved', { fromlid: source });
  expect(await merge()).toEqual({ lists: 3, items: 2_400, duplicates: 0 });
  await service.runTasks();
  const expected = Array.from({ length: 800 }, (_, n) => 800 - n);
  for (const lid of [mine, source, moved]) {
    const { body } = await service
      .post('/api/v3/lists/fetch-list-with-contents?limit=1000', { lid }, { shopper: account })
      .expect(200);
    expect(body.items.map(({ epi }: Item) => epi)).toEqual(expected);
    expect(body.list).toMatchObject({ _cp: false, cnt: 800 });
  }
});

test("alerts that the guest asked for are the account's afterwards", async () => {
  const input =
    '{ medium: email, mediumvalue: "a@example.com", products: [{ epi: 1, empi: 1, du: "/p" }], topics: ["backinstock"] }';
  const subscribe = `mutation { subscribe(input: ${input}) { confirmed } }`;
  const { body } = await service.graphql(subscribe, {}, { shopper: guest });
  expect(body).toEqual({ data: { subscribe: { confirmed: false } } });
  await merge();
  const account = await service.account(store, email);
  const rows = await service.services.db.query('SELECT regid FROM subscription_request WHERE pid = $1', [
    store.pid,
  ]);
  expect(rows).toEqual([{ regid: account.regid }]);
});

test("an account's regid with another e-mail is refused and an unknown one is sw-badregid; nothing moves", async () => {
  const account = await service.account(store, email);
  const lid = await create(account, 'Favourites');
  const sync = (regid: string) =>
    service.post(
      '/storeadmin/v3/user/guest-validate-sync',
      { regid, useremail: 'other@example.com', useragenttype: 'test' },
      { store },
    );
  expect((await sync(account.regid).expect(403)).body.type).toBe('forbidden');
  expect((await sync('unknown').expect(401)).body.type).toBe('sw-badregid');
  expect((await listsOf(account)).map((list) => list['lid'])).toEqual([lid]);
});

test("an account's own regid with its own e-mail is a success with zero merges, over REST and GraphQL", async () => {
  const account = await service.account(store, email);
  const lid = await create(account, 'Favourites');
  const fields = { regid: account.regid, useremail: ` ${email.toUpperCase()} `, useragenttype: 'other' };
  const { body } = await service
    .post('/storeadmin/v3/user/guest-validate-sync', fields, { store })
    .expect(200);
  const merged = { lists: 0, items: 0, duplicates: 0 };
  const { sessionid } = await service.account(store, email, 'other');
  expect(body).toEqual({ message: 'There was nothing to merge', regid: account.regid, sessionid, merged });
  const query = `mutation ($regid: String!, $useremail: String!, $useragenttype: String!) {
    syncGuest(regid: $regid, useremail: $useremail, useragenttype: $useragenttype) {
      message regid sessionid merged { lists items duplicates } } }`;
  expect((await service.graphql(query, fields, { store })).body.data.syncGuest).toEqual(body);
  expect((await listsOf({ ...account, sessionid })).map((list) => list['lid'])).toEqual([lid]);
});

test('a guest of another store is unknown here and keeps its lists', async () => {
  const elsewhere = await service.createStore();
  const foreign = await service.guest(elsewhere, uuid);
  await create(foreign, 'Holiday');
  const fields = { regid: foreign.regid, useremail: email, useragenttype: 'test' };
  await service.post('/storeadmin/v3/user/guest-validate-sync', fields, { store }).expect(401);
  await ways['generate-regid']!();
  expect(await listsOf(foreign)).toHaveLength(1);
});
