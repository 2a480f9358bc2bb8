import type { NewStore } from '../../src/domain/store/store.service.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { item, newAccount, newGuest, rowsOf } from './list-kit.ts';
import type { Client } from './list-kit.ts';

let service: TestService;
let store: NewStore;
let me: Client;

beforeAll(async () => {
  service = await startService();
  store = await service.createStore();
});
beforeEach(async () => {
  me = await newGuest(service, store);
});
afterAll(() => service.close());

const sflRows = () =>
  service.services.db.query(`SELECT 1 FROM list WHERE regid = $1 AND lty = 'sfl'`, [me.shopper.regid]);

test('create gives an empty save-for-later list with its owner and page', async () => {
  const body = await me.ok('lists/sfl/create');
  expect(body).toMatchObject({
    list: { lty: 'sfl', lname: 'Save for later', st: 1, cnt: 0, cprops: {}, ldesc: {} },
    items: [],
    userinfo: { em: null },
    pagination: { totalcount: 0, next: null, limit: 500 },
  });
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

test('add, update, remove and moved-to-cart do what they say', async () => {
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
  expect(
    (await me.ok('lists/sfl/remove', { lid, items: [{ epi: 3 }, { epi: 9 }] })).itemsdeleted,
  ).toMatchObject([{ epi: 3 }, { epi: 9, hasError: true }]);
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
    const { body } = await me.call(`lists/sfl/${path}`, { lid, items: [item(1), {}] }).expect(400);
    expect(body.msg).toContain('items[1].epi');
    expect((await rowsOf(service, lid))!.cnt).toBe(0);
  },
);

test('a deleted save-for-later list can be made again', async () => {
  const first = (await me.ok('lists/sfl/create')).list;
  await me.ok('lists/delete-list', { lid: first.lid });
  expect((await me.ok('lists/sfl/create')).list.lid).not.toBe(first.lid);
});

test('each shopper has a save-for-later list of its own', async () => {
  const other = await newAccount(service, store);
  expect((await me.ok('lists/sfl/create')).list.lid).not.toBe((await other.ok('lists/sfl/create')).list.lid);
});
