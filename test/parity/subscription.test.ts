import { useService, useStore } from '../harness.ts';
import { fullSelection } from './full-selection.ts';

const service = useService();
const store = useStore(service);

const products = [
  {
    epi: 1,
    empi: 9,
    du: '/p/9',
    bt: 'B',
    dt: 'T',
    sku: 'S',
    uri: '/p/9?v=1',
    iu: '/i',
    stk: 2,
    pr: 3.5,
    vi: 'M',
  },
  { epi: 'a', empi: 'b', du: '/c' },
];
const wanted = [
  ...products.map(({ epi, empi, du }) => ({ epi, empi, du })),
  { epi: 'unknown', empi: 'u', du: '/u' },
];

test('upsert answers on REST what upsertProducts answers', async () => {
  const rest = await service.post('/storeadmin/v3/products/upsert', { products }, { store }).expect(200);
  const query = `mutation($products: [ProductInput!]!) { upsertProducts(products: $products) ${fullSelection('Product')} }`;
  const { body } = await service.graphql(query, { products }, { store });
  expect(rest.body).toEqual(body.data.upsertProducts);
});

test('set-stock and remove answer on REST what setStock and removeProducts answer', async () => {
  await service.post('/storeadmin/v3/products/upsert', { products }, { store }).expect(200);
  const stocks = [
    { epi: 1, stk: 7 },
    { epi: 'unknown', stk: 1 },
  ];
  const set = await service.post('/storeadmin/v3/products/set-stock', { stocks }, { store }).expect(200);
  const setStock = `mutation($stocks: [StockInput!]!) { setStock(stocks: $stocks) ${fullSelection('SetStockPayload')} }`;
  expect(set.body).toEqual((await service.graphql(setStock, { stocks }, { store })).body.data.setStock);
  expect(set.body).toMatchObject({ products: [{ epi: 1, stk: 7 }], unknown: ['unknown'] });

  const extra = [
    { epi: 'r-1', empi: 1, du: '/r' },
    { epi: 'r-2', empi: 1, du: '/r' },
  ];
  await service.post('/storeadmin/v3/products/upsert', { products: extra }, { store }).expect(200);
  const gone = await service
    .post('/storeadmin/v3/products/remove', { epis: ['r-1', 'never'] }, { store })
    .expect(200);
  const remove = `mutation { removeProducts(epis: ["r-2", "never"]) ${fullSelection('RemoveProductsPayload')} }`;
  expect(gone.body).toEqual((await service.graphql(remove, {}, { store })).body.data.removeProducts);
  expect(gone.body).toEqual({ removed: 1 });
});

test('create answers on REST what subscribe answers', async () => {
  const input = {
    medium: 'email',
    mediumvalue: 'ann@example.com',
    products: wanted,
    topics: ['backinstock', 'x'],
  };
  const rest = await service.post('/storeadmin/bispa/subscriptions/create', input, { store }).expect(200);
  const query = `mutation($input: SubscribeInput!) { subscribe(input: $input) ${fullSelection('SubscribePayload')} }`;
  const { body } = await service.graphql(query, { input }, { store });
  expect(rest.body).toEqual(body.data.subscribe);
  expect(rest.body.products).toHaveLength(3);
});

test('remove answers on REST what unsubscribe answers, for a contact and for a shopper that the store names', async () => {
  const shopper = await service.account(store, 'bob@example.com');
  for (const [headers, args] of [
    [{}, { medium: 'email', mediumvalue: 'bob@example.com' }],
    [{ 'x-regid': shopper.regid }, {}],
    [{ 'x-regid': shopper.regid }, { topic: 'backinstock', epi: 1 }],
    [{}, { id: 'unknown' }],
  ] as [Record<string, string>, Record<string, string | number>][]) {
    const subscribed = {
      medium: 'email',
      mediumvalue: 'bob@example.com',
      products: wanted,
      topics: ['backinstock'],
    };
    const caller = { store, headers };
    const query = `mutation($id: ID, $medium: Medium, $mediumvalue: String, $topic: String, $epi: VariantId) {
      unsubscribe(id: $id, medium: $medium, mediumvalue: $mediumvalue, topic: $topic, epi: $epi) ${fullSelection('UnsubscribePayload')} }`;
    await service.post('/storeadmin/bispa/subscriptions/create', subscribed, { store }).expect(200);
    const rest = await service.post('/storeadmin/bispa/subscriptions/remove', args, caller).expect(200);
    await service.post('/storeadmin/bispa/subscriptions/create', subscribed, { store }).expect(200);
    expect(rest.body).toEqual((await service.graphql(query, args, caller)).body.data.unsubscribe);
  }
});

test('fetch-subs and unsubscribe answer on REST what subscriptionPage and unsubscribe answer', async () => {
  for (const shopper of [await service.account(store, 'ann@example.com'), await service.guest(store)]) {
    const rest = await service
      .post('/api/v3/subscriptions/fetch-subs', { limit: 4, offset: 1 }, { shopper })
      .expect(200);
    const query = `{ subscriptionPage(limit: 4, offset: 1) ${fullSelection('SubscriptionPage')} }`;
    const { body } = await service.graphql(query, {}, { shopper });
    expect(rest.body).toEqual(body.data.subscriptionPage);
    const left = await service
      .post('/api/v3/subscriptions/unsubscribe', { topic: 'none' }, { shopper })
      .expect(200);
    const leave = `mutation { unsubscribe(topic: "none") ${fullSelection('UnsubscribePayload')} }`;
    expect(left.body).toEqual((await service.graphql(leave, {}, { shopper })).body.data.unsubscribe);
  }
});

test('mailinglist answers on REST what mailingList answers', async () => {
  const answer = { medium: 'email', products: wanted, topics: ['x'], addtomailinglist: 1 };
  for (const name of ['one', 'two', 'three'])
    await service
      .post(
        '/storeadmin/bispa/subscriptions/create',
        { ...answer, mediumvalue: `${name}@example.com` },
        { store },
      )
      .expect(200);
  const query = `query ($first: Int, $after: String) {
    mailingList(first: $first, after: $after) ${fullSelection('ContactConnection')} }`;
  const { body } = await service.graphql(query, { first: 1 }, { store });
  const path = '/storeadmin/v3/mailinglist';
  const page = await service.get(`${path}?first=1`, { store }).expect(200);
  expect(page.body).toEqual(body.data.mailingList);
  const after = page.body.pageInfo.endCursor as string;
  const { body: rest } = await service.get(`${path}?after=${after}`, { store }).expect(200);
  const { body: same } = await service.graphql(query, { after }, { store });
  expect(rest).toEqual(same.data.mailingList);
  expect(rest.edges).toHaveLength(2);
});
