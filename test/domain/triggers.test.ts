import { planEvents, stepPrice } from '../../src/alerts/events/event.rules.ts';
import type { ProductChange } from '../../src/alerts/events/event.rules.ts';
import { BUILT_IN_TOPICS } from '../../src/alerts/topics/topic.rules.ts';
import { triggerOf } from '../../src/alerts/topics/triggers.ts';

// What a change of price or stock means for a topic, without a database.

const topic = (name: string, more: object = {}) => ({
  ...BUILT_IN_TOPICS.find((one) => one.name === name)!,
  ...more,
});
const fall = topic('pricedrop');
const state = (stk: number | null, pr: number | null = null) => ({ stk, pr, tags: [] });

test.each([
  [10, 3, 'begins'],
  [4, 1, 'begins'],
  [3, 2, 'lasts'],
  [2, 3, 'lasts'],
  [0, 2, null],
  [null, 2, null],
  [3, 0, 'ends'],
  [10, 0, 'ends'],
  [2, 4, 'ends'],
  [2, null, 'ends'],
  [2_147_483_647, 3, 'begins'],
])('low stock, three or fewer: from %p to %p it %p', (before, after, step) => {
  expect(triggerOf('lowstock').step(topic('lowstock'), state(before), state(after))).toBe(step);
});

test.each([
  [100, 95, 5, true],
  [100, 95.01, 5, false],
  [19.99, 17.991, 10, true],
  [0.3, 0.297, 1, true],
  [100, 1, 99, true],
  [100, 0, 5, false],
  [100, null, 5, false],
  [0, 50, 5, false],
  [null, 50, 5, false],
  [50, 100, 5, false],
])('a price from %p to %p has fallen by %p %%: %p', (was, is, dropPercent, hasFallen) => {
  const step = triggerOf('pricedrop').step(topic('pricedrop', { dropPercent }), state(1, was), state(1, is));
  expect(step).toBe(hasFallen ? 'begins' : 'ends');
});

/** Prices one after the other, each told of at once; what each fall was counted from. */
function falls(...prices: (number | null)[]): (number | null)[] {
  let mark: number | null = null;
  const told: (number | null)[] = [];
  for (let index = 1; index < prices.length; index += 1) {
    const next = stepPrice(fall, { mark, live: null }, prices[index - 1]!, prices[index]!);
    if (next.step === 'begins') told.push(next.reference);
    mark = next.mark;
  }
  return told;
}

test.each([
  ['small steps count together', [100, 96, 92], [100]],
  ['after each fall that was told the next counts from there', [100, 92, 88, 87], [100, 92]],
  ['a price that creeps down and is up again tells nobody', [100, 96, 100, 96, 97], []],
  ['a rise is the new reference', [100, 92, 110, 104], [100, 110]],
  ['a price that is missing for a while is remembered', [100, 0, 94], [100]],
  ['a first price is no fall', [null, 50], []],
])('%s', (_rule, prices, told) => {
  expect(falls(...prices)).toEqual(told);
});

const live = (wasPr: number, isPending: boolean) => ({
  ...{ topic: 'pricedrop', epi: '1', cause: 'pricedrop', wasPr, isPending },
});

test('while nobody was told of a fall, a further one belongs to it, and a correction keeps the price that people know', () => {
  const pending = { mark: null, live: live(100, true) };
  expect(stepPrice(fall, pending, 90, 80)).toMatchObject({ step: 'lasts', reference: 100 });
  expect(stepPrice(fall, pending, 90, 100)).toMatchObject({ step: 'ends', mark: null });
  expect(stepPrice(fall, pending, 90, 97)).toMatchObject({ step: 'ends', mark: 100 });
});

test('a fall that was told lasts while the price is far enough below that of before', () => {
  const told = { mark: null, live: live(100, false) };
  expect(stepPrice(fall, told, 90, 94)).toEqual({ step: null, reference: 90, mark: null });
  expect(stepPrice(fall, told, 90, 96)).toMatchObject({ step: 'ends' });
  expect(stepPrice(fall, told, 90, 85)).toMatchObject({ step: 'begins', reference: 90 });
});

const change = (before: number, after: number, more: Partial<ProductChange> = {}): ProductChange => ({
  ...{ epi: '1', before: state(5, before), after: state(5, after), isNew: false, goneSince: null },
  ...more,
});

test('a topic listens to its own trigger only, and carries its delay and its audience into the occasion', () => {
  const topics = [
    topic('pricedrop', { delaySeconds: 60, listHolders: true }),
    topic('pricedrop', { name: 'kept', trigger: 'manual' }),
    topic('lowstock'),
  ];
  const plan = planEvents(topics, [change(100, 90)], { live: [], marks: [] });
  expect(plan.openings).toEqual([
    {
      ...{ topic: 'pricedrop', epi: '1', cause: 'pricedrop', units: 0 },
      ...{ wasPr: 100, delaySeconds: 60, listHolders: true },
    },
  ]);
  expect(plan.marks).toEqual([]);
});

test('a trigger does not see a change of what it does not watch', () => {
  const raised = topic('backinstock', { minStock: 9 });
  const known = {
    live: [{ topic: 'backinstock', epi: '1', cause: 'automatic', wasPr: null, isPending: false }],
    marks: [],
  };
  expect(planEvents([raised], [change(100, 90)], known).stops).toEqual([]);
  const sold = change(100, 90, { after: state(4, 90) });
  expect(planEvents([raised], [sold], known).stops).toMatchObject([{ cause: 'automatic' }]);
});

test('what a product cost when it was removed is what it comes back from', () => {
  const gone = change(90, 0, { after: state(null), isGone: true });
  expect(planEvents([fall], [gone], { live: [], marks: [] }).marks).toEqual([]);
  // Nobody had heard of 90 yet.
  const known = { live: [live(100, true)], marks: [] };
  const plan = planEvents([fall], [gone], known);
  expect([plan.stops.length, plan.marks]).toEqual([1, [{ topic: 'pricedrop', epi: '1', pr: 100 }]]);
  const back = planEvents([fall], [change(90, 90, { isNew: true, goneSince: 3 })], {
    live: [],
    marks: plan.marks,
  });
  expect(back.openings).toMatchObject([{ wasPr: 100 }]);
});
