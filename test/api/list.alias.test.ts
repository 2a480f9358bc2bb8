import { randomUUID } from 'node:crypto';
import { useNewStore, useService } from '../harness.ts';
import type { Fields } from '../harness.ts';
import { createClient, item, newAccount, newGuest, rowsOf } from './list-kit.ts';
import type { Client } from './list-kit.ts';

// A login joins the guest's "My Wishlist" to the account's, and clients go on with the guest's lid.

const DAY_MS = 86_400_000;
const service = useService();
const store = useNewStore(service, { customItems: true });

let email: string;
let uuid: string;
let guest: Client;
let account: Client;

beforeEach(async () => {
  email = `${randomUUID()}@example.com`;
  uuid = randomUUID();
  guest = createClient(service, await service.guest(store, uuid));
  account = await newAccount(service, store, email);
});

const logIn = async (client: Client = guest): Promise<void> => {
  const fields = { regid: client.shopper.regid, useremail: email, useragenttype: 'test' };
  await service.post('/storeadmin/v3/user/guest-validate-sync', fields, { store }).expect(200);
};

const makeList = async (client: Client, epi: number, isSaved = false): Promise<string> => {
  const { lid } = isSaved ? (await client.ok('lists/sfl/create')).list : await client.create('My Wishlist');
  await client.add(lid, item(epi));
  return lid;
};

/** Lists of account and guest that a login joined, with item 1 of the account and item 2 of the guest. */
async function joined(isSaved = false): Promise<{ lid: string; alias: string }> {
  const lid = await makeList(account, 1, isSaved);
  const alias = await makeList(guest, 2, isSaved);
  await logIn();
  return { lid, alias };
}

const aliasRows = () => service.services.db.prisma.listAlias.findMany({ where: { pid: store.pid } });
const episIn = async (client: Client, lid: string): Promise<number[]> =>
  (await client.contents(lid)).items.map(({ epi }: { epi: number }) => epi);
const anonymous = (path: string, fields: Fields) =>
  service.post(`/api/v3/${path}?pid=${encodeURIComponent(store.pid)}`, fields);

/** Every call that names a list, with everything else that it needs and what it does to the joined list; `other` is another list of the account. */
type Lids = { lid: string; other: string };
type Row = {
  path: string;
  isSaved?: true;
  fields: (lids: Lids) => Fields;
  /** Variants of the joined list afterwards, where they are others than 2 and 1; null when the list is gone. */
  epis?: number[] | null;
};
const CALLS: Row[] = [
  { path: 'lists/update', fields: ({ lid }) => ({ lid, lname: 'Renamed' }) },
  { path: 'lists/delete-list', fields: ({ lid }) => ({ lid }), epis: null },
  {
    path: 'lists/update-ctx',
    fields: ({ lid }) => ({ lid, a: [item(7)], u: [{ epi: 1, qty: 4 }], d: [{ epi: 2 }] }),
    epis: [7, 1],
  },
  // A variant in two parts is written alone.
  { path: 'lists/update-ctx', fields: ({ lid }) => ({ lid, a: [item(2)], d: [{ epi: 2 }] }) },
  { path: 'lists/fetch-user-list', fields: ({ lid }) => ({ lid }) },
  { path: 'lists/fetch-list-with-contents', fields: ({ lid }) => ({ lid }) },
  { path: 'lists/markPublic', fields: ({ lid }) => ({ lid }) },
  { path: 'lists/markPrivate', fields: ({ lid }) => ({ lid }) },
  { path: 'lists/markArchived', fields: ({ lid }) => ({ lid }) },
  { path: 'lists/markUnarchived', fields: ({ lid }) => ({ lid }) },
  { path: 'lists/emailList', fields: ({ lid }) => ({ lid, toemail: 'friend@example.com' }) },
  { path: 'lists/reportShare', fields: ({ lid }) => ({ lid, medium: 'link' }) },
  { path: 'lists/create', fields: ({ lid }) => ({ lname: 'Copied', fromlid: lid }) },
  {
    path: 'lists/move-items',
    fields: ({ lid, other }) => ({ fromlid: lid, tolid: other, epis: [2] }),
    epis: [1],
  },
  {
    path: 'lists/move-items',
    fields: ({ lid, other }) => ({ fromlid: other, tolid: lid, epis: [5] }),
    epis: [5, 2, 1],
  },
  { path: 'lists/copy-items', fields: ({ lid, other }) => ({ fromlid: lid, tolid: other, epis: [2] }) },
  {
    path: 'lists/copy-items',
    fields: ({ lid, other }) => ({ fromlid: other, tolid: lid, epis: [5] }),
    epis: [5, 2, 1],
  },
  { path: 'lists/restore', fields: ({ lid }) => ({ lid }) },
  { path: 'lists/restore-items', fields: ({ lid }) => ({ lid, epis: [3] }), epis: [3, 2, 1] },
  { path: 'lists/fetch-deleted-items', fields: ({ lid }) => ({ lid }) },
  {
    path: 'lists/sfl/add',
    isSaved: true,
    fields: ({ lid }) => ({ lid, items: [item(7)] }),
    epis: [7, 2, 1],
  },
  { path: 'lists/sfl/remove', isSaved: true, fields: ({ lid }) => ({ lid, items: [{ epi: 2 }] }), epis: [1] },
  { path: 'lists/sfl/update', isSaved: true, fields: ({ lid }) => ({ lid, items: [{ epi: 1, qty: 4 }] }) },
  {
    path: 'lists/sfl/moved-to-cart',
    isSaved: true,
    fields: ({ lid }) => ({ lid, items: [{ epi: 2 }] }),
    epis: [1],
  },
];

/** Joined lists with a deleted item 3, and another list with item 5. */
async function prepared(isSaved = false): Promise<{ lid: string; alias: string; other: string }> {
  const { lid, alias } = await joined(isSaved);
  await account.add(lid, item(3));
  await account.ok('lists/update-ctx', { lid, d: [{ epi: 3 }] });
  const { lid: other } = await account.create('Other');
  await account.add(other, item(5));
  return { lid, alias, other };
}

describe.each(CALLS)('$path', ({ path, isSaved, fields, epis = [2, 1] }) => {
  test('works for the account with the old lid as with the real one, which is the one it answers', async () => {
    const { lid, alias, other } = await prepared(isSaved);
    const body = await account.ok(path, fields({ lid: alias, other }));
    expect(JSON.stringify(body)).not.toContain(alias);
    // A copy names only the new list.
    if (path !== 'lists/create') expect(JSON.stringify(body)).toContain(lid);
    else expect(body.cnt).toBe(2);
    if (epis === null) expect(await account.failure(404, path, { lid })).toBe('list-not-found');
    else expect((await episIn(account, lid)).sort()).toEqual([...epis].sort());
  });

  test("another shopper, another store and the next visitor with the guest's uuid find nothing, and nothing changes", async () => {
    const { lid, alias } = await prepared(isSaved);
    const before = [await account.contents(lid), await rowsOf(service, lid)];
    const next = createClient(service, await service.guest(store, uuid));
    const elsewhere = await newAccount(service, await service.createStore(), email);
    for (const stranger of [await newAccount(service, store), next, elsewhere]) {
      const { lid: other } = await stranger.create('Own');
      await stranger.add(other, item(5));
      const sent = fields({ lid: alias, other });
      // Guests mail no lists at all.
      const refusal = path === 'lists/emailList' && stranger === next ? 'login-required' : 'list-not-found';
      expect((await stranger.call(path, sent)).body.type).toBe(refusal);
      const byKey = { ...sent, regid: next.shopper.regid };
      if (stranger === next)
        expect((await service.post(`/api/v3/${path}`, byKey, { store })).body.type).toBe(refusal);
    }
    expect([await account.contents(lid), await rowsOf(service, lid)]).toEqual(before);
  });
});

test('GraphQL takes the old lid wherever it takes a lid, and records carry the real one', async () => {
  const { lid, alias, other } = await prepared();
  const read = `query ($lid: ID!) {
    list(lid: $lid) { lid listcontents { lid epi } }
    listContents(lid: $lid) { list { lid } items { lid } }
    listPage(lid: $lid) { list { lid } items { lid list { lid } } }
    lists(lids: [$lid], st: null) { totalCount edges { node { lid } } }
    deletedItems(lid: $lid) { lid epi }
    shopper { list(lid: $lid) { lid } lists(lids: [$lid]) { edges { node { lid } } } }
  }`;
  const { body } = await account.graphql(read, { lid: alias });
  expect(body.errors).toBeUndefined();
  expect(body.data).toEqual((await account.graphql(read, { lid })).body.data);
  expect(body.data.lists).toEqual({ totalCount: 1, edges: [{ node: { lid } }] });
  expect(body.data.shopper.list).toEqual({ lid });
  const write = `mutation ($lid: ID!, $other: ID!) {
    a: updateListContents(lid: $lid, a: [{ epi: 7, empi: 7, du: "/p" }]) { lid list { lid } }
    b: updateList(lid: $lid, input: { lnote: "mine" }) { lid lnote }
    c: moveItems(fromlid: $lid, tolid: $other, epis: [7]) { from { lid } to { lid } items { lid } }
    d: copyItems(fromlid: $other, tolid: $lid, epis: [7]) { from { lid } to { lid } items { lid } }
    e: setListPublic(lid: $lid, anonRead: true) { lid }
    f: setListArchived(lid: $lid, isArchived: false) { lid }
    g: reportShare(lid: $lid, medium: "link") { lid }
    h: createList(input: { lname: "Copied", fromlid: $lid }) { cnt }
    i: restoreItems(lid: $lid, epis: [3]) { lid }
    j: emailList(lid: $lid, toemail: "friend@example.com") { listinfo { lid } }
    k: deleteList(lid: $lid) { lid }
    l: restoreList(lid: $lid) { lid }
  }`;
  const written = await account.graphql(write, { lid: alias, other });
  expect(written.body.errors).toBeUndefined();
  expect(written.body.data).toMatchObject({
    a: { lid, list: { lid } },
    b: { lid, lnote: 'mine' },
    c: { from: { lid }, to: { lid: other }, items: [{ lid: other }] },
    d: { from: { lid: other }, to: { lid }, items: [{ lid }] },
    h: { cnt: 3 },
    j: { listinfo: { lid } },
    k: { lid },
    l: { lid },
  });
  expect(JSON.stringify(written.body)).not.toContain(alias);
});

test('of several lids some may be aliases, and a list that two of them name comes once', async () => {
  const { lid, alias } = await joined();
  const { lid: other } = await account.create('Other');
  const query = 'query ($lids: [ID!]) { lists(lids: $lids, first: 2) { totalCount edges { node { lid } } } }';
  const { body } = await account.graphql(query, { lids: [alias, other, lid, 'none'] });
  expect(body.data.lists).toEqual({ totalCount: 2, edges: [{ node: { lid: other } }, { node: { lid } }] });
  const mine = await newAccount(service, store);
  expect((await mine.graphql(query, { lids: [alias, lid] })).body.data.lists.totalCount).toBe(0);
});

test.each(['move-items', 'copy-items'])('%s refuses a list and its alias as two lists', async (path) => {
  const { lid, alias } = await joined();
  for (const [fromlid, tolid] of [
    [lid, alias],
    [alias, lid],
  ])
    expect(await account.failure(400, `lists/${path}`, { fromlid, tolid, epis: [1] })).toBe('invalid-lid');
  expect(await episIn(account, lid)).toEqual([2, 1]);
});

test("a store key that acts for the account, and the guest's last session, are the account", async () => {
  const { lid, alias } = await joined();
  const fields = { lid: alias, regid: account.shopper.regid };
  const { body } = await service
    .post('/api/v3/lists/fetch-list-with-contents', fields, { store })
    .expect(200);
  expect(body).toMatchObject({ lid, list: { lid } });
  const linked = createClient(service, { ...account.shopper, sessionid: guest.shopper.sessionid });
  expect(await linked.add(alias, item(7))).toMatchObject({ lid, cnt: 3 });
  expect(await guest.failure(401, 'lists/update-ctx', { lid: alias, a: [item(8)] })).toBe('sw-badregid');
});

test('a write under the old lid that is sent again with its key is done once', async () => {
  const { lid, alias } = await joined();
  const send = () =>
    account
      .call('lists/update-ctx', { lid: alias, a: [item(7)] })
      .set('Idempotency-Key', `"${alias}"`)
      .expect(200);
  const { body } = await send();
  expect(body.lid).toBe(lid);
  expect((await send()).body).toEqual(body);
  expect((await account.contents(lid)).list.version).toBe(body.version);
});

describe('strangers', () => {
  const QUERY = 'query ($lid: ID!) { list(lid: $lid) { lid owner { isMe } } }';

  test('read the joined list by the old lid while it is public, masked and under its real lid', async () => {
    const { lid, alias } = await joined();
    await account.ok('lists/markPublic', { lid });
    const stranger = await newAccount(service, store);
    const next = createClient(service, await service.guest(store, uuid));
    for (const client of [stranger, next]) {
      const { list, items } = await client.contents(alias);
      expect(list).toMatchObject({ lid, uid: '', di: '', userinfo: { em: expect.stringContaining('***') } });
      expect(items.map((one: { lid: string }) => one.lid)).toEqual([lid, lid]);
      expect(await client.failure(404, 'lists/update', { lid: alias, lname: 'Stolen' })).toBe(
        'list-not-found',
      );
      expect((await client.graphql(QUERY, { lid: alias })).body.data.list.lid).toBe(lid);
      expect((await client.create('Copy', { fromlid: alias })).cnt).toBe(2);
    }
    const { body } = await anonymous('lists/fetch-list-with-contents', { lid: alias }).expect(200);
    expect(body).toEqual((await anonymous('lists/fetch-list-with-contents', { lid })).body);
    for (const address of [`/shared/${alias}`, `/shared/${alias}?pid=${encodeURIComponent(store.pid)}`])
      expect((await service.get(address).expect(200)).text).toContain('My Wishlist');
  });

  test("find nothing by it while the joined list is private, though the guest's was public", async () => {
    const lid = await makeList(account, 1);
    const alias = await makeList(guest, 2);
    await guest.ok('lists/markPublic', { lid: alias });
    await logIn();
    const stranger = await newAccount(service, store);
    expect(await stranger.failure(404, 'lists/fetch-list-with-contents', { lid: alias })).toBe(
      'list-not-found',
    );
    expect((await stranger.graphql(QUERY, { lid: alias })).body).toEqual({ data: { list: null } });
    await anonymous('lists/fetch-user-list', { lid: alias }).expect(404);
    for (const address of [`/shared/${alias}`, `/shared/${alias}?pid=${encodeURIComponent(store.pid)}`])
      await service.get(address).expect(404);
    await account.ok('lists/markPublic', { lid });
    const other = await service.createStore();
    await service.get(`/shared/${alias}?pid=${encodeURIComponent(other.pid)}`).expect(404);
  });
});

test('what a caller knows of a list by its old lid is never older than the last write', async () => {
  const { lid, alias } = await joined();
  const query = 'query ($lid: ID!) { shopper { list(lid: $lid) { cnt } } }';
  const read = async () => (await account.graphql(query, { lid: alias })).body.data.shopper.list;
  for (let times = 0; times < 3; times += 1) expect(await read()).toEqual({ cnt: 2 });
  await account.add(lid, item(3));
  expect(await read()).toEqual({ cnt: 3 });
  await account.ok('lists/delete-list', { lid });
  for (let times = 0; times < 3; times += 1) expect(await read()).toBeNull();
  await account.ok('lists/restore', { lid });
  expect(await read()).toEqual({ cnt: 3 });
});

test('what was not there for an account before its login is there after it', async () => {
  const lid = await makeList(account, 1);
  const alias = await makeList(guest, 2);
  const query = 'query ($lid: ID!) { shopper { list(lid: $lid) { lid } } }';
  const read = async () => (await account.graphql(query, { lid: alias })).body.data.shopper.list;
  for (let times = 0; times < 3; times += 1) expect(await read()).toBeNull();
  await logIn();
  expect(await read()).toEqual({ lid });
});

test('those who watch are told of the real lid alone', async () => {
  const lid = await makeList(account, 1);
  const { rev } = await account.ok('lists/changes', { wait: 0 });
  const alias = await makeList(guest, 2);
  await logIn();
  await account.add(alias, item(3));
  expect((await account.ok('lists/changes', { since: rev, wait: 0 })).lids).toEqual([lid]);
});

describe('another merge', () => {
  test('of a later guest leaves both old lids working', async () => {
    const { lid, alias } = await joined();
    const later = await newGuest(service, store);
    const second = await makeList(later, 3);
    await logIn(later);
    for (const old of [alias, second])
      expect((await account.contents(old)).list).toMatchObject({ lid, cnt: 3 });
  });

  test('takes the aliases of a list that joins another one along', async () => {
    const lid = await makeList(account, 1);
    const alias = await makeList(guest, 2);
    const { prisma } = service.services.db;
    await prisma.listAlias.create({ data: { pid: store.pid, alias: `${alias}-older`, lid: alias } });
    await logIn();
    const named = (await aliasRows()).map((row) => [row.alias, row.lid]);
    expect(named.sort()).toEqual([
      [alias, lid],
      [`${alias}-older`, lid],
    ]);
    expect((await account.contents(`${alias}-older`)).list.lid).toBe(lid);
  });

  test('joins two lists of one guest under both their lids', async () => {
    const lid = await makeList(account, 1);
    const first = await makeList(guest, 2);
    const { lid: second } = await guest.create('Renamed');
    await guest.add(second, item(3));
    await guest.ok('lists/update', { lid: second, lname: 'My Wishlist' });
    await logIn();
    for (const old of [first, second])
      expect((await account.contents(old)).list).toMatchObject({ lid, cnt: 3 });
  });
});

describe('a deleted list', () => {
  test.each(['the old lid', 'the real lid'])(
    'is not found by its old lid until it is back by %s',
    async (way) => {
      const { lid, alias } = await joined();
      expect((await account.ok('lists/delete-list', { lid: alias })).lid).toBe(lid);
      for (const one of [lid, alias])
        expect(await account.failure(404, 'lists/fetch-list-with-contents', { lid: one })).toBe(
          'list-not-found',
        );
      expect(await aliasRows()).toEqual([]);
      const stranger = await newAccount(service, store);
      const next = createClient(service, await service.guest(store, uuid));
      for (const client of [stranger, next])
        expect(await client.failure(404, 'lists/restore', { lid: alias })).toBe('list-not-found');
      const restored = await account.ok('lists/restore', { lid: way === 'the old lid' ? alias : lid });
      expect(restored).toMatchObject({ lid, cnt: 2 });
      expect(await account.add(alias, item(7))).toMatchObject({ lid, cnt: 3 });
      expect(await account.ok('lists/restore', { lid: alias })).toMatchObject({ lid, cnt: 3 });
    },
  );

  test('for saving for later gives its aliases to the present one, which it joins', async () => {
    const { lid, alias } = await joined(true);
    await account.ok('lists/delete-list', { lid });
    const present = await makeList(account, 9, true);
    expect(await account.ok('lists/restore', { lid: alias })).toMatchObject({ lid: present, cnt: 3 });
    expect(await account.ok('lists/sfl/add', { lid: alias, items: [item(7)] })).toMatchObject({
      itemsadded: [{ lid: present, epi: 7 }],
    });
  });

  test('takes its aliases along for good, when it can no longer be brought back', async () => {
    const start = Date.UTC(2031, 0, 1);
    service.setNow(new Date(start));
    const { lid, alias } = await joined();
    expect(await aliasRows()).toHaveLength(1);
    await account.ok('lists/delete-list', { lid });
    service.setNow(new Date(start + 31 * DAY_MS));
    expect(await account.failure(404, 'lists/restore', { lid: alias })).toBe('list-not-found');
    await service.runTasks();
    const { prisma } = service.services.db;
    expect(await prisma.deletedList.count({ where: { pid: store.pid } })).toBe(0);
    expect(await aliasRows()).toEqual([]);
    expect(await account.failure(404, 'lists/fetch-list-with-contents', { lid: alias })).toBe(
      'list-not-found',
    );
  });

  test('takes its aliases along at once in a store that keeps none', async () => {
    const { lid, alias } = await joined();
    await service.graphql('mutation { updateStore(input: { restoreDays: 0 }) { name } }', {}, { store });
    await account.ok('lists/delete-list', { lid: alias });
    expect(await aliasRows()).toEqual([]);
    for (const one of [lid, alias])
      expect(await account.failure(404, 'lists/restore', { lid: one })).toBe('list-not-found');
  });
});

describe('the data of a person', () => {
  test('an export names the old lids of a list, also of a deleted one', async () => {
    const { lid, alias } = await joined();
    const exported = async () =>
      (await service.post('/storeadmin/v3/user/export', { useremail: email }, { store })).body.data;
    expect((await exported()).lists).toMatchObject([{ lid, aliases: [alias] }]);
    await account.ok('lists/delete-list', { lid });
    expect((await exported()).deletedLists).toMatchObject([{ lid, aliases: [alias] }]);
  });

  test.each(['there', 'deleted'])('an erasure leaves no alias of a list that is %s', async (state) => {
    const { lid, alias } = await joined();
    expect(await aliasRows()).toHaveLength(1);
    if (state === 'deleted') await account.ok('lists/delete-list', { lid });
    await service.graphql(
      'mutation ($e: String) { eraseShopper(useremail: $e) { detail } }',
      { e: email },
      { store },
    );
    expect(await aliasRows()).toEqual([]);
    const back = await newAccount(service, store, email);
    for (const path of ['lists/fetch-list-with-contents', 'lists/restore'])
      expect(await back.failure(404, path, { lid: alias })).toBe('list-not-found');
  });
});

test('no item is lost that is written under the old lid while the login goes on', async () => {
  const lid = await makeList(account, 1);
  const alias = await makeList(guest, 2);
  // The guest's session opens the account once it is merged, so each client tries both until it is taken.
  const linked = createClient(service, { ...account.shopper, sessionid: guest.shopper.sessionid });
  const write = async (epi: number): Promise<void> => {
    const sent = { lid: alias, a: [item(epi)] };
    const first = await guest.call('lists/update-ctx', sent);
    if (first.status === 200) return;
    expect([first.status, first.body.type]).toEqual([401, 'sw-badregid']);
    expect(await linked.ok('lists/update-ctx', sent)).toMatchObject({ lid });
  };
  const epis = Array.from({ length: 30 }, (_, index) => 100 + index);
  await Promise.all([...epis.slice(0, 15).map(write), logIn(), ...epis.slice(15).map(write)]);
  expect((await episIn(account, lid)).sort()).toEqual([1, 2, ...epis].sort());
});

test('a list that is found by its own lid needs nothing of the table of aliases', async () => {
  const { lid } = await joined();
  const { lid: other } = await account.create('Other');
  const client = await service.services.db.pool.connect();
  try {
    await client.query('BEGIN; LOCK TABLE list_alias IN ACCESS EXCLUSIVE MODE');
    await account.contents(lid);
    await account.add(lid, item(7));
    await account.ok('lists/update', { lid, lnote: 'mine' });
    await account.ok('lists/move-items', { fromlid: lid, tolid: other, epis: [7] });
    await account.ok('lists/reportShare', { lid, medium: 'link' });
    const query = 'query ($lids: [ID!]) { lists(lids: $lids) { totalCount } }';
    expect((await account.graphql(query, { lids: [lid, other] })).body.data.lists.totalCount).toBe(2);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});
