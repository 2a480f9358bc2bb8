import type { Schema } from '../shared/json-schema.ts';
import type { Schemas } from './schemas.ts';

const LID = 'Xb2kY0cWm7eT4aQf9sLh1g';
const TIME = 1_767_225_600_000;
const EMAIL = 'ada@example.com';
const TITLE = 'Linen throw';
const PAGE = 'https://shop.example/p/linen-throw';
const PRODUCT = { epi: 42001, empi: 4200, du: PAGE };

const IDENTITY = {
  uuid: '3f0c6a52-9d0e-4a67-8a3c-5b1f7f0d2e11',
  regid: 'q3Jk7b2mXh0dR5vT8nYc1wEzLs4uPaGf6oKiB9tDxMy',
  sessionid: 'a1b2c3d4.Vn3kQ8sT1xL6mB0yR7cHdW2fJ9pZ5gUe',
  pid: 'dGhlLXN0b3JlLWlkLWlzLTMyLWJ5dGVzLWxvbmchIQ==',
};
const EMAILS = { em: EMAIL, cby: EMAIL, uby: EMAIL, useremail: EMAIL, mediumvalue: EMAIL };
const LIST = {
  lid: LID,
  lids: LID,
  fromlid: LID,
  tolid: 'Rk5vQ1tZ8bN3xC6jD0pWuA',
  lname: 'Birthday',
  lnote: 'For the living room',
  lty: 'wl',
};
const ITEM = { dt: TITLE, title: TITLE, bt: 'Hearth', vi: 'Sand', sku: 'THROW-SAND' };

/** What a field typically holds, by its name; a name that is not here gets something that fits its type. */
const VALUES: Record<string, unknown> = {
  ...{ ...IDENTITY, ...EMAILS, ...LIST, ...PRODUCT, ...ITEM },
  ...{ fname: 'Ada', fromname: 'Ada', toemail: 'grace@example.com', appId: 'StoreadminApi' },
  ...{ cts: TIME, uts: TIME, lastlogin: '2026-01-01T00:00:00.000Z', lprops: { colour: 'green' } },
  ...{ uri: `${PAGE}?variant=42001`, iu: 'https://shop.example/i/linen-throw.jpg' },
  ...{ useragenttype: 'web', medium: 'email', topic: 'backinstock', limit: 50, itemslimit: 50, offset: 0 },
  ...{ pr: 49.5, price: 49.5, stk: 0 },
};

/** What a field holds as JSON text. */
const JSON_TEXTS: Record<string, unknown> = {
  a: [{ ...PRODUCT, qty: 1 }],
  u: [{ epi: PRODUCT.epi, qty: 2 }],
  d: [{ epi: PRODUCT.epi }],
  items: [PRODUCT],
  products: [PRODUCT],
  stocks: [{ epi: PRODUCT.epi, stk: 12 }],
  epis: [PRODUCT.epi],
  topics: ['backinstock'],
};

const BY_TYPE: Schema = { string: 'text', integer: 1, number: 1, boolean: false, object: {} };

/** An example of a value under this name. */
export function exampleOf(name: string, schema: Schema, resolve: Schemas['resolve']): unknown {
  const inside = (inner: unknown, key = name): unknown => exampleOf(key, inner as Schema, resolve);
  if ('const' in schema) return schema['const'];
  if ('$ref' in schema) return inside(resolve(schema));
  if ('anyOf' in schema) return inside((schema['anyOf'] as Schema[])[0]);
  if ('contentSchema' in schema) return JSON.stringify(JSON_TEXTS[name] ?? inside(schema['contentSchema']));
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
