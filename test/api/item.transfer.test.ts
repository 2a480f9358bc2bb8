import { useService, useStore } from '../harness.ts';
import { item, newAccount, newGuest, rowsOf, useNewAccount } from './list-kit.ts';

const service = useService({ maxItems: 5, webhookAllowPrivate: true });
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

/** The ids of a list's items by variant, as the database has them. */
const idsOf = async (lid: string): Promise<Record<string, string>> => {
  const rows = await service.services.db.query<{ epi: string; id: string }>(
    'SELECT epi, id FROM item WHERE lid = $1',
    [lid],
  );
  return Object.fromEntries(rows.map(({ epi, id }) => [epi, id]));
};

test("a moved item keeps its id, a variant that is there keeps the target's, and a copy has a new one", async () => {
  await me.add(to, item(2, { qty: 9 }));
  const [source, target] = [await idsOf(from), await idsOf(to)];
  await transfer('moveItems', [1, 2]);
  expect(await idsOf(from)).toEqual({ 3: source['3'] });
  expect(await idsOf(to)).toEqual({ 1: source['1'], 2: target['2'] });
  await transfer('moveItems', [1], { from: to, to: from });
  expect((await idsOf(from))['1']).toBe(source['1']);
  await transfer('copyItems', [1]);
  expect((await idsOf(to))['1']).not.toBe(source['1']);
});

test('a moved item that is deleted and restored, alone or with its list, keeps its id', async () => {
  const { 1: id } = await idsOf(from);
  await transfer('moveItems', [1]);
  await me.ok('lists/update-ctx', { lid: to, d: [{ epi: 1 }] });
  await me.graphql('mutation ($lid: ID!) { restoreItems(lid: $lid, epis: [1]) { lid } }', { lid: to });
  expect((await idsOf(to))['1']).toBe(id);
  await me.ok('lists/delete-list', { lid: to });
  await me.graphql('mutation ($lid: ID!) { restoreList(lid: $lid) { lid } }', { lid: to });
  expect((await idsOf(to))['1']).toBe(id);
});

test('a moved item keeps the time when it was added, and comes first in its new list', async () => {
  await me.add(to, item(11));
  const before = (await me.contents(from)).items.find(({ epi }: { epi: number }) => epi === 1);
  await transfer('moveItems', [2, 1]);
  const { items } = await me.contents(to);
  expect(items.map(({ epi }: { epi: number }) => epi)).toEqual([1, 2, 11]);
  expect(items[0]).toMatchObject({ id: before.id, cts: before.cts });
});

test('webhooks name the ids that the items had and have', async () => {
  const { body } = await service.graphql(
    `mutation { saveWebhook(url: "https://192.0.2.1/hook", events: ["list.item.added", "list.item.removed"]) { webhook { id } } }`,
    {},
    { store },
  );
  expect(body.errors).toBeUndefined();
  await me.add(to, item(2));
  const [source, target] = [await idsOf(from), await idsOf(to)];
  await service.services.db.query('DELETE FROM outbox WHERE pid = $1', [store.pid]);
  await transfer('moveItems', [1, 2]);
  const events = await service.services.db.query<{ type: string; lid: string; id: string }>(
    `SELECT kind AS type, payload -> 'data' ->> 'lid' AS lid, payload -> 'data' ->> 'id' AS id FROM outbox WHERE pid = $1 ORDER BY seq`,
    [store.pid],
  );
  expect(events).toEqual([
    { type: 'list.item.added', lid: to, id: source['1'] },
    { type: 'list.item.removed', lid: from, id: source['1'] },
    { type: 'list.item.removed', lid: from, id: source['2'] },
  ]);
  expect(target['2']).toBe((await idsOf(to))['2']);
});

test('concurrent moves of one item to two lists move it once, with its id', async () => {
  const { 1: id } = await idsOf(from);
  const third = (await me.create('Third')).lid;
  const outcomes = await Promise.all([
    transfer('moveItems', [1]),
    transfer('moveItems', [1], { to: third }),
    transfer('moveItems', [1]),
    transfer('moveItems', [1], { to: third }),
  ]);
  expect(outcomes.filter((outcome) => outcome === 'item-not-found')).toHaveLength(3);
  const found = await Promise.all([from, to, third].map(idsOf));
  expect(found.map((ids) => ids['1']).filter(Boolean)).toEqual([id]);
  for (const lid of [from, to, third]) {
    const rows = (await rowsOf(service, lid))!;
    expect(rows.cnt).toBe(rows.epis.length);
  }
});

test('moves during a merge at login lose and double nothing, and ids stay', async () => {
  const guest = await newGuest(service, store);
  const email = `${guest.shopper.regid.slice(0, 10).toLowerCase()}@example.com`;
  const [a, b] = [(await guest.create('First')).lid, (await guest.create('Second')).lid];
  await guest.add(a, item(1), item(2), item(3));
  const before = await idsOf(a);
  const move = (epi: number) =>
    guest.call('lists/move-items', { fromlid: a, tolid: b, epis: [epi] }).then(({ body }) => body);
  const sync = { regid: guest.shopper.regid, useremail: email, useragenttype: 'test' };
  await Promise.all([
    move(1),
    service.post('/storeadmin/v3/user/guest-validate-sync', sync, { store }).expect(200),
    move(2),
    move(3),
  ]);
  expect({ ...(await idsOf(a)), ...(await idsOf(b)) }).toEqual(before);
  const [first, second] = [(await rowsOf(service, a))!, (await rowsOf(service, b))!];
  expect([...first.epis, ...second.epis].sort()).toEqual(['1', '2', '3']);
});
