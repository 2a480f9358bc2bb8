import { item, newAccount, stock, useAccount } from '../api/list-kit.ts';
import { useService, useStore } from '../harness.ts';
import type { Fields } from '../harness.ts';
import { fullSelection } from './full-selection.ts';

// What REST answers is held against every field that the schema has, asked for over GraphQL. A field that a REST
// fragment forgets makes these fail.

const service = useService();
const store = useStore(service, { customItems: true });
const me = useAccount(service, store);

beforeAll(async () => {
  await stock(service, store, '11');
});

const LIST = fullSelection('List');
const ITEM = fullSelection('Item');
const CONTENTS = fullSelection('ListContents');

/** Asked three times, a query is answered from what is kept the last time: that must be the same, too. */
const TIMES = 3;

async function ask(query: string, variables: object = {}): Promise<Record<string, unknown>> {
  const { body } = await me.graphql(query, variables).expect(200);
  expect(body.errors).toBeUndefined();
  if (query.startsWith('mutation')) return body.data;
  for (let times = 1; times < TIMES; times += 1)
    expect((await me.graphql(query, variables).expect(200)).body).toEqual(body);
  return body.data;
}

async function read(path: string, fields: Fields = {}) {
  const body = await me.ok(path, fields);
  for (let times = 1; times < TIMES; times += 1) expect(await me.ok(path, fields)).toEqual(body);
  return body;
}

const without = <Row extends object>(row: Row, ...keys: string[]) =>
  Object.fromEntries(Object.entries(row).filter(([key]) => !keys.includes(key)));

let names = 0;
async function makeList(): Promise<{ lid: string }> {
  const list = await me.create(`List ${(names += 1)}`, {
    lnote: 'a note',
    lprops: { a: [1] },
    cprops: { b: 2 },
    ldesc: { c: 3 },
  });
  await me.add(
    list.lid,
    item(11, { note: 'gift', lbls: ['Kitchen'] }),
    item('x-1', { dt: 'Lamp', pr: 9.5 }),
    {
      title: 'Set',
      du: '/set',
      price: 30,
      bundle: [{ title: 'Cup', price: 3, epi: 5, empi: 6, iu: '/c.jpg', uri: '/c', vendor: 'Acme' }],
    },
  );
  return list;
}

async function transfer(path: string): Promise<Record<string, object>> {
  const [from, to] = [await makeList(), await me.create(`Target ${(names += 1)}`)];
  const { version } = await me.ok('lists/update', { lid: to.lid, lnote: 'target' });
  return me.ok(path, { fromlid: from.lid, tolid: to.lid, epis: [11, 'x-1'], expectedVersion: version });
}

const readList = async (lid: string) =>
  (await ask(`query ($lid: ID!) { list(lid: $lid) ${LIST} }`, { lid }))['list'];

test.each([
  ['create', async () => me.create(`Fresh ${Date.now()}`)],
  [
    'update',
    async () => me.ok('lists/update', { lid: (await makeList()).lid, lname: 'Renamed', lnote: 'other' }),
  ],
  ['markPublic', async () => me.ok('lists/markPublic', { lid: (await makeList()).lid })],
  ['markPrivate', async () => me.ok('lists/markPrivate', { lid: (await makeList()).lid })],
  ['markArchived', async () => me.ok('lists/markArchived', { lid: (await makeList()).lid })],
  ['markUnarchived', async () => me.ok('lists/markUnarchived', { lid: (await makeList()).lid })],
  [
    'emailList',
    async () =>
      (await me.ok('lists/emailList', { lid: (await makeList()).lid, toemail: 'friend@example.com' }))
        .listinfo,
  ],
])('lists/%s answers the whole list record', async (_path, call) => {
  const record = await call();
  expect(record).toEqual(await readList(record.lid));
});

test('lists/delete-list answers the whole list record as it was', async () => {
  const { lid } = await makeList();
  const before = await readList(lid);
  expect(await me.ok('lists/delete-list', { lid })).toEqual(before);
});

test('deleteList over GraphQL answers what REST answers', async () => {
  const { lid } = await makeList();
  const before = await readList(lid);
  const { deleteList } = await ask(`mutation ($lid: ID!) { deleteList(lid: $lid) ${LIST} }`, { lid });
  expect(deleteList).toEqual(before);
});

test('lists/fetch-lists answers whole list records', async () => {
  await makeList();
  const { allLists, lists } = await ask(`{ allLists ${LIST} lists(first: 100) { edges { node ${LIST} } } }`);
  expect(await read('lists/fetch-lists')).toEqual(allLists);
  expect((lists as { edges: { node: object }[] }).edges.map(({ node }) => node)).toEqual(allLists);
});

test('lists/changes answers the whole record of changes', async () => {
  const { lid } = await makeList();
  const CHANGES = fullSelection('ListChanges');
  const { listChanges } = await ask(`{ listChanges ${CHANGES} }`);
  expect(await read('lists/changes')).toEqual(listChanges);
  const { rev: since } = listChanges as { rev: string };
  await me.add(lid, item(12));
  const query = `query ($since: String) { listChanges(since: $since) ${CHANGES} }`;
  const { listChanges: later } = await ask(query, { since });
  expect(later).toEqual({ rev: expect.any(String), lids: [lid] });
  expect(await read('lists/changes', { since })).toEqual(later);
});

test('lists/fetch-user-lists answers whole list records without contents', async () => {
  await makeList();
  const { allLists } = await ask(`{ allLists(st: null) ${LIST} }`);
  const { status, data } = await read('lists/fetch-user-lists');
  expect(status).toBe('success');
  expect(data).toEqual((allLists as object[]).map((list) => without(list, 'listcontents')));
});

test('lists/fetch-list-with-contents answers the list, its items, the owner and the page, and contents at the top', async () => {
  const { lid } = await makeList();
  const { listContents } = await ask(`query ($lid: ID!) { listContents(lid: $lid) ${CONTENTS} }`, { lid });
  const body = await read('lists/fetch-list-with-contents', { lid });
  expect(without(body, 'lid', 'listcontents')).toEqual(listContents);
  expect(body.lid).toBe(lid);
  expect(body.listcontents).toEqual(body.items);
  expect(body.list).toEqual(await readList(lid));
});

test('lists/fetch-user-list answers a whole page', async () => {
  const { lid } = await makeList();
  const args = 'lid: $lid, itemslimit: 2, sortby: price, sortorder: desc';
  const { listPage } = await ask(`query ($lid: ID!) { listPage(${args}) ${fullSelection('ListPage')} }`, {
    lid,
  });
  expect(
    await read('lists/fetch-user-list', { lid, itemslimit: 2, sortby: 'price', sortorder: 'desc' }),
  ).toEqual(listPage);
});

test('lists/update-ctx answers whole item records', async () => {
  const { lid } = await makeList();
  const readItems = async () => {
    const { list } = await ask(`query ($lid: ID!) { list(lid: $lid) { items { edges { node ${ITEM} } } } }`, {
      lid,
    });
    return new Map(
      (list as { edges: never; items: { edges: { node: { epi: unknown } }[] } }).items.edges.map(
        ({ node }) => [node.epi, node],
      ),
    );
  };
  const before = await readItems();
  const body = await me.ok('lists/update-ctx', {
    lid,
    a: [item(77, { qty: 2 })],
    u: [{ epi: 11, qty: 4 }],
    d: [{ epi: 'x-1' }, { epi: 'gone' }],
  });
  const after = await readItems();
  expect(body.a).toEqual([after.get(77)]);
  expect(body.u).toEqual([after.get(11)]);
  expect(body.version).toBe((await me.contents(lid)).list.version);
  expect(body.d).toEqual([
    before.get('x-1'),
    { epi: 'gone', hasError: true, msg: 'The list does not contain this item' },
  ]);
});

test('updateListContents over GraphQL answers what REST answers', async () => {
  const { lid } = await makeList();
  const change = { a: [item(55)], u: [{ epi: 11, note: 'new' }], d: [{ epi: 'gone' }] };
  const rest = await me.ok('lists/update-ctx', { lid, ...change });
  const { updateListContents } = await ask(
    `mutation ($lid: ID!, $a: [ItemInput!], $u: [ItemInput!], $d: [ItemRefInput!]) {
      updateListContents(lid: $lid, a: $a, u: $u, d: $d) ${fullSelection('ListContentsUpdate')} }`,
    { lid, ...change },
  );
  const { a, u, d, ...facts } = updateListContents as Record<string, { item: object }[]>;
  // The second of the two moved the list on once more.
  const { version, cnt } = rest;
  expect(facts).toEqual({ lid, cnt, version: version + 1, uts: expect.any(Number) });
  const untimed = (row: object) => without(row, 'uts');
  expect(a!.map(untimed)).toEqual(rest.a.map(untimed));
  expect(u!.map(({ item: row }) => untimed(row))).toEqual(rest.u.map(untimed));
  expect(d!.map((change) => without(change, 'item'))).toEqual(rest.d);
});

test.each([
  ['move-items', 'moveItems'],
  ['copy-items', 'copyItems'],
])('lists/%s answers both whole lists and the whole items, as %s over GraphQL', async (path, field) => {
  const rest = await transfer(`lists/${path}`);
  const { from, to, items } = rest as { from: { lid: string }; to: { lid: string }; items: object[] };
  expect(Object.keys(rest).sort()).toEqual(['from', 'items', 'to']);
  expect([from, to]).toEqual([await readList(from.lid), await readList(to.lid)]);
  const [back, again] = [await makeList(), await me.create(`Target ${(names += 1)}`)];
  const { [field]: graph } = await ask(
    `mutation ($fromlid: ID!, $tolid: ID!) {
      ${field}(fromlid: $fromlid, tolid: $tolid, epis: [11, "x-1"]) ${fullSelection('ItemTransfer')} }`,
    { fromlid: back.lid, tolid: again.lid },
  );
  const lasting = (rows: object[]) => rows.map((row) => without(row, 'id', 'lid', 'cts', 'uts', '_pkey'));
  expect(lasting(items)).toEqual(lasting((graph as { items: object[] }).items));
  expect(items).toEqual((await me.contents(to.lid)).items.toReversed());
});

test('lists/restore answers the whole list record, and GraphQL the same', async () => {
  const { lid } = await makeList();
  await me.ok('lists/delete-list', { lid });
  const rest = await me.ok('lists/restore', { lid });
  expect(rest).toEqual(await readList(lid));
  const { restoreList } = await ask(`mutation ($lid: ID!) { restoreList(lid: $lid) ${LIST} }`, { lid });
  expect(restoreList).toEqual(rest);
});

test('lists/restore-items answers the whole list record, and GraphQL the same', async () => {
  const { lid } = await makeList();
  await me.ok('lists/update-ctx', { lid, d: [{ epi: 11 }, { epi: 'x-1' }] });
  const rest = await me.ok('lists/restore-items', { lid, epis: [11, 'x-1'] });
  expect(rest).toEqual(await readList(lid));
  expect(rest.cnt).toBe(3);
  const { restoreItems } = await ask(
    `mutation ($lid: ID!) { restoreItems(lid: $lid, epis: ["11", "x-1"]) ${LIST} }`,
    { lid },
  );
  expect(restoreItems).toEqual(rest);
});

test('lists/fetch-deleted answers the records as they were deleted, and GraphQL the same', async () => {
  const lids = [(await makeList()).lid, (await makeList()).lid];
  const deleted = [];
  for (const lid of lids) deleted.unshift(await me.ok('lists/delete-list', { lid }));
  const rest = await read('lists/fetch-deleted', { limit: 2 });
  expect(rest).toEqual(deleted);
  const { allDeletedLists, deletedLists } = await ask(
    `{ allDeletedLists(limit: 2) ${LIST} deletedLists(first: 2) { edges { node ${LIST} } } }`,
  );
  expect(allDeletedLists).toEqual(rest);
  expect((deletedLists as { edges: { node: object }[] }).edges.map(({ node }) => node)).toEqual(rest);
});

test('lists/fetch-deleted-items answers whole item records, and GraphQL the same', async () => {
  const { lid } = await makeList();
  const before = (await me.contents(lid)).items.filter(
    ({ epi }: { epi: unknown }) => epi === 11 || epi === 'x-1',
  );
  await me.ok('lists/update-ctx', { lid, d: [{ epi: 11 }, { epi: 'x-1' }] });
  const rest = await read('lists/fetch-deleted-items', { lid });
  expect(rest).toEqual(before);
  const { deletedItems } = await ask(`query ($lid: ID!) { deletedItems(lid: $lid) ${ITEM} }`, { lid });
  expect(deletedItems).toEqual(rest);
});

test('lists/is-in-lists answers what GraphQL answers', async () => {
  const { lid } = await makeList();
  const epis = [11, 'x-1', 'nowhere', '11'];
  const { isInLists } = await ask(
    `query ($epis: [VariantId!]!) { isInLists(epis: $epis) ${fullSelection('VariantMembership')} }`,
    { epis },
  );
  const body = await read('lists/is-in-lists', { epis });
  expect(body).toEqual(isInLists);
  expect(body[0].lids[0]).toBe(lid);
  expect(body[2]).toEqual({ epi: 'nowhere', isInList: false, lids: [] });
});

test('lists/sfl/create and fetch answer the same whole contents as GraphQL', async () => {
  const rest = await me.ok('lists/sfl/create');
  const { initSaveForLater } = await ask(`mutation { initSaveForLater ${CONTENTS} }`);
  const { saveForLater } = await ask(`{ saveForLater ${CONTENTS} }`);
  expect(rest).toEqual(initSaveForLater);
  expect(await read('lists/sfl/fetch')).toEqual(saveForLater);
});

test('lists/sfl/add, update, remove and moved-to-cart answer whole item records', async () => {
  const { lid } = (await me.ok('lists/sfl/create')).list;
  const readItem = async (epi: number) => {
    const { listContents } = await ask(`query ($lid: ID!) { listContents(lid: $lid) { items ${ITEM} } }`, {
      lid,
    });
    return (listContents as { items: { epi: number }[] }).items.find((row) => row.epi === epi);
  };
  const added = await me.ok('lists/sfl/add', { lid, items: [item(31), {}, item(32)] });
  expect(added).toEqual({
    itemsadded: [await readItem(31), await readItem(32)],
    itemsfailed: [{ epi: null, hasError: true, msg: 'items[1].epi is missing' }],
  });
  expect(Object.keys(added.itemsfailed[0])).toEqual(fullSelection('ItemFailure').split(' ').slice(1, -1));
  const { itemsupdated } = await me.ok('lists/sfl/update', { lid, items: [{ epi: 31, qty: 7 }] });
  const first = await readItem(31);
  const second = await readItem(32);
  expect(itemsupdated).toEqual([first]);
  expect(await me.ok('lists/sfl/remove', { lid, items: [{ epi: 31 }] })).toEqual({
    itemsdeleted: [first],
    itemsfailed: [],
  });
  expect(await me.ok('lists/sfl/moved-to-cart', { lid, items: [{ epi: 32 }] })).toEqual({
    itemsmoved: [second],
    itemsfailed: [],
  });
});

test('product/wishlist/social-count answers what GraphQL answers', async () => {
  await makeList();
  const { socialCount } = await ask(`{ socialCount(empi: 900) ${fullSelection('SocialCount')} }`);
  expect(await me.ok('product/wishlist/social-count', { empi: 900 })).toEqual({ data: socialCount });
});

test('lists/reportShare answers what GraphQL answers', async () => {
  const { lid } = await makeList();
  const { reportShare } = await ask(
    `mutation ($lid: ID!) { reportShare(lid: $lid, medium: "link") ${fullSelection('ShareReport')} }`,
    { lid },
  );
  const body = await me.ok('lists/reportShare', { lid, medium: 'link' });
  expect(body).toEqual(reportShare);
  const { lname } = (await me.contents(lid)).list;
  expect(body).toEqual({ msg: 'Share recorded', lid, lname, medium: 'link' });
});

test("a stranger's view of a public list is the same over REST and GraphQL", async () => {
  const stranger = await newAccount(service, store);
  const { lid } = await makeList();
  await me.ok('lists/markPublic', { lid });
  const { body } = await stranger.graphql(
    `query ($lid: ID!) { listContents(lid: $lid) ${CONTENTS} list(lid: $lid) ${LIST} }`,
    { lid },
  );
  const rest = await stranger.contents(lid);
  expect(without(rest, 'lid', 'listcontents')).toEqual(body.data.listContents);
  expect(rest.list).toEqual(body.data.list);
});
