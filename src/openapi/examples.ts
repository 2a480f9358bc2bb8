import type { Components, Schema } from './types.ts';

const LID = 'Xb2kY0cWm7eT4aQf9sLh1g';
const TIME = 1_767_225_600_000;
const PRODUCT = { epi: 42001, empi: 4200, du: 'https://shop.example/p/linen-throw' };

/** What a field typically holds, by its name; a name that is not here gets something that fits its type. */
const VALUES: Record<string, unknown> = {
  uuid: '3f0c6a52-9d0e-4a67-8a3c-5b1f7f0d2e11',
  useremail: 'ada@example.com',
  useragenttype: 'web',
  regid: 'q3Jk7b2mXh0dR5vT8nYc1wEzLs4uPaGf6oKiB9tDxMy',
  sessionid: 'a1b2c3d4.Vn3kQ8sT1xL6mB0yR7cHdW2fJ9pZ5gUe',
  pid: 'dGhlLXN0b3JlLWlkLWlzLTMyLWJ5dGVzLWxvbmchIQ==',
  lid: LID,
  fromlid: LID,
  lname: 'Birthday',
  lnote: 'For the living room',
  lty: 'wl',
  cts: TIME,
  uts: TIME,
  lastlogin: '2026-01-01T00:00:00.000Z',
  em: 'ada@example.com',
  cby: 'ada@example.com',
  uby: 'ada@example.com',
  cfor: null,
  appId: 'StoreadminApi',
  fname: 'Ada',
  toemail: 'grace@example.com',
  fromname: 'Ada',
  medium: 'email',
  mediumvalue: 'ada@example.com',
  topics: ['backinstock'],
  topic: 'backinstock',
  ...PRODUCT,
  uri: 'https://shop.example/p/linen-throw?variant=42001',
  iu: 'https://shop.example/i/linen-throw.jpg',
  dt: 'Linen throw',
  title: 'Linen throw',
  bt: 'Hearth',
  vi: 'Sand',
  sku: 'THROW-SAND',
  pr: 49.5,
  price: 49.5,
  qty: 1,
  stk: 0,
  st: 1,
  cnt: 1,
  limit: 50,
  itemslimit: 50,
  offset: 0,
  next: null,
  totalcount: 1,
  a: [{ ...PRODUCT, qty: 1 }],
  u: [{ epi: PRODUCT.epi, qty: 2 }],
  d: [{ epi: PRODUCT.epi }],
  items: [PRODUCT],
  products: [PRODUCT],
  lprops: { colour: 'green' },
  addtomailinglist: 1,
};

const BY_TYPE: Record<string, unknown> = {
  string: 'text',
  integer: 1,
  number: 1,
  boolean: false,
  object: {},
  array: [],
  null: null,
};

function fits(schema: Schema, value: unknown): boolean {
  const types = [schema['type']].flat();
  const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  const isOneOf = !schema['enum'] || (schema['enum'] as unknown[]).includes(value);
  return (
    isOneOf &&
    (types.includes(type) || (type === 'number' && types.includes('integer') && Number.isInteger(value)))
  );
}

/** An example of a value under this name. */
export function exampleOf(name: string, schema: Schema, components: Components): unknown {
  if ('const' in schema) return schema['const'];
  const reference = schema['$ref'] as string | undefined;
  if (reference) return exampleOf(name, components.get(reference.split('/').at(-1)!)!, components);
  const [choice] = (schema['anyOf'] ?? []) as Schema[];
  if (choice) return exampleOf(name, choice, components);
  if (schema['contentSchema'])
    return JSON.stringify(VALUES[name] ?? exampleOf(name, schema['contentSchema'] as Schema, components));
  const types = [schema['type']].flat() as string[];
  if (types.includes('array') && schema['items'])
    return [exampleOf(name, schema['items'] as Schema, components)];
  if (schema['properties']) {
    const properties = Object.entries(schema['properties'] as Record<string, Schema>);
    return Object.fromEntries(properties.map(([key, inner]) => [key, exampleOf(key, inner, components)]));
  }
  if (name in VALUES && fits(schema, VALUES[name])) return VALUES[name];
  // An id is a number in JSON and a text in a form.
  if (typeof VALUES[name] === 'number' && types.includes('string')) return String(VALUES[name]);
  if (schema['enum']) return (schema['enum'] as unknown[])[0];
  return types.includes('null') ? null : BY_TYPE[types[0] ?? 'object'];
}
