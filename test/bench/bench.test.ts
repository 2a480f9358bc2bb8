import { createHash } from 'node:crypto';
import { isSessionOf } from '../../src/shoppers/identity.rules.ts';
import { COLUMNS, ITEMS_PER_LIST, rowsOfStore, shoppersOf, storeOf } from '../../bench/data.ts';
import { readOptions } from '../../bench/options.ts';

const SIZE = { stores: 3, shoppersPerStore: 5 };

const digestOf = (store: number): string => {
  const hash = createHash('sha256');
  for (const { table, text } of rowsOfStore(store, SIZE)) hash.update(table).update(text);
  return hash.digest('hex');
};

describe('the rows of the benchmark', () => {
  test('are the same at every run, so that figures of two runs can be compared', () => {
    expect(digestOf(1)).toBe(digestOf(1));
    // Whoever changes them moves DATA_VERSION on, or kept databases have the rows of before.
    expect(digestOf(1)).toBe('3a5168891c06ff38bffee687883e1bd09a6d022ad39be0b4d9b2ca36ed4e200e');
    expect(digestOf(2)).not.toBe(digestOf(1));
  });

  test('have every column that is named, and ten different variants in each list', () => {
    for (const { table, text, rows } of rowsOfStore(0, SIZE)) {
      const lines = text.trimEnd().split('\n');
      expect(lines).toHaveLength(rows);
      for (const line of lines) expect(line.split('\t')).toHaveLength(COLUMNS[table].length);
      if (table !== 'item') continue;
      const variants = new Set(lines.map((line) => line.split('\t').slice(1, 3).join(' ')));
      expect(variants.size).toBe(SIZE.shoppersPerStore * ITEMS_PER_LIST);
    }
  });

  test('belong to different shoppers of all stores, with sessions that the service takes', () => {
    const shoppers = [...shoppersOf(SIZE, 12)];
    expect(new Set(shoppers.map(({ lid }) => lid)).size).toBe(12);
    expect(new Set(shoppers.map(({ store }) => store.pid))).toEqual(
      new Set([0, 1, 2].map((n) => storeOf(n).pid)),
    );
    for (const { store, regid, sessionid } of shoppers)
      expect(isSessionOf({ ...store, tokenKeys: [] }, sessionid, regid, '0.0', new Date())).toBe(true);
  });
});

describe('the flags of the benchmark', () => {
  test('choose measurements by name, with commas or one by one', () => {
    const names = (args: string[]) => readOptions(args)!.cases.map(({ name }) => name);
    expect(names(['--only', 'lists,write', '--only', 'bare'])).toEqual(['lists', 'write', 'bare']);
  });

  test('refuse a name that is none, and tell those that are', () => {
    expect(() => readOptions(['--only', 'list'])).toThrow(/no measurement list; there are bare, lists, /);
  });

  test('refuse what the small data cannot tell', () => {
    expect(() => readOptions(['--only', 'growth'])).toThrow(/--full/);
    expect(readOptions([])!.cases.map(({ name }) => name)).not.toContain('growth');
    expect(readOptions(['--full'])!.cases.map(({ name }) => name)).toContain('growth');
  });
});
