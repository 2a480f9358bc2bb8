import { useService, useStore } from '../harness.ts';
import { item, newAccount, rowsOf, stock, useNewAccount } from './list-kit.ts';

const service = useService({ maxItems: 600 });
const store = useStore(service);
const me = useNewAccount(service, store);
let lid: string;
beforeEach(async () => {
  ({ lid } = await me.create('List'));
});

const many = (count: number, from = 0) => Array.from({ length: count }, (_, index) => item(from + index));
const epis = async () => (await me.contents(lid)).items.map(({ epi }: { epi: unknown }) => epi);

describe('adding', () => {
  test('answers the list, its count and the items with their defaults', async () => {
    const body = await me.ok('lists/update-ctx', {
      lid,
      a: [item(1), item('two', { qty: 2, note: 'n', cprops: { c: 1 }, lbls: ['Hall'], _av: true })],
    });
    expect(Object.keys(body).sort()).toEqual(['a', 'cnt', 'lid', 'uts', 'version']);
    expect(body).toMatchObject({ lid, cnt: 2 });
    expect(body.a[0]).toMatchObject({
      lid,
      epi: 1,
      empi: 900,
      du: 'https://shop.example/p/900',
      qty: 1,
      note: null,
      cprops: {},
      lbls: [],
      _av: false,
      lity: null,
      bundle: [],
    });
    expect(body.a[1]).toMatchObject({
      epi: 'two',
      qty: 2,
      note: 'n',
      cprops: { c: 1 },
      lbls: ['Hall'],
      _av: true,
    });
    expect(body.a[0].id).toMatch(/^[\w-]{22,}$/);
    expect((await me.contents(lid)).list).toMatchObject({ cnt: 2, itemcmnts: 1, uts: body.uts });
  });

  test('the newest item comes first, and of one call the last', async () => {
    await me.add(lid, item(1), item(2));
    await me.add(lid, item(3));
    expect(await epis()).toEqual([3, 2, 1]);
  });

  test('a variant that is there gets what was sent and keeps its id, its place and the rest', async () => {
    const [first] = (await me.add(lid, item(1, { qty: 5, note: 'keep', lbls: ['A'], cprops: { a: 1 } }))).a;
    await me.add(lid, item(2));
    const [again] = (await me.add(lid, item('1', { qty: 6 }))).a;
    expect(again).toEqual({ ...first, qty: 6, uts: again.uts });
    expect(await rowsOf(service, lid)).toEqual({ cnt: 2, itemcmnts: 1, epis: ['1', '2'] });
  });

  test('a variant that is added again has the quantity that was sent, never a sum', async () => {
    for (let index = 0; index < 3; index += 1) await me.add(lid, item(1, { qty: 2 }));
    expect((await me.contents(lid)).items).toMatchObject([{ qty: 2 }]);
  });

  test('a variant sent twice in one call becomes one item with the later values', async () => {
    const { a, cnt } = await me.add(lid, item(1, { qty: 2, note: 'first' }), item('1', { qty: 3 }));
    expect(cnt).toBe(1);
    expect(a).toHaveLength(2);
    expect(a[0]).toEqual(a[1]);
    expect(a[0]).toMatchObject({ qty: 3, note: 'first' });
  });

  test('20 parallel adds of one variant make one item', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => me.add(lid, item(1, { qty: index + 1 }))));
    expect(await rowsOf(service, lid)).toMatchObject({ cnt: 1, epis: ['1'] });
  });

  test.each([
    [123, 123],
    ['123', 123],
    ['0123', '0123'],
    ['-5', -5],
    ['-0', '-0'],
    ['1.0', '1.0'],
    ['1e3', '1e3'],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', '9007199254740992'],
    ['shop:variant/1', 'shop:variant/1'],
  ])('the id %p comes back as %p', async (sent, shown) => {
    expect((await me.add(lid, item(sent, { empi: sent }))).a).toMatchObject([{ epi: shown, empi: shown }]);
    expect((await me.contents(lid)).items).toMatchObject([{ epi: shown, empi: shown }]);
  });

  test('500 elements pass, 501 change nothing', async () => {
    expect(await me.failure(400, 'lists/update-ctx', { lid, a: many(501) })).toBe('invalid-items');
    expect(await rowsOf(service, lid)).toMatchObject({ cnt: 0 });
    expect((await me.add(lid, ...many(500))).cnt).toBe(500);
  });

  test('items beyond the limit are refused whole, what is there can still change', async () => {
    await me.add(lid, ...many(500));
    await me.add(lid, ...many(100, 500));
    expect(await me.failure(400, 'lists/update-ctx', { lid, a: [item(1, { qty: 9 }), item('beyond')] })).toBe(
      'limit-reached',
    );
    expect((await rowsOf(service, lid))!.cnt).toBe(600);
    expect((await me.add(lid, item(1, { qty: 9 }))).a).toMatchObject([{ qty: 9 }]);
    expect((await me.ok('lists/update-ctx', { lid, d: [{ epi: 2 }], a: [item('beyond')] })).cnt).toBe(600);
  });
});

test('a list that is still being copied has no room for what is on its way, and its version moves with it', async () => {
  await me.add(lid, ...many(500));
  await me.add(lid, ...many(100, 500));
  const copy = await me.create('Copy', { fromlid: lid });
  expect(copy).toMatchObject({ _cp: true, cnt: 0 });
  expect(await me.failure(400, 'lists/update-ctx', { lid: copy.lid, a: [item('beyond')] })).toBe(
    'limit-reached',
  );
  const version = async () =>
    (await me.graphql('query ($lid: ID!) { list(lid: $lid) { version cnt } }', { lid: copy.lid })).body.data
      .list;
  const before = await version();
  await service.runTasks();
  const after = await version();
  expect(after).toEqual({ version: before.version + 2, cnt: 600 });
});

describe('changing and removing', () => {
  test('a change (u) touches only what was sent and reports items that are not there', async () => {
    await me.add(lid, item(1, { qty: 2, note: 'old', cprops: { a: 1 }, lbls: ['A'] }));
    const { u, cnt } = await me.ok('lists/update-ctx', {
      lid,
      u: [
        { epi: 1, note: 'new', lbls: [] },
        { epi: 2, qty: 3 },
      ],
    });
    expect(cnt).toBe(1);
    expect(u[0]).toMatchObject({ epi: 1, qty: 2, note: 'new', cprops: { a: 1 }, lbls: [] });
    expect(u[0].hasError).toBeUndefined();
    expect(u[1]).toEqual({ epi: 2, hasError: true, msg: expect.any(String) });
  });

  test('an empty note removes the note, a null leaves it', async () => {
    await me.add(lid, item(1, { note: 'n' }));
    expect((await me.ok('lists/update-ctx', { lid, u: [{ epi: 1, note: null, qty: 2 }] })).u).toMatchObject([
      { note: 'n' },
    ]);
    expect(await rowsOf(service, lid)).toMatchObject({ itemcmnts: 1 });
    expect((await me.ok('lists/update-ctx', { lid, u: [{ epi: 1, note: '' }] })).u).toMatchObject([
      { note: null },
    ]);
    expect(await rowsOf(service, lid)).toMatchObject({ itemcmnts: 0 });
  });

  test('a removal (d) answers the items as they were and reports those that are not there', async () => {
    await me.add(lid, item(1, { note: 'n' }), item(2));
    const { d, cnt } = await me.ok('lists/update-ctx', {
      lid,
      d: [{ epi: 1, empi: 900, du: '/x' }, { epi: 9 }],
    });
    expect(cnt).toBe(1);
    expect(d).toMatchObject([
      { epi: 1, note: 'n' },
      { epi: 9, hasError: true },
    ]);
    expect(await rowsOf(service, lid)).toEqual({ cnt: 1, itemcmnts: 0, epis: ['2'] });
  });

  test('one call with a, u and d removes first, then changes, then adds', async () => {
    await me.add(lid, item(1, { note: 'gone' }), item(2));
    const body = await me.ok('lists/update-ctx', {
      lid,
      a: [item(1), item(3)],
      u: [
        { epi: 2, qty: 4 },
        { epi: 3, qty: 4 },
      ],
      d: [{ epi: 1 }],
    });
    expect(body.a).toMatchObject([
      { epi: 1, note: null },
      { epi: 3, qty: 1 },
    ]);
    expect(body.u).toMatchObject([
      { epi: 2, qty: 4 },
      { epi: 3, hasError: true },
    ]);
    expect(body.cnt).toBe(3);
    expect(await epis()).toEqual([3, 1, 2]);
  });

  test('an invalid element anywhere undoes the whole call', async () => {
    await me.add(lid, item(1));
    const before = await me.contents(lid);
    expect(
      await me.failure(400, 'lists/update-ctx', { lid, d: [{ epi: 1 }], a: [item(2), { epi: 3 }] }),
    ).toBe('invalid-items');
    expect(await me.failure(400, 'lists/update-ctx', { lid, a: [item(2)], u: [{ epi: 1, qty: 0 }] })).toBe(
      'invalid-items',
    );
    expect(await me.failure(400, 'lists/update-ctx', { lid, a: [item(2)], d: [{}] })).toBe('invalid-items');
    expect(await me.contents(lid)).toEqual(before);
  });

  test('empty arrays change nothing; no array at all is refused', async () => {
    expect(await me.ok('lists/update-ctx', { lid, a: '[]', d: '[]' })).toMatchObject({
      cnt: 0,
      a: [],
      d: [],
    });
    expect(await me.failure(400, 'lists/update-ctx', { lid })).toBe('invalid-items');
  });
});

describe('bad elements', () => {
  test.each([
    ['no epi', { empi: 1, du: '/p' }, 'a[1].epi'],
    ['no empi', { epi: 1, du: '/p' }, 'a[1].empi'],
    ['no du', { epi: 1, empi: 1 }, 'a[1].du'],
    ['an empty epi', item(''), 'a[1].epi'],
    ['an epi of spaces', item('   '), 'a[1].epi'],
    ['an epi of 256 characters', item('x'.repeat(256)), 'a[1].epi'],
    ['an epi with NUL', item('a\u0000'), 'a[1].epi'],
    ['a fraction as epi', item(1.5), 'a[1].epi'],
    ['a flag as epi', { ...item(1), epi: true }, 'a[1].epi'],
    ['an object as epi', { ...item(1), epi: {} }, 'a[1].epi'],
    ['an epi beyond 2^53', '{"epi":12345678901234567890,"empi":1,"du":"/p"}', 'a[1].epi'],
    ['qty 0', item(1, { qty: 0 }), 'a[1].qty'],
    ['qty -1', item(1, { qty: -1 }), 'a[1].qty'],
    ['qty 1e6', item(1, { qty: 1_000_000 }), 'a[1].qty'],
    ['qty 1e9', item(1, { qty: 1e9 }), 'a[1].qty'],
    ['qty 1e12', item(1, { qty: 1e12 }), 'a[1].qty'],
    ['qty 1.5', item(1, { qty: 1.5 }), 'a[1].qty'],
    ['qty "x"', item(1, { qty: 'x' }), 'a[1].qty'],
    ['qty as array', item(1, { qty: [1] }), 'a[1].qty'],
    ['two labels', item(1, { lbls: ['A', 'B'] }), 'a[1].lbls'],
    ['an empty label', item(1, { lbls: [''] }), 'a[1].lbls'],
    ['a number as label', item(1, { lbls: [{}] }), 'a[1].lbls'],
    ['cprops as array', item(1, { cprops: [] }), 'a[1].cprops'],
    ['cprops as text', item(1, { cprops: 'x' }), 'a[1].cprops'],
    ['cprops of 33 kB', item(1, { cprops: { a: 'x'.repeat(33_000) } }), 'a[1].cprops'],
    ['a note of 2,001 characters', item(1, { note: 'x'.repeat(2_001) }), 'a[1].note'],
    ['a note as object', item(1, { note: {} }), 'a[1].note'],
    ['_av as text', item(1, { _av: 'maybe' }), 'a[1]._av'],
    ['javascript: as du', item(1, { du: 'javascript:alert(1)' }), 'a[1].du'],
    ['JavaScript: behind a space', item(1, { du: ' JavaScript:alert(1)' }), 'a[1].du'],
    ['javascript: with a tab inside', item(1, { du: 'java\tscript:alert(1)' }), 'a[1].du'],
    ['data: as du', item(1, { du: 'data:text/html,x' }), 'a[1].du'],
    ['javascript: as iu', item(1, { iu: 'javascript:alert(1)' }), 'a[1].iu'],
    ['data: as iu', item(1, { iu: 'data:image/png;base64,x' }), 'a[1].iu'],
    ['vbscript: as uri', item(1, { uri: 'vbscript:x' }), 'a[1].uri'],
    ['a negative price', item(1, { pr: -1 }), 'a[1].pr'],
    ['a text as price', item(1, { pr: 'cheap' }), 'a[1].pr'],
    ['a text as element', 'x', 'a[1]'],
    ['null as element', null, 'a[1]'],
  ])('%s is refused by name and nothing changes', async (_what, element, place) => {
    const json = typeof element === 'string' && element.startsWith('{') ? element : JSON.stringify(element);
    const { body } = await me
      .call('lists/update-ctx', { lid, a: `[${JSON.stringify(item('good'))},${json}]` })
      .expect(400);
    expect(body).toMatchObject({ error: true, type: 'invalid-items' });
    expect(body.msg).toContain(place);
    expect(await rowsOf(service, lid)).toMatchObject({ cnt: 0 });
  });

  test.each([
    [{ pr: '$5' }, 'a[0].pr must be a number'],
    [{ qty: 'many' }, 'a[0].qty must be a whole number of at most 32 bits'],
    [{ _av: 'maybe' }, 'a[0]._av must be true or false'],
    [{ note: {} }, 'a[0].note must be a string'],
  ])('%j is refused in plain words', async (fields, msg) => {
    const { body } = await me.call('lists/update-ctx', { lid, a: [item(1, fields)] }).expect(400);
    expect(body).toMatchObject({ type: 'invalid-items', msg });
  });

  test.each([['{oops'], ['{"epi":1}'], ['"text"'], ['5'], ['[[]]']])(
    '%s instead of an array is refused',
    async (a) => {
      expect(await me.failure(400, 'lists/update-ctx', { lid, a })).toBe('invalid-items');
    },
  );

  test('the same values are refused over GraphQL with the same type', async () => {
    const query = 'mutation ($lid: ID!, $a: [ItemInput!]) { updateListContents(lid: $lid, a: $a) { cnt } }';
    for (const element of [
      { epi: 1, du: '/p' },
      item(1, { qty: 0 }),
      item(1, { lbls: ['a', 'b'] }),
      item(1, { du: 'javascript:x' }),
    ]) {
      const { body } = await me.graphql(query, { lid, a: [element] });
      expect(body.errors[0].extensions).toMatchObject({ type: 'invalid-items', status: 400 });
    }
    expect(await rowsOf(service, lid)).toMatchObject({ cnt: 0 });
  });

  test.each([
    ['qty as text', item(1, { qty: '3' }), { qty: 3 }],
    ['qty 999,999', item(1, { qty: 999_999 }), { qty: 999_999 }],
    ['unknown keys', item(1, { _cv: true, source: { a: 1 }, __proto__: null }), { epi: 1 }],
    ['a relative du', item(1, { du: '/products/x?variant=1' }), { du: '/products/x?variant=1' }],
    ['a protocol-relative du', item(1, { du: '//shop.example/x' }), { du: '//shop.example/x' }],
    [
      'nulls',
      item(1, { note: null, qty: null, cprops: null, lbls: null, _av: null, iu: null }),
      { qty: 1, note: null, lbls: [] },
    ],
    ['empty texts', item(1, { iu: '', dt: '', sku: '', note: '' }), { iu: null, dt: null, note: null }],
    ['a price as text', item(1, { pr: '12.50' }), { pr: 12.5 }],
    ['a multi-line note', item(1, { note: 'two\nlines' }), { note: 'two\nlines' }],
    [
      'emoji everywhere',
      item('🎁', { note: '🎁', lbls: ['🏠'], cprops: { '🎁': '🎂' } }),
      { epi: '🎁', lbls: ['🏠'], cprops: { '🎁': '🎂' } },
    ],
  ])('an item with %s is taken', async (_what, element, shown) => {
    expect((await me.add(lid, element)).a).toMatchObject([shown]);
  });
});

describe('product data', () => {
  test("is the catalogue's as it is now, and the snapshot of the last add once the product is gone", async () => {
    await stock(service, store, '50', { dt: 'Kettle', pr: 20 });
    await me.add(lid, item(50, { dt: 'Wrong', pr: 1 }));
    const shown = async () => (await me.contents(lid)).items[0];
    expect(await shown()).toMatchObject({
      dt: 'Kettle',
      title: 'Kettle',
      pr: 20,
      price: 20,
      bt: 'Acme',
      sku: 'K-1',
      iu: 'https://cdn.example/k.jpg',
      stk: 5,
    });
    await stock(service, store, '50', { dt: 'Kettle II', pr: 25 });
    expect(await shown()).toMatchObject({ dt: 'Kettle II', pr: 25 });
    await service.services.db.query('DELETE FROM product WHERE pid = $1 AND epi = $2', [store.pid, '50']);
    expect(await shown()).toMatchObject({ dt: 'Kettle', pr: 20, bt: 'Acme', stk: null });
    await stock(service, store, '50', { dt: 'Kettle III', pr: 30 });
    await me.ok('lists/update-ctx', { lid, u: [{ epi: 50, qty: 2, dt: 'Changed', pr: 1, du: '/other' }] });
    await service.services.db.query('DELETE FROM product WHERE pid = $1 AND epi = $2', [store.pid, '50']);
    expect(await shown()).toMatchObject({ dt: 'Kettle', pr: 20, du: 'https://shop.example/p/900' });
    await stock(service, store, '50', { dt: 'Kettle III', pr: 30 });
    await me.add(lid, item(50));
    await service.services.db.query('DELETE FROM product WHERE pid = $1 AND epi = $2', [store.pid, '50']);
    expect(await shown()).toMatchObject({ dt: 'Kettle III', pr: 30 });
  });

  test('what is sent is kept for a variant that the catalogue does not know', async () => {
    const sent = {
      dt: 'Lamp',
      bt: 'Lux',
      sku: 'L1',
      iu: 'https://cdn.example/l.jpg',
      pr: 9.99,
      vi: 'red',
      uri: '/l?variant=1',
    };
    expect((await me.add(lid, item('unknown', sent))).a).toMatchObject([sent]);
    expect((await me.contents(lid)).items).toMatchObject([sent]);
  });

  test('is null where nobody knows it, and nulls nothing else', async () => {
    await me.add(lid, item('bare'));
    const { body } = await me.graphql(
      'query ($lid: ID!) { list(lid: $lid) { lname listcontents { epi dt pr iu stk sku } } }',
      { lid },
    );
    expect(body).toEqual({
      data: {
        list: {
          lname: 'List',
          listcontents: [{ epi: 'bare', dt: null, pr: null, iu: null, stk: null, sku: null }],
        },
      },
    });
  });

  test("another store's catalogue says nothing", async () => {
    await stock(service, await service.createStore(), '60');
    expect((await me.add(lid, item(60))).a).toMatchObject([{ dt: null, stk: null }]);
  });
});

describe('social-count', () => {
  const count = async (empi: unknown) =>
    (await me.ok('product/wishlist/social-count', { empi: empi as string })).data;

  test('counts shoppers of the store, not lists or archived ones', async () => {
    const others = await Promise.all([
      newAccount(service, store),
      newAccount(service, store),
      newAccount(service, await service.createStore()),
    ]);
    for (const client of others) {
      const list = await client.create('List');
      const second = await client.create('Second');
      for (const target of [list, second])
        await client.add(target.lid, item(1, { empi: 4711 }), item(2, { empi: 4711 }));
    }
    expect(await count(4711)).toEqual({ count: 2, empi: 4711 });
    expect(await count('4711')).toEqual({ count: 2, empi: 4711 });
    for (const { lid: archived } of await others[0].ok('lists/fetch-lists'))
      await others[0].ok('lists/markArchived', { lid: archived });
    expect(await count(4711)).toEqual({ count: 1, empi: 4711 });
  });

  test('is 0 for an unknown product, and needs one', async () => {
    expect(await count('nothing-like-it')).toEqual({ count: 0, empi: 'nothing-like-it' });
    for (const empi of ['', 'x'.repeat(300), 'a\u0000b'])
      expect(await me.failure(400, 'product/wishlist/social-count', { empi })).toBe('invalid-request');
  });
});

describe('isInLists', () => {
  const QUERY = 'query ($epis: [VariantId!]!) { isInLists(epis: $epis) { epi isInList lids } }';

  test('tells for many variants which active lists hold them', async () => {
    const second = await me.create('Second');
    const archived = await me.create('Archived');
    const stranger = await newAccount(service, store);
    await stranger.add((await stranger.create('List')).lid, item(3));
    await me.add(lid, item(1), item('b'));
    await me.add(second.lid, item(1));
    await me.add(archived.lid, item(1));
    await me.ok('lists/markArchived', { lid: archived.lid });
    const { body } = await me.graphql(QUERY, { epis: ['1', 'b', 3, 1] });
    expect(body.data.isInLists).toEqual([
      { epi: 1, isInList: true, lids: [second.lid, lid] },
      { epi: 'b', isInList: true, lids: [lid] },
      { epi: 3, isInList: false, lids: [] },
    ]);
  });

  test.each([
    [undefined, 'epis is missing'],
    ['{', 'epis must be JSON'],
    ['{}', 'epis must be a JSON array'],
    [[1, {}], 'epis[1]'],
    [[1, null], 'epis[1] is missing'],
    [[''], 'epis[0]'],
    [['x'.repeat(256)], 'epis[0]'],
    [Array.from({ length: 501 }, (_, index) => index), 'at most 500'],
  ])('over REST %p is refused with invalid-items', async (epis, msg) => {
    const { body } = await me.call('lists/is-in-lists', { epis }).expect(400);
    expect(body).toMatchObject({ error: true, type: 'invalid-items', msg: expect.stringContaining(msg) });
  });

  test('over REST no list of another shopper or store is told of, public or not', async () => {
    for (const owner of [
      await newAccount(service, store),
      await newAccount(service, await service.createStore()),
    ]) {
      const own = await owner.create('Public');
      await owner.add(own.lid, item(3));
      await owner.ok('lists/markPublic', { lid: own.lid });
    }
    expect(await me.ok('lists/is-in-lists', { epis: [3] })).toEqual([{ epi: 3, isInList: false, lids: [] }]);
    expect(await me.ok('lists/is-in-lists', { epis: [] })).toEqual([]);
  });

  test('takes up to 500 variants', async () => {
    const numbers = Array.from({ length: 501 }, (_, index) => index);
    expect((await me.graphql(QUERY, { epis: numbers.slice(1) })).body.data.isInLists).toHaveLength(500);
    expect((await me.graphql(QUERY, { epis: numbers })).body.errors[0].extensions.type).toBe('invalid-items');
  });
});
