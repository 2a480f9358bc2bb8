import { useService, useStore } from '../harness.ts';
import { statementsOf } from '../statements.ts';
import { item, stock, useAccount } from './list-kit.ts';

const service = useService();
const store = useStore(service);
const client = useAccount(service, store);
let lid: string;

const TITLES = ['Kettle', 'lamp', 'Kettle', null, 'Ärmel', 'Zebra', '', 'lamp', 'Anvil', null, 'Mug'];
const PRICES = [20, 5, 20, null, 0, 7.5, 20, null, 1_000, 5, 3];
const STATES = ['active', 'archived', 'any'] as const;

beforeAll(async () => {
  ({ lid } = await client.create('Everything'));
  // Every second variant is in the catalogue; of these, every other one is out of stock.
  for (const index of TITLES.keys())
    if (index % 2 === 0)
      await stock(service, store, String(index), {
        dt: TITLES[index],
        pr: PRICES[index],
        stk: index % 4 === 0 ? 0 : 5,
      });
  const own = (index: number) => (index % 2 === 0 ? {} : { dt: TITLES[index], pr: PRICES[index] });
  for (const index of TITLES.keys()) await client.add(lid, item(index, own(index)));
  for (const index of TITLES.keys()) {
    const list = await client.create(`List ${index}`, index % 4 === 0 ? { lty: 'wl' } : {});
    if (index % 3 === 0) await client.ok('lists/markArchived', { lid: list.lid });
  }
});

type Page = {
  edges: { cursor: string; node: { id: string } }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
  totalCount: number;
};
type Read = (page: string) => Promise<Page>;

const FIELDS =
  'edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount';
const idsOf = ({ edges }: Page): string[] => edges.map(({ node }) => node.id);

/** Walks all pages of a size in one direction, and checks what each says about those around it. */
async function walk(read: Read, size: number, isBackward: boolean): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  for (;;) {
    const place: string = cursor === null ? '' : `, ${isBackward ? 'before' : 'after'}: "${cursor}"`;
    const page = await read(`${isBackward ? 'last' : 'first'}: ${size}${place}`);
    expect(page.pageInfo).toMatchObject({
      [isBackward ? 'hasNextPage' : 'hasPreviousPage']: cursor !== null,
      startCursor: page.edges[0]!.cursor,
      endCursor: page.edges.at(-1)!.cursor,
    });
    if (isBackward) found.unshift(...idsOf(page));
    else found.push(...idsOf(page));
    const hasMore = isBackward ? page.pageInfo.hasPreviousPage : page.pageInfo.hasNextPage;
    expect(hasMore).toBe(found.length < page.totalCount);
    if (!hasMore) return found;
    cursor = isBackward ? page.pageInfo.startCursor : page.pageInfo.endCursor;
  }
}

async function expectBothWays(read: Read): Promise<string[]> {
  const whole = await read('first: 100');
  const ids = idsOf(whole);
  expect([new Set(ids).size, whole.totalCount]).toEqual([ids.length, ids.length]);
  expect(idsOf(await read('last: 100'))).toEqual(ids);
  for (const size of [1, 3, ids.length]) {
    expect(await walk(read, size, false)).toEqual(ids);
    expect(await walk(read, size, true)).toEqual(ids);
  }
  expect(idsOf(await read('last: 2'))).toEqual(ids.slice(-2));
  const middle = whole.edges[Math.floor(ids.length / 2)]!;
  const before = idsOf(await read(`before: "${middle.cursor}"`));
  expect(before).toEqual(ids.slice(0, Math.floor(ids.length / 2)));
  return ids;
}

const ORDERS = ['added', 'price', 'title'].flatMap((sort) =>
  ['asc', 'desc'].flatMap((order) =>
    [null, 'instock', 'outofstock'].map((filter): [string, string, string | null] => [sort, order, filter]),
  ),
);

test.each(ORDERS)('items by %s %s, filtered by %s, are the same forwards and backwards', async (...by) => {
  const [sort, order, filter] = by;
  const read: Read = async (page) => {
    const text = `{ list(lid: "${lid}") { items(${page}, sort: ${sort}, order: ${order}, filter: ${filter}) { ${FIELDS} } } }`;
    const { body } = await client.graphql(text);
    return body.data.list.items;
  };
  const ids = await expectBothWays(read);
  expect(ids).toHaveLength({ all: 11, instock: 8, outofstock: 3 }[filter ?? 'all']!);
});

test.each(['lists', 'shopper { lists'])(
  '%s are the same forwards and backwards, for every filter',
  async (field) => {
    for (const st of STATES)
      for (const more of ['', ', lty: "wl"', ', lty: "sfl"']) {
        const read: Read = async (page) => {
          const end = field === 'lists' ? '' : '}';
          const { body } = await client.graphql(
            `{ ${field}(${page}, filter: { st: ${st}${more} }) { ${FIELDS} } ${end} }`,
          );
          return field === 'lists' ? body.data.lists : body.data.shopper.lists;
        };
        if (more.includes('sfl')) expect(idsOf(await read('last: 3'))).toEqual([]);
        else expect((await expectBothWays(read)).length).toBeGreaterThan(1);
      }
  },
);

test('a page backwards has the previews of its lists, and is one statement', async () => {
  const text = (page: string) => `{ lists(${page}) { edges { node { lname listcontents { epi } } } } }`;
  const { body } = await client.graphql(text('last: 1'));
  expect(body.data.lists.edges).toEqual([
    { node: { lname: 'Everything', listcontents: expect.arrayContaining([{ epi: 10 }]) } },
  ]);
  expect(await statementsOf(service, () => client.graphql(text('last: 2')).then())).toEqual([
    'load_identities',
    'lists_of_back',
  ]);
});

test('a page of items backwards is one statement besides that of its list', async () => {
  const text = `{ list(lid: "${lid}") { items(last: 4, sort: price) { totalCount edges { node { epi } } } } }`;
  expect(await statementsOf(service, () => client.graphql(text).then())).toEqual([
    'load_identities',
    'page_added_desc_all',
    'page_price_asc_all_back',
  ]);
});

test.each(['first: 1, last: 1', 'last: 1, after: $at', 'first: 1, before: $at', 'after: $at, before: $at'])(
  'a page with %s is refused',
  async (page) => {
    const [cursor] = (await client.graphql('{ lists { edges { cursor } } }')).body.data.lists.edges;
    const [at] = (await client.graphql(`{ list(lid: "${lid}") { items { edges { cursor } } } }`)).body.data
      .list.items.edges;
    for (const [text, place] of [
      [
        `query ($at: String) { lists(${page}) { totalCount } shopper { lists(first: 1, after: $at) { totalCount } } }`,
        cursor,
      ],
      [
        `query ($at: String) { list(lid: "${lid}") { items(${page}) { totalCount } again: items(first: 1, after: $at) { totalCount } } }`,
        at,
      ],
    ] as const) {
      const { body } = await client.graphql(text, { at: place.cursor });
      expect(body.errors).toMatchObject([
        {
          message: 'first and after cannot be combined with last and before',
          extensions: { type: 'invalid-request' },
        },
      ]);
    }
  },
);

test('last and before are checked like first and after', async () => {
  const failures = async (page: string) =>
    (await client.graphql(`{ lists(${page}) { totalCount } }`)).body.errors[0];
  expect(await failures('last: -1')).toMatchObject({
    message: 'last must be a whole number of at least 0',
    extensions: { type: 'invalid-limit' },
  });
  expect((await failures('before: "x"')).message).toBe('before must be a cursor that this call returned');
  const { body } = await client.graphql('{ lists(last: 0) { edges { cursor } totalCount } }');
  expect(body.data.lists).toEqual({ edges: [], totalCount: 8 });
});

test('a page backwards costs as much as one forwards', async () => {
  const cost = async (page: string) =>
    (await client.graphql(`{ lists(${page}) { edges { node { lid } } } }`)).headers['x-cost'];
  expect(await cost('last: 100')).toBe(await cost('first: 100'));
  expect(await cost('first: 5')).not.toBe(await cost('first: 100'));
  const items = async (page: string) =>
    (await client.graphql(`{ list(lid: "${lid}") { items${page} { edges { node { epi } } } } }`)).headers[
      'x-cost'
    ];
  expect(await items('')).toBe(await items('(last: 50)'));
});
