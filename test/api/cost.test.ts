import type { NewStore, StoreSettings } from '../../src/domain/store/store.service.ts';
import { DEFAULT_COST_A_MINUTE, MAX_COST } from '../../src/operation/cost.ts';
import { useService } from '../harness.ts';
import type { TestShopper } from '../harness.ts';

const service = useService({ rateLimits: true });

const newShopper = async (
  settings: StoreSettings = {},
): Promise<{ store: NewStore; shopper: TestShopper }> => {
  const store = await service.createStore(settings);
  return { store, shopper: await service.guest(store) };
};

test.each<[cost: number, query: string, variables?: object]>([
  [0, '{ __typename __schema { types { name } } }'],
  [1, '{ shopper { regid isGuest } }'],
  // A connection, its edges and their nodes.
  [1 + 1 + 20 * 2, '{ shopper { lists { totalCount edges { node { lid } } } } }'],
  [1 + 7 * 2, '{ lists(first: 7) { edges { node { lid } } } }'],
  [1 + 5 * 2, 'query ($first: Int = 5) { lists(first: $first) { edges { node { lid } } } }'],
  [1 + 3 * 2, 'query ($first: Int = 5) { lists(first: $first) { edges { node { lid } } } }', { first: 3 }],
  // Lists in lists by the product of their pages; a page beyond the most is cut to it.
  [
    1 + 100 * (2 + 1 + 100 * 3),
    '{ lists(first: 999) { edges { node { items(first: 1000) { edges { node { product { dt } } } } } } } }',
  ],
  [20 * (1 + 10), '{ allLists { listcontents { epi } } }'],
  [1 + 1_000, '{ saveForLater(limit: 5000) { items { ...I } } } fragment I on Item { epi dt }'],
  // Fragments cost what they stand for, and the same field under two names costs twice.
  [
    1 + 7 * 2,
    '{ ...Q } fragment Q on Query { lists(first: 7) { edges { ... on ListEdge { node { lid } } } } }',
  ],
  [
    2 * (1 + 7 * 2),
    '{ a: lists(first: 7) { ...E } b: lists(first: 7) { ...E } } fragment E on ListConnection { edges { node { lid } } }',
  ],
  // One for each id, however many the schema would give.
  [3, '{ isInLists(epis: [1, 2, 3]) { isInList } }'],
  [10 + 1, 'mutation { createList(input: { lname: "Costs" }) { lid } }'],
])('it costs %i: %s', async (cost, query, variables = {}) => {
  const { shopper } = await newShopper();
  const { headers } = await service.graphql(query, variables, { shopper }).expect(200);
  expect(headers['x-cost']).toBe(String(cost));
});

test('a document beyond the most that one may cost is refused before it runs, whatever is left for its store', async () => {
  const { shopper } = await newShopper();
  const items = (inner: string) => `items(first: 100) { edges { node { ${inner} } } }`;
  const query = `{ lists(first: 100) { edges { node { ${items(`list { ${items('epi')} }`)} } } } }`;
  const { body, headers } = await service.graphql(query, {}, { shopper });
  expect(body.data).toBeUndefined();
  expect(body.errors[0]).toMatchObject({
    message: expect.stringContaining(String(MAX_COST)),
    extensions: { type: 'limit-reached', status: 400 },
  });
  expect(Number(headers['x-cost'])).toBeGreaterThan(MAX_COST);
  expect(headers).not.toHaveProperty('x-cost-remaining');
});

test("a store's documents may cost so much a minute, all its callers together; then they are refused with 429, REST and other stores are served", async () => {
  const query = '{ lists(first: 20) { edges { node { lid } } } }';
  const { store, shopper } = await newShopper({ rateLimits: { cost: 100 } });
  const first = await service.graphql(query, {}, { shopper }).expect(200);
  expect(first.headers).toMatchObject({ 'x-cost': '41', 'x-cost-limit': '100', 'x-cost-remaining': '59' });
  const other = await service.guest(store);
  await service.graphql(query, {}, { shopper: other }).expect(200);
  const mutation =
    'mutation { createList(input: { lname: "Dear" }) { items(first: 20) { edges { node { epi } } } } }';
  const refused = await service.graphql(mutation, {}, { shopper }).expect(429);
  expect(refused.body).toEqual({
    errors: [
      {
        message: expect.stringContaining('cost too much'),
        extensions: { code: 'TOO_MANY_REQUESTS', type: 'too-many-requests', status: 429 },
      },
    ],
  });
  expect(refused.headers['retry-after']).toBe(refused.headers['x-cost-reset']);
  const { body } = await service.post('/api/v3/lists/fetch-lists', {}, { shopper }).expect(200);
  expect(body).toEqual([]);
  const neighbour = await newShopper({ rateLimits: { cost: 100 } });
  expect((await service.graphql(query, {}, neighbour).expect(200)).headers['x-cost-remaining']).toBe('59');
  const elsewhere = await newShopper();
  const { headers } = await service.graphql(query, {}, elsewhere).expect(200);
  expect(headers['x-cost-limit']).toBe(String(DEFAULT_COST_A_MINUTE));
});

test('an answer that is sent again because nothing has changed costs nothing', async () => {
  const { shopper } = await newShopper({ rateLimits: { cost: 500 } });
  const query = '{ lists(first: 20) { edges { node { lid } } } }';
  const answers = [];
  for (let n = 0; n < 20; n += 1) answers.push(await service.graphql(query, {}, { shopper }).expect(200));
  expect(answers.at(-1)!.headers).not.toHaveProperty('x-cost');
});

test('the budget is one of the settings of a store, and is checked as they are', async () => {
  await expect(service.createStore({ rateLimits: { cost: 0 } })).rejects.toThrow(
    /rate-limits must be .*cost=N/,
  );
});
