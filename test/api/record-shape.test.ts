import { useService, useStore } from '../harness.ts';
import { NO_PD, item, newAccount, newGuest, stock, useNewAccount } from './list-kit.ts';

const service = useService();
const store = useStore(service, { customItems: true });
const me = useNewAccount(service, store);

describe('uri is the page of the product with the variant', () => {
  test.each([
    ['https://shop.example/p/9', 'https://shop.example/p/9?variant=7'],
    ['https://shop.example/p/9#size', 'https://shop.example/p/9?variant=7#size'],
    ['https://shop.example/p/9?a=1#size', 'https://shop.example/p/9?a=1&variant=7#size'],
    ['/p/9?', '/p/9?variant=7'],
    ['/p/9?a=1&', '/p/9?a=1&variant=7'],
    ['p/9', 'p/9?variant=7'],
    ['/p/9?next=/q?variant=1', '/p/9?next=/q?variant=1&variant=7'],
    ['/p/9#?variant=1', '/p/9?variant=7#?variant=1'],
    ['/p/9?variant=3', '/p/9?variant=3'],
    ['/p/9?a=1&variant', '/p/9?a=1&variant'],
  ])('%s without one becomes %s, of an item and of a product', async (du, uri) => {
    const { lid } = await me.create('Pages');
    const { a } = await me.add(lid, item(7, { du }));
    expect(a[0]).toMatchObject({ du, uri });
    const products = [{ epi: 7, empi: 9, du }];
    const shop = await service.createStore();
    const { body } = await service
      .post('/storeadmin/v3/products/upsert', { products }, { store: shop })
      .expect(200);
    expect(body[0]).toMatchObject({ du, uri });
  });

  test('a text that is the variant’s id is encoded, and what was sent as uri is kept', async () => {
    const { lid } = await me.create('Sent');
    const { a } = await me.add(lid, item('red & blue', { du: '/p' }), item(8, { du: '/p', uri: '/p/other' }));
    expect(a.map(({ uri }: { uri: string }) => uri)).toEqual(['/p?variant=red%20%26%20blue', '/p/other']);
    const rows = await service.services.db.query('SELECT uri FROM item WHERE lid = $1 ORDER BY seq', [lid]);
    expect(rows).toEqual([{ uri: null }, { uri: '/p/other' }]);
  });

  test('a subscription answers it of a product that the catalogue does not know', async () => {
    const products = [{ epi: 'new-1', empi: 9, du: '/p/9' }];
    const { body } = await service
      .post(
        '/storeadmin/bispa/subscriptions/create',
        { medium: 'email', mediumvalue: 'ann@example.com', products, topics: ['backinstock'] },
        { store },
      )
      .expect(200);
    expect(body.products).toMatchObject([{ du: '/p/9', uri: '/p/9?variant=new-1' }]);
  });

  test('a custom item has none but its own', async () => {
    const { lid } = await me.create('Custom');
    const { a } = await me.add(lid, { title: 'A', du: '/a' }, { title: 'B', du: '/b', uri: '/b/page' });
    expect(a.map(({ uri }: { uri: string | null }) => uri)).toEqual([null, '/b/page']);
  });

  test("an item's is the catalogue's where that has one", async () => {
    await stock(service, store, '4711', { uri: '/p/900?v=4711' });
    const { lid } = await me.create('Known');
    const { a } = await me.add(lid, item(4711));
    expect(a[0].uri).toBe('/p/900?v=4711');
  });
});

describe('userinfo always has the keys that are specified', () => {
  const update = (fields: object) =>
    service.post('/storeadmin/v3/user/update', { regid: me.shopper.regid, ...fields }, { store }).expect(200);

  test('of a shopper of whom nothing was sent, over REST and GraphQL, and nothing of it is stored', async () => {
    const { userinfo } = await me.create('Mine');
    expect(userinfo).toMatchObject({ prefs: { Mediums: {} }, pd: NO_PD });
    const { body } = await me.graphql('{ shopper { userinfo { prefs pd } } }');
    expect(body.data.shopper.userinfo).toEqual({ prefs: { Mediums: {} }, pd: NO_PD });
    const rows = await service.services.db.query('SELECT prefs, pd FROM shopper WHERE regid = $1', [
      me.shopper.regid,
    ]);
    expect(rows).toEqual([{ prefs: {}, pd: {} }]);
  });

  test('beside what was sent, also where that is null', async () => {
    const pd = { tags: null, addresses: [{ city: 'Bonn' }], orders_count: 2, own: null, more: 1 };
    const { body } = await update({ prefs: { Mediums: null, own: 1 }, pd });
    expect(body.userinfo.prefs).toEqual({ Mediums: {}, own: 1 });
    expect(body.userinfo.pd).toEqual({ ...NO_PD, ...pd, tags: [] });
  });

  test('and what was read can be sent back: it is stored as if nothing had been filled in', async () => {
    const read = await me.graphql('{ shopper { userinfo { prefs pd } } }');
    await update(read.body.data.shopper.userinfo);
    const rows = await service.services.db.query('SELECT prefs, pd FROM shopper WHERE regid = $1', [
      me.shopper.regid,
    ]);
    expect(rows).toEqual([{ prefs: {}, pd: {} }]);
  });

  test('but a stranger who reads a public list sees none of them', async () => {
    await update({ pd: { tags: ['vip'] } });
    const { lid } = await me.create('Public');
    await me.ok('lists/markPublic', { lid });
    for (const stranger of [await newGuest(service, store), await newAccount(service, store)])
      expect((await stranger.contents(lid)).userinfo).toMatchObject({ prefs: {}, pd: {} });
  });
});

describe('ldesc takes a text', () => {
  test.each([
    ['For mum', 'For mum'],
    ['"Quoted" things', '"Quoted" things'],
    ['[draft] kitchen', '[draft] kitchen'],
    [JSON.stringify('As JSON'), 'As JSON'],
  ])('%s is kept as an object with it', async (ldesc, text) => {
    const list = await me.create('Described', { ldesc });
    expect(list.ldesc).toEqual({ text });
    const renamed = await me.ok('lists/update', { lid: list.lid, ldesc: `${text}!` });
    expect(renamed.ldesc).toEqual({ text: `${text}!` });
    const { body } = await me.graphql(
      'mutation ($lid: ID!, $d: JSONObject) { updateList(lid: $lid, input: { ldesc: $d }) { ldesc } }',
      { lid: list.lid, d: text },
    );
    expect(body.data.updateList.ldesc).toEqual({ text });
  });

  test('objects stay as they are, and what is neither is refused', async () => {
    const { lid, ldesc } = await me.create('Object', { ldesc: { html: '<b>' } });
    expect(ldesc).toEqual({ html: '<b>' });
    for (const bad of ['[1]', '1', 'true', '{"text":', 'x'.repeat(33_000), 'a\u0000b'])
      expect(await me.failure(400, 'lists/update', { lid, ldesc: bad })).toBe('invalid-lprops');
    for (const bad of [1, true, ['x']]) {
      const { body } = await me.graphql(
        'mutation ($lid: ID!, $d: JSONObject) { updateList(lid: $lid, input: { ldesc: $d }) { ldesc } }',
        { lid, d: bad },
      );
      expect(body.errors[0].extensions.type).toBe('invalid-lprops');
    }
    expect((await me.contents(lid)).list.ldesc).toEqual({ html: '<b>' });
  });
});

describe('social-count', () => {
  const PATH = '/api/v3/product/wishlist/social-count';

  test('works with a pid alone, over REST and GraphQL, and counts for this store only', async () => {
    await me.add((await me.create('Counted')).lid, item(1, { empi: 3131 }));
    const other = await service.createStore();
    for (const [{ pid }, count] of [
      [store, 1],
      [other, 0],
    ] as const) {
      const { body } = await service.post(PATH, { pid, empi: 3131 }).expect(200);
      expect(body).toEqual({ data: { count, empi: 3131 } });
      const query = '{ socialCount(empi: 3131) { count empi } }';
      const { body: data } = await service.graphql(query, {}, { headers: { 'x-pid': pid } });
      expect(data).toEqual({ data: { socialCount: { count, empi: 3131 } } });
    }
  });

  test('a regid that is sent and wrong, an unknown pid and none stay 401', async () => {
    const { pid } = store;
    const typeOf = async (fields: Record<string, string>) =>
      (await service.post(PATH, { empi: 1, ...fields }).expect(401)).body.type;
    expect(await typeOf({ pid, regid: 'nobody', sessionid: 'x' })).toBe('sw-badregid');
    expect(await typeOf({ pid, regid: me.shopper.regid })).toBe('bad-sessionid');
    expect(await typeOf({ pid: 'unknown' })).toBe('unauthorised');
    expect(await typeOf({})).toBe('unauthorised');
  });
});
