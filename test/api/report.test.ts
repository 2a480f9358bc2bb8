import type { NewStore } from '../../src/stores/store.service.ts';
import { useService } from '../harness.ts';
import type { TestService } from '../harness.ts';

const service = useService();
let store: NewStore;
/** Far from midnight, when a day's figures begin anew. */
const NOON = new Date('2026-03-01T12:00:00Z');

beforeEach(async () => {
  service.setNow(NOON);
  store = await service.createStore();
});

const item = (epi: number, empi: number) => ({
  epi,
  empi,
  du: `https://shop.example/${empi}`,
  dt: `Product ${empi}`,
});

async function wish(
  ...items: object[]
): Promise<{ lid: string; shopper: Awaited<ReturnType<TestService['guest']>> }> {
  const shopper = await service.guest(store);
  const { body } = await service.post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper }).expect(200);
  await service.post('/api/v3/lists/update-ctx', { lid: body.lid, a: items }, { shopper }).expect(200);
  return { lid: body.lid, shopper };
}

async function mostWishlisted(): Promise<unknown> {
  await service.runTasks();
  return (await service.graphql('{ mostWishlisted { empi count dt } }', {}, { store })).body.data
    .mostWishlisted;
}

test('the most wishlisted products follow adding, removing and deleting a list', async () => {
  await wish(item(1, 10), item(2, 20));
  const second = await wish(item(1, 10));
  expect(await mostWishlisted()).toEqual([
    { empi: 10, count: 2, dt: 'Product 10' },
    { empi: 20, count: 1, dt: 'Product 20' },
  ]);
  await service
    .post('/api/v3/lists/delete-list', { lid: second.lid }, { shopper: second.shopper })
    .expect(200);
  expect(await mostWishlisted()).toMatchObject([
    { empi: 10, count: 1 },
    { empi: 20, count: 1 },
  ]);
});

test('adding a variant again does not count it again', async () => {
  const { lid, shopper } = await wish(item(1, 10));
  await service.post('/api/v3/lists/update-ctx', { lid, a: [item(1, 10)] }, { shopper }).expect(200);
  expect(await mostWishlisted()).toMatchObject([{ empi: 10, count: 1 }]);
  const { body } = await service.graphql('{ activity(days: 1) { adds } }', {}, { store });
  expect(body.data.activity).toEqual([{ adds: 1 }]);
});

test('activity has one entry a day, oldest first, with zeros where nothing happened', async () => {
  await wish(item(1, 10), item(2, 20));
  await service.runTasks();
  const { body } = await service.graphql(
    '{ activity(days: 3) { day adds subscriptions alerts } }',
    {},
    { store },
  );
  const days = body.data.activity;
  expect(days.map(({ adds }: { adds: number }) => adds)).toEqual([0, 0, 2]);
  expect(days[2].day).toBe(NOON.toISOString().slice(0, 10));
});

test('waiting demand lists sold-out variants only, most waited for first', async () => {
  const products = [item(1, 10), item(2, 20), item(3, 30)];
  await service
    .post(
      '/storeadmin/v3/products/upsert',
      { products: products.map((product, n) => ({ ...product, stk: n === 2 ? 5 : 0 })) },
      { store },
    )
    .expect(200);
  const subscribe = (mediumvalue: string, ...wanted: object[]) =>
    service
      .post(
        '/storeadmin/bispa/subscriptions/create',
        { medium: 'email', mediumvalue, products: wanted, topics: ['backinstock'] },
        { store },
      )
      .expect(200);
  await subscribe('a@example.com', ...products);
  await subscribe('b@example.com', products[1]!);
  await service.runTasks();
  const { body } = await service.graphql('{ waitingDemand { epi empi waiting stk dt } }', {}, { store });
  expect(body.data.waitingDemand).toEqual([
    { epi: 2, empi: 20, waiting: 2, stk: 0, dt: 'Product 20' },
    { epi: 1, empi: 10, waiting: 1, stk: 0, dt: 'Product 10' },
  ]);
});

test('figures of one store are never shown to another, nor to a shopper', async () => {
  await wish(item(1, 10));
  await service.runTasks();
  const other = await service.createStore();
  const { body } = await service.graphql(
    '{ mostWishlisted { empi } activity(days: 1) { adds } }',
    {},
    { store: other },
  );
  expect(body.data).toEqual({ mostWishlisted: [], activity: [{ adds: 0 }] });
  const shopper = await service.account(store);
  const refused = await service.graphql('{ mostWishlisted { empi } }', {}, { shopper });
  expect(refused.body.errors[0].extensions.type).toBe('forbidden');
});

test.each(['activity(days: 0) { day }', 'activity(days: 367) { day }'])(
  '%s is refused with the range',
  async (field) => {
    const { body } = await service.graphql(`{ ${field} }`, {}, { store });
    expect(body.errors[0]).toMatchObject({
      extensions: { type: 'invalid-request' },
      message: expect.stringContaining('must be between'),
    });
  },
);

test('a first beyond the maximum is cut to it, 0 gives none, and less is refused', async () => {
  const query = '{ mostWishlisted(first: 0) { empi } waitingDemand(first: 5000) { epi } }';
  const { body } = await service.graphql(query, {}, { store });
  expect(body.errors).toBeUndefined();
  expect(body.data.mostWishlisted).toEqual([]);
  const refused = await service.graphql('{ waitingDemand(first: -1) { epi } }', {}, { store });
  expect(refused.body.errors[0].extensions.type).toBe('invalid-limit');
});
