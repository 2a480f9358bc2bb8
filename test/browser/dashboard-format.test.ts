import { formatBytes, formatMoment } from '../../src/dashboard/format.ts';

test('five past midnight is 00:05, also where the language would count 24 hours from one', () => {
  expect(formatMoment(new Date(2020, 0, 2, 0, 5).getTime())).toBe('Jan 2, 2020, 00:05');
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_234, '1.2 kB'],
  [32_000_000, '32 MB'],
  [5_250_000_000, '5.3 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
