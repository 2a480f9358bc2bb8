import type { NewStore } from '../../src/stores/store.service.ts';
import { outboxOf, saveTopic, seedSubscription } from '../alerts/kit.ts';
import { useService } from '../harness.ts';

const service = useService();
let store: NewStore;

const START = new Date('2026-03-01T09:00:00Z');
const later = (ms: number) => new Date(START.getTime() + ms);
const MINUTE = 60_000;
beforeEach(async () => {
  service.setNow(START);
  store = await service.createStore();
});

const upsert = (fields: object) =>
  service
    .post(
      '/storeadmin/v3/products/upsert',
      { products: [{ epi: 1, empi: 9, du: '/p/9', ...fields }] },
      { store },
    )
    .expect(200);
const remove = async () => {
  const { body } = await service.graphql('mutation { removeProducts(epis: [1]) { removed } }', {}, { store });
  expect(body).toEqual({ data: { removeProducts: { removed: 1 } } });
};
const subscribe = (name: string, topic = 'backinstock') =>
  seedSubscription(service, store, { epi: '1', value: `${name}@example.com`, topic });

/** Who was told so far, in their order. */
async function told(): Promise<string[]> {
  await service.runTasks();
  const rows = await outboxOf(service, store.pid);
  return rows.filter(({ state }) => state === 'sent').map(({ recipient }) => recipient.split('@')[0]!);
}

describe('a topic by tag', () => {
  beforeEach(() =>
    saveTopic(service, store, {
      name: 'sale',
      trigger: 'tag',
      tag: 'On Sale',
      batchSize: 1,
      batchIntervalSeconds: 60,
    }),
  );

  test.each([
    ['another write takes the tag away', () => upsert({ tags: ['new'] })],
    ['the product is removed', remove],
  ])('tells nobody more of a batch once %s', async (_how, end) => {
    await upsert({ tags: [] });
    for (const name of ['a', 'b', 'c']) await subscribe(name, 'sale');
    await upsert({ tags: ['new', 'On Sale'] });
    expect(await told()).toEqual(['a']);
    await end();
    for (const minutes of [1, 2, 3]) {
      service.setNow(later(minutes * MINUTE));
      expect(await told()).toEqual(['a']);
    }
    await upsert({ tags: ['On Sale'] });
    expect(await told()).toEqual(['a', 'b']);
  });

  test('withholds what is queued already, and says why', async () => {
    await saveTopic(service, store, { name: 'sale', batchSize: null, batchIntervalSeconds: null });
    await upsert({ tags: [] });
    // The second alert waits for the end of the first one's cool-down.
    for (let alert = 1; alert <= 2; alert += 1) {
      await subscribe('a', 'sale');
      await upsert({ tags: ['On Sale'] });
      await service.runTasks();
      await upsert({ tags: [] });
    }
    service.setNow(later(25 * 60 * MINUTE));
    expect(await told()).toEqual(['a']);
    expect(await outboxOf(service, store.pid)).toMatchObject([
      { state: 'sent' },
      { state: 'withheld', error: 'the tag was removed' },
    ]);
  });

  test('does not mind upper and lower case, and the product keeps its own', async () => {
    await upsert({ tags: [] });
    await subscribe('a', 'sale');
    await subscribe('b', 'sale');
    await upsert({ tags: ['ON SALE'] });
    expect(await told()).toEqual(['a']);
    await upsert({ tags: ['on sale'] });
    service.setNow(later(MINUTE));
    expect(await told()).toEqual(['a', 'b']);
    const { body } = await service.graphql('{ product(epi: 1) { tags } }', {}, { store });
    expect(body.data.product.tags).toEqual(['on sale']);
  });
});

describe('a product that is removed and added again', () => {
  test('at the same stock and with the same tags tells nobody who was waiting while it was there', async () => {
    await saveTopic(service, store, { name: 'sale', trigger: 'tag', tag: 'sale' });
    await upsert({ stk: 5, tags: ['sale'] });
    await subscribe('stock');
    await subscribe('tag', 'sale');
    await remove();
    await upsert({ stk: 5, tags: ['sale'] });
    expect(await told()).toEqual([]);
    await upsert({ stk: 0 });
    await upsert({ stk: 5 });
    expect(await told()).toEqual(['stock']);
  });

  test('tells those who asked for it while it was away', async () => {
    await upsert({ stk: 5 });
    await subscribe('before');
    await remove();
    await subscribe('meanwhile');
    await upsert({ stk: 5 });
    expect(await told()).toEqual(['meanwhile']);
  });

  test('tells everybody when there was none of it before', async () => {
    await upsert({ stk: 0 });
    await subscribe('before');
    await remove();
    await subscribe('meanwhile');
    await upsert({ stk: 5 });
    expect(await told()).toEqual(['before', 'meanwhile']);
  });

  test('goes on with the batches that the removal interrupted', async () => {
    await saveTopic(service, store, { name: 'backinstock', batchSize: 1, batchIntervalSeconds: 60 });
    await upsert({ stk: 0 });
    for (const name of ['a', 'b', 'c']) await subscribe(name);
    await upsert({ stk: 5 });
    expect(await told()).toEqual(['a']);
    await subscribe('late');
    await remove();
    service.setNow(later(MINUTE));
    expect(await told()).toEqual(['a']);
    await upsert({ stk: 5 });
    for (const minutes of [1, 2, 3, 4]) {
      service.setNow(later(minutes * MINUTE));
      await service.runTasks();
    }
    expect(await told()).toEqual(['a', 'b', 'c']);
  });

  test('has no more units for those who wait than were left', async () => {
    await saveTopic(service, store, { name: 'backinstock', shoppersPerUnit: 1 });
    await upsert({ stk: 0 });
    for (const name of ['a', 'b', 'c', 'd']) await subscribe(name);
    await upsert({ stk: 2 });
    expect(await told()).toEqual(['a', 'b']);
    for (const seconds of [1, 2]) {
      service.setNow(later(seconds * 1_000));
      await remove();
      await upsert({ stk: 2 });
      expect(await told()).toEqual(['a', 'b']);
    }
    service.setNow(START);
    await remove();
    await upsert({ stk: 3 });
    expect(await told()).toEqual(['a', 'b', 'c']);
  });

  test('counts as new a month later', async () => {
    await upsert({ stk: 5 });
    await subscribe('before');
    await remove();
    service.setNow(later(31 * 24 * 60 * MINUTE));
    await service.runTasks();
    await upsert({ stk: 5 });
    expect(await told()).toEqual(['before']);
  });
});
