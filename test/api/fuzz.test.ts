import fc from 'fast-check';
import { routes } from '../../src/transport/rest/routes.ts';
import type { NewStore } from '../../src/domain/store/store.service.ts';
import { startService } from '../harness.ts';
import type { Caller, TestService } from '../harness.ts';
import { times } from '../tier.ts';
import { newAccount } from './list-kit.ts';
import type { Client } from './list-kit.ts';

let service: TestService;
let store: NewStore;
let client: Client;
let lid: string;

beforeAll(async () => {
  service = await startService({ rateLimits: false });
  store = await service.createStore({ customItems: true, doubleOptIn: true });
  client = await newAccount(service, store);
  ({ lid } = await client.create('List'));
});
afterAll(() => service.close());

/** Values that broke somebody's server once: sizes, signs, depths, names and characters. */
const hostile = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  fc.constantFrom<unknown>(
    ...[
      2 ** 31,
      -(2 ** 31) - 1,
      2 ** 53,
      1e308,
      -0,
      0.1,
      '9007199254740993',
      '1e9',
      'NaN',
      '\u0000',
      '\ud800',
      '\u202e',
      '__proto__',
    ],
    ...[[], {}, [[]], [null], { __proto__: null }, { constructor: 1 }, { toJSON: 1 }, { length: 2 ** 32 }],
  ),
  fc.integer({ min: 1, max: 40_000 }).map((length) => 'x'.repeat(length)),
  fc.integer({ min: 1, max: 2_000 }).map((length) => Array.from({ length }, () => ({ z: 1 }))),
  fc
    .integer({ min: 1, max: 600 })
    .map((depth) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown),
);

const DOCUMENTS = [
  'mutation ($v: [ItemInput!]) { updateListContents(lid: "LID", a: $v) { cnt } }',
  'mutation ($v: CreateListInput!) { createList(input: $v) { lid } }',
  'mutation ($v: [ProductInput!]!) { upsertProducts(products: $v) { epi } }',
  'mutation ($v: SaveTopicInput!) { saveTopic(input: $v) { name } }',
  'query ($v: [VariantId!]!) { isInLists(epis: $v) { epi } }',
  'query ($v: Int) { list(lid: "LID") { items(first: $v) { edges { node { epi } } } } }',
  'query ($v: String) { lists(after: $v) { totalCount } }',
];

const callers = (): Caller[] => [
  { shopper: client.shopper },
  { store, shopper: client.shopper },
  { headers: { 'x-pid': store.pid } },
];

/** How often: enough to find what is easily found, in a few seconds. */
const RUNS = { numRuns: times(60) };

test('no variable of a GraphQL request makes it fail in an unforeseen way', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...DOCUMENTS), hostile, fc.nat(2), async (document, v, who) => {
      const { status, body, text } = await service.graphql(
        document.replace('LID', lid),
        { v },
        callers()[who],
      );
      expect(status).toBeLessThan(500);
      expect(text.length).toBeLessThan(200_000);
      for (const { extensions } of body.errors ?? []) expect(extensions.status).toBeLessThan(500);
    }),
    RUNS,
  );
  await service.http.get('/healthz').expect(200);
});

const PATHS = Object.keys(routes).map((key) => key.split(' ') as ['GET' | 'POST', string]);
const FIELDS = [
  'lid',
  'lname',
  'lprops',
  'a',
  'u',
  'd',
  'items',
  'epis',
  'stocks',
  'fromlid',
  'tolid',
  'expectedVersion',
  'limit',
  'offset',
  'next',
  'products',
  'topics',
  'useremail',
  'uuid',
  'epi',
  'empi',
];

test('no field of a REST call makes it fail in an unforeseen way', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...PATHS),
      fc.dictionary(fc.constantFrom(...FIELDS), hostile, { maxKeys: 4 }),
      fc.nat(2),
      async ([method, path], fields, who) => {
        const texts = Object.fromEntries(
          Object.entries(fields).map(([name, value]) => [
            name,
            typeof value === 'string' ? value : JSON.stringify(value),
          ]),
        );
        const caller = callers()[who]!;
        const call =
          method === 'GET' ? service.get(path, caller) : service.post(path, { lid, ...texts }, caller);
        const { status, body } = await call;
        expect(status).toBeLessThan(500);
        if (status !== 200) expect(body).toMatchObject({ error: true, type: expect.any(String) as string });
      },
    ),
    RUNS,
  );
  await service.http.get('/healthz').expect(200);
});
