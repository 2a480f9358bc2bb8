import {
  dayStart,
  formatBytes,
  formatChange,
  formatMoment,
  formatPrice,
  setRegion,
} from '../../src/web/dashboard/format.ts';
import { hrefTo, routeOf } from '../../src/web/dashboard/route.ts';

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

test('moments are shown where the store is, and a day begins there, also when the clock changes on it', () => {
  setRegion({ timeZone: 'Europe/Berlin', currency: 'EUR' });
  expect(formatMoment(Date.parse('2020-07-02T22:05:00Z'))).toBe('Jul 3, 2020, 00:05');
  expect(dayStart('2026-03-29')).toBe(Date.parse('2026-03-28T23:00:00Z'));
  expect(dayStart('2026-03-29', 1)).toBe(Date.parse('2026-03-29T22:00:00Z'));
  expect(dayStart('today')).toBeNull();
  expect(formatPrice(1234.5)).toBe('€1,234.50');
  setRegion({ timeZone: 'Mars/Olympus', currency: null });
  expect(formatMoment(Date.parse('2020-07-02T12:05:00Z'))).toContain('2020');
  expect(formatPrice(1234.5)).toBe('1,234.50');
  setRegion({ timeZone: null, currency: null });
});

test.each([
  [112, 100, '+12%'],
  [88, 100, '-12%'],
  [100, 100, '0%'],
  [5, 0, null],
])('%d after %d is %s', (now, before, text) => {
  expect(formatChange(now, before)).toBe(text);
});

test('an address keeps what a table shows; what names people stands beside it', () => {
  const href = hrefTo('products', '50/07', { q: 'oak & ash', sort: '', after: 'abc' });
  expect(href).toBe('#/products/50%2F07?q=oak+%26+ash&after=abc');
  expect(routeOf(href, { hidden: { trail: 'x y' } })).toEqual({
    page: 'products',
    rest: '50/07',
    query: { q: 'oak & ash', after: 'abc', trail: 'x y' },
  });
  expect(routeOf('', null)).toEqual({ page: 'overview', rest: '', query: {} });
});
