import { writeProducts } from '../../src/stores/catalogue/catalog.service.ts';
import type { WrittenRow } from '../../src/stores/products/product.repo.ts';
import { useNewStore, useService } from '../harness.ts';

const service = useService();
const store = useNewStore(service);

const du = '/p/1';

/** Writes as a feed does and answers the steps that the write saw. */
function write(products: { epi: string; empi: string; du: string; stk: number }[]): Promise<WrittenRow[]> {
  const { db, now } = service.services;
  return db.transaction((tx) => writeProducts(tx, store.pid, products, now()));
}

test('the steps that 50 writers of one variant see form one chain from nothing to the last stock', async () => {
  const steps = (
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => write([{ epi: 'v', empi: 'p', du, stk: index + 1 }])),
    )
  ).flat();
  expect(steps.filter(({ isNew }) => isNew)).toHaveLength(1);
  const next = new Map(steps.map(({ before, stk }) => [before, stk]));
  expect(next.size).toBe(50);
  let stock: number | null | undefined = null;
  for (let step = 0; step < 50; step += 1) stock = next.get(stock!);
  const [row] = await service.services.db.query<{ stk: number; rev: number }>(
    'SELECT stk, rev FROM product WHERE pid = $1',
    [store.pid],
  );
  expect(row).toEqual({ stk: stock, rev: 50 });
});

test('writers of the same variants in opposite orders all succeed over HTTP', async () => {
  const epis = Array.from({ length: 40 }, (_, index) => index + 1);
  const calls = Array.from({ length: 30 }, (_, index) => {
    const order = index % 2 === 0 ? epis : [...epis].reverse();
    if (index % 3 === 0) {
      const stocks = order.map((epi) => ({ epi, stk: index }));
      return service.graphql(
        'mutation($stocks: [StockInput!]!) { setStock(stocks: $stocks) { unknown } }',
        { stocks },
        { store },
      );
    }
    return service.post(
      '/storeadmin/v3/products/upsert',
      { products: order.map((epi) => ({ epi, empi: 1, du, stk: index })) },
      { store },
    );
  });
  const answers = await Promise.all(calls);
  expect(answers.map(({ status, body }) => [status, body.errors])).toEqual(
    answers.map(() => [200, undefined]),
  );
  const [row] = await service.services.db.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM product WHERE pid = $1',
    [store.pid],
  );
  expect(row).toEqual({ n: 40 });
});

test('of many first sightings at once, one opens the restock of those who wait', async () => {
  const subscription = {
    medium: 'email',
    mediumvalue: 'a@example.com',
    products: [{ epi: 1, empi: 1, du }],
    topics: ['backinstock'],
  };
  await service.post('/storeadmin/bispa/subscriptions/create', subscription, { store }).expect(200);
  const products = [{ epi: 1, empi: 1, du, stk: 4 }];
  await Promise.all(
    Array.from({ length: 20 }, () =>
      service.post('/storeadmin/v3/products/upsert', { products }, { store }).expect(200),
    ),
  );
  const restocks = await service.services.db.query('SELECT 1 FROM restock WHERE pid = $1', [store.pid]);
  expect(restocks).toHaveLength(1);
});
