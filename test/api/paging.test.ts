import { useService, useStore } from '../harness.ts';
import { statementsOf } from '../statements.ts';
import { newAccount, stock, useAccount } from './list-kit.ts';
import type { Client } from './list-kit.ts';

const service = useService();
const store = useStore(service);
const client = useAccount(service, store);

beforeAll(async () => {
  for (const name of ['First', 'Second', 'Third']) await client.create(name);
  for (const epi of ['1', '2', '3'])
    await stock(service, store, epi, { dt: epi === '3' ? 'Lamp' : 'Kettle' });
});

const PAGE = 'edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount';

test.each([
  ['lists', () => ({ shopper: client.shopper })],
  ['products', () => ({ store })],
])('a page of %s tells where it begins and ends and what lies before and behind it', async (field, who) => {
  const text = `query ($after: String) { page: ${field}(first: 2, after: $after) { ${PAGE} } }`;
  const read = async (after: string | null) => (await service.graphql(text, { after }, who())).body.data.page;
  const first = await read(null);
  const cursors = first.edges.map((edge: { cursor: string }) => edge.cursor);
  expect(first).toMatchObject({
    pageInfo: {
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: cursors[0],
      endCursor: cursors[1],
    },
    totalCount: 3,
  });
  const second = await read(cursors[1]);
  const [{ cursor }] = second.edges;
  expect(second).toEqual({
    edges: [{ cursor }],
    pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: cursor, endCursor: cursor },
    totalCount: 3,
  });
  expect(await read(cursor)).toEqual({
    edges: [],
    pageInfo: { hasNextPage: false, hasPreviousPage: true, startCursor: null, endCursor: null },
    totalCount: 3,
  });
});

test('totalCount of products counts what the search finds, on every page, for this store alone', async () => {
  await stock(service, await service.createStore(), '9', { dt: 'Kettle' });
  const text = 'query ($search: String) { products(search: $search, first: 1) { totalCount } }';
  const count = async (search: string | null) =>
    (await service.graphql(text, { search }, { store })).body.data.products.totalCount;
  expect([await count(null), await count('kett'), await count('nothing'), await count('…')]).toEqual([
    3, 2, 0, 0,
  ]);
});

test('products are counted only for who asks for it', async () => {
  const ask = (fields: string) =>
    statementsOf(service, () =>
      service.graphql(`{ products(search: "kettle") { ${fields} } }`, {}, { store }).then(),
    );
  expect((await ask('edges { cursor } totalCount')).filter((text) => text.includes('count(*)'))).toHaveLength(
    1,
  );
  expect((await ask('edges { cursor }')).filter((text) => text.includes('count(*)'))).toEqual([]);
});

describe('lists(lids:)', () => {
  const ask = (lids: unknown, more = '', who: Client = client) =>
    who.graphql(
      `query ($lids: [ID!]) { lists(lids: $lids${more}) { edges { node { lname } } totalCount } }`,
      { lids },
    );
  const lidOf = async (name: string): Promise<string> => {
    const lists: { lid: string; lname: string }[] = await client.ok('lists/fetch-lists');
    return lists.find(({ lname }) => lname === name)!.lid;
  };

  test('answers these lists alone, newest first; unknown ones and those of others are absent', async () => {
    const other = await newAccount(service, store);
    const { lid: theirs } = await other.create('Theirs');
    await other.ok('lists/markPublic', { lid: theirs });
    const lids = [await lidOf('First'), theirs, 'unknown', 'a,b', '', await lidOf('Third')];
    expect((await ask(lids)).body.data.lists).toEqual({
      edges: [{ node: { lname: 'Third' } }, { node: { lname: 'First' } }],
      totalCount: 2,
    });
    expect((await ask(lids, '', other)).body.data.lists.edges).toEqual([{ node: { lname: 'Theirs' } }]);
  });

  test('no ids are no lists, and null means all of them', async () => {
    expect((await ask([])).body.data.lists).toEqual({ edges: [], totalCount: 0 });
    expect((await ask(null)).body.data.lists.totalCount).toBe(3);
  });

  test('the other arguments narrow it further', async () => {
    const lids = [await lidOf('First'), await lidOf('Second')];
    expect((await ask(lids, ', st: 0')).body.data.lists.totalCount).toBe(0);
    expect((await ask(lids, ', first: 1')).body.data.lists).toEqual({
      edges: [{ node: { lname: 'Second' } }],
      totalCount: 2,
    });
  });

  test('more than 100 ids are refused', async () => {
    const { body } = await ask(Array.from({ length: 101 }, () => 'x'));
    expect(body).toMatchObject({
      data: { lists: null },
      errors: [{ message: 'lids must have at most 100 entries', extensions: { type: 'invalid-lid' } }],
    });
  });
});
