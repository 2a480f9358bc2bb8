import type { NewStore } from '../../../src/stores/store.service.ts';
import type { TestService } from '../../harness.ts';

/** Products of the test store: the first is sold out. */
export const PRODUCTS = [
  { epi: 5001, empi: 501, dt: 'Linen shirt', vi: 'White / M', sku: 'LS-W-M', pr: 59.9, stk: 0 },
  { epi: 5002, empi: 502, dt: 'Walnut desk lamp', vi: 'Brass', sku: 'WDL-B', pr: 129, stk: 14 },
  {
    epi: 5003,
    empi: 503,
    dt: 'Merino socks, set of three',
    vi: 'Grey / 39–42',
    sku: 'MS-3',
    pr: 24.5,
    stk: 230,
  },
  { epi: 5004, empi: 504, dt: 'Canvas tote', vi: 'Olive', sku: 'CT-O', pr: 32, stk: 3 },
  { epi: 5005, empi: 505, dt: 'Pour-over dripper', vi: '', sku: 'POD', pr: 41, stk: 0 },
].map((product) => ({ ...product, du: `https://shop.example/products/${product.empi}` }));

async function run(service: TestService, store: NewStore, query: string, variables: object): Promise<void> {
  const { body } = await service.graphql(query, variables, { store }).expect(200);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
}

/** Subscribes a contact to `backinstock` of a product. */
export async function subscribe(
  service: TestService,
  store: NewStore,
  mediumvalue: string,
  product = PRODUCTS[0]!,
): Promise<void> {
  const { epi, empi, du } = product;
  const products = [{ epi, empi, du }];
  const fields = {
    medium: 'email',
    mediumvalue,
    products: JSON.stringify(products),
    topics: JSON.stringify(['backinstock']),
  };
  await service.post('/storeadmin/bispa/subscriptions/create', fields, { store }).expect(200);
}

/** A store that has been in use: a catalogue, shoppers with lists, contacts that wait. */
export async function seedStore(service: TestService, name = 'Nordlys'): Promise<NewStore> {
  const store = await service.createStore({ name });
  await run(
    service,
    store,
    'mutation ($products: [ProductInput!]!) { upsertProducts(products: $products) { epi } }',
    { products: PRODUCTS },
  );
  for (const [index, who] of ['ada', 'grace', 'joan'].entries()) {
    const shopper = await service.account(store, `${who}@example.com`);
    const { body } = await service
      .post('/api/v3/lists/create', { lname: 'My wishlist' }, { shopper })
      .expect(200);
    const a = PRODUCTS.slice(0, PRODUCTS.length - index).map(({ epi, empi, du }) => ({ epi, empi, du }));
    await service.post('/api/v3/lists/update-ctx', { lid: body.lid, a }, { shopper }).expect(200);
  }
  for (const who of ['lin', 'mei', 'noor']) await subscribe(service, store, `${who}@example.com`);
  await subscribe(service, store, 'omar@example.com', PRODUCTS[4]);
  await service.runTasks();
  return store;
}

const DAY_MS = 86_400_000;

/**
 * A past for the charts and the queue, which tests cannot live through: figures of 90 days, changes of stock, alerts in every state. And
 * what merchants did: Shopify is connected, a shopper's data was exported.
 */
async function seedHistory(service: TestService, store: NewStore): Promise<void> {
  const { db } = service.services;
  const { pid } = store;
  await run(
    service,
    store,
    'mutation { setShopifySecret(secret: "shpss_0123456789abcdef") { connected } }',
    {},
  );
  await run(service, store, 'mutation { exportShopper(useremail: "ada@example.com") { exportedAt } }', {});
  const figures = Array.from({ length: 90 }, (_, age) => age + 1).flatMap((age) => {
    const key = new Date(Date.now() - age * DAY_MS).toISOString().slice(0, 10);
    const wave = Math.sin(age * 0.9) + 1.4 + (age % 7 < 2 ? 0.8 : 0);
    return [
      { key, kind: 'add', n: Math.round(wave * 42) },
      { key, kind: 'subscribe', n: Math.round(wave * 9) },
      { key, kind: 'alert', n: age % 4 === 0 ? Math.round(wave * 27) : Math.round(wave * 3) },
    ];
  });
  await db.query(
    `INSERT INTO tally (pid, kind, key, n) SELECT $1, f.kind, f.key, f.n FROM jsonb_to_recordset($2::jsonb) AS f(kind text, key text, n int)`,
    [pid, JSON.stringify(figures)],
  );
  await db.query(
    `INSERT INTO stock_change (pid, epi, at, before, after)
     SELECT $1, '5001', now() - make_interval(days => c.age), c.before, c.after FROM unnest($2::int[], $3::int[], $4::int[]) AS c (age, before, after)`,
    [pid, [40, 31, 22, 16, 9, 3], [0, 24, 17, 6, 40, 12], [24, 17, 6, 40, 12, 0]],
  );
  const alerts = [
    { state: 'sent', attempts: 1, error: null, recipient: 'ida@example.com' },
    { state: 'sent', attempts: 2, error: null, recipient: '+14155552671' },
    {
      state: 'failed',
      attempts: 8,
      error: '550 5.1.1 The account that you tried to reach does not exist',
      recipient: 'a.very.long.address@department.example.com',
    },
    {
      state: 'withheld',
      attempts: 1,
      error: 'the product is out of stock again',
      recipient: 'kim@example.com',
    },
    { state: 'queued', attempts: 3, error: '451 4.7.1 Try again later', recipient: 'lou@example.com' },
  ];
  await db.query(
    `INSERT INTO outbox (pid, id, lane, medium, kind, recipient, topic, epi, state, attempts, error, due_at, cts, finished_at)
     SELECT $1, gen_random_uuid()::text, 'alert', CASE WHEN a.recipient LIKE '+%' THEN 'sms' ELSE 'email' END, 'alert', a.recipient, 'backinstock', '5001',
       a.state, a.attempts, a.error, now() + interval '1 hour', now() - interval '2 hours', CASE WHEN a.state <> 'queued' THEN now() END
     FROM jsonb_to_recordset($2::jsonb) AS a(state text, attempts int, error text, recipient text)`,
    [pid, JSON.stringify(alerts)],
  );
}

/** A store with such a past. */
export async function seedUsedStore(service: TestService, name?: string): Promise<NewStore> {
  const store = await seedStore(service, name);
  await seedHistory(service, store);
  return store;
}
