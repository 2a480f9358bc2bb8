import { useService, useStore } from '../harness.ts';
import type { Fields } from '../harness.ts';
import { createClient, item, newAccount, newGuest, rowsOf, useAccount } from './list-kit.ts';

const service = useService();
const store = useStore(service, { customItems: true });
const owner = useAccount(service, store);

/** Calls that name a list, with everything else they need. */
const LIST_CALLS: [string, Fields][] = [
  ['lists/update', { lname: 'Stolen' }],
  ['lists/delete-list', {}],
  ['lists/update-ctx', { a: [item(2)], d: [{ epi: 1 }] }],
  ['lists/fetch-user-list', {}],
  ['lists/fetch-list-with-contents', {}],
  ['lists/markPublic', {}],
  ['lists/markPrivate', {}],
  ['lists/markArchived', {}],
  ['lists/markUnarchived', {}],
  ['lists/emailList', { toemail: 'friend@example.com' }],
  ['lists/reportShare', { medium: 'link' }],
  ['lists/sfl/add', { items: [item(2)] }],
  ['lists/sfl/remove', { items: [{ epi: 1 }] }],
  ['lists/sfl/update', { items: [{ epi: 1, qty: 9 }] }],
  ['lists/sfl/moved-to-cart', { items: [{ epi: 1 }] }],
  ['lists/restore-items', { epis: [1] }],
  ['lists/fetch-deleted-items', {}],
];

const OTHER_CALLS: [string, Fields][] = [
  ['lists/create', { lname: 'Anything' }],
  ['lists/fetch-lists', {}],
  ['lists/fetch-user-lists', {}],
  ['lists/sfl/create', {}],
  ['lists/sfl/fetch', {}],
  ['lists/is-in-lists', { epis: [1] }],
  ['lists/move-items', { fromlid: 'any', tolid: 'other', epis: [1] }],
  ['lists/copy-items', { fromlid: 'any', tolid: 'other', epis: [1] }],
  ['lists/restore', { lid: 'any' }],
  ['lists/fetch-deleted', {}],
  ['product/wishlist/social-count', { empi: 900 }],
];

/** They show public lists to everybody, so that a private one is not there for who sends no regid. */
const ANONYMOUS_READS = new Set(['lists/fetch-user-list', 'lists/fetch-list-with-contents']);

/** Without a lid the shopper's newest list is meant: clients report a share before they know one. */
const OPTIONAL_LID = new Set(['lists/reportShare']);

let names = 0;
async function privateList(path: string): Promise<string> {
  const { lid } = path.includes('/sfl/')
    ? (await owner.ok('lists/sfl/create')).list
    : await owner.create(`Mine ${(names += 1)}`);
  await owner.add(lid, item(1, { note: 'secret' }));
  return lid;
}

async function stateOf(lid: string) {
  const { list, items } = await owner.contents(lid);
  return { list, items, rows: await rowsOf(service, lid) };
}

describe.each(LIST_CALLS)('%s', (path, fields) => {
  test("another shopper's private list is reported missing and survives", async () => {
    const lid = await privateList(path);
    const before = await stateOf(lid);
    const stranger = await newAccount(service, store);
    expect(await stranger.failure(404, path, { lid, ...fields })).toBe('list-not-found');
    expect(await stateOf(lid)).toEqual(before);
  });

  test("another store's list is reported missing and survives, public or not", async () => {
    const lid = await privateList(path);
    await owner.ok('lists/markPublic', { lid });
    const before = await stateOf(lid);
    const stranger = await newAccount(service, await service.createStore());
    expect(await stranger.failure(404, path, { lid, ...fields })).toBe('list-not-found');
    const sameMail = await newAccount(service, await service.createStore(), before.list.userinfo.em);
    expect(await sameMail.failure(404, path, { lid, ...fields })).toBe('list-not-found');
    expect(await stateOf(lid)).toEqual(before);
  });

  test('a deleted list is reported missing', async () => {
    const { lid } = await owner.create(`Doomed ${(names += 1)}`);
    await owner.ok('lists/delete-list', { lid });
    expect(await owner.failure(404, path, { lid, ...fields })).toBe('list-not-found');
  });

  test('a missing or empty lid is invalid-lid, an impossible one is reported missing', async () => {
    if (!OPTIONAL_LID.has(path)) {
      expect(await owner.failure(400, path, fields)).toBe('invalid-lid');
      expect(await owner.failure(400, path, { ...fields, lid: '' })).toBe('invalid-lid');
      expect(await owner.failure(400, path, { ...fields, lid: '  ' })).toBe('invalid-lid');
    }
    expect(await owner.failure(404, path, { ...fields, lid: 'a\u0000b' })).toBe('list-not-found');
    expect(await owner.failure(404, path, { ...fields, lid: 'x'.repeat(5_000) })).toBe('list-not-found');
    expect(await owner.failure(404, path, { ...fields, lid: "' OR 1=1 --" })).toBe('list-not-found');
  });
});

describe.each([...LIST_CALLS, ...OTHER_CALLS])('%s', (path, fields) => {
  test('needs a valid session', async () => {
    const lid =
      'lid' in fields || LIST_CALLS.some(([known]) => known === path) ? await privateList(path) : undefined;
    const { shopper } = owner;
    const sent = { lid, ...fields };
    const wrong = createClient(service, { ...shopper, sessionid: 'x'.repeat(51) });
    expect(await wrong.failure(401, path, sent)).toBe('bad-sessionid');
    const other = createClient(service, { ...shopper, sessionid: (await service.account(store)).sessionid });
    expect(await other.failure(401, path, sent)).toBe('bad-sessionid');
    const unknown = createClient(service, { ...shopper, regid: 'nobody' });
    expect(await unknown.failure(401, path, sent)).toBe('sw-badregid');
    const nobody = await service.post(`/api/v3/${path}?pid=${encodeURIComponent(store.pid)}`, sent);
    // The count of a product is the store's, not a shopper's.
    if (path === 'product/wishlist/social-count') expect(nobody.status).toBe(200);
    else
      expect([nobody.status, nobody.body.type]).toEqual(
        ANONYMOUS_READS.has(path) ? [404, 'list-not-found'] : [401, 'sw-badregid'],
      );
    const nowhere = await service.post(`/api/v3/${path}?pid=nothing`, {
      ...sent,
      ...shopper,
      pid: undefined,
    });
    expect([nowhere.status, nowhere.body.type]).toEqual([401, 'unauthorised']);
  });
});

test('emailList is for accounts only', async () => {
  const guest = await newGuest(service, store);
  const { lid } = await guest.create('Guest list');
  const fields = { lid, toemail: 'friend@example.com' };
  expect(await guest.failure(403, 'lists/emailList', fields)).toBe('login-required');
  expect((await guest.contents(lid)).list.anonRead).toBe(false);
});

test('GraphQL guards the same lists: writes fail alike, and a read is null', async () => {
  const lid = await privateList('lists/update');
  const stranger = await newAccount(service, store);
  const query = `mutation ($lid: ID!) {
    updateList(lid: $lid, input: { lname: "Stolen" }) { lid }
  }`;
  const { body } = await stranger.graphql(query, { lid });
  expect(body.errors[0].extensions).toMatchObject({ type: 'list-not-found', status: 404, code: 'NOT_FOUND' });
  const anonymous = await service.graphql(query, { lid });
  expect(anonymous.body.errors[0].extensions).toMatchObject({ type: 'unauthorised', status: 401 });
  const read = await stranger.graphql('query ($lid: ID!) { list(lid: $lid) { lname } }', { lid });
  expect(read.body).toEqual({ data: { list: null } });
});

test.each([
  ['moveItems', 'as the source'],
  ['copyItems', 'as the source'],
  ['moveItems', 'as the target'],
  ['copyItems', 'as the target'],
])('%s takes no private list of another shopper %s', async (mutation, role) => {
  const lid = await privateList('lists/update');
  const stranger = await newAccount(service, store);
  const own = await stranger.create('Own');
  await stranger.add(own.lid, item(1));
  const [fromlid, tolid] = role === 'as the source' ? [lid, own.lid] : [own.lid, lid];
  const before = await stateOf(lid);
  const { body } = await stranger.graphql(
    `mutation ($fromlid: ID!, $tolid: ID!) { ${mutation}(fromlid: $fromlid, tolid: $tolid, epis: [1]) { items { epi } } }`,
    { fromlid, tolid },
  );
  expect(body.errors[0].extensions.type).toBe('list-not-found');
  const path = `lists/${mutation.replace('I', '-i')}`;
  expect(await stranger.failure(404, path, { fromlid, tolid, epis: [1] })).toBe('list-not-found');
  expect(await stateOf(lid)).toEqual(before);
});

test.each(['move-items', 'copy-items'])('%s takes no list of another store, public or not', async (path) => {
  const lid = await privateList('lists/update');
  await owner.ok('lists/markPublic', { lid });
  const stranger = await newAccount(service, await service.createStore());
  const own = await stranger.create('Own');
  await stranger.add(own.lid, item(1));
  const before = await stateOf(lid);
  for (const lids of [
    { fromlid: lid, tolid: own.lid },
    { fromlid: own.lid, tolid: lid },
  ])
    expect(await stranger.failure(404, `lists/${path}`, { ...lids, epis: [1] })).toBe('list-not-found');
  expect(await stateOf(lid)).toEqual(before);
  expect((await rowsOf(service, own.lid))!.epis).toEqual(['1']);
});

test('a store key acts for the shopper it names, and only in its own store', async () => {
  const lid = await privateList('lists/update');
  const { shopper } = owner;
  const { body } = await service
    .post('/api/v3/lists/update', { lid, regid: shopper.regid, lname: 'By the store' }, { store })
    .expect(200);
  expect(body.lname).toBe('By the store');
  const foreign = await service.createStore();
  await service
    .post('/api/v3/lists/update', { lid, regid: shopper.regid, lname: 'Stolen' }, { store: foreign })
    .expect(401);
  expect((await owner.contents(lid)).list.lname).toBe('By the store');
});
