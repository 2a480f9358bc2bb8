import { forgetStockChanges } from '../../src/stores/catalogue/catalog.service.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { useService } from '../harness.ts';
import type { Caller } from '../harness.ts';

// Shopify's webhooks and files have theirs in shopify.test.ts and catalog.import.test.ts.

const service = useService();
let store: NewStore;
const START = Date.parse('2030-05-05T12:00:00Z');
const DAY_MS = 86_400_000;
beforeEach(async () => {
  service.setNow(new Date(START));
  store = await service.createStore();
});

const upsert = (...products: object[]) =>
  service.post(
    '/storeadmin/v3/products/upsert',
    { products: products.map((product) => ({ epi: 1, empi: 9, du: '/p/9', ...product })) },
    { store },
  );
const setStock = (stk: number, epi = 1) =>
  service.post('/storeadmin/v3/products/set-stock', { stocks: [{ epi, stk }] }, { store }).expect(200);
const remove = () => service.post('/storeadmin/v3/products/remove', { epis: [1] }, { store }).expect(200);

const CHANGES =
  'query ($epi: VariantId!, $first: Int) { stockChanges(epi: $epi, first: $first) { at before after } }';
type Change = { at: number; before: number | null; after: number | null };
const changes = async (epi = 1, caller: Caller = { store }, first = 100): Promise<Change[]> =>
  (await service.graphql(CHANGES, { epi, first }, caller)).body.data.stockChanges;
const steps = async (epi = 1): Promise<(number | null)[][]> =>
  (await changes(epi)).map(({ before, after }) => [before, after]);

test('a change is kept once with its moment, whatever call it comes by; what leaves the number as it is, is not', async () => {
  await upsert({}).expect(200);
  await upsert({ stk: 5 }).expect(200);
  service.setNow(new Date(START + 1_000));
  await setStock(3);
  await setStock(3);
  await upsert({ stk: 3, dt: 'Another title' }).expect(200);
  await upsert({ pr: 9 }).expect(200);
  service.setNow(new Date(START + 2_000));
  await upsert({ stk: 0 }).expect(200);
  expect(await changes()).toEqual([
    { at: START + 2_000, before: 3, after: 0 },
    { at: START + 1_000, before: 5, after: 3 },
    { at: START, before: null, after: 5 },
  ]);
  expect(await changes(1, { store }, 1)).toEqual([{ at: START + 2_000, before: 3, after: 0 }]);
});

test('the number that a variant is first seen with is no change, and a call that is refused keeps none', async () => {
  await upsert({ stk: 5 }, { epi: 2, stk: 7 }).expect(200);
  expect([await changes(1), await changes(2)]).toEqual([[], []]);
  await upsert({ stk: 1 }, { epi: 3, empi: null, stk: 1 }).expect(400);
  expect(await changes(1)).toEqual([]);
});

test('a call for many variants keeps the change of each, and of no other', async () => {
  const all = Array.from({ length: 500 }, (_, index) => index + 1);
  await upsert(...all.map((epi) => ({ epi, stk: epi }))).expect(200);
  await upsert(...all.map((epi) => ({ epi, stk: epi % 5 === 0 ? epi : 0 }))).expect(200);
  const kept = await service.services.db.query<{ epi: string; before: number; after: number }>(
    'SELECT epi, before, after FROM stock_change WHERE pid = $1 ORDER BY before',
    [store.pid],
  );
  expect(kept).toEqual(
    all.filter((epi) => epi % 5 !== 0).map((epi) => ({ epi: String(epi), before: epi, after: 0 })),
  );
});

test('changes of many writers at once follow from each other', async () => {
  await upsert({ stk: 0 }).expect(200);
  await Promise.all(Array.from({ length: 20 }, (_, index) => setStock(index + 1)));
  const kept = await changes();
  expect(kept).toHaveLength(20);
  expect(kept.at(-1)!.before).toBe(0);
  expect(kept.slice(0, -1).map(({ before }) => before)).toEqual(kept.slice(1).map(({ after }) => after));
});

test('a variant that is removed keeps its history, and goes on from the stock that it had', async () => {
  await upsert({ stk: 5 }).expect(200);
  await setStock(4);
  await remove();
  expect(await steps()).toEqual([[5, 4]]);
  await upsert({ stk: 4 }).expect(200);
  expect(await steps()).toEqual([[5, 4]]);
  await remove();
  await upsert({ stk: 2 }).expect(200);
  await setStock(1);
  expect(await steps()).toEqual([
    [2, 1],
    [4, 2],
    [5, 4],
  ]);
});

test('changes are forgotten after 90 days, younger ones stay', async () => {
  await upsert({ stk: 5 }).expect(200);
  await setStock(4);
  service.setNow(new Date(START + 2 * DAY_MS));
  await setStock(3);
  const forget = (days: number) => forgetStockChanges(service.services, new Date(START + days * DAY_MS));
  await forget(89);
  expect(await steps()).toHaveLength(2);
  await forget(91);
  expect(await steps()).toEqual([[4, 3]]);
});

test('the history is for the store alone: another one sees nothing, and shoppers and strangers are refused', async () => {
  await upsert({ stk: 5 }).expect(200);
  await setStock(4);
  expect(await changes(1, { store: await service.createStore() })).toEqual([]);
  for (const [type, caller] of [
    ['forbidden', { shopper: await service.guest(store) }],
    ['unauthorised', {}],
  ] as const) {
    const { body } = await service.graphql(CHANGES, { epi: 1 }, caller);
    expect(body.errors[0].extensions.type).toBe(type);
  }
  const { body } = await service.graphql(CHANGES, { epi: 1, first: -1 }, { store });
  expect(body.errors[0].extensions.type).toBe('invalid-limit');
  expect(body.errors[0].message).toContain('first');
});
