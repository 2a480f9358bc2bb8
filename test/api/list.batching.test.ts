import { useService, useStore } from '../harness.ts';
import { item, newAccount } from './list-kit.ts';
import type { Client } from './list-kit.ts';
import { statementsOf } from '../statements.ts';

const service = useService();
const store = useStore(service);
let few: Client;
let many: Client;

beforeAll(async () => {
  [few, many] = await Promise.all([fill(2), fill(50)]);
});

async function fill(lists: number): Promise<Client> {
  const client = await newAccount(service, store);
  for (let index = 0; index < lists; index += 1) {
    const { lid } = await client.create(`List ${index}`);
    await client.add(lid, ...Array.from({ length: 12 }, (_, number) => item(number)));
  }
  return client;
}

const IDENTITY = 'load_identities';

test.each([
  [
    'previews',
    '{ lists(first: 50) { edges { node { lid listcontents { epi dt } } } } }',
    [IDENTITY, 'lists_of'],
  ],
  [
    'previews of another size',
    '{ lists(first: 50) { edges { node { lid listcontents(limit: 12) { epi } } } } }',
    [IDENTITY, 'lists_of'],
  ],
  [
    'item pages',
    '{ lists(first: 50) { edges { node { items(first: 5) { edges { node { epi } } } } } } }',
    [IDENTITY, 'lists_of', 'page_added_desc_all'],
  ],
  [
    'deleted items',
    '{ lists(first: 50) { edges { node { deletedItems { totalCount edges { node { epi } } } } } } }',
    [IDENTITY, 'lists_of', 'deleted_items'],
  ],
  ['owners', '{ lists(first: 50) { edges { node { userinfo { em } } } } }', [IDENTITY, 'lists_of']],
  [
    'everything at once',
    '{ allLists { listcontents { epi } userinfo { em } items(first: 3, sort: price) { edges { node { epi } } } newest: items(first: 3) { edges { node { epi } } } } }',
    [IDENTITY, 'lists_of', 'page_price_asc_all', 'page_added_desc_all'],
  ],
])('a query over 50 lists with %s runs as many statements as over 2', async (_what, query, expected) => {
  for (const client of [few, many]) {
    const statements = await statementsOf(service, async () => {
      const { body } = await client.graphql(query).expect(200);
      expect(body.errors).toBeUndefined();
    });
    expect(statements).toEqual(expected);
  }
});

test.each([
  ['lists/fetch-lists', [IDENTITY, 'lists_of']],
  ['lists/fetch-user-lists', [IDENTITY, 'lists_of']],
  ['lists/fetch-list-with-contents', [IDENTITY, 'page_added_desc_all']],
  ['lists/fetch-user-list', [IDENTITY, 'page_added_desc_all']],
])('%s is one statement beside the check of the session', async (path, expected) => {
  const [{ lid }] = await many.ok('lists/fetch-lists');
  expect(await statementsOf(service, () => many.ok(path, { lid }))).toEqual(expected);
});

test('concurrent readers share statements and get their own lists', async () => {
  const statements = await statementsOf(service, async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 ? few : many).ok('lists/fetch-lists')),
    );
    answers.forEach((lists, index) => expect(lists).toHaveLength(index % 2 ? 2 : 50));
  });
  expect(statements.length).toBeLessThan(80);
});

test('what many visitors ask at once about one product is counted a few times', async () => {
  const statements = await statementsOf(service, async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => few.ok('product/wishlist/social-count', { empi: 900 })),
    );
    for (const { data } of answers) expect(data).toEqual({ count: 2, empi: 900 });
  });
  expect(statements.filter((name) => name === 'social_count').length).toBeLessThan(40);
});
