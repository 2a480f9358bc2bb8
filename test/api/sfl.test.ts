import { randomBytes, randomUUID } from 'node:crypto';
import { useService, useStore } from '../harness.ts';
import { item, newAccount, rowsOf, useNewGuest } from './list-kit.ts';

const service = useService();
const store = useStore(service);
const me = useNewGuest(service, store);

const sflRows = () =>
  service.services.db.query(`SELECT 1 FROM list WHERE regid = $1 AND lty = 'sfl'`, [me.shopper.regid]);

test('create gives an empty save-for-later list with its owner and page', async () => {
  const body = await me.ok('lists/sfl/create');
  expect(body).toMatchObject({
    list: { lty: 'sfl', lname: 'Save for later', st: 1, cnt: 0, cprops: {}, ldesc: {} },
    items: [],
    userinfo: null,
    pagination: { totalcount: 0, next: null, limit: 500 },
  });
  const account = await newAccount(service, store, 'saver@example.com');
  expect((await account.ok('lists/sfl/create')).userinfo.em).toBe('saver@example.com');
});

test('create is idempotent, also with another name and for 20 calls at once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      me.ok('lists/sfl/create', { lname: index % 2 ? 'Basket' : undefined }),
    ),
  );
  expect(new Set(answers.map(({ list }) => list.lid)).size).toBe(1);
  expect(await sflRows()).toHaveLength(1);
});

test('creating it through lists/create and sfl/create at once makes one list', async () => {
  await Promise.all([
    ...Array.from({ length: 5 }, () => me.ok('lists/sfl/create')),
    ...Array.from({ length: 5 }, () => me.create('Via create', { lty: 'sfl' })),
  ]);
  expect(await sflRows()).toHaveLength(1);
});

test('its name may be given, has 3 to 50 characters and need not be unique', async () => {
  await me.create('Taken');
  expect(await me.failure(400, 'lists/sfl/create', { lname: 'ab' })).toBe('invalid-lname');
  expect((await me.ok('lists/sfl/create', { lname: 'Taken' })).list.lname).toBe('Taken');
});

test('fetch answers the list with its items, and 404 before there is one', async () => {
  expect(await me.failure(404, 'lists/sfl/fetch')).toBe('list-not-found');
  const { list } = await me.ok('lists/sfl/create');
  await me.ok('lists/sfl/add', { lid: list.lid, items: [item(1), item(2)] });
  const { items, pagination } = (await me.call('lists/sfl/fetch?limit=1').expect(200)).body;
  expect(items).toMatchObject([{ epi: 2 }]);
  expect(pagination).toEqual({ totalcount: 2, next: '1', limit: 1 });
  expect((await me.call('lists/sfl/fetch?limit=0').expect(200)).body.items).toEqual([]);
  expect(await me.failure(400, 'lists/sfl/fetch?limit=-1')).toBe('invalid-limit');
});

test('items saved for later are added, updated, removed and moved to the cart', async () => {
  const { lid } = (await me.ok('lists/sfl/create')).list;
  expect(
    (await me.ok('lists/sfl/add', { lid, items: [item(1), item(2), item(3)] })).itemsadded,
  ).toMatchObject([{ epi: 1 }, { epi: 2 }, { epi: 3 }]);
  expect((await me.ok('lists/sfl/add', { lid, items: [item(1, { qty: 4 })] })).itemsadded).toMatchObject([
    { epi: 1, qty: 4 },
  ]);
  expect(
    (await me.ok('lists/sfl/update', { lid, items: [{ epi: 2, note: 'n' }, { epi: 9 }] })).itemsupdated,
  ).toMatchObject([
    { epi: 2, note: 'n' },
    { epi: 9, hasError: true },
  ]);
  const removed = await me.ok('lists/sfl/remove', { lid, items: [{ epi: 3 }, { epi: 9 }] });
  expect(removed.itemsdeleted).toMatchObject([{ epi: 3, qty: 1 }]);
  expect(removed.itemsfailed).toEqual([{ epi: 9, hasError: true, msg: expect.any(String) }]);
  const moved = await me.ok('lists/sfl/moved-to-cart', { lid, items: [{ epi: 1 }, { epi: 9 }] });
  expect(moved.itemsmoved).toMatchObject([{ epi: 1, qty: 4 }]);
  expect(moved.itemsfailed).toEqual([{ epi: 9, hasError: true, msg: expect.any(String) }]);
  expect(await rowsOf(service, lid)).toEqual({ cnt: 1, itemcmnts: 1, epis: ['2'] });
});

test.each(['add', 'remove', 'update', 'moved-to-cart'])(
  'sfl/%s refuses a wishlist, bad items and no items',
  async (path) => {
    const wishlist = await me.create('Wishlist');
    await me.add(wishlist.lid, item(1));
    expect(await me.failure(404, `lists/sfl/${path}`, { lid: wishlist.lid, items: [item(1)] })).toBe(
      'list-not-found',
    );
    expect((await rowsOf(service, wishlist.lid))!.cnt).toBe(1);
    const { lid } = (await me.ok('lists/sfl/create')).list;
    for (const items of [
      undefined,
      '{oops',
      '{}',
      [{ empi: 1, du: '/p' }],
      Array.from({ length: 501 }, () => item(1)),
    ]) {
      expect(await me.failure(400, `lists/sfl/${path}`, { lid, items })).toBe('invalid-items');
    }
    const { body } = await me.call(`lists/sfl/${path}`, { lid, items: [{ du: '/p' }, {}] }).expect(400);
    expect(body.msg).toContain('items[0].epi');
    expect((await rowsOf(service, lid))!.cnt).toBe(0);
  },
);

test.each(['update', 'moved-to-cart'])(
  'sfl/%s with one bad item of several changes nothing',
  async (path) => {
    const { lid } = (await me.ok('lists/sfl/create')).list;
    await me.ok('lists/sfl/add', { lid, items: [item(1)] });
    const { body } = await me
      .call(`lists/sfl/${path}`, { lid, items: [item(1, { qty: 3 }), {}] })
      .expect(400);
    expect(body).toMatchObject({ type: 'invalid-items', msg: expect.stringContaining('items[1].epi') });
    expect((await me.ok('lists/sfl/fetch')).items).toMatchObject([{ epi: 1, qty: 1 }]);
  },
);

describe('one bad item of several', () => {
  let lid: string;
  beforeEach(async () => {
    ({ lid } = (await me.ok('lists/sfl/create')).list);
  });

  const ADD = `mutation ($lid: ID!, $items: [ItemInput!]!) {
    addToSaveForLater(lid: $lid, items: $items) { itemsadded { epi } itemsfailed { epi hasError msg } } }`;
  const REMOVE = `mutation ($lid: ID!, $items: [ItemRefInput!]!) {
    removeFromSaveForLater(lid: $lid, items: $items) { itemsdeleted { epi hasError } itemsfailed { epi hasError msg } } }`;
  const failed = (epi: unknown, place: string) => ({
    epi,
    hasError: true,
    msg: expect.stringContaining(place),
  });

  test.each([
    ['without an epi', { empi: 1, du: '/p' }, null, 'items[1].epi is missing'],
    ['without a product', { epi: 7, du: '/p' }, 7, 'items[1].empi is missing'],
    ['without a page', { epi: 'x', empi: 1 }, 'x', 'items[1].du is missing'],
    ['with a script as page', item(7, { du: 'javascript:alert(1)' }), 7, 'items[1].du'],
    ['with no quantity', item(7, { qty: 0 }), 7, 'items[1].qty'],
    ['with a note that is too long', item('7', { note: 'x'.repeat(2_001) }), 7, 'items[1].note'],
    ['that the store has no use for', { title: 'Mine', du: '/mine' }, null, 'items[1] is a custom item'],
  ])('%s is not added, and the others are, over REST and GraphQL', async (_what, bad, epi, place) => {
    const items = [item(1), bad, item(2)];
    const rest = await me.ok('lists/sfl/add', { lid, items });
    expect(rest.itemsadded).toMatchObject([{ epi: 1 }, { epi: 2 }]);
    expect(rest.itemsfailed).toEqual([failed(epi, place)]);
    expect((await rowsOf(service, lid))!.epis).toEqual(['1', '2']);
    const { body } = await me.graphql(ADD, { lid, items });
    expect(body.data.addToSaveForLater).toEqual({
      itemsadded: [{ epi: 1 }, { epi: 2 }],
      itemsfailed: rest.itemsfailed,
    });
  });

  test('that names no variant, or one that is not there, is not removed, and the others are, over REST and GraphQL', async () => {
    await me.ok('lists/sfl/add', { lid, items: [item(1), item(2), item(3)] });
    const bad = [{ empi: 1 }, { epi: 'x'.repeat(256) }];
    const rest = await me.ok('lists/sfl/remove', { lid, items: [{ epi: 1 }, ...bad, { epi: 9 }] });
    expect(rest.itemsdeleted).toMatchObject([{ epi: 1, qty: 1 }]);
    expect(rest.itemsfailed).toEqual([
      failed(null, 'items[1].epi'),
      failed('x'.repeat(256), 'items[2].epi'),
      failed(9, 'does not contain this item'),
    ]);
    expect((await rowsOf(service, lid))!.epis).toEqual(['2', '3']);
    // Over GraphQL the schema itself requires the field: without it nothing is done.
    const unfit = (await me.graphql(REMOVE, { lid, items: [{ epi: 2 }, ...bad] })).body;
    expect(unfit.errors[0].extensions).toMatchObject({ type: 'invalid-items', status: 400 });
    expect((await rowsOf(service, lid))!.epis).toEqual(['2', '3']);
    const empty = [{ epi: '' }, bad[1]];
    const { body } = await me.graphql(REMOVE, { lid, items: [{ epi: 2 }, ...empty, { epi: 9 }] });
    expect(body.data.removeFromSaveForLater).toEqual({
      itemsdeleted: [{ epi: 2, hasError: false }],
      itemsfailed: rest.itemsfailed,
    });
    expect((await rowsOf(service, lid))!.epis).toEqual(['3']);
  });

  test('of a removal may be the only one when it merely is not there, so that a retry is harmless', async () => {
    const { itemsdeleted, itemsfailed } = await me.ok('lists/sfl/remove', { lid, items: [{ epi: 9 }] });
    expect([itemsdeleted, itemsfailed]).toEqual([[], [failed(9, 'does not contain this item')]]);
    expect(await me.failure(400, 'lists/sfl/remove', { lid, items: [{ empi: 9 }] })).toBe('invalid-items');
  });

  test('is told of in an empty list when there is none', async () => {
    expect((await me.ok('lists/sfl/add', { lid, items: [item(1)] })).itemsfailed).toEqual([]);
    expect(await me.ok('lists/sfl/add', { lid, items: [] })).toEqual({ itemsadded: [], itemsfailed: [] });
    expect((await me.ok('lists/sfl/remove', { lid, items: [{ epi: 1 }] })).itemsfailed).toEqual([]);
  });

  test('where all are bad, the call fails with what is wrong with the first, over REST and GraphQL', async () => {
    const items = [item(1, { qty: 0 }), { title: 'Mine', du: '/mine' }];
    const { body } = await me.call('lists/sfl/add', { lid, items }).expect(400);
    expect(body).toMatchObject({ type: 'invalid-items', msg: expect.stringContaining('items[0].qty') });
    const custom = await me.call('lists/sfl/add', { lid, items: [...items].reverse() }).expect(403);
    expect(custom.body.type).toBe('custom-items-disabled');
    const graph = (await me.graphql(ADD, { lid, items })).body;
    expect(graph.errors[0].extensions).toMatchObject({ type: 'invalid-items', status: 400 });
    expect((await rowsOf(service, lid))!.cnt).toBe(0);
  });

  test('does not make room for more than 500', async () => {
    const items = [...Array.from({ length: 500 }, (_, index) => item(index + 1)), {}];
    expect(await me.failure(400, 'lists/sfl/add', { lid, items })).toBe('invalid-items');
    expect((await rowsOf(service, lid))!.cnt).toBe(0);
  });

  test('a value of another type fails the whole call, as it does over GraphQL, and in update-ctx every bad item does', async () => {
    const { body } = await me
      .call('lists/sfl/add', { lid, items: [item(1), item(2, { qty: 'many' })] })
      .expect(400);
    expect(body).toMatchObject({ type: 'invalid-items', msg: expect.stringContaining('items[1].qty') });
    expect(await me.failure(400, 'lists/update-ctx', { lid, a: [item(1), item(2, { qty: 0 })] })).toBe(
      'invalid-items',
    );
    expect((await rowsOf(service, lid))!.cnt).toBe(0);
  });

  test('a retry under its key reports the same ones; one with a large response reports that it was carried out', async () => {
    const cprops = (n: number) => ({ n, fill: randomBytes(20_000).toString('base64') });
    const many = [{}, ...Array.from({ length: 20 }, (_, n) => item(n + 1, { cprops: cprops(n) }))];
    const add = async (items: object[]) => {
      const key = { shopper: me.shopper, headers: { 'idempotency-key': randomUUID() } };
      const first = await service.post('/api/v3/lists/sfl/add', { lid, items }, key).expect(200);
      expect(first.body.itemsfailed).toEqual([failed(null, 'items[0].epi')]);
      return { first, second: await service.post('/api/v3/lists/sfl/add', { lid, items }, key) };
    };
    const small = await add([{}, item(1)]);
    expect([small.second.status, small.second.body]).toEqual([200, small.first.body]);
    expect((await add(many)).second).toMatchObject({ status: 403, body: { type: 'forbidden' } });
    const key = { shopper: me.shopper, headers: { 'idempotency-key': randomUUID() } };
    const items = [{}, { epi: 1 }, { epi: 2 }];
    const first = await service.post('/api/v3/lists/sfl/remove', { lid, items }, key).expect(200);
    expect((await service.post('/api/v3/lists/sfl/remove', { lid, items }, key).expect(200)).body).toEqual(
      first.body,
    );
    expect(first.body.itemsfailed).toEqual([failed(null, 'items[0].epi')]);
  });
});

test('a deleted save-for-later list can be made again', async () => {
  const first = (await me.ok('lists/sfl/create')).list;
  await me.ok('lists/delete-list', { lid: first.lid });
  expect((await me.ok('lists/sfl/create')).list.lid).not.toBe(first.lid);
});

test('each shopper has a save-for-later list of its own', async () => {
  const other = await newAccount(service, store);
  expect((await me.ok('lists/sfl/create')).list.lid).not.toBe((await other.ok('lists/sfl/create')).list.lid);
});
