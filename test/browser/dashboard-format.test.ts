import { formatMoment } from '../../src/dashboard/format.ts';

test('five past midnight is 00:05, also where the language would count 24 hours from one', () => {
  expect(formatMoment(new Date(2020, 0, 2, 0, 5).getTime())).toBe('Jan 2, 2020, 00:05');
});
