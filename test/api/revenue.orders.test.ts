import { randomUUID } from 'node:crypto';
import { item, createClient } from './list-kit.ts';
import { DAY, NOON, after, useRevenueKit } from './revenue-kit.ts';

const { kit, store } = useRevenueKit();

const ADA = 'ada@example.com';
const oneLine = (epi: string, price = '10.00') => [{ epi, quantity: 1, price }];

test('an order of what was clicked is from the alert, by whichever name the store knows the customer; every figure follows', async () => {
  const { path } = await kit.alert(store, ADA, '7');
  const { token } = await kit.click(path);
  await kit.click(path);
  const ada = await kit.service.account(store, ADA);
  kit.service.setNow(after(2 * DAY));
  expect(await kit.counted(store, { orderId: 'by-email', useremail: 'Ada@Example.com' })).toEqual([
    '20.20',
    '20.20',
    '0.00',
  ]);
  expect(await kit.counted(store, { orderId: 'by-regid', regid: ada.regid })).toEqual([
    '20.20',
    '20.20',
    '0.00',
  ]);
  expect(await kit.counted(store, { orderId: 'by-click', click: token })).toEqual(['20.20', '20.20', '0.00']);
  const lines = [
    { epi: 7, quantity: 1, price: 0.1 },
    { epi: 8, empi: 1, quantity: 1, price: '0.2' },
    { epi: 9, empi: 2, quantity: 3, price: '5' },
  ];
  expect(await kit.counted(store, { orderId: 'others', useremail: ADA, lines })).toEqual([
    '15.30',
    '0.30',
    '0.00',
  ]);
  expect(
    await kit.counted(store, {
      orderId: 'yen',
      currency: 'jpy',
      useremail: ADA,
      lines: oneLine('7', '5000'),
    }),
  ).toEqual(['5000.00', '5000.00', '0.00']);
  const totals = { listOrders: 0, fromLists: '0.00' };
  expect(await kit.revenue(store)).toMatchObject({
    from: '2026-02-11',
    to: '2026-03-12',
    sent: 1,
    clicked: 1,
    ordered: 5,
    totals: [
      { currency: 'EUR', orders: 4, amount: '75.90', alertOrders: 4, fromAlerts: '60.90', ...totals },
      { currency: 'JPY', orders: 1, amount: '5000.00', alertOrders: 1, fromAlerts: '5000.00', ...totals },
    ],
    topics: [
      {
        topic: 'backinstock',
        clicked: 1,
        totals: [
          { currency: 'EUR', orders: 4, amount: '60.90' },
          { currency: 'JPY', orders: 1, amount: '5000.00' },
        ],
      },
    ],
  });
});

test('an order without a click is not from an alert, nor is one before the click, after the window, of another product or by somebody else', async () => {
  const { path, link } = await kit.alert(store, ADA, '7');
  const short = link.split('/').at(-1)!;
  expect(await kit.counted(store, { orderId: 'sent', useremail: ADA, click: short })).toEqual([
    '20.20',
    '0.00',
    '0.00',
  ]);
  kit.service.setNow(after(DAY));
  await kit.click(path);
  kit.service.setNow(after(20 * DAY));
  const none = ['20.20', '0.00', '0.00'];
  expect(
    await kit.counted(store, { orderId: 'before', useremail: ADA, orderedAt: after(DAY - 1).getTime() }),
  ).toEqual(none);
  expect(
    await kit.counted(store, { orderId: 'late', useremail: ADA, orderedAt: after(8 * DAY).toISOString() }),
  ).toEqual(none);
  expect(
    await kit.counted(store, {
      orderId: 'bob',
      useremail: 'bob@example.com',
      orderedAt: after(2 * DAY).getTime(),
    }),
  ).toEqual(none);
  const other = { orderedAt: after(2 * DAY).getTime(), lines: oneLine('99') };
  expect(await kit.counted(store, { orderId: 'other', useremail: ADA, ...other })).toEqual([
    '10.00',
    '0.00',
    '0.00',
  ]);
  expect(
    await kit.counted(store, { orderId: 'in time', useremail: ADA, orderedAt: after(8 * DAY - 1).getTime() }),
  ).toEqual(['20.20', '20.20', '0.00']);
  await kit.service
    .graphql('mutation { updateStore(input: { attributionDays: 30 }) { attributionDays } }', {}, { store })
    .expect(200);
  expect(await kit.counted(store, { orderId: 'longer', useremail: ADA })).toEqual(['20.20', '20.20', '0.00']);
});

test('what a shopper had in a list is from lists, unless an alert brought it; what it adds later is not', async () => {
  const ada = await kit.service.account(store, ADA);
  const client = createClient(kit.service, ada);
  kit.service.setNow(after(0));
  const { lid } = await client.ok('lists/create', { lname: 'Wishes' });
  await client.ok('lists/update-ctx', { lid, a: [item(7), item(8, { empi: 901 })] });
  const { path } = await kit.alert(store, ADA, '7');
  kit.service.setNow(after(DAY));
  await kit.click(path);
  const lines = [
    ...oneLine('7', '1.00'),
    ...oneLine('8', '2.00'),
    ...oneLine('10', '4.00'),
    { epi: '11', empi: 901, quantity: 1, price: '8' },
  ];
  kit.service.setNow(after(2 * DAY));
  await client.ok('lists/update-ctx', { lid, a: [item(10, { empi: 902 })] });
  expect(
    await kit.counted(store, { orderId: 'a', useremail: ADA, lines, orderedAt: after(1.5 * DAY).getTime() }),
  ).toEqual(['15.00', '1.00', '10.00']);
  expect(await kit.counted(store, { orderId: 'b', useremail: 'bob@example.com', lines })).toEqual([
    '15.00',
    '0.00',
    '0.00',
  ]);
  expect(await kit.counted(store, { orderId: 'c', lines })).toEqual(['15.00', '0.00', '0.00']);
});

test("a guest's list counts for its account after the login, under either regid", async () => {
  const uuid = randomUUID();
  const guest = await kit.service.guest(store, uuid);
  const client = createClient(kit.service, guest);
  const { lid } = await client.ok('lists/create', { lname: 'Wishes' });
  await client.ok('lists/update-ctx', { lid, a: [item(7)] });
  expect(await kit.counted(store, { orderId: 'guest', regid: guest.regid })).toEqual([
    '20.20',
    '0.00',
    '20.20',
  ]);
  await kit.service
    .post('/storeadmin/v3/user/generate-regid', { uuid, useremail: ADA, useragenttype: 'test' }, { store })
    .expect(200);
  expect(await kit.counted(store, { orderId: 'old regid', regid: guest.regid })).toEqual([
    '20.20',
    '0.00',
    '20.20',
  ]);
  const { body } = await kit.service
    .post('/storeadmin/v3/user/export', { useremail: ADA }, { store })
    .expect(200);
  expect(body.data.orders.map(({ order_id }: { order_id: string }) => order_id)).toEqual([
    'guest',
    'old regid',
  ]);
});

test('the same order counts once: repeated, changed and many at once', async () => {
  const first = await kit.report(store, { orderId: 42 }).expect(200);
  const again = await kit
    .report(store, { orderId: '42', currency: 'USD', lines: oneLine('1', '999') })
    .expect(200);
  expect(first.body).toEqual({
    orderId: '42',
    orderedAt: NOON.getTime(),
    currency: 'EUR',
    total: '20.20',
    fromAlerts: '0.00',
    fromLists: '0.00',
    isRepeat: false,
  });
  expect(again.body).toEqual({ ...first.body, isRepeat: true });
  const many = await Promise.all(
    Array.from({ length: 12 }, () => kit.report(store, { orderId: 'at once' }).expect(200)),
  );
  expect(many.filter(({ body }) => !body.isRepeat)).toHaveLength(1);
  const neighbour = await kit.service.createStore();
  expect((await kit.report(neighbour, { orderId: 42 }).expect(200)).body.isRepeat).toBe(false);
  expect((await kit.revenue(store)).totals).toMatchObject([{ currency: 'EUR', orders: 2, amount: '40.40' }]);
});

test("another store's click and another store's order count for neither", async () => {
  const neighbour = await kit.service.createStore();
  const { path } = await kit.alert(neighbour, ADA, '7');
  const { token } = await kit.click(path);
  expect(await kit.counted(store, { orderId: 'theirs', click: token, useremail: ADA })).toEqual([
    '20.20',
    '0.00',
    '0.00',
  ]);
  expect((await kit.revenue(neighbour)).totals).toEqual([]);
  expect((await kit.revenue(store)).clicked).toBe(0);
});

test.each([
  ['orderId', { orderId: '' }],
  ['orderId', { orderId: 'x'.repeat(101) }],
  ['orderId', { orderId: 'a\nb' }],
  ['orderedAt', { orderedAt: 'yesterday' }],
  ['orderedAt', { orderedAt: after(2 * DAY).getTime() }],
  ['orderedAt', { orderedAt: after(-367 * DAY).getTime() }],
  ['currency', { currency: '' }],
  ['currency', { currency: 'EURO' }],
  ['lines', { lines: [] }],
  ['lines', { lines: 'x' }],
  ['lines', { lines: null }],
  ['lines', { lines: Array.from({ length: 501 }, () => oneLine('1')[0]) }],
  ['lines[0].epi', { lines: [{ quantity: 1, price: '1' }] }],
  ['lines[0].empi', { lines: [{ epi: 1, empi: 'x'.repeat(256), quantity: 1, price: '1' }] }],
  ['lines[1].quantity', { lines: [...oneLine('1'), { epi: 1, quantity: 0, price: '1' }] }],
  ['lines[0].quantity', { lines: [{ epi: 1, quantity: 100_001, price: '1' }] }],
  ['lines[0].quantity', { lines: [{ epi: 1, price: '1' }] }],
  ['lines[0].price', { lines: [{ epi: 1, quantity: 1, price: '-1' }] }],
  ['lines[0].price', { lines: [{ epi: 1, quantity: 1, price: '1.1234567' }] }],
  ['lines[0].price', { lines: [{ epi: 1, quantity: 1, price: '1e3' }] }],
  ['lines[0].price', { lines: [{ epi: 1, quantity: 1, price: {} }] }],
  ['lines[0].price', { lines: [{ epi: 1, quantity: 1 }] }],
  ['regid', { regid: 'x'.repeat(256) }],
  ['useremail', { useremail: 'not an address' }],
  ['phone', { phone: '12' }],
])(
  'a wrong %s is refused with 400 that names it, over REST and GraphQL, and counts nothing (%#)',
  async (field, wrong) => {
    const { body } = await kit.report(store, wrong).expect(400);
    expect(body).toMatchObject({
      error: true,
      type: field === 'useremail' ? 'invalid-useremail' : 'invalid-request',
    });
    expect(body.msg).toContain(field);
    const input = { orderId: 'o-1', currency: 'EUR', lines: oneLine('7'), ...wrong };
    const answer = await kit.service.graphql(
      'mutation($input: ReportOrderInput!) { reportOrder(input: $input) { orderId } }',
      { input },
      { store },
    );
    expect(answer.body.data?.reportOrder ?? null).toBeNull();
    expect(answer.body.errors).toHaveLength(1);
    expect((await kit.revenue(store)).totals).toEqual([]);
  },
);

test('only a store key reports orders and reads revenue: not nobody, not a shopper, not a wrong key', async () => {
  const shopper = await kit.service.guest(store);
  const order = { orderId: 'x', currency: 'EUR', lines: oneLine('1') };
  await kit.service.post('/storeadmin/v3/orders/report', order).expect(401);
  await kit.service
    .post('/storeadmin/v3/orders/report', order, { store: { ...store, apiKey: 'wg_no' } })
    .expect(401);
  await kit.service.get('/storeadmin/v3/revenue').expect(401);
  const mutation =
    'mutation { reportOrder(input: { orderId: "x", currency: "EUR", lines: [{ epi: 1, quantity: 1, price: "1" }] }) { orderId } }';
  for (const query of [mutation, '{ revenue { sent } }']) {
    const { body } = await kit.service.graphql(query, {}, { shopper });
    expect(body.errors[0].extensions).toMatchObject({ type: 'forbidden', status: 403 });
  }
  expect((await kit.revenue(store)).totals).toEqual([]);
});

test('revenue takes days and refuses what are none, a turned range and more than 366 days', async () => {
  const read = (query: string) => kit.service.get(`/storeadmin/v3/revenue?${query}`, { store });
  const { body } = await read('from=2026-03-01&to=2026-03-03').expect(200);
  expect(body.days.map(({ day }: { day: string }) => day)).toEqual([
    '2026-03-01',
    '2026-03-02',
    '2026-03-03',
  ]);
  for (const [field, query] of [
    ['from', 'from=2026-02-30'],
    ['to', 'to=yesterday'],
    ['from', 'from=2026-03-04&to=2026-03-03'],
    ['from', 'from=2025-03-02&to=2026-03-03'],
  ]) {
    const refused = await read(query!).expect(400);
    expect(refused.body).toMatchObject({ type: 'invalid-request', msg: expect.stringContaining(field!) });
  }
});

test('sums of many small amounts are exact', async () => {
  const lines = Array.from({ length: 300 }, () => ({ epi: '1', quantity: 1, price: '0.1' }));
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      kit.report(store, { orderId: `small-${index}`, lines }).expect(200),
    ),
  );
  await kit
    .report(store, { orderId: 'large', lines: [{ epi: 1, quantity: 100_000, price: '999999999.999999' }] })
    .expect(200);
  expect((await kit.revenue(store)).totals).toMatchObject([{ orders: 11, amount: '100000000000299.90' }]);
});
