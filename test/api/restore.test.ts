import { useNewStore, useService } from '../harness.ts';
import { createClient, item, newAccount, newGuest, rowsOf } from './list-kit.ts';
import type { Client } from './list-kit.ts';

const DAY_MS = 24 * 3_600_000;
const START = Date.UTC(2030, 0, 1);
const LIMITS = { maxLists: 4, maxItems: 700, maxShopperBytes: 1_200_000 };

const service = useService({ ...LIMITS, rateLimits: false, webhookAllowPrivate: true });
const store = useNewStore(service, { customItems: true });
let me: Client;
let time = START;

beforeAll(async () => {
  // Every reading of the clock is later than the one before, as deletions are.
  service.setClock(() => new Date((time += 1)));
});
beforeEach(async () => {
  time = START;
  me = await newAccount(service, store);
});

const range = (length: number, first = 1) => Array.from({ length }, (_, index) => first + index);
const items = (count: number, first = 1) => range(count, first).map((epi) => item(epi));
/** An item of 30 kB: forty of them are more than a shopper may have. */
const big = (epi: number) => item(epi, { cprops: { text: 'x'.repeat(30_000) } });
const remove = (lid: string, ...epis: (number | string)[]) =>
  me.ok('lists/update-ctx', { lid, d: epis.map((epi) => ({ epi })) });
const episOf = ({ items: rows }: { items: { epi: number }[] }) => rows.map(({ epi }) => epi);
const deletedNames = async (client = me): Promise<string[]> =>
  (await client.ok('lists/fetch-deleted')).map(({ lname }: { lname: string }) => lname);
const trashOf = async (): Promise<{ lists: number; items: number }> => {
  const where = { pid: store.pid };
  const { prisma } = service.services.db;
  return {
    lists: await prisma.deletedList.count({ where }),
    items: await prisma.deletedItem.count({ where }),
  };
};
const sync = async (guest: Client, useremail: string) => {
  const fields = { regid: guest.shopper.regid, useremail, useragenttype: 'test' };
  return (await service.post('/storeadmin/v3/user/guest-validate-sync', fields, { store }).expect(200)).body
    .merged;
};
const ERASE = 'mutation ($regid: String) { eraseShopper(regid: $regid) { detail } }';
const erase = ({ shopper: { regid } }: Client) => service.graphql(ERASE, { regid }, { store }).expect(200);

/** What a restore leaves as it was: everything but the version, and when the list last changed. */
const lasting = ({ version: _version, uts: _uts, ...list }: Record<string, unknown>) => list;

/** A list with everything that a list and its items can have. */
async function fullList(lname = 'Birthday') {
  const more = { lnote: 'mine', lprops: { a: [1, null] }, cprops: { b: 'x' }, ldesc: { c: true } };
  const { lid } = await me.create(lname, more);
  await me.add(lid, item(1, { qty: 3, note: 'red', lbls: ['K'], cprops: { z: { y: [1.5] } }, pr: 0.1 }));
  await me.add(lid, { title: 'Set', du: '/set', price: 30, bundle: [{ title: 'Cup', price: 3 }] }, item(2));
  await me.ok('lists/markPublic', { lid });
  return me.contents(lid);
}

test('the manual of deleteList names the way back', async () => {
  const { body } = await service.graphql(
    '{ __type(name: "Mutation") { fields { name description } } }',
    {},
    { store },
  );
  const fields: { name: string; description: string }[] = body.data.__type.fields;
  const { description } = fields.find(({ name }) => name === 'deleteList')!;
  expect(description).toContain('`restoreList`');
  expect(description).not.toContain('for good');
});

describe('a deleted list', () => {
  test('comes back as it was, items, order, times and link included, over REST and GraphQL', async () => {
    const before = await fullList();
    const { lid } = before.list;
    for (const api of ['rest', 'graphql']) {
      await me.ok('lists/delete-list', { lid });
      const { version } = (await me.ok('lists/fetch-deleted'))[0];
      const back =
        api === 'rest'
          ? await me.ok('lists/restore', { lid })
          : (await me.graphql('mutation ($lid: ID!) { restoreList(lid: $lid) { lid version } }', { lid }))
              .body.data.restoreList;
      expect(back).toMatchObject({ lid, version: version + 1 });
      const after = await me.contents(lid);
      expect(lasting(after.list)).toEqual(lasting(before.list));
      expect(after.items).toEqual(before.items);
      expect(after.list.uts).toBeGreaterThan(before.list.uts);
      expect(await rowsOf(service, lid)).toMatchObject({ cnt: 3, itemcmnts: 1 });
    }
    // Counted anew, it takes what it took.
    const [sum] = await service.services.db.query<{ kept: number; counted: number }>(
      `SELECT l.bytes AS kept, list_bytes(l) + (SELECT sum(item_bytes(i)) FROM item i WHERE i.pid = l.pid AND i.lid = l.lid) AS counted
       FROM list l WHERE l.lid = $1`,
      [lid],
    );
    expect(Number(sum!.kept)).toBe(Number(sum!.counted));
    expect(await trashOf()).toEqual({ lists: 0, items: 0 });
  });

  test('is gone for every other call: name, number, membership, count of wishes, link', async () => {
    const wishes = async () => (await me.ok('product/wishlist/social-count', { empi: 900 })).data.count;
    const others = await wishes();
    const { lid } = (await fullList()).list;
    expect(await wishes()).toBe(others + 1);
    await remove(lid, 2);
    await me.ok('lists/delete-list', { lid });
    expect(await me.ok('lists/fetch-lists')).toEqual([]);
    expect((await me.ok('lists/is-in-lists', { epis: [1, 2] }))[0]).toMatchObject({ isInList: false });
    expect(await wishes()).toBe(others);
    const link = `/api/v3/lists/fetch-list-with-contents?pid=${encodeURIComponent(store.pid)}`;
    await service.post(link, { lid }).expect(404);
    const { body } = await me.graphql('{ me: allLists(st: null) { lid } lists { totalCount } }');
    expect(body.data).toEqual({ me: [], lists: { totalCount: 0 } });
    const namesake = await me.create('Birthday');
    await me.ok('lists/restore', { lid });
    const names = (await me.ok('lists/fetch-lists')).map(({ lname }: { lname: string }) => lname);
    expect(names).toEqual(['Birthday', 'Birthday']);
    expect((await me.contents(namesake.lid)).items).toEqual([]);
    expect(episOf((await service.post(link, { lid }).expect(200)).body)).toContain(1);
  });

  test('is listed until it is back, the one deleted last first, and says until when', async () => {
    for (const lname of ['One', 'Two', 'Three']) await me.create(`${lname} list`);
    const lists: { lid: string }[] = (await me.ok('lists/fetch-lists')).reverse();
    for (const { lid } of [lists[1]!, lists[0]!, lists[2]!]) await me.ok('lists/delete-list', { lid });
    expect(await deletedNames()).toEqual(['Three list', 'One list', 'Two list']);
    expect((await me.ok('lists/fetch-deleted', { limit: 1, offset: 1 }))[0].lname).toBe('One list');
    expect(await me.ok('lists/fetch-deleted', { limit: 0 })).toEqual([]);
    const query = `query ($after: String) { deletedLists(first: 2, after: $after) {
      totalCount pageInfo { hasNextPage endCursor } edges { deletedAt restorableUntil node { lname } } } }`;
    const page = async (after: string | null) => (await me.graphql(query, { after })).body.data.deletedLists;
    const first = await page(null);
    expect(first).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
    const [edge] = first.edges;
    expect(edge.restorableUntil - edge.deletedAt).toBe(30 * DAY_MS);
    const second = await page(first.pageInfo.endCursor);
    expect(second.edges.map(({ node }: { node: { lname: string } }) => node.lname)).toEqual(['Two list']);
    expect(second.pageInfo.hasNextPage).toBe(false);
    await me.ok('lists/restore', { lid: lists[0]!.lid });
    expect(await deletedNames()).toEqual(['Three list', 'Two list']);
  });

  test('that is back already is answered as it is, so that a restore can be sent twice', async () => {
    const { lid } = (await fullList()).list;
    await me.ok('lists/delete-list', { lid });
    const first = await me.ok('lists/restore', { lid });
    expect(await me.ok('lists/restore', { lid })).toEqual(first);
  });

  test('that was still being copied comes back with all its items', async () => {
    const { lid: fromlid } = await me.create('Long');
    await me.ok('lists/update-ctx', { lid: fromlid, a: items(400) });
    await me.ok('lists/update-ctx', { lid: fromlid, a: items(250, 401) });
    const { lid, _cp } = await me.create('Copy', { fromlid });
    expect(_cp).toBe(true);
    await me.ok('lists/delete-list', { lid });
    expect(await me.ok('lists/restore', { lid })).toMatchObject({ cnt: 650, _cp: false });
    await service.runTasks();
    expect(episOf(await me.ok(`lists/fetch-list-with-contents?limit=1000`, { lid }))).toEqual(
      range(650).reverse(),
    );
  });

  test('for saving for later joins the present one, which clients make anew at once', async () => {
    const { lid } = (await me.ok('lists/sfl/create')).list;
    await me.ok('lists/sfl/add', { lid, items: [item(1, { qty: 5 }), item(2), item(3)] });
    await me.ok('lists/sfl/remove', { lid, items: [{ epi: 3 }] });
    await me.ok('lists/delete-list', { lid });
    const { lid: present } = (await me.ok('lists/sfl/create')).list;
    await me.ok('lists/sfl/add', { lid: present, items: [item(1, { qty: 9 })] });
    expect(await me.ok('lists/restore', { lid })).toMatchObject({ lid: present, cnt: 2 });
    const saved = await me.ok('lists/sfl/fetch');
    expect(saved.items.map(({ epi, qty }: { epi: number; qty: number }) => [epi, qty]).sort()).toEqual([
      [1, 9],
      [2, 1],
    ]);
    expect(await me.ok('lists/restore-items', { lid: present, epis: [3] })).toMatchObject({ cnt: 3 });
    expect(await me.failure(404, 'lists/restore', { lid })).toBe('list-not-found');
    await me.ok('lists/delete-list', { lid: present });
    expect(await me.ok('lists/restore', { lid: present })).toMatchObject({ lty: 'sfl', cnt: 3 });
    expect((await me.ok('lists/sfl/create')).list.lid).toBe(present);
  });
});

describe('deleted items', () => {
  test('come back to the place they had, as they were; the list moves on once', async () => {
    const before = await fullList();
    const { lid } = before.list;
    await remove(lid, 1, 2);
    const deleted = await me.ok('lists/fetch-deleted-items', { lid });
    const [third, second, first] = before.items;
    expect(deleted).toEqual([third, first]);
    const { version } = (await me.contents(lid)).list;
    const back = await me.ok('lists/restore-items', { lid, epis: [1, '2'] });
    expect(back).toMatchObject({ cnt: 3, itemcmnts: 1, version: version + 1 });
    expect(back.listcontents).toEqual([third, second, first]);
    expect((await me.contents(lid)).items).toEqual(before.items);
    expect(await me.ok('lists/fetch-deleted-items', { lid })).toEqual([]);
  });

  test('that the list has again stay as they are there, and nothing is doubled', async () => {
    const { lid } = await me.create('Mine');
    await me.add(lid, item(1, { qty: 3 }), item(2));
    await remove(lid, 1, 2);
    await me.add(lid, item(1, { qty: 7 }));
    expect(await me.ok('lists/fetch-deleted-items', { lid })).toMatchObject([{ epi: 2 }]);
    const back = await me.ok('lists/restore-items', { lid, epis: [1, 2, 2] });
    expect(back.listcontents).toMatchObject([
      { epi: 1, qty: 7 },
      { epi: 2, qty: 1 },
    ]);
    expect(await me.ok('lists/restore-items', { lid, epis: [1, 2] })).toEqual(back);
    // Deleted again, it is the last one that counts.
    await me.ok('lists/update-ctx', { lid, u: [{ epi: 1, qty: 8 }] });
    await remove(lid, 1);
    await me.ok('lists/restore-items', { lid, epis: [1] });
    expect((await me.contents(lid)).items).toMatchObject([{ epi: 1, qty: 8 }, { epi: 2 }]);
  });

  test('come back all or none: an unknown one is named, and nothing changes', async () => {
    const { lid } = await me.create('Mine');
    await me.add(lid, item(1), item(2));
    await remove(lid, 1);
    const before = await me.contents(lid);
    const { body } = await me.call('lists/restore-items', { lid, epis: [1, 'nothing', 2] }).expect(404);
    expect(body).toMatchObject({ type: 'item-not-found', msg: expect.stringContaining('nothing') });
    const stale = { lid, epis: [1], expectedVersion: before.list.version - 1 };
    expect(await me.failure(400, 'lists/restore-items', stale)).toBe('version-conflict');
    expect(await me.contents(lid)).toEqual(before);
    const fresh = { lid, epis: [1], expectedVersion: before.list.version };
    expect(await me.ok('lists/restore-items', fresh)).toMatchObject({ cnt: 2 });
  });

  test.each([
    ['no epis', {}, 'invalid-items'],
    ['epis that are no JSON', { epis: '[' }, 'invalid-items'],
    ['epis that are no array', { epis: { a: 1 } }, 'invalid-items'],
    ['an empty array', { epis: [] }, 'invalid-items'],
    ['an empty id', { epis: [''] }, 'invalid-items'],
    ['a null', { epis: [null] }, 'invalid-items'],
    ['501 of them', { epis: range(501) }, 'invalid-items'],
  ])('%s is refused', async (_what, fields, type) => {
    const { lid } = await me.create('Mine');
    await me.add(lid, item(1));
    await remove(lid, 1);
    const { body } = await me.call('lists/restore-items', { lid, ...fields }).expect(400);
    expect([body.type, body.msg]).toEqual([type, expect.stringContaining('epis')]);
    expect((await me.contents(lid)).items).toEqual([]);
  });

  test.each([
    ['lists/fetch-deleted', { limit: 'x' }, 'invalid-limit', 'limit'],
    ['lists/fetch-deleted', { limit: -1 }, 'invalid-limit', 'limit'],
    ['lists/fetch-deleted', { offset: 1.5 }, 'invalid-offset', 'offset'],
    ['lists/fetch-deleted-items', { limit: -1 }, 'invalid-limit', 'limit'],
    ['lists/fetch-deleted-items', { offset: 'x' }, 'invalid-offset', 'offset'],
    ['lists/restore', { lid: '' }, 'invalid-lid', 'lid'],
  ])('%s refuses %j', async (path, fields, type, name) => {
    const { lid } = await me.create('Mine');
    const { body } = await me.call(path, { lid, ...fields }).expect(400);
    expect([body.type, body.msg]).toEqual([type, expect.stringContaining(name)]);
  });

  test('GraphQL refuses a cursor that was made up, and negative numbers', async () => {
    const failures = async (query: string) =>
      (await me.graphql(query)).body.errors[0].extensions.type as string;
    expect(await failures('{ deletedLists(after: "x") { totalCount } }')).toBe('invalid-request');
    expect(await failures('{ deletedLists(first: -1) { totalCount } }')).toBe('invalid-limit');
  });

  test('what was moved, merged or put into the cart is not deleted', async () => {
    const [from, to] = [await me.create('From'), await me.create('To there')];
    await me.add(from.lid, item(1));
    await me.ok('lists/move-items', { fromlid: from.lid, tolid: to.lid, epis: [1] });
    const { lid } = (await me.ok('lists/sfl/create')).list;
    await me.ok('lists/sfl/add', { lid, items: [item(2)] });
    await me.ok('lists/sfl/moved-to-cart', { lid, items: [{ epi: 2 }] });
    for (const list of [from.lid, to.lid, lid])
      expect(await me.ok('lists/fetch-deleted-items', { lid: list })).toEqual([]);
    const guest = await newGuest(service, store);
    await guest.add((await guest.create('From')).lid, item(3));
    await sync(guest, (await me.contents(from.lid)).list.userinfo.em);
    expect(await deletedNames()).toEqual([]);
    expect(await me.failure(404, 'lists/restore-items', { lid: from.lid, epis: [1] })).toBe('item-not-found');
  });

  test('copies have no deleted items', async () => {
    const { lid } = await me.create('Mine');
    await me.add(lid, item(1), item(2));
    await remove(lid, 1);
    const copy = await me.create('Copy', { fromlid: lid });
    expect(await me.ok('lists/fetch-deleted-items', { lid: copy.lid })).toEqual([]);
  });
});

describe('a restore passes no limit', () => {
  test('beyond the number of lists, a deleted list stays deleted until there is room', async () => {
    const lids = [];
    for (const n of range(LIMITS.maxLists)) lids.push((await me.create(`List ${n}`)).lid);
    await me.ok('lists/delete-list', { lid: lids[0] });
    const { lid } = await me.create('One more');
    const { body } = await me.call('lists/restore', { lid: lids[0] }).expect(400);
    expect([body.type, body.msg]).toEqual(['limit-reached', expect.stringContaining('4 lists')]);
    expect(await deletedNames()).toEqual(['List 1']);
    await me.ok('lists/delete-list', { lid });
    await me.ok('lists/restore', { lid: lids[0] });
  });

  test('beyond the number of items, deleted items stay deleted until there is room', async () => {
    const { lid } = await me.create('Full');
    await me.ok('lists/update-ctx', { lid, a: items(400) });
    await me.ok('lists/update-ctx', { lid, a: items(300, 401) });
    await remove(lid, 1, 2);
    await me.add(lid, item(1_000));
    expect(await me.failure(400, 'lists/restore-items', { lid, epis: [1, 2] })).toBe('limit-reached');
    expect(await rowsOf(service, lid)).toMatchObject({ cnt: 699 });
    expect(await me.ok('lists/restore-items', { lid, epis: [2] })).toMatchObject({ cnt: 700 });
  });

  test('beyond the bytes of all lists, deleted lists and items stay deleted until there is room', async () => {
    const [one, two] = [await me.create('One list'), await me.create('Two list')];
    await me.add(one.lid, ...range(24).map(big));
    await me.ok('lists/delete-list', { lid: one.lid });
    await me.add(two.lid, ...range(24).map(big));
    expect(await me.failure(400, 'lists/restore', { lid: one.lid })).toBe('limit-reached');
    expect(await deletedNames()).toEqual(['One list']);
    await remove(two.lid, ...range(10));
    await me.ok('lists/restore', { lid: one.lid });
    expect(await me.failure(400, 'lists/restore-items', { lid: two.lid, epis: range(4) })).toBe(
      'limit-reached',
    );
    expect((await me.contents(two.lid)).list.cnt).toBe(14);
    await remove(one.lid, ...range(6));
    expect(await me.ok('lists/restore-items', { lid: two.lid, epis: range(4) })).toMatchObject({ cnt: 18 });
  });

  test("a full trash loses its oldest, so that adding and deleting cannot fill the disk, and nobody else's do", async () => {
    const other = await newAccount(service, store);
    const theirs = await other.create('Theirs');
    await other.add(theirs.lid, item(1));
    await other.ok('lists/update-ctx', { lid: theirs.lid, d: [{ epi: 1 }] });
    const { lid } = await me.create('Mine');
    for (const first of [1, 501, 1001]) {
      await me.ok('lists/update-ctx', { lid, a: items(500, first) });
      await me.ok('lists/update-ctx', { lid, d: range(500, first).map((epi) => ({ epi })) });
    }
    const left = await me.ok('lists/fetch-deleted-items', { lid, limit: 1_000 });
    expect(left).toHaveLength(1_000);
    expect(left.at(-1).epi).toBe(501);
    expect(await other.ok('lists/fetch-deleted-items', { lid: theirs.lid })).toHaveLength(1);
    // By bytes, the newest is always there.
    for (const n of range(3)) {
      const { lid: doomed } = await me.create(`Doomed ${n}`);
      await me.add(doomed, ...range(24).map(big));
      await me.ok('lists/delete-list', { lid: doomed });
    }
    expect(await deletedNames()).toEqual(['Doomed 3']);
  });
});

describe('the time for a restore', () => {
  test('ends after thirty days, and the worker empties the tables', async () => {
    const { lid } = await me.create('Mine');
    const { lid: doomed } = await me.create('Doomed');
    await me.add(lid, item(1));
    await me.add(doomed, item(2));
    const before = await trashOf();
    await remove(lid, 1);
    await me.ok('lists/delete-list', { lid: doomed });
    time = START + 30 * DAY_MS - 1_000;
    await service.runTasks();
    expect(await deletedNames()).toEqual(['Doomed']);
    time = START + 30 * DAY_MS + 1_000;
    expect(await deletedNames()).toEqual([]);
    expect(await me.ok('lists/fetch-deleted-items', { lid })).toEqual([]);
    expect(await me.failure(404, 'lists/restore', { lid: doomed })).toBe('list-not-found');
    expect(await me.failure(404, 'lists/restore-items', { lid, epis: [1] })).toBe('item-not-found');
    expect(await trashOf()).toEqual({ lists: before.lists + 1, items: before.items + 2 });
    time += 3_600_000;
    await service.runTasks();
    expect(await trashOf()).toEqual({ lists: 0, items: 0 });
  });

  test('is what the store says, at once and also for what was deleted before; 0 keeps none', async () => {
    const own = await service.createStore({ restoreDays: 7 });
    const client = await newAccount(service, own);
    const { lid } = await client.create('Mine');
    await client.add(lid, item(1), item(2));
    await client.ok('lists/update-ctx', { lid, d: [{ epi: 1 }] });
    time += 8 * DAY_MS;
    expect(await client.failure(404, 'lists/restore-items', { lid, epis: [1] })).toBe('item-not-found');
    const set = (restoreDays: number) =>
      service.graphql(
        'mutation ($n: Int) { updateStore(input: { restoreDays: $n }) { restoreDays } }',
        { n: restoreDays },
        { store: own },
      );
    expect((await set(365)).body.data.updateStore).toEqual({ restoreDays: 365 });
    await client.ok('lists/restore-items', { lid, epis: [1] });
    await set(0);
    await client.ok('lists/update-ctx', { lid, d: [{ epi: 1 }] });
    await client.ok('lists/delete-list', { lid });
    await set(30);
    expect(await deletedNames(client)).toEqual([]);
    expect(await client.failure(404, 'lists/restore', { lid })).toBe('list-not-found');
    for (const days of [-1, 366])
      expect((await set(days)).body.errors[0]).toMatchObject({
        message: expect.stringContaining('restoreDays'),
        extensions: { type: 'invalid-request' },
      });
  });
});

describe('whose they are', () => {
  test('at login, what a guest deleted goes to the account, from lists that moved and from lists that joined', async () => {
    const guest = await newGuest(service, store);
    const mine = await me.create('Shared name');
    const { em } = mine.userinfo;
    await me.add(mine.lid, item(9));
    const [joined, moved, gone] = [
      await guest.create('Shared name'),
      await guest.create('Other'),
      await guest.create('Gone'),
    ];
    for (const { lid } of [joined, moved, gone]) {
      await guest.add(lid, item(1, { qty: 4 }), item(2));
      await guest.ok('lists/update-ctx', { lid, d: [{ epi: 1 }] });
    }
    await guest.ok('lists/delete-list', { lid: gone.lid });
    await sync(guest, em);
    expect(await deletedNames()).toEqual(['Gone']);
    await me.ok('lists/restore', { lid: gone.lid });
    for (const lid of [mine.lid, moved.lid, gone.lid]) {
      await me.ok('lists/restore-items', { lid, epis: [1] });
      const { list, items: rows } = await me.contents(lid);
      expect(rows).toContainEqual(expect.objectContaining({ epi: 1, qty: 4, lid }));
      expect([list.uid, list.cby]).toEqual([mine.uid, em]);
    }
    // A guest that has nothing but trash is merged just so.
    const second = await newGuest(service, store);
    const { lid } = await second.create('Only deleted');
    await second.ok('lists/delete-list', { lid });
    await sync(second, em);
    expect(await deletedNames()).toEqual(['Only deleted']);
  });

  test('erasure empties the trash and takes the name off the lists of others; the export shows it', async () => {
    const { lid } = (await fullList()).list;
    const { lid: doomed } = await me.create('Doomed');
    const { em } = (await me.contents(lid)).list.userinfo;
    await me.add(doomed, item(5));
    await remove(lid, 2);
    await me.ok('lists/delete-list', { lid: doomed });
    const other = await newAccount(service, store);
    const forMe = (
      await service
        .post('/api/v3/lists/create', { regid: other.shopper.regid, lname: 'For you', cfor: em }, { store })
        .expect(200)
    ).body;
    await other.ok('lists/delete-list', { lid: forMe.lid });
    const exported = await service.post('/storeadmin/v3/user/export', { useremail: em }, { store });
    expect(exported.body.data).toMatchObject({
      lists: [{ lid, items: [{}, {}] }],
      deletedLists: [{ lid: doomed, lname: 'Doomed', items: [{ epi: '5' }] }],
      deletedItems: [{ lid, epi: '2' }],
      listsMadeFor: [{ lid: forMe.lid, cfor: em }],
    });
    const { body } = await erase(me);
    expect(body.data.eraseShopper.detail).toMatchObject({ lists: 1, deletedLists: 1 });
    expect(await me.failure(401, 'lists/restore', { lid: doomed })).toBe('bad-sessionid');
    me = await newAccount(service, store, em);
    expect(await deletedNames()).toEqual([]);
    expect(await me.failure(404, 'lists/restore', { lid: doomed })).toBe('list-not-found');
    expect((await other.ok('lists/restore', { lid: forMe.lid })).cfor).toBeNull();
    const { prisma } = service.services.db;
    expect(await prisma.deletedItem.count({ where: { pid: store.pid, lid: { in: [lid, doomed] } } })).toBe(0);
  });

  test("another shopper's, another store's and a stranger's restore finds nothing, and nothing changes", async () => {
    const { lid } = (await fullList()).list;
    const { lid: doomed } = (await fullList('Doomed')).list;
    await remove(lid, 1);
    await me.ok('lists/delete-list', { lid: doomed });
    const { em } = (await me.contents(lid)).list.userinfo;
    const strangers = [
      await newAccount(service, store),
      await newGuest(service, store),
      await newAccount(service, await service.createStore(), em),
    ];
    for (const stranger of strangers) {
      expect(await stranger.failure(404, 'lists/restore', { lid: doomed })).toBe('list-not-found');
      // The public list can be read by them, and nothing more.
      expect(await stranger.failure(404, 'lists/restore', { lid })).toBe('list-not-found');
      expect(await stranger.failure(404, 'lists/restore-items', { lid, epis: [1] })).toBe('list-not-found');
      expect(await stranger.failure(404, 'lists/fetch-deleted-items', { lid })).toBe('list-not-found');
      expect(await stranger.ok('lists/fetch-deleted')).toEqual([]);
    }
    const anonymous = await service.graphql(
      '{ deletedLists { totalCount } }',
      {},
      { headers: { 'x-pid': store.pid } },
    );
    expect(anonymous.body.errors[0].extensions.status).toBe(401);
    expect(await deletedNames()).toEqual(['Doomed']);
    expect((await me.contents(lid)).list.cnt).toBe(2);
    // The store itself can, for the shopper that it names.
    const { regid } = me.shopper;
    await service.post('/api/v3/lists/restore', { lid: doomed, regid }, { store }).expect(200);
    expect((await me.contents(doomed)).list.cnt).toBe(3);
  });
});

describe('those who are told', () => {
  test('figures of wishes equal the rows after deleting and restoring, and a day counts an item once', async () => {
    const own = await service.createStore();
    const client = await newAccount(service, own);
    const report = async () => {
      await service.runTasks();
      const query = '{ mostWishlisted { empi count } activity(days: 1) { adds } }';
      return (await service.graphql(query, {}, { store: own })).body.data;
    };
    const { lid } = await client.create('Mine');
    await client.add(lid, item(1), item(2));
    const before = await report();
    await client.ok('lists/update-ctx', { lid, d: [{ epi: 1 }] });
    await client.ok('lists/delete-list', { lid });
    expect((await report()).mostWishlisted).toEqual([]);
    await client.ok('lists/restore', { lid });
    await client.ok('lists/restore-items', { lid, epis: [1] });
    expect(await report()).toEqual(before);
    expect(before).toMatchObject({ mostWishlisted: [{ count: 2 }], activity: [{ adds: 2 }] });
  });

  test('webhooks hear that items are there again, once each', async () => {
    const own = await service.createStore();
    const client = await newAccount(service, own);
    const events = ['list.item.added', 'list.item.removed'];
    const hook =
      'mutation ($url: String!, $events: [String!]!) { saveWebhook(url: $url, events: $events) { secret } }';
    await service.graphql(hook, { url: `${service.url}/nowhere`, events }, { store: own }).expect(200);
    const { lid } = await client.create('Mine');
    await client.add(lid, item(1), item(2));
    await client.ok('lists/delete-list', { lid });
    await client.ok('lists/restore', { lid });
    await client.ok('lists/restore', { lid });
    await client.ok('lists/update-ctx', { lid, d: [{ epi: 2 }] });
    await client.ok('lists/restore-items', { lid, epis: [1, 2] });
    const told = await service.services.db.prisma.outboxMessage.findMany({
      where: { pid: own.pid },
      orderBy: { seq: 'asc' },
    });
    const balance = new Map<string, number>();
    for (const { kind, payload } of told) {
      const { epi } = (payload as { data: { epi: string } }).data;
      balance.set(epi, (balance.get(epi) ?? 0) + (kind === 'list.item.added' ? 1 : -1));
    }
    expect(Object.fromEntries(balance)).toEqual({ 1: 1, 2: 1 });
    expect(told).toHaveLength(8);
  });
});

describe('at once', () => {
  const settled = async (calls: Promise<{ status: number; body: { type?: string } }>[]) =>
    (await Promise.all(calls)).map(({ status, body }) => (status === 200 ? 'ok' : body.type));

  test('ten restores of one list and of one item double nothing', async () => {
    const before = await fullList();
    const { lid } = before.list;
    await me.ok('lists/delete-list', { lid });
    const answers = range(10).map(async () => me.call('lists/restore', { lid }));
    expect(new Set(await settled(answers))).toEqual(new Set(['ok']));
    await remove(lid, 1);
    const again = range(10).map(async () => me.call('lists/restore-items', { lid, epis: [1] }));
    expect(new Set(await settled(again))).toEqual(new Set(['ok']));
    expect((await me.contents(lid)).items).toEqual(before.items);
    expect(await rowsOf(service, lid)).toMatchObject({ cnt: 3, itemcmnts: 1 });
  });

  test('restores beside creations never pass the limit of lists', async () => {
    const lids = [];
    for (const n of range(3)) {
      const { lid } = await me.create(`Doomed ${n}`);
      await me.ok('lists/delete-list', { lid });
      lids.push(lid);
    }
    const calls = [
      ...lids.map(async (lid) => me.call('lists/restore', { lid })),
      ...range(5).map(async (n) => me.call('lists/create', { lname: `New ${n}` })),
    ];
    const answers = await settled(calls);
    expect(answers.filter((answer) => answer === 'ok')).toHaveLength(LIMITS.maxLists);
    expect(answers.filter((answer) => answer === 'limit-reached')).toHaveLength(8 - LIMITS.maxLists);
    const there = (await me.ok('lists/fetch-lists')).length;
    expect([there, (await deletedNames()).length]).toEqual([
      LIMITS.maxLists,
      3 - answers.slice(0, 3).filter((answer) => answer === 'ok').length,
    ]);
  });

  test('a list that is restored beside a login is the account’s afterwards, there or deleted, and once', async () => {
    const { em } = (await me.create('Mine')).userinfo;
    for (const n of range(4)) {
      const guest = await newGuest(service, store);
      const { lid } = await guest.create(`Guest ${n}`);
      await guest.add(lid, item(1), item(2));
      await guest.ok('lists/delete-list', { lid });
      const [answer] = await Promise.all([guest.call('lists/restore', { lid }), sync(guest, em)]);
      expect([200, 401, 404]).toContain(answer.status);
      const names = await deletedNames();
      if (names.includes(`Guest ${n}`)) await me.ok('lists/restore', { lid });
      expect(await me.contents(lid)).toMatchObject({ list: { cnt: 2, uid: expect.any(String) } });
      expect(await createClient(service, me.shopper).ok('lists/fetch-deleted')).toEqual([]);
      await me.ok('lists/delete-list', { lid });
      time += 31 * DAY_MS;
    }
  });

  test('beside an erasure, nothing of a restored or deleted list is left', async () => {
    for (const n of range(4)) {
      const shopper = await newAccount(service, store);
      const [gone, there] = [await shopper.create('Gone'), await shopper.create('There')];
      await shopper.add(gone.lid, item(1));
      await shopper.add(there.lid, item(1), item(2));
      await shopper.ok('lists/delete-list', { lid: gone.lid });
      await Promise.all([
        shopper.call('lists/restore', { lid: gone.lid }),
        shopper.call('lists/update-ctx', { lid: there.lid, d: [{ epi: 1 }] }),
        n % 2 ? shopper.call('lists/delete-list', { lid: there.lid }) : null,
        erase(shopper),
      ]);
      const where = { pid: store.pid, lid: { in: [gone.lid, there.lid] } };
      const { list, item: rows, deletedList, deletedItem } = service.services.db.prisma;
      const left = [list.count({ where }), rows.count({ where }), deletedList.count({ where })];
      expect(await Promise.all([...left, deletedItem.count({ where })])).toEqual([0, 0, 0, 0]);
    }
  });
});
