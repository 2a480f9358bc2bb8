import type { NewStore, StoreSettings } from '../../src/stores/store.service.ts';
import { ADDRESS_COST_A_MINUTE, DEFAULT_COST_A_MINUTE, MAX_COST } from '../../src/api/graphql/cost.ts';
import { useService } from '../harness.ts';
import type { TestShopper } from '../harness.ts';

const service = useService({ rateLimits: true, trustProxy: ['loopback'] });

const newShopper = async (
  settings: StoreSettings = {},
): Promise<{ store: NewStore; shopper: TestShopper }> => {
  const store = await service.createStore(settings);
  return { store, shopper: await service.guest(store) };
};

/** The same selection under several names. */
const aliases = (count: number, selection: string): string =>
  Array.from({ length: count }, (_, index) => `a${index}: ${selection}`).join(' ');

test.each<[cost: number, query: string, variables?: object]>([
  [0, '{ __typename }'],
  // One for each value of introspection.
  [1 + 3, '{ __schema { queryType { name kind isOneOf } } }'],
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
  // One for each id that is sent, and for each record that answers it.
  [3 + 3, '{ isInLists(epis: [1, 2, 3]) { isInList } }'],
  [
    20 * (500 + 500),
    `query ($epis: [VariantId!]!) { ${aliases(20, 'isInLists(epis: $epis) { isInList }')} }`,
    { epis: Array.from({ length: 500 }, (_, index) => index + 1) },
  ],
  [10 + 1, 'mutation { createList(input: { lname: "Costs" }) { lid } }'],
  // Ten for each entry that is written, also for those within it.
  [
    10 + 3 * 10 + 4 * 10 + 1,
    'mutation ($items: [ItemInput!]) { updateListContents(lid: "none", a: $items) { lid } }',
    { items: [{ epi: 1 }, { epi: 2, lbls: ['a', 'b', 'c'] }, { epi: 3, lbls: ['d'] }] },
  ],
  // Mutations within fragments are as many as beside them.
  [
    3 * (10 + 1),
    `mutation { ... { a: deleteList(lid: "none") { lid } } ...M }
     fragment M on Mutation { b: deleteList(lid: "none") { lid } c: deleteList(lid: "none") { lid } }`,
  ],
  // A page of less than nothing costs nothing, and pays for nothing.
  [
    1 + 1 + 7 * 2,
    '{ a: lists(first: -2147483648) { ...E } b: lists(first: 7) { ...E } } fragment E on ListConnection { edges { node { lid } } }',
  ],
  // A field that fails by its arguments leaves the others what they cost.
  [
    1 + 1 + 7 * 2,
    'query ($lid: ID = "none") { list(lid: $lid) { lname } lists(first: 7) { edges { node { lid } } } }',
    { lid: null },
  ],
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

test('a field of less than nothing does not let a document run that costs too much', async () => {
  const { shopper } = await newShopper();
  const items = (inner: string) => `items(first: 100) { edges { node { ${inner} } } }`;
  const dear = `lists(first: 100) { edges { node { ${items(`list { ${items('epi')} }`)} } } }`;
  const query = `{ ${dear} cheap: lists(first: -2147483648) { edges { node { ${items('epi')} } } } }`;
  const { body, headers } = await service.graphql(query, {}, { shopper });
  expect(body.data).toBeUndefined();
  expect(body.errors[0].extensions.type).toBe('limit-reached');
  expect(Number(headers['x-cost'])).toBeGreaterThan(MAX_COST);
});

describe('a minute', () => {
  // 1 + 20 × 2.
  const QUERY = '{ lists(first: 20) { edges { node { lid } } } }';
  /** Costs 406,020; runs nowhere, because it is refused to callers without credentials. */
  const DEAR = `{ ${aliases(20, 'lists(first: 100) { ...L }')} }
    fragment L on ListConnection { edges { node { items(first: 100) { edges { node { epi } } } } } }`;
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });

  test('a shopper may use up a twentieth of its store’s budget; then it is refused with 429, REST and others are served', async () => {
    const { store, shopper } = await newShopper({ rateLimits: { cost: 1_000 } });
    const first = await service.graphql(QUERY, {}, { shopper }).expect(200);
    expect(first.headers).toMatchObject({ 'x-cost': '41', 'x-cost-limit': '50', 'x-cost-remaining': '9' });
    const mutation =
      'mutation { createList(input: { lname: "Dear" }) { items(first: 20) { edges { node { epi } } } } }';
    const refused = await service.graphql(mutation, {}, { shopper }).expect(429);
    expect(refused.body).toEqual({
      errors: [
        {
          message: expect.stringContaining('of this shopper exceed the cost limit'),
          extensions: { code: 'TOO_MANY_REQUESTS', type: 'too-many-requests', status: 429 },
        },
      ],
    });
    expect(refused.headers['retry-after']).toBe(refused.headers['x-cost-reset']);
    const { body } = await service.post('/api/v3/lists/fetch-lists', {}, { shopper }).expect(200);
    expect(body).toEqual([]);
    const other = await service.guest(store);
    await service.graphql(QUERY, {}, { shopper: other }).expect(200);
    const elsewhere = await newShopper();
    const { headers } = await service.graphql(QUERY, {}, { shopper: elsewhere.shopper }).expect(200);
    expect(headers['x-cost-limit']).toBe(String(DEFAULT_COST_A_MINUTE / 20));
  });

  test('the shoppers of a store can use up their budget, and leave that of its keys', async () => {
    const store = await service.createStore({ rateLimits: { cost: 1_000 } });
    const statuses = new Set<number>();
    for (let count = 0; count < 25; count += 1) {
      const shopper = await service.guest(store);
      const { status, headers } = await service.graphql(QUERY, {}, { shopper });
      statuses.add(status);
      if (status === 429) expect(headers['x-cost-limit']).toBe('1000');
    }
    expect([...statuses]).toEqual([200, 429]);
    const { headers } = await service.graphql('{ store { pid } }', {}, { store }).expect(200);
    expect(headers).toMatchObject({ 'x-cost-limit': '1000', 'x-cost-remaining': '999' });
  });

  test('a store’s keys can use up their budget, and leave that of its shoppers', async () => {
    const { store, shopper } = await newShopper({ rateLimits: { cost: 1_000 } });
    await service
      .graphql(`{ ${aliases(20, 'products(first: 30) { edges { node { epi } } }')} }`, {}, { store })
      .expect(429);
    await service.graphql(QUERY, {}, { shopper }).expect(200);
  });

  test('callers without credentials take nothing from a store, and one address has one budget over all stores', async () => {
    const { store, shopper } = await newShopper({ rateLimits: { cost: 1_000 } });
    const other = await newShopper();
    const ask = (pid: string, address: string) =>
      service.graphql(DEAR, {}, { headers: { 'x-pid': pid, ...from(address).headers } });
    for (const { pid } of [store, other.store]) {
      const { body, headers } = await ask(pid, '203.0.113.5').expect(200);
      expect(body.errors[0].extensions.type).toBe('sw-badregid');
      expect(headers['x-cost-limit']).toBe(String(ADDRESS_COST_A_MINUTE));
    }
    await ask(store.pid, '203.0.113.5').expect(429);
    await ask(other.store.pid, '203.0.113.5').expect(429);
    await ask(store.pid, '203.0.113.6').expect(200);
    const mine = await service.graphql(QUERY, {}, { shopper, ...from('203.0.113.5') }).expect(200);
    expect(mine.headers['x-cost-remaining']).toBe('9');
    const keys = await service.graphql('{ store { pid } }', {}, { store }).expect(200);
    expect(keys.headers['x-cost-remaining']).toBe('999');
  });
});

test('an answer that is sent again because nothing has changed costs nothing', async () => {
  const { shopper } = await newShopper({ rateLimits: { cost: 10_000 } });
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
