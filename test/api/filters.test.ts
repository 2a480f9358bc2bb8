import { useService, useStore } from '../harness.ts';
import { item, newAccount, newGuest, useAccount } from './list-kit.ts';

const service = useService();
const store = useStore(service);
const client = useAccount(service, store, 'ann@example.com');
let sets: Record<string, string>;

beforeAll(async () => {
  await client.create('Active');
  const { lid } = await client.create('Archived', { lty: 'wl' });
  await client.ok('lists/markArchived', { lid });
  sets = { lid };
  await (await newGuest(service, store)).create('Wishes');
  await newAccount(service, store, 'bob@example.com');
  for (const [epi, topic] of [
    [1, 'backinstock'],
    [2, 'pricedrop'],
  ])
    await service
      .post(
        '/storeadmin/bispa/subscriptions/create',
        {
          ...{ medium: 'email', mediumvalue: 'ann@example.com', addtomailinglist: epi === 1 ? 1 : 0 },
          ...{ products: [item(epi!)], topics: [topic] },
        },
        { store },
      )
      .expect(200);
});

const NODES = 'totalCount edges { cursor }';

/** The rows of a field with these arguments. */
async function rowsOf(field: string, args: string, who: object): Promise<unknown> {
  const [root, inner] = field.split('.');
  const page = `${inner ?? root}${args ? `(${args})` : ''} { ${NODES} }`;
  const { body } = await service.graphql(inner ? `{ ${root} { ${page} } }` : `{ ${page} }`, {}, who);
  expect(body.errors).toBeUndefined();
  return inner ? body.data[root!][inner] : body.data[root!];
}

const asShopper = () => ({ shopper: client.shopper });
const asStore = () => ({ store });

test.each([
  ['lists', 'st: 1', '{}', asShopper, 1],
  ['lists', 'st: 0', '{ st: archived }', asShopper, 1],
  ['lists', 'st: null', '{ st: any }', asShopper, 2],
  ['lists', 'lty: "wl"', '{ lty: "wl", st: active }', asShopper, 1],
  ['lists', 'lids: [$lid], st: null', '{ lids: [$lid], st: any }', asShopper, 1],
  ['lists', 'lids: [$lid]', '{ lids: [$lid], st: null }', asShopper, 0],
  ['shopper.lists', 'st: null, lty: "gifts"', '{ st: any, lty: "gifts" }', asShopper, 0],
  ['shopper.lists', 'st: 0', '{ st: archived }', asShopper, 1],
  ['subscriptions', 'topic: "pricedrop"', '{ topic: "pricedrop" }', asShopper, 1],
  ['subscriptions', 'medium: sms', '{ medium: sms }', asShopper, 0],
  ['subscriptions', 'epi: 1', '{ epi: 1 }', asStore, 1],
  [
    'shopper.subscriptions',
    'topic: "backinstock", medium: email',
    '{ topic: "backinstock", medium: email }',
    asShopper,
    1,
  ],
  ['shopper.subscriptions', 'topic: "none"', '{ topic: "none" }', asShopper, 0],
  ['shoppers', 'kind: guest', '{ kind: guest }', asStore, 1],
  ['shoppers', 'search: "bob"', '{ search: "bob" }', asStore, 1],
  ['shoppers', 'search: "bob", kind: guest', '{ search: "bob", kind: guest }', asStore, 0],
  ['mailingList', 'acceptmarketing: false', '{ acceptmarketing: false }', asStore, 1],
  ['mailingList', '', '{}', asStore, 0],
  [
    'mailingList',
    'medium: sms, acceptmarketing: false',
    '{ medium: sms, acceptmarketing: false }',
    asStore,
    0,
  ],
  ['alerts', 'state: failed', '{ state: failed }', asStore, 0],
  [
    'alerts',
    'topic: "x", from: 1, to: 2, search: "a"',
    '{ topic: "x", from: 1, to: 2, search: "a" }',
    asStore,
    0,
  ],
])('%s(%s) finds what the filter %s finds', async (field, args, filter, who, count) => {
  const named = (text: string) => text.replaceAll('$lid', JSON.stringify(sets['lid']));
  const rows = await rowsOf(field, named(args), who());
  expect(rows).toMatchObject({ totalCount: count });
  expect(await rowsOf(field, named(`filter: ${filter}`), who())).toEqual(rows);
});

test('a filter replaces the deprecated arguments, and null is no filter', async () => {
  const read = (args: string) => rowsOf('lists', args, asShopper());
  expect(await read('filter: { st: archived }, st: 1, lty: "gifts"')).toEqual(await read('st: 0'));
  expect(await read('filter: null, st: 0')).toEqual(await read('st: 0'));
  expect(await read('filter: { lty: null, lids: null }')).toEqual(await read(''));
});

test('a wrong value in a filter has the error type of its field', async () => {
  const typeOf = async (filter: object) => {
    const text = 'query ($filter: ListFilter) { lists(filter: $filter) { totalCount } }';
    return (await service.graphql(text, { filter }, asShopper())).body.errors[0].extensions.type;
  };
  expect(await typeOf({ lty: 5 })).toBe('invalid-lty');
  expect(await typeOf({ lids: Array.from({ length: 101 }, () => 'x') })).toBe('invalid-lid');
  expect(await typeOf({ st: 'gone' })).toBe('invalid-request');
});

test('deliveries and stores take a filter, too', async () => {
  const wrong = (text: string) => service.graphql(text, {}, asStore());
  const deliveries = await wrong('{ deliveries(webhookId: "x", filter: { state: failed }) { totalCount } }');
  expect(deliveries.body).toEqual({ data: { deliveries: { totalCount: 0 } } });
  const stores = await wrong('{ stores(filter: { search: "x" }) { totalCount } }');
  expect(stores.body.errors[0].extensions).toEqual({ code: 'FORBIDDEN', type: 'forbidden', status: 403 });
});
