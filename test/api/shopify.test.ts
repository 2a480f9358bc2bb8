import { createHmac, randomUUID } from 'node:crypto';
import type { NewStore } from '../../src/stores/store.service.ts';
import { startService, useService } from '../harness.ts';
import type { TestService } from '../harness.ts';

const service = useService();
let store: NewStore;
const SECRET = 'shpss_0123456789abcdef';
const T0 = Date.parse('2030-05-05T12:00:00Z');
beforeEach(async () => {
  service.setNow(new Date(T0));
  store = await service.createStore();
  await service
    .graphql(`mutation { setShopifySecret(secret: "${SECRET}") { connected } }`, {}, { store })
    .expect(200);
});

type Sending = { secret?: string; id?: string; pid?: string; type?: string; via?: TestService };

function send(
  topic: string,
  payload: object | string,
  {
    secret = SECRET,
    id = randomUUID(),
    pid = store.pid,
    type = 'application/json',
    via = service,
  }: Sending = {},
) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  return via.http
    .post(`/webhooks/shopify/${encodeURIComponent(pid)}`)
    .set({
      'content-type': type,
      'x-shopify-topic': topic,
      'x-shopify-webhook-id': id,
      'x-shopify-shop-domain': 'test.myshopify.com',
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
    })
    .send(body);
}

const at = (seconds: number): string => new Date(T0 + seconds * 1000).toISOString();

function shirt(quantity: number, seconds = 0, more: object = {}) {
  return {
    id: 700,
    title: 'Linen shirt',
    vendor: 'Acme',
    handle: 'linen-shirt',
    tags: 'new, summer',
    updated_at: at(seconds),
    image: { src: 'https://cdn.example/a.jpg' },
    images: [{ id: 5, src: 'https://cdn.example/b.jpg' }],
    variants: [
      {
        id: 701,
        title: 'M',
        sku: 'LS-M',
        price: '49.90',
        inventory_quantity: quantity,
        inventory_item_id: 801,
        image_id: 5,
      },
      { id: 702, title: 'L', sku: 'LS-L', price: '49.90', inventory_quantity: 7, inventory_item_id: 802 },
    ],
    ...more,
  };
}

const level = (available: number, seconds: number, location = 1) => ({
  inventory_item_id: 801,
  location_id: location,
  available,
  updated_at: at(seconds),
});

async function stocks(): Promise<Record<string, number | null>> {
  const rows = await service.services.db.query<{ epi: string; stk: number | null }>(
    'SELECT epi, stk FROM product WHERE pid = $1',
    [store.pid],
  );
  return Object.fromEntries(rows.map(({ epi, stk }) => [epi, stk]));
}

test('the address to register comes with the secret', async () => {
  const { body } = await service.graphql(
    `mutation { setShopifySecret(secret: "${SECRET}") { connected url } }`,
    {},
    { store },
  );
  expect(body.data.setShopifySecret).toEqual({
    connected: true,
    url: `${service.services.config.publicUrl}/webhooks/shopify/${encodeURIComponent(store.pid)}`,
  });
  const bad = await service.graphql('mutation { setShopifySecret(secret: "short") { url } }', {}, { store });
  expect(bad.body.errors[0].extensions.status).toBe(400);
  const nobody = await service.graphql('mutation { setShopifySecret { url } }', {});
  expect(nobody.body.errors[0].extensions.status).toBe(401);
});

test('a store sees whether it is connected, and nobody sees its secret', async () => {
  const connection = async () =>
    (await service.graphql('{ store { shopify { connected url } } }', {}, { store })).body.data.store.shopify;
  const url = `${service.services.config.publicUrl}/webhooks/shopify/${encodeURIComponent(store.pid)}`;
  expect(await connection()).toEqual({ connected: true, url });
  await service.graphql('mutation { setShopifySecret { connected } }', {}, { store }).expect(200);
  expect(await connection()).toEqual({ connected: false, url });
  const other = await service.createStore();
  await service
    .graphql(`mutation { setShopifySecret(secret: "${SECRET}") { connected } }`, {}, { store: other })
    .expect(200);
  expect(await connection()).toEqual({ connected: false, url });
  const shopper = await service.account(store, 'ada@example.com');
  for (const [status, caller] of [
    [401, {}],
    [403, { shopper }],
  ] as const) {
    const { body } = await service.graphql('{ store { shopify { connected } } }', {}, caller);
    expect(body.errors[0].extensions.status).toBe(status);
  }
});

test('products/update brings every variant into the catalogue', async () => {
  expect((await send('products/update', shirt(3)).expect(200)).body).toEqual({ status: 'applied' });
  const { body } = await service.graphql(
    '{ m: product(epi: 701) { epi empi dt bt sku du uri iu stk pr vi tags } l: product(epi: 702) { iu } }',
    {},
    { store },
  );
  expect(body.data).toEqual({
    m: {
      epi: 701,
      empi: 700,
      dt: 'Linen shirt',
      bt: 'Acme',
      sku: 'LS-M',
      du: 'https://test.myshopify.com/products/linen-shirt',
      uri: 'https://test.myshopify.com/products/linen-shirt?variant=701',
      iu: 'https://cdn.example/b.jpg',
      stk: 3,
      pr: 49.9,
      vi: 'M',
      tags: ['new', 'summer'],
    },
    l: { iu: 'https://cdn.example/a.jpg' },
  });
});

test('a variant that the product lost goes, and products/delete takes the rest', async () => {
  await send('products/create', shirt(3)).expect(200);
  const { variants, ...rest } = shirt(3, 1);
  await send('products/update', { ...rest, variants: [variants[0]] }).expect(200);
  expect(await stocks()).toEqual({ 701: 3 });
  await send('products/delete', { id: 700 }).expect(200);
  expect(await stocks()).toEqual({});
});

test('inventory_levels/update sets the stock of its variant and wakes those who wait', async () => {
  const fields = {
    medium: 'email',
    mediumvalue: 'a@example.com',
    products: [{ epi: 701, empi: 700, du: '/p' }],
    topics: ['backinstock'],
  };
  await service.post('/storeadmin/bispa/subscriptions/create', fields, { store }).expect(200);
  await send('products/update', shirt(0)).expect(200);
  await send('inventory_levels/update', level(5, 10)).expect(200);
  expect(await stocks()).toEqual({ 701: 5, 702: 7 });
  const restocks = await service.services.db.query('SELECT epi FROM restock WHERE pid = $1', [store.pid]);
  expect(restocks).toEqual([{ epi: '701' }]);
});

test('with several locations, each moves the stock by its own difference', async () => {
  await send('products/update', shirt(10)).expect(200);
  await send('inventory_levels/update', level(10, 10, 1)).expect(200);
  await send('inventory_levels/update', level(4, 20, 2)).expect(200);
  expect((await stocks())[701]).toBe(14);
  await send('products/update', shirt(14, 21)).expect(200);
  await send('inventory_levels/update', level(0, 30, 2)).expect(200);
  expect((await stocks())[701]).toBe(10);
  await send('inventory_levels/update', level(0, 40, 1)).expect(200);
  expect((await stocks())[701]).toBe(0);
});

test('what comes late changes nothing', async () => {
  await send('products/update', shirt(3, 60)).expect(200);
  expect((await send('products/update', shirt(9, 30)).expect(200)).body.status).toBe('outdated');
  await send('inventory_levels/update', level(8, 50)).expect(200);
  expect((await stocks())[701]).toBe(3);
  await send('inventory_levels/update', level(0, 90)).expect(200);
  expect((await send('inventory_levels/update', level(6, 80)).expect(200)).body.status).toBe('outdated');
  await send('products/update', shirt(5, 70, { title: 'Renamed' })).expect(200);
  expect((await stocks())[701]).toBe(0);
});

test('a webhook is applied once, also in parallel; its id, which is not signed, keeps no other body out', async () => {
  await send('products/update', shirt(0)).expect(200);
  const id = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => send('inventory_levels/update', level(5, 10), { id })),
  );
  expect(answers.map(({ body }) => body.status).sort()).toEqual([
    'applied',
    ...Array<string>(9).fill('duplicate'),
  ]);
  await service.graphql('mutation { setStock(stocks: [{ epi: 701, stk: 0 }]) { unknown } }', {}, { store });
  expect((await send('inventory_levels/update', level(5, 10)).expect(200)).body.status).toBe('duplicate');
  expect((await stocks())[701]).toBe(0);
  expect((await send('inventory_levels/update', level(9, 20), { id }).expect(200)).body.status).toBe(
    'applied',
  );
  expect((await stocks())[701]).toBe(9);
});

test.each([
  ['a product', 'products/update', shirt(3, 10)],
  ['a level', 'inventory_levels/update', level(3, 10)],
  ['a deletion', 'products/delete', { id: 999 }],
])('%s that was recorded does nothing under another topic', async (_name, topic, payload) => {
  await send('products/update', shirt(3)).expect(200);
  await send(topic, payload).expect(200);
  const topics = ['products/create', 'products/update', 'products/delete', 'inventory_levels/update'];
  const answers = await Promise.all(topics.map((other) => send(other, payload)));
  const outcomes = answers.map(({ status, body }) => (status === 200 ? body.status : status));
  const isProduct = topic === 'products/update';
  expect(outcomes).toEqual(
    topics.map((other) =>
      other === topic || (isProduct && other === 'products/create') ? 'duplicate' : 400,
    ),
  );
  expect(await stocks()).toEqual({ 701: 3, 702: 7 });
});

test.each([
  ['a refund', 'products/delete', { id: 700, order_id: 1, created_at: at(5), note: null }],
  ['an order', 'products/delete', { id: 700, currency: 'EUR', line_items: [], created_at: at(5) }],
  ['a collection', 'products/delete', { id: 700, admin_graphql_api_id: 'gid://shopify/Collection/700' }],
  ['a variant', 'products/update', shirt(9, 10, { admin_graphql_api_id: 'gid://shopify/ProductVariant/1' })],
  [
    'a product',
    'inventory_levels/update',
    { ...level(9, 10), admin_graphql_api_id: 'gid://shopify/Product/1' },
  ],
])('%s that is signed does not become a webhook of %s by its topic', async (_name, topic, payload) => {
  await send('products/update', shirt(3)).expect(200);
  const { body } = await send(topic, payload).expect(400);
  expect(body).toMatchObject({ type: 'invalid-request', msg: expect.stringContaining('is invalid') });
  expect(await stocks()).toEqual({ 701: 3, 702: 7 });
});

test('bodies that name themselves as Shopify does are taken', async () => {
  const gid = (kind: string) => ({ admin_graphql_api_id: `gid://shopify/${kind}/1` });
  await send('products/update', shirt(3, 0, gid('Product'))).expect(200);
  await send('inventory_levels/update', { ...level(5, 10), ...gid('InventoryLevel') }).expect(200);
  expect(await stocks()).toEqual({ 701: 5, 702: 7 });
  await send('products/delete', { id: 700, ...gid('Product') }).expect(200);
  expect(await stocks()).toEqual({});
});

test('what changes to and fro within one second ends where it ended, and a repeated delivery does not undo it', async () => {
  await send('products/update', shirt(1)).expect(200);
  const id = randomUUID();
  const answers: string[] = [];
  const tell = async (topic: string, payload: object, sending?: Sending): Promise<void> => {
    answers.push((await send(topic, payload, sending).expect(200)).body.status);
  };
  await tell('inventory_levels/update', level(5, 10));
  await tell('inventory_levels/update', level(0, 10), { id });
  await tell('inventory_levels/update', level(5, 10));
  await tell('inventory_levels/update', level(0, 10), { id });
  expect([answers, (await stocks())[701]]).toEqual([['applied', 'applied', 'applied', 'duplicate'], 5]);
  answers.length = 0;
  await tell('products/update', shirt(8, 20));
  await tell('products/update', shirt(0, 20));
  await tell('products/update', shirt(8, 20));
  await tell('products/update', shirt(8, 20));
  expect([answers, (await stocks())[701]]).toEqual([['applied', 'applied', 'applied', 'duplicate'], 8]);
});

test('a deleted product does not come back by an update that comes late, also in parallel', async () => {
  await send('products/update', shirt(3)).expect(200);
  await send('products/delete', { id: 700 }).expect(200);
  expect((await send('products/update', shirt(3, 5)).expect(200)).body.status).toBe('outdated');
  expect((await send('products/update', shirt(3)).expect(200)).body.status).toBe('outdated');
  expect(await stocks()).toEqual({});
  await Promise.all([
    send('products/delete', { id: 710 }).expect(200),
    ...[1, 2, 3, 4].map((seconds) => send('products/update', shirt(3, seconds, { id: 710 })).expect(200)),
  ]);
  expect(await stocks()).toEqual({});
});

test('what is known of webhooks is forgotten when they are too old to be played again', async () => {
  await send('products/update', shirt(3)).expect(200);
  const known = async () =>
    service.services.db.query(
      'SELECT id FROM shopify_event WHERE pid = $1 UNION ALL SELECT subject FROM shopify_subject WHERE pid = $1',
      [store.pid],
    );
  expect(await known()).toHaveLength(2);
  service.setNow(new Date(T0 + 8 * 24 * 3_600_000));
  await service.runTasks();
  expect(await known()).toEqual([]);
});

test('what was recorded days ago is refused', async () => {
  service.setNow(new Date(T0 + 49 * 3_600_000));
  const { body } = await send('products/update', shirt(3)).expect(400);
  expect(body.msg).toContain('too old');
  expect(await stocks()).toEqual({});
});

test('a wrong signature learns nothing: unknown store, unconnected store, wrong secret and bad body look the same', async () => {
  const unconnected = await service.createStore();
  const answers = [
    await send('products/update', shirt(3), { secret: 'x'.repeat(20) }),
    await send('products/update', shirt(3), { pid: 'nobody' }),
    await send('products/update', shirt(3), { pid: unconnected.pid }),
    await send('products/update', shirt(3), { pid: 'a\u0000b' }),
    await send('products/update', '{broken', { secret: 'x'.repeat(20) }),
    await send('orders/create', {}, { secret: 'x'.repeat(20) }),
    await service.http
      .post(`/webhooks/shopify/${encodeURIComponent(store.pid)}`)
      .type('json')
      .send('{}'),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(await stocks()).toEqual({});
});

test.each([
  ['a body that is not JSON', 'products/update', '{'],
  ['a product without variants', 'products/update', { id: 1 }],
  ['a variant without id', 'products/update', shirt(1, 0, { variants: [{}] })],
  ['a product without a time', 'products/update', shirt(1, 0, { updated_at: undefined })],
  ['a level without item', 'inventory_levels/update', { location_id: 1, available: 1, updated_at: at(0) }],
  ['a level without a time', 'inventory_levels/update', { ...level(1, 0), updated_at: undefined }],
  ['a deletion with an id that cannot be stored', 'products/delete', { id: 'a\u0000b' }],
])('%s is refused and can be sent again', async (_name, topic, payload) => {
  const id = randomUUID();
  await send(topic, payload, { id }).expect(400);
  expect((await send('products/update', shirt(3), { id }).expect(200)).body.status).toBe('applied');
});

test('other topics and unknown items are taken and ignored, other content types are not taken', async () => {
  expect((await send('orders/paid', {}).expect(200)).body.status).toBe('ignored');
  expect((await send('inventory_levels/update', level(5, 10)).expect(200)).body.status).toBe('ignored');
  await send('products/update', shirt(3), { type: 'application/x-www-form-urlencoded' }).expect(400);
  await service.graphql('mutation { setShopifySecret { connected } }', {}, { store }).expect(200);
  await send('products/update', shirt(3)).expect(401);
});

test('stock that Shopify does not track is unknown, also when it was known before; the history has the changes of its webhooks', async () => {
  const untracked = (seconds: number) => {
    const [variant, other] = shirt(0).variants;
    return shirt(0, seconds, { variants: [{ ...variant, inventory_management: null }, other] });
  };
  await send('products/update', untracked(0)).expect(200);
  expect(await stocks()).toEqual({ 701: null, 702: 7 });
  await send('products/update', shirt(5, 10)).expect(200);
  expect(await stocks()).toEqual({ 701: 5, 702: 7 });
  await send('inventory_levels/update', level(3, 15)).expect(200);
  await send('products/update', untracked(20)).expect(200);
  expect(await stocks()).toEqual({ 701: null, 702: 7 });
  const { body } = await service.graphql(
    '{ changed: stockChanges(epi: 701) { before after } same: stockChanges(epi: 702) { id } }',
    {},
    { store },
  );
  expect(body.data).toEqual({
    changed: [
      { before: 3, after: null },
      { before: 5, after: 3 },
      { before: null, after: 5 },
    ],
    same: [],
  });
});

describe('those who wait hear', () => {
  const wait = async (name: string) => {
    const fields = {
      medium: 'email',
      mediumvalue: `${name}@example.com`,
      products: [{ epi: 701, empi: 700, du: '/p' }],
      topics: ['backinstock'],
    };
    await service.post('/storeadmin/bispa/subscriptions/create', fields, { store }).expect(200);
  };
  const told = async (): Promise<string[]> => {
    await service.runTasks();
    const rows = await service.services.db.query<{ recipient: string }>(
      `SELECT recipient FROM outbox WHERE pid = $1 AND state = 'sent' ORDER BY seq`,
      [store.pid],
    );
    return rows.map(({ recipient }) => recipient.split('@')[0]!);
  };
  const untracked = (seconds: number) => {
    const [variant, other] = shirt(0).variants;
    return shirt(0, seconds, { variants: [{ ...variant, inventory_management: null }, other] });
  };

  test('when a location that was never seen before has some', async () => {
    await send('products/update', shirt(0)).expect(200);
    await send('inventory_levels/update', level(0, 10, 1)).expect(200);
    await wait('a');
    await send('inventory_levels/update', level(5, 20, 2)).expect(200);
    expect((await stocks())[701]).toBe(5);
    expect(await told()).toEqual(['a']);
    await send('inventory_levels/update', level(3, 30, 3)).expect(200);
    expect((await stocks())[701]).toBe(8);
  });

  test('when the variant is no longer counted; and its stock stays unknown', async () => {
    await send('products/update', shirt(0)).expect(200);
    await wait('a');
    await send('products/update', untracked(10)).expect(200);
    expect((await stocks())[701]).toBeNull();
    expect(await told()).toEqual(['a']);
  });

  test('not when it is counted again, but when it is back after that', async () => {
    await send('products/update', shirt(5)).expect(200);
    await wait('a');
    await send('products/update', untracked(10)).expect(200);
    await send('products/update', shirt(5, 20)).expect(200);
    await send('products/update', untracked(30)).expect(200);
    expect(await told()).toEqual([]);
    await send('products/update', shirt(0, 40)).expect(200);
    await send('products/update', shirt(5, 50)).expect(200);
    expect(await told()).toEqual(['a']);
  });
});

test('figures of many locations that come to more than a stock can tell are the greatest there is', async () => {
  const most = 2_147_483_647;
  await send('products/update', shirt(0)).expect(200);
  for (const location of [1, 2, 3])
    await send('inventory_levels/update', level(most, 10 + location, location)).expect(200);
  expect((await stocks())[701]).toBe(most);
  await send('inventory_levels/update', level(-most * 4, 20, 1)).expect(200);
  expect((await stocks())[701]).toBeLessThanOrEqual(0);
});

test('a level of one item reads nothing of the others, in a store with one location', async () => {
  // One connection, because each counts what it read by itself.
  const single = await startService({ databasePool: 1 });
  try {
    single.setNow(new Date(T0));
    const shop = await single.createStore();
    const { db } = single.services;
    await single.graphql(`mutation { setShopifySecret(secret: "${SECRET}") { url } }`, {}, { store: shop });
    await db.query(
      `INSERT INTO inventory_level (pid, item, location, available, at) SELECT $1, n::text, '1', 1, $2 FROM generate_series(1, 5000) n`,
      [shop.pid, new Date(T0)],
    );
    const read = async (): Promise<number> => {
      await db.query('SELECT pg_stat_force_next_flush()');
      const [row] = await db.query<{ n: number }>(
        `SELECT (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'inventory_level')::int
           + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = 'inventory_level')::int AS n`,
      );
      return row!.n;
    };
    await send('products/update', shirt(3), { pid: shop.pid, via: single }).expect(200);
    const before = await read();
    const { body } = await send('inventory_levels/update', level(4, 10), { pid: shop.pid, via: single });
    expect(body).toEqual({ status: 'applied' });
    expect((await read()) - before).toBeLessThan(20);
  } finally {
    await single.close();
  }
});
