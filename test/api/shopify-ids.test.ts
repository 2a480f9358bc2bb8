import { outboxOf } from '../alerts/kit.ts';
import { useNewStore, useService } from '../harness.ts';
import type { Fields } from '../harness.ts';
import { item, newAccount, rowsOf, stock, useNewAccount } from './list-kit.ts';

const service = useService();
const store = useNewStore(service, { customItems: true });
const me = useNewAccount(service, store);

const variant = (number: number | string): string => `gid://shopify/ProductVariant/${number}`;
const product = (number: number | string): string => `gid://shopify/Product/${number}`;
const sent = (number: number) => ({ epi: variant(number), empi: product(900), du: '/p/900' });

test("an item sent with Shopify's ids is the catalogue's: found, changed and removed by either form", async () => {
  await stock(service, store, '123');
  const { lid } = await me.create('Gids');
  const { a } = await me.add(lid, sent(123));
  expect(a).toMatchObject([{ epi: 123, empi: 900, dt: 'Kettle', stk: 5 }]);
  expect((await me.add(lid, item(123, { note: 'same' }))).cnt).toBe(1);
  const { u } = await me.ok('lists/update-ctx', { lid, u: [{ epi: variant('000123'), qty: 2 }] });
  expect(u).toMatchObject([{ epi: 123, qty: 2, note: 'same' }]);
  expect(await me.ok('lists/is-in-lists', { epis: [variant(123), 123, variant(4)] })).toEqual([
    { epi: 123, isInList: true, lids: [lid] },
    { epi: 4, isInList: false, lids: [] },
  ]);
  expect(await me.ok('product/wishlist/social-count', { empi: product(900) })).toEqual({
    data: { count: 1, empi: 900 },
  });
  const other = await me.create('Others');
  await me.ok('lists/move-items', { fromlid: lid, tolid: other.lid, epis: [variant(123)] });
  await me.ok('lists/update-ctx', { lid: other.lid, d: [{ epi: variant(123), empi: product(900) }] });
  expect(await rowsOf(service, other.lid)).toMatchObject({ cnt: 0, epis: [] });
  await me.ok('lists/restore-items', { lid: other.lid, epis: [variant(123)] });
  expect(await rowsOf(service, other.lid)).toMatchObject({ cnt: 1, epis: ['123'] });
});

test('a number beyond those that JavaScript holds exactly is answered as its digits', async () => {
  const { lid } = await me.create('Large');
  const { a } = await me.add(lid, { ...sent(1), epi: variant('9007199254740993') });
  expect(a[0].epi).toBe('9007199254740993');
});

test("parts of a custom bundle and the platform's id are the numbers, too", async () => {
  const { lid } = await me.create('Custom');
  const bundle = [{ title: 'Lid', epi: variant(5), empi: product(6) }];
  const custom = { title: 'Set', du: '/set', platformitemid: variant(7), bundle };
  const { a } = await me.add(lid, custom);
  expect(a[0]).toMatchObject({ platformitemid: 7, bundle: [{ epi: 5, empi: 6 }] });
});

test("who subscribes with Shopify's ids is alerted when the catalogue's variant is back, and can end it", async () => {
  const subscribe = (mediumvalue: string) =>
    service.post(
      '/storeadmin/bispa/subscriptions/create',
      { medium: 'email', mediumvalue, products: [sent(31)], topics: ['backinstock'] },
      { store },
    );
  await stock(service, store, '31', { stk: 0 });
  const { body } = await subscribe('ann@example.com').expect(200);
  expect(body.products).toMatchObject([{ epi: 31, empi: 900, dt: 'Kettle' }]);
  await subscribe('bob@example.com').expect(200);
  const remove = { medium: 'email', mediumvalue: 'bob@example.com', epi: variant(31) };
  const { body: ended } = await service
    .post('/storeadmin/bispa/subscriptions/remove', remove, { store })
    .expect(200);
  expect(ended.removed).toBe(1);
  const stocks = [{ epi: variant(31), stk: 4 }];
  const { body: set } = await service
    .post('/storeadmin/v3/products/set-stock', { stocks }, { store })
    .expect(200);
  expect(set).toMatchObject({ products: [{ epi: 31, stk: 4 }], unknown: [] });
  await service.runTasks();
  const alerts = await outboxOf(service, store.pid);
  expect(alerts.map(({ recipient }) => recipient)).toEqual(['ann@example.com']);
});

test("a catalogue that is sent with Shopify's ids is stored, read and removed by their numbers", async () => {
  for (const products of [[{ ...sent(8), dt: 'Bowl' }], [{ epi: 8, pr: 3 }]])
    await service.post('/storeadmin/v3/products/upsert', { products }, { store }).expect(200);
  const rows = await service.services.db.query('SELECT epi, empi, pr FROM product WHERE pid = $1', [
    store.pid,
  ]);
  expect(rows).toEqual([{ epi: '8', empi: '900', pr: 3 }]);
  const { body } = await service.graphql(
    `{ product(epi: "${variant(8)}") { epi dt } again: product(epi: 8) { dt } }`,
    {},
    { store },
  );
  expect(body.data).toEqual({ product: { epi: 8, dt: 'Bowl' }, again: { dt: 'Bowl' } });
  const removed = await service
    .post('/storeadmin/v3/products/remove', { epis: [variant(8)] }, { store })
    .expect(200);
  expect(removed.body).toEqual({ removed: 1 });
});

test('over GraphQL literals and variables are the numbers, also once the document is compiled', async () => {
  const { lid } = await me.create('Compiled');
  await me.add(lid, item(77));
  const expected = { isInLists: [{ epi: 77, isInList: true }], socialCount: { empi: 900 } };
  for (let times = 0; times < 5; times += 1) {
    const literal = `{ isInLists(epis: ["${variant(77)}"]) { epi isInList } socialCount(empi: "${product(900)}") { empi } }`;
    expect((await me.graphql(literal)).body).toEqual({ data: expected });
    const query =
      'query ($epis: [VariantId!]!, $empi: ProductId!) { isInLists(epis: $epis) { epi isInList } socialCount(empi: $empi) { empi } }';
    const variables = { epis: [variant(77)], empi: product(900) };
    expect((await me.graphql(query, variables)).body).toEqual({ data: expected });
  }
});

const OTHERS = [
  'gid://shopify/Order/1',
  'gid://shopify/ProductVariant/',
  'gid://shopify/ProductVariant/1a',
  'gid://shopify/ProductVariant/-1',
  'gid://shopify/ProductVariant/1?x=1',
  'gid://other/ProductVariant/1',
  'GID://shopify/ProductVariant/1',
];

describe('a gid of another kind is refused as bad input that names the field', () => {
  const calls: [string, string, (gid: string) => Fields, string, string][] = [
    [
      'an item’s variant',
      'lists/update-ctx',
      (epi) => ({ a: [item(1), item(epi)] }),
      'invalid-items',
      'a[1].epi',
    ],
    [
      'an item’s product',
      'lists/update-ctx',
      (empi) => ({ a: [item(1, { empi })] }),
      'invalid-items',
      'a[0].empi',
    ],
    ['a variant to remove', 'lists/update-ctx', (epi) => ({ d: [{ epi }] }), 'invalid-items', 'd[0].epi'],
    ['a variant to look for', 'lists/is-in-lists', (epi) => ({ epis: [1, epi] }), 'invalid-items', 'epis[1]'],
    ['a product to count', 'product/wishlist/social-count', (empi) => ({ empi }), 'invalid-request', 'empi'],
    ['a subscription to end', 'subscriptions/unsubscribe', (epi) => ({ epi }), 'invalid-products', 'epi'],
  ];

  test.each(calls)('%s', async (_name, path, fields, type, field) => {
    const { lid } = await me.create('Refused');
    const isProduct = field.endsWith('empi');
    for (const gid of [...OTHERS, isProduct ? variant(1) : product(1)]) {
      const { body } = await me.call(path, { lid, ...fields(gid) }).expect(400);
      expect(body).toMatchObject({
        error: true,
        type,
        msg: expect.stringMatching(`^${field.replace(/[[\]]/g, '\\$&')}: `),
      });
    }
    expect(await rowsOf(service, lid)).toMatchObject({ cnt: 0, epis: [] });
  });

  test('over GraphQL, as a variable and as a literal', async () => {
    const { body } = await me.graphql('query ($epis: [VariantId!]!) { isInLists(epis: $epis) { epi } }', {
      epis: [1, product(1)],
    });
    expect(body.errors[0]).toMatchObject({
      message: expect.stringContaining('epis[1]'),
      extensions: { type: 'invalid-items', status: 400 },
    });
    const literal = await me.graphql(`{ socialCount(empi: "${variant(1)}") { count } }`);
    expect(literal.body.errors[0]).toMatchObject({
      message: expect.stringContaining('empi'),
      extensions: { type: 'invalid-request', status: 400 },
    });
  });

  test('by a store: nothing of the call is stored', async () => {
    const upsert = (products: object[]) =>
      service.post('/storeadmin/v3/products/upsert', { products }, { store }).expect(400);
    const { body } = await upsert([sent(1), { ...sent(2), empi: variant(2) }]);
    expect(body).toMatchObject({
      type: 'invalid-products',
      msg: expect.stringContaining('products[1].empi'),
    });
    const rows = await service.services.db.query('SELECT epi FROM product WHERE pid = $1', [store.pid]);
    expect(rows).toEqual([]);
    const lines = [{ epi: product(1), quantity: 1, price: '1.00' }];
    const order = { orderId: 'o-1', currency: 'EUR', lines };
    const report = await service.post('/storeadmin/v3/orders/report', order, { store }).expect(400);
    expect(report.body.msg).toContain('lines[0].epi');
  });
});

test("another shopper's list is not found by either form", async () => {
  const stranger = await newAccount(service, store);
  await stranger.add((await stranger.create('Theirs')).lid, sent(55));
  expect(await me.ok('lists/is-in-lists', { epis: [variant(55)] })).toEqual([
    { epi: 55, isInList: false, lids: [] },
  ]);
});
