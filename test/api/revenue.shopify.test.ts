import { createHmac, randomUUID } from 'node:crypto';
import { DAY, after, useRevenueKit } from './revenue-kit.ts';

const { kit, store } = useRevenueKit();
const SECRET = 'shpss_0123456789abcdef';

beforeEach(async () => {
  await kit.service
    .graphql(`mutation { setShopifySecret(secret: "${SECRET}") { connected } }`, {}, { store })
    .expect(200);
});

function send(payload: object, secret = SECRET, id: string = randomUUID()) {
  const body = JSON.stringify(payload);
  return kit.service.http
    .post(`/webhooks/shopify/${encodeURIComponent(store.pid)}`)
    .set({
      'content-type': 'application/json',
      'x-shopify-topic': 'orders/create',
      'x-shopify-webhook-id': id,
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
    })
    .send(body);
}

const ADA = 'ada@example.com';
/** An order as Shopify tells it, with much that is nobody's business here. */
const order = (more: object = {}) => ({
  id: 450789469,
  created_at: after(DAY).toISOString(),
  updated_at: after(DAY).toISOString(),
  currency: 'EUR',
  email: 'Ada@Example.com',
  phone: null,
  customer: { email: 'other@example.com', first_name: 'Ada' },
  shipping_address: { address1: '1 Secret Street' },
  landing_site: '/products/x?variant=7',
  note_attributes: [],
  line_items: [
    {
      variant_id: 7,
      product_id: 1,
      quantity: 3,
      price: '10.00',
      discount_allocations: [{ amount: '0.01' }, { amount: '2.99' }],
    },
    { variant_id: null, product_id: null, quantity: 1, price: '5.00', title: 'Tip' },
    { variant_id: 8, product_id: 99, quantity: 1, price: '4.00' },
  ],
  ...more,
});

test('an order of Shopify counts after its discounts, without tips, for the customer who clicked; once, whoever tells it', async () => {
  const { path } = await kit.alert(store, ADA, '7');
  await kit.click(path);
  kit.service.setNow(after(DAY));
  expect((await send(order()).expect(200)).body).toEqual({ status: 'applied' });
  expect((await send(order()).expect(200)).body).toEqual({ status: 'duplicate' });
  expect((await kit.report(store, { orderId: 450789469 }).expect(200)).body).toMatchObject({
    isRepeat: true,
    total: '31.00',
    fromAlerts: '27.00',
  });
  await kit
    .report(store, { orderId: 'mine-first', lines: [{ epi: 1, quantity: 1, price: '1' }] })
    .expect(200);
  expect((await send(order({ id: 'mine-first' })).expect(200)).body).toEqual({ status: 'duplicate' });
  expect((await kit.revenue(store)).totals).toMatchObject([
    { orders: 2, amount: '32.00', fromAlerts: '27.00' },
  ]);
  const kept = await kit.service.services.db.query(
    'SELECT to_jsonb(o) AS row FROM order_report o WHERE pid = $1',
    [store.pid],
  );
  expect(JSON.stringify(kept)).not.toMatch(/Secret|first_name/);
});

test.each([
  ['a note of the theme', (token: string) => ({ note_attributes: [{ name: 'wg', value: token }] })],
  ['the landing page', (token: string) => ({ landing_site: `/products/x?variant=7&wg=${token}` })],
])('the token of a click comes by %s', async (_name, carried) => {
  const { path } = await kit.alert(store, ADA, '7');
  const { token } = await kit.click(path);
  kit.service.setNow(after(DAY));
  await send(order({ email: null, customer: null, ...carried(token!) })).expect(200);
  expect((await kit.revenue(store)).totals).toMatchObject([{ fromAlerts: '27.00' }]);
});

test('tests, cancelled and empty orders, unknown bodies and wrong signatures count nothing', async () => {
  kit.service.setNow(after(DAY));
  await send(order(), 'shpss_of_somebody_else').expect(401);
  expect((await send(order({ test: true })).expect(200)).body).toEqual({ status: 'ignored' });
  expect((await send(order({ id: 2, line_items: [order().line_items[1]] })).expect(200)).body).toEqual({
    status: 'ignored',
  });
  // What orders/cancelled tells is signed, too; its topic could be changed on the way.
  expect((await send(order({ cancelled_at: after(DAY).toISOString() })).expect(200)).body).toEqual({
    status: 'ignored',
  });
  for (const wrong of [
    { created_at: 'soon' },
    { admin_graphql_api_id: 'gid://shopify/DraftOrder/450789469' },
    { currency: 'Euros' },
    { line_items: [{ variant_id: 7, quantity: 1, price: '-1' }] },
    { line_items: null },
    { created_at: after(-3 * DAY).toISOString() },
  ])
    await send(order({ id: 3, ...wrong })).expect(400);
  expect((await kit.revenue(store)).totals).toEqual([]);
});
