import { useService, useStore } from '../harness.ts';
import { item, newAccount, useNewAccount } from './list-kit.ts';
import type { Client } from './list-kit.ts';

const service = useService();
const store = useStore(service);
const client = useNewAccount(service, store);

/** More calls than it takes for a document to be compiled and for a response to be cached. */
const CALLS = [1, 2, 3, 4, 5];

const READS = `query ($lid: ID!) {
  list(lid: $lid) { lid } listContents(lid: $lid) { list { lid } } listPage(lid: $lid) { list { lid } }
  saveForLater { list { lid } } deletedItems(lid: $lid) { epi }
  shopper { isGuest list(lid: $lid) { lid } saveForLater { list { lid } } saveForLaterList { lid } }
}`;
const NOTHING = {
  ...{ list: null, listContents: null, listPage: null, saveForLater: null, deletedItems: null },
  shopper: { isGuest: false, list: null, saveForLater: null, saveForLaterList: null },
};

/** Ids of lists that the client may not read: none, another shopper's, a deleted one, and text that is no id. */
async function missingIds(who: Client): Promise<string[]> {
  const theirs = await (await newAccount(service, store)).create('Private');
  const gone = await who.create('Gone');
  await who.ok('lists/delete-list', { lid: gone.lid });
  return ['unknown', theirs.lid, gone.lid, 'x'.repeat(5_000), 'a\u0000b'];
}

test('a read of something missing is null, at the root and below the shopper, without an error', async () => {
  for (const lid of await missingIds(client))
    for (const _call of CALLS) expect((await client.graphql(READS, { lid })).body).toEqual({ data: NOTHING });
});

test('REST reports a missing list with the documented 404, byte for byte', async () => {
  const NOT_FOUND =
    '{"error":true,"type":"list-not-found","msg":"List not found","message":"List not found"}';
  const reads = ['lists/fetch-list-with-contents', 'lists/fetch-user-list', 'lists/fetch-deleted-items'];
  for (const lid of await missingIds(client))
    for (const path of reads) expect((await client.call(path, { lid }).expect(404)).text).toBe(NOT_FOUND);
  const text = 'The shopper has no save-for-later list yet; create it first';
  expect((await client.call('lists/sfl/fetch').expect(404)).text).toBe(
    `{"error":true,"type":"list-not-found","msg":"${text}","message":"${text}"}`,
  );
});

test('a missing id, wrong credentials and a write to a missing list stay errors', async () => {
  const typeOf = async (text: string, who: object = { shopper: client.shopper }) =>
    (await service.graphql(text, {}, who)).body.errors[0].extensions.type;
  expect(await typeOf('{ list(lid: " ") { lid } }')).toBe('invalid-lid');
  expect(await typeOf('{ deletedItems(lid: "") { epi } }')).toBe('invalid-lid');
  const wrong = { shopper: { ...client.shopper, sessionid: 'wrong' } };
  expect(await typeOf('{ list(lid: "unknown") { lid } }', wrong)).toBe('bad-sessionid');
  expect(await typeOf('{ list(lid: "unknown") { lid } }', {})).toBe('unauthorised');
  expect(await typeOf('{ saveForLater { items { epi } } }', { headers: { 'x-pid': store.pid } })).toBe(
    'sw-badregid',
  );
  for (const write of [
    'updateList(lid: "unknown", input: { lnote: "x" }) { lid }',
    'deleteList(lid: "unknown") { lid }',
    'updateListContents(lid: "unknown", d: [{ epi: 1 }]) { cnt }',
    'restoreList(lid: "unknown") { lid }',
    'reportShare(lid: "unknown", medium: "link") { lid }',
  ])
    expect(await typeOf(`mutation { ${write} }`)).toBe('list-not-found');
});

test("another shopper's list that was read as null is there once it is public", async () => {
  const owner = await newAccount(service, store);
  const { lid } = await owner.create('Wedding');
  const text = 'query ($lid: ID!) { list(lid: $lid) { lname } }';
  const read = async () => (await client.graphql(text, { lid })).body.data.list;
  for (const _call of CALLS) expect(await read()).toBeNull();
  await owner.ok('lists/markPublic', { lid });
  expect(await read()).toEqual({ lname: 'Wedding' });
  await owner.ok('lists/markPrivate', { lid });
  expect(await read()).toBeNull();
});

test('a save-for-later list that was read as null is there once the shopper has one', async () => {
  const text = '{ shopper { saveForLaterList { lname cnt items(first: 5) { edges { node { epi } } } } } }';
  const read = async () => (await client.graphql(text)).body.data.shopper.saveForLaterList;
  for (const _call of CALLS) expect(await read()).toBeNull();
  const { list } = await client.ok('lists/sfl/create');
  expect(await read()).toEqual({ lname: 'Save for later', cnt: 0, items: { edges: [] } });
  await client.ok('lists/sfl/add', { lid: list.lid, items: [item(1)] });
  expect(await read()).toMatchObject({ cnt: 1, items: { edges: [{ node: { epi: 1 } }] } });
});

test('a preview of an unknown topic or variant is null', async () => {
  const read = async (args: string) =>
    (await service.graphql(`{ previewTopic(${args}) { subject } }`, {}, { store })).body;
  expect(await read('topic: "nope"')).toEqual({ data: { previewTopic: null } });
  expect(await read('topic: "backinstock", epi: 99')).toEqual({ data: { previewTopic: null } });
  expect((await read('topic: "backinstock"')).data.previewTopic.subject).toMatch(/back in stock/);
});

test('deleted items of a list are pages of the owner, most recently deleted first', async () => {
  const { lid } = await client.create('Wishlist');
  await client.add(lid, ...[1, 2, 3, 4].map((epi) => item(epi)));
  for (const epi of [2, 4, 1]) await client.ok('lists/update-ctx', { lid, d: [{ epi }] });
  const text = `query ($lid: ID!, $first: Int, $after: String) { list(lid: $lid) {
    deletedItems(first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor } edges { node { epi } } } } }`;
  const read = async (more: object = {}, who = client) =>
    (await who.graphql(text, { lid, ...more })).body.data.list.deletedItems;
  const episOf = (page: { edges: { node: { epi: number } }[] }) => page.edges.map(({ node }) => node.epi);
  const rest: { epi: number }[] = await client.ok('lists/fetch-deleted-items', { lid });
  expect(episOf(await read())).toEqual([1, 4, 2]);
  expect(rest.map(({ epi }) => epi)).toEqual([1, 4, 2]);
  const first = await read({ first: 2 });
  expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
  expect(episOf(first)).toEqual([1, 4]);
  const second = await read({ first: 2, after: first.pageInfo.endCursor });
  expect([episOf(second), second.pageInfo.hasNextPage]).toEqual([[2], false]);
  for (const _call of CALLS) await read();
  const beside = `{ list(lid: "${lid}") { deletedItems { edges { node { product { epi } } } } items { edges { node { product { epi } } } } } }`;
  expect((await client.graphql(beside)).body.errors).toBeUndefined();
  await client.add(lid, item(4));
  expect(episOf(await read())).toEqual([1, 2]);
  await client.ok('lists/markPublic', { lid });
  expect(await read({}, await newAccount(service, store))).toBeNull();
});

test('a deleted list has the items that were read with it', async () => {
  const { lid } = await client.create('Wishlist');
  await client.add(lid, ...[1, 2, 3].map((epi) => item(epi)));
  const items = 'items(first: 2) { totalCount pageInfo { hasNextPage } edges { node { epi } } }';
  const page = {
    items: {
      totalCount: 3,
      pageInfo: { hasNextPage: true },
      edges: [{ node: { epi: 3 } }, { node: { epi: 2 } }],
    },
  };
  const deleted = await client.graphql(`mutation { deleteList(lid: "${lid}") { ${items} } }`);
  expect(deleted.body.data.deleteList).toEqual(page);
  const { body } = await client.graphql(`{ deletedLists { edges { node { ${items} } } } }`);
  expect(body.data.deletedLists.edges).toEqual([{ node: page }]);
});
