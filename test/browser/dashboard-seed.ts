import type { NewStore } from '../../src/domain/store/store.service.ts';
import type { TestService } from '../harness.ts';

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
