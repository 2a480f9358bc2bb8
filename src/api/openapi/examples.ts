import type { Schema } from '../../platform/json.ts';
import type { Schemas } from './schemas.ts';

const LID = 'Xb2kY0cWm7eT4aQf9sLh1g';
const TIME = 1_767_225_600_000;
const EMAIL = 'ada@example.com';
const TITLE = 'Linen throw';
const PAGE = 'https://shop.example/p/linen-throw';
/** The demo store has this product, too. */
const PRODUCT = { epi: 1001, empi: 101, du: PAGE };

export const SHOPPER_EXAMPLE = {
  regid: 'q3Jk7b2mXh0dR5vT8nYc1wEzLs4uPaGf6oKiB9tDxMy',
  sessionid: 'a1b2c3d4.Vn3kQ8sT1xL6mB0yR7cHdW2fJ9pZ5gUe',
};

const IDENTITY = {
  ...SHOPPER_EXAMPLE,
  uuid: '3f0c6a52-9d0e-4a67-8a3c-5b1f7f0d2e11',
  pid: 'dGhlLXN0b3JlLWlkLWlzLTMyLWJ5dGVzLWxvbmchIQ==',
};
const EMAILS = { em: EMAIL, cby: EMAIL, uby: EMAIL, useremail: EMAIL, mediumvalue: EMAIL };
const LIST = {
  id: LID,
  lid: LID,
  lids: LID,
  fromlid: LID,
  tolid: 'Rk5vQ1tZ8bN3xC6jD0pWuA',
  lname: 'Birthday',
  lnote: 'For the living room',
  lty: 'wl',
};
const ITEM_TEXTS = { dt: TITLE, bt: 'Hearth & Loom', sku: 'HL-THROW' };
const ITEM = { dt: TITLE, title: TITLE, bt: 'Hearth & Loom', vi: 'Sand', sku: 'HL-THROW' };

/** Typical values by field name; a name that is missing here gets a value that fits its type. */
const VALUES: Record<string, unknown> = {
  ...{ ...IDENTITY, ...EMAILS, ...LIST, ...PRODUCT, ...ITEM },
  ...{ fname: 'Ada', fromname: 'Ada', toemail: 'grace@example.com', appId: 'StoreadminApi' },
  ...{ cts: TIME, uts: TIME, lastlogin: '2026-01-01T00:00:00.000Z', lprops: { colour: 'green' } },
  ...{ uri: `${PAGE}?variant=1001`, iu: 'https://shop.example/i/linen-throw.jpg' },
  ...{ useragenttype: 'web', medium: 'email', topic: 'backinstock', limit: 50, itemslimit: 50, offset: 0 },
  ...{ pr: 49.5, price: 49.5, stk: 0, note: 'in sand, please', first: 50, wait: 20, expectedVersion: 1 },
  ...{
    m: '+4915112345678',
    phone: '+4915112345678',
    sw_mkt: 'newsletter',
    ut: 'web',
    acc_mkt: true,
    cfor: 'Grace',
  },
  ...{ orderId: 'A-1001', orderedAt: TIME, currency: 'EUR', from: '2026-01-01', to: '2026-01-31' },
  ...{
    search: 'linen',
    addtomailinglist: 1,
    extras: 'size guide was open',
    language: 'de',
    acceptmarketing: true,
    measured: true,
  },
};

/** Values that differ in one call, by the call's field in the schema. */
const OF_CALL: Record<string, Record<string, unknown>> = {
  updateShopper: { lname: 'Lovelace' },
  reportShare: { medium: 'facebook' },
  initSaveForLater: { lname: 'Saved for later' },
  upsertProducts: { products: [{ ...PRODUCT, ...ITEM_TEXTS, pr: 49.5 }] },
  updateSaveForLater: { items: [{ epi: PRODUCT.epi, qty: 2 }] },
  removeFromSaveForLater: { items: [{ epi: PRODUCT.epi }] },
  moveSaveForLaterToCart: { items: [{ epi: PRODUCT.epi }] },
  unsubscribe: { id: '7c9e6679-7425-40de-944b-e07fc1f90ae7' },
  listPage: { next: 'MTc2NzIyNTYwMDAwMDow' },
  listChanges: { since: '41' },
  mailingList: { after: 'MTc2NzIyNTYwMDAwMDo0MQ' },
  reportOrder: { click: 'eyJhIjoxfQ.c2lnbmVk' },
};

const JSON_TEXTS: Record<string, unknown> = {
  a: [{ ...PRODUCT, qty: 1 }],
  u: [{ epi: PRODUCT.epi, qty: 2 }],
  d: [{ epi: PRODUCT.epi }],
  items: [PRODUCT],
  products: [PRODUCT],
  stocks: [{ epi: PRODUCT.epi, stk: 12 }],
  epis: [PRODUCT.epi],
  topics: ['backinstock'],
  lines: [{ epi: PRODUCT.epi, quantity: 1, price: '49.50' }],
  lprops: { colour: 'green' },
  cprops: { occasion: 'birthday' },
  ldesc: { text: 'For the living room' },
  extags: ['loyal'],
  prefs: {},
  pd: {},
};

const BY_TYPE: Schema = { string: 'text', integer: 1, number: 1, boolean: false, object: {} };

export function exampleOf(name: string, schema: Schema, resolve: Schemas['resolve'], call = ''): unknown {
  const inside = (inner: unknown, key = name): unknown => exampleOf(key, inner as Schema, resolve);
  if ('const' in schema) return schema['const'];
  if ('$ref' in schema) return inside(resolve(schema));
  if ('anyOf' in schema) return inside((schema['anyOf'] as Schema[])[0]);
  const own = OF_CALL[call]?.[name];
  if ('contentSchema' in schema)
    return JSON.stringify(own ?? JSON_TEXTS[name] ?? inside(schema['contentSchema']));
  if (own !== undefined) return own;
  if ('items' in schema) return [inside(schema['items'])];
  if ('properties' in schema)
    return Object.fromEntries(
      Object.entries(schema['properties'] as object).map(([key, inner]) => [key, inside(inner, key)]),
    );
  const [type = '', ...others] = [schema['type']].flat() as string[];
  // An id is a number in JSON and a text in a form.
  if (name in VALUES) return type === 'string' ? String(VALUES[name]) : VALUES[name];
  if ('enum' in schema) return (schema['enum'] as unknown[])[0];
  return others.includes('null') ? null : BY_TYPE[type];
}
