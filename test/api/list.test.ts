import { useService, useStore } from '../harness.ts';
import { item, newAccount, newGuest, rowsOf, useNewAccount } from './list-kit.ts';

const service = useService({ maxLists: 40, maxItems: 600 });
const store = useStore(service, { listTypes: ['registry'] });
const me = useNewAccount(service, store);

async function listCount(): Promise<number> {
  const rows = await service.services.db.query('SELECT 1 FROM list WHERE regid = $1', [me.shopper.regid]);
  return rows.length;
}

describe('create', () => {
  test('makes an empty, private, active wishlist of the account', async () => {
    const account = await newAccount(service, store, 'ann@example.com');
    const list = await account.create('Birthday', {
      lnote: 'for May',
      lprops: { theme: 'red' },
      cprops: { x: 1 },
      ldesc: { en: 'hi' },
    });
    expect(list).toMatchObject({
      lname: 'Birthday',
      lty: null,
      lnote: 'for May',
      lprops: { theme: 'red' },
      cprops: { x: 1 },
      ldesc: { en: 'hi' },
      anonRead: false,
      cnt: 0,
      itemcmnts: 0,
      _cp: false,
      st: 1,
      cby: 'ann@example.com',
      uby: 'ann@example.com',
      cfor: null,
      listcontents: [],
      pid: store.pid,
      userinfo: { em: 'ann@example.com' },
    });
    expect(list.lid).toMatch(/^[\w-]{22,}$/);
    expect(list.cts).toBe(list.uts);
    expect(Buffer.from(list.lhash, 'base64')).toHaveLength(32);
  });

  test('di and uid reveal neither regid nor e-mail nor session', async () => {
    const { di, uid } = await me.create('Secrets');
    for (const id of [di, uid]) {
      expect(id).not.toBe('');
      for (const secret of [me.shopper.regid, me.shopper.sessionid]) expect(secret).not.toContain(id);
    }
  });

  test("a guest's list names nobody: its userinfo is null, by which clients know what to merge at login", async () => {
    const guest = await newGuest(service, store);
    const list = await guest.create('Guest list');
    expect(list).toMatchObject({ cby: null, uby: null, userinfo: null });
    expect(await guest.ok('lists/fetch-lists')).toMatchObject([{ userinfo: null }]);
    expect(await guest.contents(list.lid)).toMatchObject({ userinfo: null, list: { userinfo: null } });
    expect(await guest.ok('lists/sfl/create')).toMatchObject({ userinfo: null, list: { userinfo: null } });
  });

  test.each([
    ['3 characters', 'abc'],
    ['50 characters', 'x'.repeat(50)],
    ['3 emoji', '🎁🎂🎈'],
    ['50 emoji', '🎁'.repeat(50)],
    ['combining marks that compose', 'e\u0301'.repeat(3)],
    ['markup', '<b>"\'&'],
  ])('takes a name of %s', async (_what, lname) => {
    expect((await me.create(lname)).lname).toBe(lname.normalize('NFC'));
  });

  test('trims the name', async () => {
    expect((await me.create('  Trimmed  ')).lname).toBe('Trimmed');
  });

  test.each([
    ['nothing', undefined],
    ['2 characters', 'ab'],
    ['51 characters', 'x'.repeat(51)],
    ['51 emoji', '🎁'.repeat(51)],
    ['2 composed characters', 'e\u0301e\u0301'],
    ['spaces', '      '],
    ['2 characters in spaces', '   ab   '],
    ['a line break', 'two\nlines'],
    ['a control character', 'bell\u0007bell'],
    ['NUL', 'nul\u0000nul'],
  ])('refuses a name of %s', async (_what, lname) => {
    expect(await me.failure(400, 'lists/create', { lname })).toBe('invalid-lname');
    expect(await listCount()).toBe(0);
  });

  test('a name is unique over all types, case-sensitive, after trimming and composing', async () => {
    await me.create('Caf\u00e9');
    for (const fields of [
      { lname: 'Caf\u00e9' },
      { lname: ' Cafe\u0301 ' },
      { lname: 'Caf\u00e9', lty: 'registry' },
      { lname: 'Caf\u00e9', lty: 'sfl' },
    ]) {
      expect(await me.failure(400, 'lists/create', fields)).toBe('duplicate-lname');
    }
    await me.create('caf\u00e9');
    expect(await listCount()).toBe(2);
  });

  test('two shoppers may use one name', async () => {
    await me.create('Shared name');
    await (await newAccount(service, store)).create('Shared name');
  });

  test('20 parallel creations of one name make one list', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => me.call('lists/create', { lname: 'Raced' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 400),
    ]);
    expect(await listCount()).toBe(1);
  });

  test('types are wl, sfl and those that the store has configured', async () => {
    expect((await me.create('One one', { lty: 'wl' })).lty).toBe('wl');
    expect((await me.create('Two two', { lty: 'registry' })).lty).toBe('registry');
    for (const lty of ['persistentcart', '_recommends', 'WL', 'x'.repeat(500)]) {
      expect(await me.failure(400, 'lists/create', { lname: 'Three', lty })).toBe('invalid-lty');
    }
  });

  test('a save-for-later list is made once: created again, the one there is is answered', async () => {
    const first = await me.create('Later', { lty: 'sfl' });
    const again = await me.create('Another later', { lty: 'sfl' });
    expect(again).toEqual(first);
    expect((await me.ok('lists/sfl/create')).list.lid).toBe(first.lid);
    expect(await listCount()).toBe(1);
  });

  test.each([
    ['a line break', 'two\nlines'],
    ['1,001 characters', 'x'.repeat(1_001)],
  ])('refuses a note of %s', async (_what, lnote) => {
    expect(await me.failure(400, 'lists/create', { lname: 'Noted', lnote })).toBe('invalid-lnote');
    expect(await listCount()).toBe(0);
  });

  const deep = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

  test.each([
    ['no JSON', '{oops'],
    ['an array', '[1]'],
    ['a text', '"x"'],
    ['a number', '1'],
    ['17 levels', deep(17)],
    ['100,000 levels', deep(100_000)],
    ['more than 32 kB', JSON.stringify({ a: 'x'.repeat(33_000) })],
    ['a number that the database writes with 309 digits', '{"a":[1e308]}'],
    ['a number that it writes with 300 zeros', '{"a":1e-300}'],
    ['NUL in a value', '{"a":"\\u0000"}'],
    ['NUL in a key', '{"\\u0000":1}'],
    ['half a surrogate pair', '{"a":["\\ud800"]}'],
  ])('refuses lprops, cprops and ldesc that are %s', async (what, json) => {
    // A text is a description.
    for (const field of what === 'a text' ? ['lprops', 'cprops'] : ['lprops', 'cprops', 'ldesc']) {
      expect(await me.failure(400, 'lists/create', { lname: 'Props', [field]: json })).toBe('invalid-lprops');
    }
    expect(await listCount()).toBe(0);
  });

  test('lprops of 16 levels and odd keys come back as sent', async () => {
    const lprops = {
      ...(JSON.parse(deep(15)) as object),
      __proto__x: 1,
      constructor: 'c',
      'a.b': [null, true, { '': 0 }],
    };
    expect((await me.create('Deep', { lprops })).lprops).toEqual(lprops);
  });

  test('cfor counts with a store key only', async () => {
    expect((await me.create('Mine', { cfor: 'ann@example.com' })).cfor).toBeNull();
    const { regid } = me.shopper;
    const create = (cfor: string) =>
      service.post('/api/v3/lists/create', { lname: `For ${cfor}`, cfor, regid }, { store });
    expect((await create('Ann@Example.com').expect(200)).body.cfor).toBe('ann@example.com');
    expect((await create('nobody').expect(400)).body).toMatchObject({
      type: 'invalid-useremail',
      msg: 'cfor must be an email address',
    });
  });

  test('the 41st of at most 40 lists is refused', async () => {
    for (let index = 0; index < 40; index += 1) await me.create(`List ${index}`);
    expect(await me.failure(400, 'lists/create', { lname: 'One more' })).toBe('limit-reached');
    expect(await me.failure(400, 'lists/sfl/create', {})).toBe('limit-reached');
    expect(await listCount()).toBe(40);
  });

  test('fromlid copies the items of an own list', async () => {
    const { lid } = await me.create('Source');
    await me.add(
      lid,
      item(1, { note: 'n', qty: 3, lbls: ['Hall'], cprops: { k: 1 } }),
      item('b', { dt: 'Lamp' }),
    );
    const copy = await me.create('Copy', { fromlid: lid });
    expect(copy).toMatchObject({ cnt: 2, itemcmnts: 1, _cp: false });
    const strip = ({ epi, empi, du, qty, note, lbls, cprops, dt }: Record<string, unknown>) => ({
      epi,
      empi,
      du,
      qty,
      note,
      lbls,
      cprops,
      dt,
    });
    expect(copy.listcontents.map(strip)).toEqual((await me.contents(lid)).items.map(strip));
    expect(new Set([...copy.listcontents, ...(await me.contents(lid)).items].map(({ id }) => id)).size).toBe(
      4,
    );
  });

  test("fromlid copies another shopper's public list, and no private one", async () => {
    const stranger = await newAccount(service, store);
    const { lid } = await stranger.create('Source');
    await stranger.add(lid, item(1));
    expect(await me.failure(404, 'lists/create', { lname: 'Copy', fromlid: lid })).toBe('list-not-found');
    expect(await listCount()).toBe(0);
    await stranger.ok('lists/markPublic', { lid });
    expect((await me.create('Copy', { fromlid: lid })).cnt).toBe(1);
  });
});

describe('update', () => {
  test('changes what was sent and nothing else', async () => {
    const list = await me.create('Before', { lnote: 'note', lprops: { a: 1 } });
    const updated = await me.ok('lists/update', { lid: list.lid, lname: 'After' });
    const { uts, lhash } = updated;
    expect(updated).toEqual({ ...list, lname: 'After', uts, lhash, version: list.version + 1 });
    expect(updated.lhash).not.toBe(list.lhash);
    expect(
      await me.ok('lists/update', { lid: list.lid, lnote: ' ', lprops: {}, ldesc: { d: 1 } }),
    ).toMatchObject({
      lname: 'After',
      lnote: null,
      lprops: {},
      ldesc: { d: 1 },
    });
  });

  test('a name need not be unique here, but keeps its length', async () => {
    await me.create('Taken');
    const { lid } = await me.create('Free');
    expect((await me.ok('lists/update', { lid, lname: 'Taken' })).lname).toBe('Taken');
    for (const lname of ['ab', 'x'.repeat(51), 'a\nbcd']) {
      expect(await me.failure(400, 'lists/update', { lid, lname })).toBe('invalid-lname');
    }
    expect(await me.failure(400, 'lists/update', { lid, lnote: 'a\r\nb' })).toBe('invalid-lnote');
    expect(await me.failure(400, 'lists/update', { lid, lprops: '[]' })).toBe('invalid-lprops');
    expect((await me.contents(lid)).list.lname).toBe('Taken');
  });
});

describe('delete', () => {
  test('removes the list with all its items in one call', async () => {
    const { lid } = await me.create('Doomed');
    await me.add(lid, ...Array.from({ length: 12 }, (_, index) => item(index)));
    const deleted = await me.ok('lists/delete-list', { lid });
    expect(deleted).toMatchObject({ lid, st: 1, cnt: 12 });
    expect(deleted.listcontents).toHaveLength(10);
    expect(await rowsOf(service, lid)).toBeNull();
    expect(await service.services.db.query('SELECT 1 FROM item WHERE lid = $1', [lid])).toHaveLength(0);
  });

  test('limit and offset page the returned items', async () => {
    const { lid } = await me.create('Doomed');
    await me.add(lid, item(1), item(2), item(3), item(4));
    const { body } = await me.call('lists/delete-list?limit=2&offset=1', { lid }).expect(200);
    expect(body.listcontents.map(({ epi }: { epi: number }) => epi)).toEqual([3, 2]);
  });

  const MAX_INT64 = '9223372036854775807';

  test.each([
    ['limit=5000', 2],
    [`limit=${MAX_INT64}`, 2],
    [`limit=${MAX_INT64}00000`, 2],
    ['limit=0', 0],
    [`offset=${MAX_INT64}`, 0],
    [`offset=${MAX_INT64}00000`, 0],
  ])('%s is a whole number like any other: the list is deleted and shows %i items', async (query, shown) => {
    const { lid } = await me.create('Doomed');
    await me.add(lid, item(1), item(2));
    const read = (await me.call(`lists/fetch-list-with-contents?${query}`, { lid }).expect(200)).body;
    expect(read.items).toHaveLength(shown);
    const { body } = await me.call(`lists/delete-list?${query}`, { lid }).expect(200);
    expect(body).toMatchObject({ lid, cnt: 2 });
    expect(body.listcontents).toHaveLength(shown);
    expect(await rowsOf(service, lid)).toBeNull();
  });

  test('a limit above the maximum is cut to it, and the page says so', async () => {
    const { lid } = await me.create('Long');
    await me.add(lid, item(1));
    const { pagination } = (await me.call('lists/fetch-list-with-contents?limit=5000', { lid })).body;
    expect(pagination).toEqual({ totalcount: 1, next: null, limit: 1_000 });
  });

  test.each([
    ['limit', -1, 'invalid-limit'],
    ['limit', '-99999999999999', 'invalid-limit'],
    ['limit', 'ten', 'invalid-limit'],
    ['limit', '1.5', 'invalid-limit'],
    ['offset', -1, 'invalid-offset'],
    ['offset', '1.5', 'invalid-offset'],
    ['offset', 'x', 'invalid-offset'],
  ])('%s=%s is refused and the list survives', async (field, value, type) => {
    const { lid } = await me.create('Safe');
    for (const path of ['lists/delete-list', 'lists/fetch-list-with-contents']) {
      expect(await me.failure(400, `${path}?${field}=${value}`, { lid })).toBe(type);
    }
    expect(await rowsOf(service, lid)).not.toBeNull();
  });
});

describe('state', () => {
  test('an archived list leaves fetch-lists, stays in fetch-user-lists, and comes back', async () => {
    const { lid } = await me.create('Old');
    expect((await me.ok('lists/markArchived', { lid })).st).toBe(0);
    expect(await me.ok('lists/fetch-lists')).toEqual([]);
    expect((await me.ok('lists/fetch-user-lists')).data.map(({ st }: { st: number }) => st)).toEqual([0]);
    expect((await me.contents(lid)).list.st).toBe(0);
    expect((await me.ok('lists/markUnarchived', { lid })).st).toBe(1);
    expect(await me.ok('lists/fetch-lists')).toHaveLength(1);
  });

  test('markPublic and markPrivate open and close a list to others', async () => {
    const { lid } = await me.create('Open');
    const stranger = await newGuest(service, store);
    expect((await me.ok('lists/markPublic', { lid })).anonRead).toBe(true);
    expect((await stranger.contents(lid)).list.lid).toBe(lid);
    expect((await me.ok('lists/markPrivate', { lid })).anonRead).toBe(false);
    expect(await stranger.failure(404, 'lists/fetch-list-with-contents', { lid })).toBe('list-not-found');
  });
});

describe("a guest's list", () => {
  const SET = 'mutation ($lid: ID!, $on: Boolean!) { setListPublic(lid: $lid, anonRead: $on) { anonRead } }';

  test('can be made public and private again by its guest, over REST and GraphQL, and by nobody else', async () => {
    const guest = await newGuest(service, store);
    const { lid } = await guest.create('Of a guest');
    await guest.add(lid, item(1));
    expect((await guest.ok('lists/markPublic', { lid })).anonRead).toBe(true);
    const neighbour = await newGuest(service, store);
    expect((await neighbour.contents(lid)).items).toHaveLength(1);
    expect(await neighbour.failure(404, 'lists/markPrivate', { lid })).toBe('list-not-found');
    expect((await guest.ok('lists/markPrivate', { lid })).anonRead).toBe(false);
    expect(await neighbour.failure(404, 'lists/fetch-list-with-contents', { lid })).toBe('list-not-found');
    for (const on of [true, false])
      expect((await guest.graphql(SET, { lid, on })).body.data.setListPublic.anonRead).toBe(on);
  });

  test('that is public names nobody and no device', async () => {
    const guest = await newGuest(service, store);
    const { lid, di, uid } = await guest.create('Of a guest');
    await guest.add(lid, item(1));
    await guest.ok('lists/markPublic', { lid });
    const seen = await (await newGuest(service, store)).contents(lid);
    expect(seen.list).toMatchObject({ cby: null, uby: null, cfor: null, di: '', uid: '' });
    expect(seen.items[0]).toMatchObject({ di: '', uby: null });
    for (const secret of [di, uid, guest.shopper.regid]) expect(JSON.stringify(seen)).not.toContain(secret);
  });

  test('that is public stays public where it moves into an account whole; one that is joined becomes what the account has', async () => {
    const [guest, account] = [await newGuest(service, store), await newAccount(service, store)];
    const [moved, joined] = [await guest.create('Moved'), await guest.create('Joined')];
    const own = await account.create('Joined');
    await guest.add(joined.lid, item(1));
    for (const { lid } of [moved, joined]) await guest.ok('lists/markPublic', { lid });
    const { em } = own.userinfo;
    const login = { regid: guest.shopper.regid, useremail: em, useragenttype: 'web' };
    await service.post('/storeadmin/v3/user/guest-validate-sync', login, { store }).expect(200);
    expect((await account.contents(moved.lid)).list.anonRead).toBe(true);
    expect((await account.contents(own.lid)).list).toMatchObject({ anonRead: false, cnt: 1 });
    // The old lid names the joined list: for the account, and for nobody else while that is private.
    expect((await account.contents(joined.lid)).list).toMatchObject({ lid: own.lid, anonRead: false });
    const reader = await newGuest(service, store);
    expect(await reader.failure(404, 'lists/fetch-list-with-contents', { lid: joined.lid })).toBe(
      'list-not-found',
    );
  });
});

describe('expectedVersion', () => {
  const UPDATE = `mutation ($lid: ID!, $lname: String!, $v: Int) { updateList(lid: $lid, input: { lname: $lname }, expectedVersion: $v) { lname version } }`;

  test('a write for an older version is refused and changes nothing', async () => {
    const { lid } = await me.create('Versioned');
    const version = (await me.graphql('query ($lid: ID!) { list(lid: $lid) { version } }', { lid })).body.data
      .list.version;
    expect((await me.graphql(UPDATE, { lid, lname: 'First', v: version })).body.data.updateList).toEqual({
      lname: 'First',
      version: version + 1,
    });
    const late = (await me.graphql(UPDATE, { lid, lname: 'Second', v: version })).body;
    expect(late.errors[0].extensions).toMatchObject({ type: 'version-conflict', status: 400 });
    expect((await me.contents(lid)).list.lname).toBe('First');
  });

  test('of 10 parallel writes for one version one wins', async () => {
    const { lid } = await me.create('Contended');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => me.graphql(UPDATE, { lid, lname: `Name ${index}`, v: 1 })),
    );
    const winners = answers.filter(({ body }) => !body.errors);
    expect(winners).toHaveLength(1);
    expect((await me.contents(lid)).list.lname).toBe(winners[0]!.body.data.updateList.lname);
  });

  test.each([
    [
      'updateListContents',
      `updateListContents(lid: $lid, a: [{ epi: 9, empi: 9, du: "/p" }], expectedVersion: 99) { cnt }`,
    ],
    ['deleteList', `deleteList(lid: $lid, expectedVersion: 99) { lid }`],
    ['setListPublic', `setListPublic(lid: $lid, anonRead: true, expectedVersion: 99) { lid }`],
    ['setListArchived', `setListArchived(lid: $lid, isArchived: true, expectedVersion: 99) { lid }`],
  ])('%s refuses a version that is not the present one', async (_name, field) => {
    const list = await me.create('Guarded');
    const { body } = await me.graphql(`mutation ($lid: ID!) { ${field} }`, { lid: list.lid });
    expect(body.errors[0].extensions.type).toBe('version-conflict');
    expect((await me.contents(list.lid)).list).toEqual(list);
  });

  test.each([
    ['update', { lname: 'Other' }],
    ['delete-list', {}],
    ['update-ctx', { a: [item(9)] }],
    ['markPublic', {}],
    ['markPrivate', {}],
    ['markArchived', {}],
    ['markUnarchived', {}],
    ['sfl/add', { items: [item(9)] }],
    ['sfl/remove', { items: [{ epi: 1 }] }],
    ['sfl/update', { items: [{ epi: 1, qty: 2 }] }],
    ['sfl/moved-to-cart', { items: [{ epi: 1 }] }],
  ])(
    'lists/%s refuses an older version over REST, and takes the one that the record shows',
    async (path, fields) => {
      const list = path.startsWith('sfl/')
        ? (await me.ok('lists/sfl/create')).list
        : await me.create(`REST ${path}`);
      await me.add(list.lid, item(1));
      const before = (await me.contents(list.lid)).list;
      const send = (expectedVersion: string | number) =>
        me.call(`lists/${path}`, { lid: list.lid, ...fields, expectedVersion });
      expect((await send(before.version - 1).expect(400)).body.type).toBe('version-conflict');
      expect((await send('new').expect(400)).body).toMatchObject({
        type: 'invalid-request',
        msg: expect.stringContaining('expectedVersion'),
      });
      expect((await me.contents(list.lid)).list).toEqual(before);
      await send(before.version).expect(200);
    },
  );

  test('update-ctx answers the version that the next call expects', async () => {
    const { lid } = await me.create('Chained');
    const { version } = await me.ok('lists/update-ctx', { lid, a: [item(1)] });
    expect(version).toBe((await me.contents(lid)).list.version);
    const next = { lid, u: [{ epi: 1, qty: 2 }], expectedVersion: version };
    expect((await me.ok('lists/update-ctx', next)).version).toBe(version + 1);
    expect(await me.failure(400, 'lists/update-ctx', next)).toBe('version-conflict');
  });

  test('every change of the items moves the version on, a change of nothing does not', async () => {
    const { lid } = await me.create('Moving');
    const version = async () =>
      (await me.graphql('query ($lid: ID!) { list(lid: $lid) { version } }', { lid })).body.data.list
        .version as number;
    const seen = [await version()];
    for (const change of [{ a: [item(1)] }, { u: [{ epi: 1, qty: 2 }] }, { d: [{ epi: 1 }] }]) {
      await me.ok('lists/update-ctx', { lid, ...change });
      seen.push(await version());
    }
    expect(seen).toEqual([1, 2, 3, 4]);
    await me.ok('lists/update-ctx', { lid, d: [{ epi: 1 }] });
    expect(await version()).toBe(4);
  });
});
