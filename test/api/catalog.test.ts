import type { NewStore } from '../../src/stores/store.service.ts';
import { useNewStore, useService } from '../harness.ts';

const service = useService();
const store = useNewStore(service);

const UPSERT = '/storeadmin/v3/products/upsert';

function product(epi: number | string, fields: object = {}) {
  return { epi, empi: 9, du: 'https://shop.example/p/9', dt: `Product ${epi}`, stk: 0, pr: 10, ...fields };
}

function upsert(products: unknown, caller: { store?: NewStore } = { store }) {
  return service.post(
    UPSERT,
    { products: typeof products === 'string' ? products : JSON.stringify(products) },
    caller,
  );
}

async function rows(): Promise<{ epi: string; stk: number | null; dt: string | null }[]> {
  return service.services.db.query('SELECT epi, stk, dt FROM product WHERE pid = $1 ORDER BY epi', [
    store.pid,
  ]);
}

async function openRestocks(): Promise<string[]> {
  const found = await service.services.db.query<{ epi: string }>(
    'SELECT epi FROM restock WHERE pid = $1 ORDER BY opened_at',
    [store.pid],
  );
  return found.map(({ epi }) => epi);
}

/** Subscribes somebody, so that a restock of the variant has an audience. */
async function waitFor(epi: number | string): Promise<void> {
  const fields = {
    medium: 'email',
    mediumvalue: 'ann@example.com',
    products: [{ epi, empi: 9, du: '/p/9' }],
    topics: ['backinstock'],
  };
  await service.post('/storeadmin/bispa/subscriptions/create', fields, { store }).expect(200);
}

test('upsert answers the stored records, with ids as numbers where they are whole numbers', async () => {
  const { body } = await upsert([
    product(1, { bt: 'Brand', sku: 'S-1', uri: '/p/9?v=1', iu: '/i.png', vi: 'Blue', tags: ['new'] }),
    product('gid-2', { empi: 'abc' }),
  ]).expect(200);
  expect(body[0]).toEqual({
    epi: 1,
    empi: 9,
    du: 'https://shop.example/p/9',
    uri: '/p/9?v=1',
    dt: 'Product 1',
    bt: 'Brand',
    sku: 'S-1',
    iu: '/i.png',
    vi: 'Blue',
    stk: 0,
    pr: 10,
    pid: store.pid,
  });
  expect(body[1]).toMatchObject({
    epi: 'gid-2',
    empi: 'abc',
    uri: 'https://shop.example/p/9?variant=gid-2',
    vi: '',
    bt: null,
  });
});

test('a field left out, or null, stays as it is; unknown keys are ignored; numbers may come as text', async () => {
  await upsert([product(1, { bt: 'Brand', tags: ['a'] })]).expect(200);
  const { body } = await upsert([{ epi: '1', pr: '12.5', dt: null, _cv: true }]).expect(200);
  expect(body[0]).toMatchObject({ epi: 1, pr: 12.5, dt: 'Product 1', bt: 'Brand', stk: 0 });
});

test('of a variant that comes twice in a call, the last counts', async () => {
  const { body } = await upsert([product(1, { stk: 1 }), product(2), product('1', { stk: 7 })]).expect(200);
  expect(body).toHaveLength(2);
  expect(await rows()).toMatchObject([{ epi: '1', stk: 7 }, { epi: '2' }]);
});

test.each([
  ['not JSON', 'x', 'products must be JSON'],
  ['not an array', '{}', 'array'],
  ['empty', '[]', 'products must have 1 to 500'],
  ['absent', '', 'products'],
  ['not an object', [1], 'products[0]'],
  ['501 entries', Array.from({ length: 501 }, (_, index) => product(index)), '1 to 500'],
  ['no epi', [product(1), { empi: 1, du: '/x' }], 'products[1].epi'],
  ['empty epi', [product('')], 'products[0].epi'],
  ['epi of another type', [product(1), product(2, { epi: true })], 'products[1].epi'],
  ['new without empi', [product(1), product(2, { empi: null })], 'products[1].empi'],
  ['new without du', [product(1), product(2, { du: undefined })], 'products[1].du'],
  ['a script as du', [product(1, { du: 'javascript:alert(1)' })], 'products[0].du'],
  ['a script behind white space', [product(1, { iu: ' JavaScript:alert(1)' })], 'products[0].iu'],
  ['a fraction as stock', [product(1, { stk: 1.5 })], 'products[0].stk'],
  ['a word as price', [product(1, { pr: 'cheap' })], 'products[0].pr'],
  ['a price below zero', [product(1, { pr: -1 })], 'products[0].pr'],
  ['a title of 501 characters', [product(1, { dt: 'x'.repeat(501) })], 'products[0].dt'],
  ['NUL in a title', [product(1, { epi: 'a\u0000b' })], 'products[0].epi'],
  ['tags that are no texts', [product(1, { tags: [{}] })], 'products[0].tags'],
])(
  '%s is refused with invalid-products naming the place, and nothing is stored',
  async (_name, products, place) => {
    const { body } = await upsert(products).expect(400);
    expect(body).toMatchObject({ error: true, type: 'invalid-products' });
    expect(body.msg).toContain(place);
    expect(await rows()).toEqual([]);
  },
);

test('the same failures have the same type over GraphQL', async () => {
  const query = 'mutation($products: [ProductInput!]!) { upsertProducts(products: $products) { epi } }';
  for (const products of [[], [{ empi: 1, du: '/x' }], [{ epi: 1, empi: 1, du: 'data:x' }], [{ epi: 1 }]]) {
    const { body } = await service.graphql(query, { products }, { store });
    expect(body.errors[0].extensions).toMatchObject({ type: 'invalid-products', status: 400 });
  }
  expect(await rows()).toEqual([]);
});

test('a wrong key and a shopper session are refused, and another store sees nothing', async () => {
  await upsert([product(1)]).expect(200);
  await upsert([product(1)], { store: { ...store, apiKey: 'wrong' } }).expect(401);
  await upsert('not JSON', {}).expect(401);
  const shopper = await service.guest(store);
  for (const query of [
    '{ products { edges { node { epi } } } }',
    'mutation { removeProducts(epis: [1]) { removed } }',
  ]) {
    const { body } = await service.graphql(query, {}, { shopper });
    expect(body.errors[0].extensions.type).toBe('forbidden');
  }
  const other = await service.createStore();
  const { body } = await service.graphql(
    'mutation { removeProducts(epis: [1]) { removed } setStock(stocks: [{ epi: 1, stk: 5 }]) { unknown } }',
    {},
    { store: other },
  );
  expect(body.data).toEqual({ removeProducts: { removed: 0 }, setStock: { unknown: [1] } });
  expect(await rows()).toMatchObject([{ epi: '1', stk: 0 }]);
});

describe.each([
  ['set-stock', 'stocks', [{ epi: 1, stk: 5 }]],
  ['remove', 'epis', [1]],
])('products/%s', (path, field, fine) => {
  const send = (value: string | unknown[] | undefined, caller: { store?: NewStore } = { store }) =>
    service.post(`/storeadmin/v3/products/${path}`, { [field]: value }, caller);

  test.each([
    ['not JSON', 'x', 'must be JSON'],
    ['not an array', '{}', 'must be a JSON array'],
    ['absent', undefined, 'is missing'],
    ['empty', '[]', 'must have 1 to 500'],
    ['501 entries', Array.from({ length: 501 }, () => fine[0]), '1 to 500'],
    ['with an entry that is null', [...fine, null], '[1]'],
    ['with an entry of another type', [...fine, true], '[1]'],
    ['with an empty id', [...fine, path === 'remove' ? '' : { epi: '', stk: 1 }], '[1]'],
    ['with an impossible id', [...fine, path === 'remove' ? 'a\u0000b' : { epi: 'a\u0000b', stk: 1 }], '[1]'],
  ])('%s is refused with invalid-products, and nothing changes', async (_name, value, msg) => {
    await upsert([product(1)]).expect(200);
    const { body } = await send(value).expect(400);
    expect(body).toMatchObject({ error: true, type: 'invalid-products', msg: expect.stringContaining(msg) });
    expect(await rows()).toMatchObject([{ epi: '1', stk: 0 }]);
  });

  test('needs the key of the store, and another store changes nothing here', async () => {
    await upsert([product(1)]).expect(200);
    expect((await send(fine, {}).expect(401)).body.type).toBe('unauthorised');
    expect((await send(fine, { store: { ...store, apiKey: 'wrong' } }).expect(401)).body.type).toBe(
      'unauthorised',
    );
    const { regid, sessionid } = await service.guest(store);
    const { body } = await service
      .post(`/storeadmin/v3/products/${path}?pid=${encodeURIComponent(store.pid)}`, {
        [field]: fine,
        regid,
        sessionid,
      })
      .expect(401);
    expect(body.type).toBe('unauthorised');
    const other = await send(fine, { store: await service.createStore() }).expect(200);
    expect(other.body).toEqual(path === 'remove' ? { removed: 0 } : { products: [], unknown: [1] });
    expect(await rows()).toMatchObject([{ epi: '1', stk: 0 }]);
  });
});

test('set-stock takes numbers as text, refuses what is no stock, and opens a restock', async () => {
  const send = (stocks: object[]) => service.post('/storeadmin/v3/products/set-stock', { stocks }, { store });
  await waitFor(1);
  await upsert([product(1), product(2)]).expect(200);
  for (const stk of ['many', 1.5, null, 2 ** 31]) {
    const { body } = await send([
      { epi: 2, stk: 3 },
      { epi: 1, stk },
    ]).expect(400);
    expect(body).toMatchObject({ type: 'invalid-products', msg: expect.stringContaining('stocks[1].stk') });
  }
  expect(await rows()).toMatchObject([{ stk: 0 }, { stk: 0 }]);
  const { body } = await send([{ epi: '1', stk: '4', note: 'ignored' }]).expect(200);
  expect(body).toMatchObject({ products: [{ epi: 1, stk: 4 }], unknown: [] });
  expect(await openRestocks()).toEqual(['1']);
});

test('product answers a store and its shoppers; an unknown one is null', async () => {
  await upsert([product(1)]).expect(200);
  const shopper = await service.guest(store);
  const query = '{ one: product(epi: 1) { epi tags cts } none: product(epi: "2") { epi } }';
  for (const caller of [{ store }, { shopper }]) {
    const { body } = await service.graphql(query, {}, caller);
    expect(body.data).toEqual({ one: { epi: 1, tags: [], cts: expect.any(Number) }, none: null });
  }
  const { body } = await service.graphql(query, {});
  expect(body.errors[0].extensions.status).toBe(401);
});

test('setStock changes stock only and says which variants it does not know', async () => {
  await upsert([product(1), product(2)]).expect(200);
  const query =
    'mutation($stocks: [StockInput!]!) { setStock(stocks: $stocks) { products { epi stk dt } unknown } }';
  const stocks = [
    { epi: 2, stk: 4 },
    { epi: 'x', stk: 1 },
    { epi: 1, stk: -3 },
    { epi: 2, stk: 5 },
  ];
  const { body } = await service.graphql(query, { stocks }, { store });
  expect(body.data.setStock).toEqual({
    products: [
      { epi: 2, stk: 5, dt: 'Product 2' },
      { epi: 1, stk: -3, dt: 'Product 1' },
    ],
    unknown: ['x'],
  });
});

test('products pages by cursor, newest first, stable under writes', async () => {
  await upsert([1, 2, 3, 4, 5].map((epi) => product(epi))).expect(200);
  const query =
    'query($after: String) { products(first: 2, after: $after) { edges { node { epi } } pageInfo { hasNextPage endCursor } } }';
  const seen: number[] = [];
  let after: string | null = null;
  do {
    const { body } = await service.graphql(query, { after }, { store });
    seen.push(...body.data.products.edges.map((edge: { node: { epi: number } }) => edge.node.epi));
    after = body.data.products.pageInfo.hasNextPage ? body.data.products.pageInfo.endCursor : null;
    await upsert([product(100 + seen.length), product(seen[0]!, { pr: 99 })]).expect(200);
  } while (after);
  expect(seen).toEqual([5, 4, 3, 2, 1]);
});

test('products with first 0 gives none, and more than 100 gives 100', async () => {
  await upsert(Array.from({ length: 101 }, (_, index) => product(index + 1))).expect(200);
  for (const [first, given] of [
    [0, 0],
    [100, 100],
    [2_147_483_647, 100],
  ]) {
    const { body } = await service.graphql(
      `{ products(first: ${first}) { edges { cursor } } }`,
      {},
      { store },
    );
    expect(body.data.products.edges).toHaveLength(given!);
  }
});

test.each(['first: -1', 'first: 1.5', 'after: "x"', `search: "${'x'.repeat(201)}"`])(
  'products refuses %s',
  async (argument) => {
    const { body } = await service.graphql(`{ products(${argument}) { edges { cursor } } }`, {}, { store });
    expect(body.errors[0].extensions.status).toBe(400);
  },
);

test.each([
  '["product",1.5]',
  '["product",1e30]',
  '["product","abc"]',
  '["product",null]',
  '["subscription",1]',
  'abc',
])('products refuses the forged cursor %s', async (cursor) => {
  const after = Buffer.from(cursor).toString('base64url');
  const query = 'query($after: String) { products(after: $after) { edges { cursor } } }';
  const { body } = await service.graphql(query, { after }, { store });
  expect(body.errors[0].extensions).toMatchObject({ status: 400, type: 'invalid-request' });
});

test('products finds words of title, brand, SKU and ids by their beginning, in this store only', async () => {
  await upsert([
    product(11, { dt: 'Übergröße Hemd (Leinen)', bt: 'Acme & Söhne', sku: 'LS-4711/B' }),
    product(12, { dt: 'Linen shirt', bt: 'Acme', sku: 'LS-4712' }),
  ]).expect(200);
  const other = await service.createStore();
  await upsert([product(13, { dt: 'Linen shirt' })], { store: other }).expect(200);
  const find = async (search: string): Promise<number[]> => {
    const { body } = await service.graphql(
      'query($search: String) { products(search: $search) { edges { node { epi } } } }',
      { search },
      { store },
    );
    return body.data.products.edges.map((edge: { node: { epi: number } }) => edge.node.epi);
  };
  expect(await find('acme')).toEqual([12, 11]);
  expect(await find('LINEN shi')).toEqual([12]);
  expect(await find('übergr')).toEqual([11]);
  expect(await find('4711')).toEqual([11]);
  expect(await find('ls-4712')).toEqual([12]);
  expect(await find('11')).toEqual([11]);
  expect(await find("o'brien | & ! <-> :*")).toEqual([]);
  expect(await find('shirt acme nothing')).toEqual([]);
  expect(await find('  ')).toEqual([12, 11]);
});

test('stock that comes back opens a restock from every way in; a price does not', async () => {
  await waitFor(1);
  await upsert([product(1, { stk: 0 })]).expect(200);
  await upsert([{ epi: 1, pr: 99 }]).expect(200);
  expect(await openRestocks()).toEqual([]);
  await upsert([{ epi: 1, stk: 3 }]).expect(200);
  expect(await openRestocks()).toEqual(['1']);

  await waitFor(2);
  await upsert([product(2, { stk: 0 })]).expect(200);
  await service
    .graphql('mutation { setStock(stocks: [{ epi: 2, stk: 3 }]) { unknown } }', {}, { store })
    .expect(200);
  expect(await openRestocks()).toEqual(['1', '2']);
});

test('the greatest stock there is may come, go down and come again while somebody waits', async () => {
  const most = 2_147_483_647;
  await waitFor(1);
  for (const stk of [0, most, most - 1, most, 1, most, -most, most])
    expect((await upsert([product(1, { stk })])).status).toBe(200);
  const [restock] = await service.services.db.query(
    `SELECT units FROM restock WHERE pid = $1 AND state = 'open'`,
    [store.pid],
  );
  expect(restock).toEqual({ units: most });
});

test('a failed call leaves neither products nor restocks', async () => {
  await waitFor(1);
  await upsert([product(1, { stk: 5 }), { epi: 2, stk: 5 }]).expect(400);
  expect(await rows()).toEqual([]);
  expect(await openRestocks()).toEqual([]);
});
