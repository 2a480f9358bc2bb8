import type { NewStore } from '../../../src/stores/store.service.ts';
import type { TestService } from '../../harness.ts';

/** Products of the test store: the first is sold out. */
export const PRODUCTS = (
  [
    [5001, 501, 'Linen shirt', 'White / M', 'LS-W-M', 59.9, 0],
    [5002, 502, 'Walnut desk lamp', 'Brass', 'WDL-B', 129, 14],
    [5003, 503, 'Merino socks, set of three', 'Grey / 39–42', 'MS-3', 24.5, 230],
    [5004, 504, 'Canvas tote', 'Olive', 'CT-O', 32, 3],
    [5005, 505, 'Pour-over dripper', '', 'POD', 41, 0],
  ] as const
).map(([epi, empi, dt, vi, sku, pr, stk]) => {
  const du = `https://shop.example/products/${empi}`;
  return { epi, empi, dt, vi, sku, pr, stk, du };
});

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
  const fields = { medium: 'email', mediumvalue, products: [{ epi, empi, du }], topics: ['backinstock'] };
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

const LONG_ADDRESS = 'a.very.long.address@department.example.com';

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
    ['sent', 1, null, 'ida@example.com'],
    ['sent', 2, null, '+14155552671'],
    ['failed', 8, '550 5.1.1 The account that you tried to reach does not exist', LONG_ADDRESS],
    ['withheld', 1, 'the product is out of stock again', 'kim@example.com'],
    ['queued', 3, '451 4.7.1 Try again later', 'lou@example.com'],
  ].map(([state, attempts, error, recipient]) => ({ state, attempts, error, recipient }));
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
