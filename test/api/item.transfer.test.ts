import { useService, useStore } from '../harness.ts';
import { item, newAccount, rowsOf, useNewAccount } from './list-kit.ts';

const service = useService({ maxItems: 5 });
const store = useStore(service);
const me = useNewAccount(service, store);
let from: string;
let to: string;
beforeEach(async () => {
  from = (await me.create('From')).lid;
  to = (await me.create('To list')).lid;
  await me.add(from, item(1, { qty: 3, note: 'n', lbls: ['A'], cprops: { c: 1 } }), item(2), item(3));
});

type More = { from?: string; to?: string; v?: number };

const transfer = async (mutation: string, epis: unknown[], more: More = {}) => {
  const variables = { from, to, epis, ...more };
  const { body } = await me.graphql(
    `mutation ($from: ID!, $to: ID!, $epis: [VariantId!]!, $v: Int) {
      ${mutation}(fromlid: $from, tolid: $to, epis: $epis, expectedVersion: $v) { from { cnt } to { cnt } items { epi qty note lbls cprops lid } }
    }`,
    variables,
  );
  return body.errors ? body.errors[0].extensions.type : body.data[mutation];
};

/** The same over REST, where its path is `move-items` or `copy-items`. */
const transferByRest = async (mutation: string, epis: unknown[], { v, ...more }: More = {}) => {
  const lids = { from, to, ...more };
  const fields = { fromlid: lids.from, tolid: lids.to, epis, expectedVersion: v };
  const { body } = await me.call(`lists/${mutation.replace('I', '-i')}`, fields);
  return body.error ? body.type : body;
};

const APIS = { GraphQL: transfer, REST: transferByRest };
const CALLS = (['moveItems', 'copyItems'] as const).flatMap((mutation) =>
  (['GraphQL', 'REST'] as const).map((api) => [mutation, api] as const),
);
const state = async () => [(await rowsOf(service, from))!.epis, (await rowsOf(service, to))!.epis];

test.each(['GraphQL', 'REST'] as const)(
  'moving over %s takes items from one list to the other',
  async (api) => {
    expect(await APIS[api]('moveItems', ['1', 3])).toMatchObject({
      from: { cnt: 1 },
      to: { cnt: 2 },
      items: [
        { epi: 1, qty: 3, note: 'n', lbls: ['A'], cprops: { c: 1 }, lid: to },
        { epi: 3, qty: 1, note: null, lbls: [], cprops: {}, lid: to },
      ],
    });
    expect(await state()).toEqual([['2'], ['1', '3']]);
  },
);

test.each(['GraphQL', 'REST'] as const)('copying over %s leaves them where they are', async (api) => {
  expect(await APIS[api]('copyItems', [1])).toMatchObject({ from: { cnt: 3 }, to: { cnt: 1 } });
  expect(await state()).toEqual([['1', '2', '3'], ['1']]);
});

test.each(['moveItems', 'copyItems'])(
  '%s onto a variant that is there gives it the values and never doubles it',
  async (mutation) => {
    await me.add(to, item(1, { qty: 9 }));
    expect(await transfer(mutation, [1, 1, '1'])).toMatchObject({
      to: { cnt: 1 },
      items: [{ epi: 1, qty: 3, note: 'n' }],
    });
    expect((await rowsOf(service, to))!.itemcmnts).toBe(1);
  },
);

test.each(CALLS)('%s over %s with one missing item changes nothing', async (mutation, api) => {
  const before = await state();
  expect(await APIS[api](mutation, [1, 99])).toBe('item-not-found');
  expect(await state()).toEqual(before);
});

test.each(['moveItems', 'copyItems'])('%s beyond the limit changes nothing', async (mutation) => {
  await me.add(to, item(11), item(12), item(13));
  const before = await state();
  expect(await transfer(mutation, [1, 2, 3])).toBe('limit-reached');
  expect(await state()).toEqual(before);
});

test.each(CALLS)('%s over %s checks expectedVersion, the lists and the variants', async (mutation, api) => {
  const before = await state();
  const call = APIS[api];
  expect(await call(mutation, [1], { v: 99 })).toBe('version-conflict');
  expect(await call(mutation, [])).toBe('invalid-items');
  expect(await call(mutation, [''])).toBe('invalid-items');
  expect(await call(mutation, [1], { to: from })).toBe('invalid-lid');
  expect(await call(mutation, [1], { to: '' })).toBe('invalid-lid');
  expect(await call(mutation, [1], { to: 'none' })).toBe('list-not-found');
  expect(await call(mutation, [1], { from: 'none' })).toBe('list-not-found');
  const numbers = Array.from({ length: 501 }, (_, index) => index);
  expect(await call(mutation, numbers)).toBe('invalid-items');
  expect(await state()).toEqual(before);
});

test.each(['move-items', 'copy-items'])('%s says what is missing or no array', async (path) => {
  for (const [fields, type, msg] of [
    [{ tolid: to, epis: [1] }, 'invalid-lid', 'fromlid is missing'],
    [{ fromlid: from, epis: [1] }, 'invalid-lid', 'tolid is missing'],
    [{ fromlid: from, tolid: to }, 'invalid-items', 'epis is missing'],
    [{ fromlid: from, tolid: to, epis: '{' }, 'invalid-items', 'epis must be JSON'],
    [{ fromlid: from, tolid: to, epis: '{}' }, 'invalid-items', 'epis must be a JSON array'],
    [{ fromlid: from, tolid: to, epis: [1, {}] }, 'invalid-items', 'epis[1]'],
    [{ fromlid: from, tolid: to, epis: [1], expectedVersion: 'x' }, 'invalid-request', 'expectedVersion'],
  ] as const) {
    const { body } = await me.call(`lists/${path}`, fields).expect(400);
    expect(body.type).toBe(type);
    expect(body.msg).toContain(msg);
  }
});

test("copying from another shopper's public list shows its list masked", async () => {
  const owner = await newAccount(service, store, 'owner@example.com');
  const { lid } = await owner.create('Public');
  await owner.add(lid, item(7));
  await owner.ok('lists/markPublic', { lid });
  const { body } = await me.graphql(
    'mutation ($from: ID!, $to: ID!) { copyItems(fromlid: $from, tolid: $to, epis: [7]) { from { cby di } items { uby lid } } }',
    { from: lid, to },
  );
  expect(body.data.copyItems).toMatchObject({
    from: { cby: 'o***@example.com', di: '' },
    items: [{ lid: to }],
  });
  expect(body.data.copyItems.items[0].uby).not.toContain('owner');
});

test('moves in both directions at once neither lose nor double an item', async () => {
  await me.add(to, item(11), item(12));
  const back = (epis: unknown[]) => transfer('moveItems', epis, { from: to, to: from });
  await Promise.all([
    transfer('moveItems', [1]),
    back([11]),
    transfer('moveItems', [2]),
    back([12]),
    transfer('moveItems', [3]),
  ]);
  const [left, right] = await state();
  expect([...left!].sort()).toEqual(['11', '12']);
  expect([...right!].sort()).toEqual(['1', '2', '3']);
  for (const lid of [from, to]) {
    const rows = (await rowsOf(service, lid))!;
    expect(rows.cnt).toBe(rows.epis.length);
  }
});
