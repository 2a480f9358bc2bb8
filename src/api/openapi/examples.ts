import { readFileSync } from 'node:fs';
import type { Schema } from '../../platform/json.ts';
import { ROOT } from '../../platform/places.ts';
import type { Schemas } from './schemas.ts';

const LID = 'Xb2kY0cWm7eT4aQf9sLh1g';
const TIME = 1_767_225_600_000;
const EMAIL = 'ada@example.com';
const PHONE = '+4915112345678';
/** The demo store has this product, too. */
const PRODUCT = { epi: 1001, empi: 101, du: 'https://shop.example/p/linen-throw' };

export const SHOPPER_EXAMPLE = {
  regid: 'q3Jk7b2mXh0dR5vT8nYc1wEzLs4uPaGf6oKiB9tDxMy',
  sessionid: 'a1b2c3d4.Vn3kQ8sT1xL6mB0yR7cHdW2fJ9pZ5gUe',
};

/** Typical values by field name; a name that is missing here gets a value that fits its type. */
const VALUES: Record<string, unknown> = {
  ...{ ...SHOPPER_EXAMPLE, ...PRODUCT, useremail: EMAIL, mediumvalue: EMAIL, toemail: 'grace@example.com' },
  ...{ uuid: '3f0c6a52-9d0e-4a67-8a3c-5b1f7f0d2e11', pid: 'dGhlLXN0b3JlLWlkLWlzLTMyLWJ5dGVzLWxvbmchIQ==' },
  ...{ lid: LID, lids: LID, fromlid: LID, tolid: 'Rk5vQ1tZ8bN3xC6jD0pWuA', lname: 'Birthday', lty: 'wl' },
  ...{ lnote: 'For the living room', note: 'in sand, please', cfor: 'Grace', extras: 'size guide was open' },
  ...{
    fname: 'Ada',
    fromname: 'Ada',
    m: PHONE,
    phone: PHONE,
    sw_mkt: 'newsletter',
    ut: 'web',
    acc_mkt: true,
  },
  ...{ useragenttype: 'web', medium: 'email', topic: 'backinstock', addtomailinglist: 1, language: 'de' },
  ...{ limit: 50, itemslimit: 50, offset: 0, first: 50, wait: 20, expectedVersion: 1, search: 'linen' },
  ...{ orderId: 'A-1001', orderedAt: TIME, currency: 'EUR', from: '2026-01-01', to: '2026-01-31' },
  ...{ acceptmarketing: true, measured: true },
};

/** Values that differ in one call, by the call's field in the schema. */
const OF_CALL: Record<string, Record<string, unknown>> = {
  updateShopper: { lname: 'Lovelace' },
  syncGuest: { regid: 'Zt5mQ9wLx2cVb7yNk1pRsHd8fGj4aTeU0oKiC6uEwPv' },
  reportShare: { medium: 'facebook' },
  initSaveForLater: { lname: 'Saved for later' },
  upsertProducts: {
    products: [{ ...PRODUCT, dt: 'Linen throw', bt: 'Hearth & Loom', sku: 'HL-THROW', pr: 49.5 }],
  },
  updateSaveForLater: { items: [{ epi: PRODUCT.epi, qty: 2 }] },
  removeFromSaveForLater: { items: [{ epi: PRODUCT.epi }] },
  moveSaveForLaterToCart: { items: [{ epi: PRODUCT.epi }] },
  unsubscribe: { id: '7c9e6679-7425-40de-944b-e07fc1f90ae7' },
  listPage: { next: 'MTc2NzIyNTYwMDAwMDow' },
  listChanges: { since: '41' },
  mailingList: { after: 'MTc2NzIyNTYwMDAwMDo0MQ' },
  reportOrder: { click: 'eyJhIjoxfQ.c2lnbmVk' },
  findShopper: { useremail: EMAIL },
  eraseShopper: { useremail: EMAIL },
  setShopifySecret: { secret: 'shpss_8f3b0c5d9a7e4216' },
  updateStore: { input: { name: 'Hearth & Loom', customItems: true } },
  saveTopic: { input: { name: 'autumn', trigger: 'manual', subject: 'New for autumn: {{ product.title }}' } },
  setMailServer: {
    input: { host: 'smtp.shop.example', port: 587, security: 'starttls', user: 'shop', password: 'secret' },
  },
  createStore: { name: 'Hearth & Loom' },
  createApiKey: { name: 'Stock import' },
  renameApiKey: { name: 'Stock import' },
  setStoreMaintenance: { maintenance: true },
};

/** The value that only this call's example has; it is sent even where the argument is optional. */
export const ownExample = (call: string, name: string): unknown => OF_CALL[call]?.[name];

/** What the service returned to the sample requests, by method and path or by kind and name; a test compares and records them. */
export const SAMPLE_RESPONSES = JSON.parse(
  readFileSync(new URL('schema/samples.json', ROOT), 'utf8'),
) as Record<string, Schema[string]>;

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
  const own = ownExample(call, name);
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
