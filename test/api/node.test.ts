import { addOperatorKey } from '../../src/stores/operator.service.ts';
import { useService, useStore } from '../harness.ts';
import type { Caller } from '../harness.ts';
import { statementsOf } from '../statements.ts';
import { createClient, item, newAccount, stock } from './list-kit.ts';
import type { Client } from './list-kit.ts';

const service = useService();
const store = useStore(service);
const otherStore = useStore(service);
let me: Client;
let callers: Record<string, Caller>;
/** The id of one record of each type, and of what a caller may read of another shopper. */
const ids: Record<string, string> = {};

const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';

/** The names of the given ids that the caller gets, and only those. */
async function readable(caller: Caller): Promise<string[]> {
  const names = Object.keys(ids);
  const { body } = await service.graphql(NODES, { ids: Object.values(ids) }, caller);
  expect(body.errors).toBeUndefined();
  return names.filter((name, index) => {
    const node = body.data.nodes[index];
    if (node) expect([name, node.id]).toEqual([name, ids[name]]);
    return node !== null;
  });
}

async function subscribe(caller: Caller, mediumvalue: string, epi: number): Promise<void> {
  const product = { epi, empi: 9, du: 'https://shop.example/p/9' };
  const input = { medium: 'email', mediumvalue, products: [product], topics: ['backinstock'] };
  const document = 'mutation ($input: SubscribeInput!) { subscribe(input: $input) { confirmed } }';
  expect((await service.graphql(document, { input }, caller)).body.errors).toBeUndefined();
}

const subscriptionOf = async (caller: Caller): Promise<string> =>
  (await service.graphql('{ subscriptions { edges { node { id } } } }', {}, caller)).body.data.subscriptions
    .edges[0].node.id;

const itemOf = async (client: Client, lid: string): Promise<string> =>
  (await client.contents(lid)).items[0].id;

beforeAll(async () => {
  me = await newAccount(service, store, 'me@example.com');
  const other = await newAccount(service, store, 'other@example.com');
  const guest = createClient(service, await service.guest(store));
  const { key } = await addOperatorKey(service.services, 'Tests');
  callers = {
    me: { shopper: me.shopper },
    'a store for me': { store, shopper: me.shopper },
    other: { shopper: other.shopper },
    guest: { shopper: guest.shopper },
    anybody: { headers: { 'x-pid': store.pid } },
    store: { store },
    operator: { store: { pid: 'operator', apiKey: key }, headers: { 'x-pid': store.pid } },
    'another store': { store: otherStore },
    'a shopper of another store': { shopper: await service.account(otherStore) },
  };
  await stock(service, store, '1');
  const { lid } = await me.create('Private');
  const { lid: publicLid } = await me.create('Public');
  await me.add(lid, item(1));
  await me.add(publicLid, item(1));
  await me.ok('lists/markPublic', { lid: publicLid });
  Object.assign(ids, { list: lid, item: await itemOf(me, lid) });
  Object.assign(ids, { publicList: publicLid, publicItem: await itemOf(me, publicLid) });
  await subscribe({ shopper: me.shopper }, 'me@example.com', 1);
  await subscribe({ shopper: guest.shopper }, 'somebody@example.com', 2);
  ids['subscription'] = await subscriptionOf({ shopper: me.shopper });
  ids['guestsRequest'] = await subscriptionOf({ shopper: guest.shopper });
  const { body } = await service.graphql('{ shopper { id } }', {}, callers['me']);
  ids['shopper'] = body.data.shopper.id;
  const { body: own } = await service.graphql('{ store { id } topics { id } }', {}, { store });
  ids['store'] = own.data.store.id;
  ids['topic'] = own.data.topics[0].id;
  ids['product'] = 'product_1';
});

const PUBLIC = ['publicList', 'publicItem', 'store', 'product'];
const MINE = ['list', 'item', 'subscription', 'shopper'];

test.each([
  ['me', [...MINE, ...PUBLIC]],
  ['a store for me', [...MINE, ...PUBLIC, 'topic']],
  ['other', PUBLIC],
  ['guest', [...PUBLIC, 'guestsRequest']],
  ['anybody', PUBLIC],
  ['store', [...PUBLIC, 'subscription', 'guestsRequest', 'shopper', 'topic']],
  ['operator', [...PUBLIC, 'subscription', 'guestsRequest', 'shopper', 'topic']],
  ['another store', ['topic']],
  ['a shopper of another store', []],
])('%s reads by id exactly what its own fields show', async (name, names) => {
  // The third call of a document is compiled, unless nobody has identified itself.
  for (let call = 1; call <= 4; call += 1)
    expect((await readable(callers[name]!)).sort()).toEqual([...names].sort());
});

test('ids reveal neither the regid nor the address', () => {
  const { regid } = me.shopper;
  expect(ids['shopper']).toMatch(/^shopper_[\w-]{22}$/);
  expect(ids['shopper']).not.toContain(regid);
  expect([ids['store'], ids['topic']]).toEqual([`store_${store.pid}`, expect.stringMatching(/^topic_\w+$/)]);
});

test('nodes keeps the order and repetitions of its ids, and knows each type', async () => {
  const wanted = [ids['product']!, 'none', ids['item']!, ids['list']!, ids['item']!, ids['shopper']!];
  const document = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id
    ... on List { lname listcontents { epi } owner { isMe } } ... on Item { epi list { id } product { id dt } }
    ... on Product { dt } ...Me } } fragment Me on Shopper { userinfo { em } }`;
  for (let call = 1; call <= 4; call += 1) {
    const { body } = await me.graphql(document, { ids: wanted });
    const found = { __typename: 'Item', id: ids['item'], epi: 1, list: { id: ids['list'] } };
    expect(body).toEqual({
      data: {
        nodes: [
          { __typename: 'Product', id: 'product_1', dt: 'Kettle' },
          null,
          { ...found, product: { id: 'product_1', dt: 'Kettle' } },
          {
            ...{ __typename: 'List', id: ids['list'], lname: 'Private' },
            ...{ listcontents: [{ epi: 1 }], owner: { isMe: true } },
          },
          { ...found, product: { id: 'product_1', dt: 'Kettle' } },
          { __typename: 'Shopper', id: ids['shopper'], userinfo: { em: 'me@example.com' } },
        ],
      },
    });
  }
});

test("another shopper's public records are masked as in `list`", async () => {
  const document = `query ($list: ID!, $item: ID!) {
    list: node(id: $list) { ... on List { cby di uid memberships { id } } }
    item: node(id: $item) { ... on Item { uby di list { lname cby } } } }`;
  const variables = { list: ids['publicList'], item: ids['publicItem'] };
  for (const caller of ['other', 'anybody', 'store']) {
    const { body } = await service.graphql(document, variables, callers[caller]);
    expect(body.data).toEqual({
      list: { cby: 'm***@example.com', di: '', uid: '', memberships: [] },
      item: { uby: 'm***@example.com', di: '', list: { lname: 'Public', cby: 'm***@example.com' } },
    });
  }
});

test("a store's private fields stay closed to shoppers who read it by id", async () => {
  const document = 'query ($id: ID!) { node(id: $id) { id ... on Store { allowedOrigins } } }';
  for (const caller of ['me', 'anybody']) {
    const { body } = await service.graphql(document, { id: ids['store'] }, callers[caller]);
    expect([body.data.node, body.errors.length]).toEqual([null, 1]);
  }
  const { body } = await service.graphql(document, { id: ids['store'] }, { store });
  expect(body.data.node).toEqual({ id: ids['store'], allowedOrigins: [] });
});

test('garbage is null, whatever it looks like', async () => {
  const long = 'x'.repeat(10_000);
  const prefixes = ['', 'product_', 'shopper_', 'store_', 'topic_', 'membership_', 'item_'];
  const garbage = prefixes.flatMap((prefix) =>
    ['', long, '\u0000', "'", 'a,b', `${ids['list']},${ids['item']}`, '\ud800', ' ', '__proto__'].map(
      (rest) => prefix + rest,
    ),
  );
  for (const caller of ['me', 'anybody', 'store']) {
    const { body } = await service.graphql(NODES, { ids: garbage }, callers[caller]);
    expect(body).toEqual({ data: { nodes: garbage.map(() => null) } });
  }
});

test('more than 100 ids and wrong credentials are refused', async () => {
  const many = Array.from({ length: 101 }, (_, index) => `${index}`);
  const { body } = await me.graphql(NODES, { ids: many });
  expect(body.errors[0].extensions.type).toBe('invalid-request');
  const wrong = { shopper: { ...me.shopper, sessionid: 'wrong' } };
  const { body: denied } = await service.graphql(NODES, { ids: [ids['product']] }, wrong);
  expect(denied.errors[0].extensions.type).toBe('bad-sessionid');
});

test('a hundred ids take one statement for each kind, also in several fields', async () => {
  const unknown = Array.from({ length: 40 }, (_, index) => `unknown-${index}`);
  const products = Array.from({ length: 40 }, (_, index) => `product_${index}`);
  const document = `query ($ids: [ID!]!, $more: [ID!]!, $item: ID!) {
    nodes(ids: $ids) { id ... on Item { list { lname } } } more: nodes(ids: $more) { id } node(id: $item) { id } }`;
  const variables = { ids: [...unknown, ids['list'], ids['item']], more: products, item: ids['publicItem'] };
  const statements = await statementsOf(service, () => me.graphql(document, variables).expect(200));
  expect(statements.filter((name) => name !== 'load_identities').sort()).toEqual([
    'find_each_product',
    'nodes',
  ]);
});

test('a list is found by the id of a list that was merged into it', async () => {
  const guest = createClient(service, await service.guest(store));
  const account = await newAccount(service, store, 'merged@example.com');
  const { lid: kept } = await account.create('Wishes');
  const { lid: old } = await guest.create('Wishes');
  await guest.add(old, item(5));
  const moved = await itemOf(guest, old);
  const fields = { regid: guest.shopper.regid, useremail: 'merged@example.com', useragenttype: 'test' };
  await service.post('/storeadmin/v3/user/guest-validate-sync', fields, { store }).expect(200);
  const { body } = await account.graphql(NODES, { ids: [old, kept, moved] });
  const list = { __typename: 'List', id: kept };
  expect(body.data.nodes).toEqual([list, list, { __typename: 'Item', id: moved }]);
});

test('the cost counts the ids, and what is selected of each type', async () => {
  const cost = async (document: string, variables: object): Promise<number> =>
    Number((await me.graphql(document, variables)).headers['x-cost']);
  const ten = { ids: Array.from({ length: 10 }, (_, index) => `${index}`) };
  expect(await cost(NODES, ten)).toBe(20);
  const nested =
    'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on List { items(first: 50) { edges { cursor } } } } }';
  expect(await cost(nested, ten)).toBeGreaterThan(500);
});
