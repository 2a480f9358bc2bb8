// The rows that everything is measured on. Pure: the same seed gives the same rows, byte for byte, on every machine.
import { createHash } from 'node:crypto';
import { accountRegid, publicIdOf, sessionidOf } from '../src/shoppers/identity.rules.ts';
import { hashKey } from '../src/stores/store.rules.ts';

/** How much there is. Each shopper has one list of ten items. */
export type Size = { stores: number; shoppersPerStore: number };

/** The two sizes by the name of their flag: 200,000 items, and 10,000,000. */
export const SIZES = {
  small: { stores: 20, shoppersPerStore: 1_000 },
  full: { stores: 200, shoppersPerStore: 5_000 },
} satisfies Record<string, Size>;

/** Items of each list. */
export const ITEMS_PER_LIST = 10;
const VARIANTS_PER_STORE = 1_000;
const VARIANTS_PER_PRODUCT = 5;
const SHOPPERS_PER_PORTION = 1_000;
const SEED = 'wishgate';

/** Moves on whenever the rows change, so that a kept database of before is made anew. */
export const DATA_VERSION = 1;

/** The columns that the rows of each table are given in; all others keep their defaults. */
export const COLUMNS = {
  store: ['pid', 'name', 'secret', 'created_at', 'updated_at'],
  store_key: ['pid', 'id', 'hash', 'hint', 'created_at'],
  product: ['pid', 'epi', 'empi', 'bt', 'dt', 'sku', 'du', 'iu', 'stk', 'pr', 'vi', 'tags', 'cts', 'uts'],
  shopper: ['pid', 'regid', 'is_guest', 'uid', 'di', 'em', 'fname', 'lname', 'lastlogin', 'cts', 'uts'],
  list: ['pid', 'lid', 'regid', 'lname', 'lnote', 'lprops', 'cby', 'uby', 'di', 'uid', 'cts', 'uts'],
  item: [
    ...[
      'pid',
      'lid',
      'epi',
      'id',
      'empi',
      'du',
      'qty',
      'note',
      'cprops',
      'lbls',
      'bt',
      'dt',
      'sku',
      'iu',
      'pr',
    ],
    ...['vi', 'di', 'uby', 'cts', 'uts'],
  ],
} as const;

/** A table that rows are made for. */
export type Table = keyof typeof COLUMNS;

/** Rows of one table in the text form of COPY. */
export type Portion = { table: Table; text: string; rows: number };

/** A store's credentials. */
export type BenchStore = { pid: string; secret: Buffer; apiKey: string };

/** A shopper's credentials and its list. */
export type BenchShopper = { store: BenchStore; regid: string; sessionid: string; em: string; lid: string };

type Value = string | number | boolean | null;

const bytesOf = (...parts: (string | number)[]): Buffer =>
  createHash('sha256')
    .update([SEED, ...parts].join(' '))
    .digest();

/** A small generator of numbers from 0 up to 1 (mulberry32): fast, and enough for test data. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** An id of the service's own form: 128 bits, base64url. */
function idMaker(random: () => number): () => string {
  const bytes = Buffer.alloc(16);
  return () => {
    for (let at = 0; at < 16; at += 4) bytes.writeUInt32LE(Math.floor(random() * 4_294_967_296), at);
    return bytes.toString('base64url');
  };
}

const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** One row in the text form of COPY. */
export const copyLine = (values: readonly Value[]): string =>
  `${values
    .map((value) =>
      value === null ? '\\N' : String(value).replace(/[\\\t\n\r]/g, (letter) => ESCAPES[letter]!),
    )
    .join('\t')}\n`;

const hex = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;
const EPOCH_MS = Date.UTC(2026, 0, 1);
const timeOf = (seconds: number): string => new Date(EPOCH_MS + seconds * 1_000).toISOString();

const COLOURS = ['red', 'green', 'blue', 'black', 'white', 'sand', 'rose'];
const THINGS = ['Shirt', 'Lamp', 'Chair', 'Kettle', 'Jacket', 'Rucksack', 'Bowl', 'Scarf', 'Boots'];
const BRANDS = ['North & Sons', 'Loom', 'Kiln', 'Fjord', 'Ada'];
const NAMES = ['Ada', 'Ben', 'Cleo', 'Dan', 'Eva', 'Finn', 'Gül', 'Hugo', 'Ida', 'Jón'];

/** What a store sells, or once sold, as its variant number says. */
export function variantOf(number: number) {
  const product = Math.floor(number / VARIANTS_PER_PRODUCT);
  return {
    epi: String(40_000_000_000 + number),
    empi: String(7_000_000_000 + product),
    bt: BRANDS[product % BRANDS.length]!,
    dt: `${THINGS[product % THINGS.length]} no. ${product}, ${COLOURS[number % COLOURS.length]}`,
    sku: `SKU-${product}-${number % VARIANTS_PER_PRODUCT}`,
    du: `https://shop.example/products/${product}?variant=${number}`,
    iu: `https://cdn.shop.example/images/${product}-${number}.jpg`,
    pr: 5 + (product % 200) + 0.95,
    vi: `${COLOURS[number % COLOURS.length]} / ${number % VARIANTS_PER_PRODUCT}`,
  };
}

/** One variant in ten is in lists only: the catalogue does not know it any more, and its snapshot is what is read. */
const isInCatalogue = (number: number): boolean => number % 10 !== 9;

/** The credentials of a store by its number. */
export function storeOf(number: number): BenchStore {
  return {
    pid: bytesOf('pid', number).toString('base64'),
    secret: bytesOf('secret', number),
    apiKey: `wg_${bytesOf('key', number).toString('base64url')}`,
  };
}

const emailOf = (number: number): string => `shopper${number}@example.com`;
const lidOf = (store: number, shopper: number): string =>
  bytesOf('list', store, shopper).subarray(0, 16).toString('base64url');

/** The credentials of a shopper by the numbers of its store and its own. */
export function shopperOf(store: number, number: number): BenchShopper {
  const { secret, ...rest } = storeOf(store);
  const em = emailOf(number);
  const regid = accountRegid(secret, em);
  const sessionid = sessionidOf({ secret, tokenKeys: [] }, regid, 'bench', '0.0');
  return { store: { secret, ...rest }, regid, sessionid, em, lid: lidOf(store, number) };
}

/** Shoppers spread evenly over all of a size. */
export function* shoppersOf({ stores, shoppersPerStore }: Size, count: number): Generator<BenchShopper> {
  for (let n = 0; n < count; n += 1) {
    const perStore = Math.ceil(count / stores);
    const [store, turn] = [n % stores, Math.floor(n / stores)];
    yield shopperOf(store, Math.floor((turn * shoppersPerStore) / perStore));
  }
}

function portion(table: Table, rows: readonly (readonly Value[])[]): Portion {
  return { table, text: rows.map(copyLine).join(''), rows: rows.length };
}

/** All rows of one store, in an order in which they can be written. */
export function* rowsOfStore(store: number, { shoppersPerStore }: Size): Generator<Portion> {
  const { pid, secret, apiKey } = storeOf(store);
  const random = randomOf(bytesOf('rows', store).readUInt32LE());
  const at = timeOf(0);
  yield portion('store', [[pid, `Bench store ${store}`, hex(secret), at, at]]);
  yield portion('store_key', [[pid, 'bench', hex(hashKey(apiKey)), apiKey.slice(-4), at]]);
  const variants = Array.from({ length: VARIANTS_PER_STORE }, (_, number) => variantOf(number));
  yield portion(
    'product',
    variants
      .filter((_, number) => isInCatalogue(number))
      .map(({ epi, empi, bt, dt, sku, du, iu, pr, vi }, index) => [
        pid,
        epi,
        empi,
        bt,
        dt,
        sku,
        du,
        iu,
        index % 13,
        pr,
        vi,
        '{bench}',
        at,
        at,
      ]),
  );
  for (let first = 0; first < shoppersPerStore; first += SHOPPERS_PER_PORTION) {
    const last = Math.min(first + SHOPPERS_PER_PORTION, shoppersPerStore);
    yield* rowsOfShoppers({ pid, secret, store, first, last }, variants, random);
  }
}

type Range = { pid: string; secret: Buffer; store: number; first: number; last: number };

function* rowsOfShoppers(
  { pid, secret, store, first, last }: Range,
  variants: readonly ReturnType<typeof variantOf>[],
  random: () => number,
): Generator<Portion> {
  const newId = idMaker(random);
  const pick = <Thing>(things: readonly Thing[]): Thing => things[Math.floor(random() * things.length)]!;
  const shoppers: Value[][] = [];
  const lists: Value[][] = [];
  const items: Value[][] = [];
  for (let number = first; number < last; number += 1) {
    const em = emailOf(number);
    const regid = accountRegid(secret, em);
    const [uid, di] = [publicIdOf(secret, 'user', regid), publicIdOf(secret, 'device', regid)];
    const [lid, at] = [lidOf(store, number), timeOf(number)];
    shoppers.push([pid, regid, false, uid, di, em, pick(NAMES), `Shopper ${number}`, at, at, at]);
    const lprops = JSON.stringify({ colour: pick(COLOURS), season: 'summer' });
    const lnote = random() < 0.3 ? 'For the new flat' : null;
    lists.push([pid, lid, regid, `Wishes of ${number}`, lnote, lprops, em, em, di, uid, at, at]);
    const start = Math.floor(random() * variants.length);
    for (let n = 0; n < ITEMS_PER_LIST; n += 1) {
      // Seven and a thousand have no common divisor: ten different variants.
      const { epi, empi, bt, dt, sku, du, iu, pr, vi } = variants[(start + n * 7) % variants.length]!;
      const [qty, note] = [1 + Math.floor(random() * 3), random() < 0.2 ? 'In size M, please' : null];
      const cprops = random() < 0.2 ? '{"gift": true}' : '{}';
      const lbls = random() < 0.2 ? '{birthday,"for her"}' : '{}';
      const own = [pid, lid, epi, newId(), empi, du, qty, note, cprops, lbls];
      items.push([...own, bt, dt, sku, iu, pr, vi, di, em, timeOf(number + n), timeOf(number + n)]);
    }
  }
  yield portion('shopper', shoppers);
  yield portion('list', lists);
  yield portion('item', items);
}
