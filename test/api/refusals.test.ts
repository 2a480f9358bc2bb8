import { isEnumType } from 'graphql';
import type { GraphQLEnumType } from 'graphql';
import { MEDIA } from '../../src/alerts/send/channels.ts';
import { createSchema } from '../../src/api/graphql/schema.ts';
import { FAILURES } from '../../src/platform/errors.ts';
import { useService, useStore } from '../harness.ts';
import type { Caller } from '../harness.ts';
import { useAccount } from './list-kit.ts';

// What is missing or cannot be is refused with the wire's own type, over REST and through the variables of GraphQL.

const service = useService();
const store = useStore(service);
const client = useAccount(service, store);

const SUBSCRIBE = 'mutation ($input: SubscribeInput!) { subscribe(input: $input) { message } }';
const product = { epi: 1, empi: 2, du: '/p' };
const wish = {
  medium: 'email',
  mediumvalue: 'ada@example.com',
  products: [product],
  topics: ['backinstock'],
};
const without = <Value extends object>(value: Value, ...names: (keyof Value)[]): object =>
  Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name as keyof Value)));

const byStore = (): Caller => ({ store });
const byShopper = (): Caller => ({ shopper: client.shopper });

type Row = [string, string, object, string, () => Caller];
const ROWS: Row[] = [
  ['no medium', SUBSCRIBE, { input: without(wish, 'medium') }, 'invalid-medium', byStore],
  ['a medium of null', SUBSCRIBE, { input: { ...wish, medium: null } }, 'invalid-medium', byStore],
  ['an unknown medium', SUBSCRIBE, { input: { ...wish, medium: 'fax' } }, 'invalid-medium', byStore],
  ['a medium that is no text', SUBSCRIBE, { input: { ...wish, medium: 5 } }, 'invalid-medium', byStore],
  ['no mediumvalue', SUBSCRIBE, { input: without(wish, 'mediumvalue') }, 'invalid-mediumvalue', byStore],
  ['no products', SUBSCRIBE, { input: without(wish, 'products') }, 'invalid-products', byStore],
  [
    'a product without du',
    SUBSCRIBE,
    { input: { ...wish, products: [product, without(product, 'du')] } },
    'invalid-products',
    byStore,
  ],
  ['topics of null', SUBSCRIBE, { input: { ...wish, topics: null } }, 'invalid-topics', byStore],
  [
    'addtomailinglist of text',
    SUBSCRIBE,
    { input: { ...wish, addtomailinglist: 'x' } },
    'invalid-addtomailinglist',
    byStore,
  ],
  ['extras of a number', SUBSCRIBE, { input: { ...wish, extras: 5 } }, 'invalid-extras', byStore],
  ['an unknown field', SUBSCRIBE, { input: { ...wish, other: 5 } }, 'invalid-request', byStore],
  ['no input at all', SUBSCRIBE, {}, 'invalid-request', byStore],
  [
    'a variable inside a literal',
    `mutation ($m: Medium!, $p: [SubscribeProductInput!]!) {
      subscribe(input: { medium: $m, mediumvalue: "a@example.com", topics: ["x"], products: $p }) { message } }`,
    { m: 'fax', p: [product] },
    'invalid-medium',
    byStore,
  ],
  [
    'a variable in a fragment',
    `query ($lid: ID!) { ...Lists } fragment Lists on Query { list(lid: $lid) { lid } }`,
    { lid: null },
    'invalid-lid',
    byShopper,
  ],
  ['no lid', 'query ($lid: ID!) { list(lid: $lid) { lid } }', {}, 'invalid-lid', byShopper],
  [
    'a limit of text',
    'query ($limit: Int, $lid: ID!) { listContents(lid: $lid, limit: $limit) { items { epi } } }',
    { lid: 'x', limit: 'many' },
    'invalid-limit',
    byShopper,
  ],
  [
    'an item to remove without epi',
    'mutation ($lid: ID!, $d: [ItemRefInput!]) { updateListContents(lid: $lid, d: $d) { cnt } }',
    { lid: 'x', d: [{}] },
    'invalid-items',
    byShopper,
  ],
  [
    'no items for later',
    'mutation ($lid: ID!, $items: [ItemInput!]!) { addToSaveForLater(lid: $lid, items: $items) { itemsadded { epi } } }',
    { lid: 'x' },
    'invalid-items',
    byShopper,
  ],
  [
    'a quantity of text',
    'mutation ($lid: ID!, $a: [ItemInput!]) { updateListContents(lid: $lid, a: $a) { cnt } }',
    { lid: 'x', a: [{ ...product, qty: 'two' }] },
    'invalid-items',
    byShopper,
  ],
  [
    'no name of a list',
    'mutation ($input: CreateListInput!) { createList(input: $input) { lid } }',
    { input: {} },
    'invalid-lname',
    byShopper,
  ],
  [
    'no useragenttype',
    'mutation ($u: String, $a: String!) { generateRegid(uuid: $u, useragenttype: $a) { regid } }',
    { u: '3f0c6a52-9d0e-4a67-8a3c-5b1f7f0d2e11' },
    'invalid-useragenttype',
    byStore,
  ],
  [
    'no e-mail address to sync with',
    'mutation ($e: String!) { syncGuest(regid: "x", useremail: $e, useragenttype: "web") { regid } }',
    { e: null },
    'invalid-useremail',
    byStore,
  ],
  [
    'no address to mail a list to',
    'mutation ($to: String!) { emailList(lid: "x", toemail: $to) { msg } }',
    {},
    'invalid-useremail',
    byShopper,
  ],
  [
    'a product without epi',
    'mutation ($p: [ProductInput!]!) { upsertProducts(products: $p) { epi } }',
    { p: [{ dt: 'Kettle' }] },
    'invalid-products',
    byStore,
  ],
];

test.each(ROWS)('variables with %s are refused by type', async (_what, text, variables, type, caller) => {
  const { status, body } = await service
    .graphql(text, variables, caller())
    .set('accept', 'application/graphql-response+json');
  expect(body).not.toHaveProperty('data');
  expect(body.errors[0]).toMatchObject({
    message: expect.stringMatching(/\S/),
    extensions: { code: 'BAD_USER_INPUT', type, status: FAILURES[type as 'invalid-request'][0] },
  });
  expect(status).toBe(400);
});

test('each fault of the variables has its own type, in the order of the fields', async () => {
  const { body } = await service.graphql(SUBSCRIBE, { input: {} }, { store });
  const types = body.errors.map((error: { extensions: { type: string } }) => error.extensions.type);
  expect(types).toEqual(['invalid-medium', 'invalid-mediumvalue', 'invalid-products', 'invalid-topics']);
});

test('a list that is too long is refused as what it is', async () => {
  const epis = Array.from({ length: 20_001 }, (_, epi) => epi);
  const text = 'query ($epis: [VariantId!]!) { isInLists(epis: $epis) { epi } }';
  const { body } = await client.graphql(text, { epis });
  expect(body.errors[0].extensions.type).toBe('invalid-items');
});

test('what is written into a document and does not fit is an ordinary fault of the document', async () => {
  const text = 'mutation { subscribe(input: { medium: fax }) { message } }';
  const { body } = await service.graphql(text, {}, { store });
  expect(body.errors[0].extensions).toMatchObject({
    code: 'GRAPHQL_VALIDATION_FAILED',
    type: 'invalid-request',
  });
});

test.each([
  ['no medium', without(wish, 'medium'), 'invalid-medium'],
  ['an unknown medium', { ...wish, medium: 'fax' }, 'invalid-medium'],
  ['no mediumvalue', without(wish, 'mediumvalue'), 'invalid-mediumvalue'],
  ['no products', without(wish, 'products'), 'invalid-products'],
  ['a product without epi', { ...wish, products: [without(product, 'epi')] }, 'invalid-products'],
  ['a product without du', { ...wish, products: [without(product, 'du')] }, 'invalid-products'],
  ['topics that are no array', { ...wish, topics: { a: 1 } }, 'invalid-topics'],
  ['addtomailinglist of text', { ...wish, addtomailinglist: 'x' }, 'invalid-addtomailinglist'],
])('a REST form with %s is refused by type', async (_what, fields, type) => {
  const { body } = await service
    .post('/storeadmin/bispa/subscriptions/create', fields as Record<string, string>, { store })
    .expect(400);
  expect(body).toMatchObject({ error: true, type });
});

test('the enums of the schema list exactly the media and failures that the service knows', () => {
  const schema = createSchema();
  const wordsOf = (name: string): string[] => {
    const type = schema.getType(name);
    expect(isEnumType(type)).toBe(true);
    return (type as GraphQLEnumType).getValues().map((value) => value.name);
  };
  expect(wordsOf('Medium')).toEqual(MEDIA);
  expect(wordsOf('ErrorType')).toEqual(Object.keys(FAILURES).map((type) => type.replaceAll('-', '_')));
});
