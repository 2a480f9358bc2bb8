import { fc } from '../chance.ts';
import { readAmount, sumOf, writeAmount } from '../../src/platform/money.ts';
import { attribute, sharesOf } from '../../src/stores/revenue/attribution.rules.ts';
import type { Click, Listed, OrderLine, Source } from '../../src/stores/revenue/attribution.rules.ts';
import { times } from '../tier.ts';

const HOUR = 3_600_000;
const moment = (hours: number): Date => new Date(hours * HOUR);

const epi = fc.constantFrom('1', '2', '3');
const empi = fc.constantFrom('10', '20');
const line: fc.Arbitrary<OrderLine> = fc.record({
  epi,
  empi: fc.option(empi),
  quantity: fc.integer({ min: 1, max: 5 }),
  amount: fc.bigInt({ min: 0n, max: 10_000_000n }),
});
const click: fc.Arbitrary<Click> = fc
  .record({
    alertId: fc.uuid(),
    topic: fc.constantFrom('backinstock', 'comingsoon', 'sale'),
    epi,
    empi: fc.option(empi),
    first: fc.integer({ min: 0, max: 120 }),
    again: fc.integer({ min: 0, max: 60 }),
  })
  .map(({ first, again, ...rest }) => ({ ...rest, firstAt: moment(first), lastAt: moment(first + again) }));
const listed: fc.Arbitrary<Listed> = fc.record({ epi, empi });

/** The rule hour by hour: walks back from the order to the end of the window, and takes the first click of the product that it meets. */
function naive(
  { epi: variant, empi: product }: OrderLine,
  clicks: readonly Click[],
  lists: readonly Listed[],
  orderedHour: number,
  days: number,
): Source {
  const fits = (other: { epi: string; empi: string | null }): boolean =>
    other.epi === variant || (product !== null && other.empi === product);
  for (let hour = orderedHour; hour > orderedHour - days * 24; hour -= 1) {
    const met = clicks.filter(
      (one) => fits(one) && [one.firstAt, one.lastAt].some((at) => at.getTime() === hour * HOUR),
    );
    const [first] = met.sort((left, right) => (left.alertId < right.alertId ? -1 : 1));
    if (first) return { from: 'alert', topic: first.topic };
  }
  return lists.some(fits) ? { from: 'list' } : null;
}

test('every line goes where the plain rule puts it, and its amount is counted once', () => {
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.uniqueArray(click, { maxLength: 8, selector: ({ alertId }) => alertId }),
      fc.array(listed, { maxLength: 3 }),
      fc.integer({ min: 0, max: 200 }),
      fc.integer({ min: 1, max: 5 }),
      (lines, clicks, lists, hour, days) => {
        const sources = attribute(lines, { clicks, listed: lists }, moment(hour), days);
        expect(sources).toEqual(lines.map((one) => naive(one, clicks, lists, hour, days)));
        const shares = sharesOf(lines, sources);
        const sum = (kind: string): bigint =>
          sumOf(shares.filter((share) => share.kind === kind).map(({ amount }) => amount));
        const nowhere = sumOf(
          lines.filter((_, index) => sources[index] === null).map(({ amount }) => amount),
        );
        expect(sum('order')).toBe(sumOf(lines.map(({ amount }) => amount)));
        expect(sum('alert') + sum('list') + nowhere).toBe(sum('order'));
        expect(sum('topic')).toBe(sum('alert'));
        expect(new Set(shares.map(({ kind, topic }) => `${kind} ${topic}`)).size).toBe(shares.length);
      },
    ),
    { numRuns: times(1_500) },
  );
});

test('amounts are read and written exactly, and nothing else is an amount', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999_999n }), (amount) => {
      expect(readAmount(writeAmount(amount))).toBe(amount);
    }),
  );
  expect(['0', '0.1', '19.90', ' 5 ', 0.1, 1234567].map((text) => writeAmount(readAmount(text)!))).toEqual([
    ...['0.00', '0.10', '19.90', '5.00', '0.10', '1234567.00'],
  ]);
  for (const wrong of [
    '',
    '-1',
    '1,5',
    '1.',
    '.5',
    '1e3',
    '0x1',
    'NaN',
    NaN,
    1e21,
    -1,
    null,
    {},
    [],
    true,
    '1234567890',
  ])
    expect(readAmount(wrong)).toBeNull();
});
