import { useService, useStore } from '../harness.ts';
import { item, newAccount, newGuest, stock, useNewAccount } from './list-kit.ts';

const service = useService();
const store = useStore(service, { listTypes: ['registry'] });
const me = useNewAccount(service, store);
let lid: string;
beforeEach(async () => {
  ({ lid } = await me.create('List'));
});

const many = (count: number, from = 1) => Array.from({ length: count }, (_, index) => item(from + index));
const numbers = (from: number, to: number) =>
  Array.from({ length: Math.abs(from - to) + 1 }, (_, index) => (from < to ? from + index : from - index));
const episOf = (items: { epi: unknown }[]) => items.map(({ epi }) => epi);

describe('fetch-lists', () => {
  test('answers a bare array, newest list first, each with all its items, newest first', async () => {
    const second = await me.create('Second');
    await me.add(lid, ...many(16));
    const lists = await me.ok('lists/fetch-lists');
    expect(lists.map((list: { lid: string }) => list.lid)).toEqual([second.lid, lid]);
    expect(episOf(lists[1].listcontents)).toEqual(numbers(16, 1));
    expect(lists[0]).toMatchObject({ listcontents: [], cnt: 0 });
    expect(lists[1].cnt).toBe(16);
  });

  /** Adds items 1 to `count` to a list of mine the short way. */
  const fillList = (list: string, count: number) =>
    service.services.db.query(
      `INSERT INTO item (pid, lid, epi, id, empi, du, di)
       SELECT $1, $2, n::text, $2 || '-' || n, '1', '/p', 'd' FROM generate_series(1, $3::int) AS s (n) ORDER BY s.n`,
      [store.pid, list, count],
    );
  const ASK = 'lid listcontents(limit: 500) { epi }';
  /** What REST and GraphQL show of my lists, by the number of items. */
  const shown = async (): Promise<number[]> => {
    const sizesOf = (lists: { listcontents: unknown[] }[]) =>
      lists.map(({ listcontents }) => listcontents.length);
    const sizes = sizesOf(await me.ok('lists/fetch-lists'));
    const { data } = (await me.graphql(`{ allLists { ${ASK} } lists { edges { node { ${ASK} } } } }`)).body;
    expect(sizesOf(data.allLists)).toEqual(sizes);
    expect(sizesOf(data.lists.edges.map(({ node }: { node: never }) => node))).toEqual(sizes);
    return sizes;
  };

  test('shows the 500 newest of each list while they are 5,000 in all, else the ten newest of each', async () => {
    const second = await me.create('Second');
    await fillList(lid, 501);
    await fillList(second.lid, 4_499);
    expect(await shown()).toEqual([500, 500]);
    const [newest] = await me.ok('lists/fetch-lists');
    expect(episOf(newest.listcontents)).toEqual(numbers(4_499, 4_000));
    await me.add(lid, item('one more'));
    expect(await shown()).toEqual([10, 10]);
    const single = (await me.graphql(`{ lists(first: 1) { edges { node { ${ASK} } } } }`)).body.data.lists;
    expect(single.edges[0].node.listcontents).toHaveLength(500);
    const beyond = '{ allLists { listcontents(limit: 500, offset: 10) { epi } } }';
    const { allLists } = (await me.graphql(beyond)).body.data;
    expect(allLists.map(({ listcontents }: { listcontents: [] }) => listcontents.length)).toEqual([10, 10]);
    await me.ok('lists/update-ctx', { lid, d: [{ epi: 'one more' }] });
    expect(await shown()).toEqual([500, 500]);
  });

  test('other records keep the ten newest, and listcontents shows what it is asked for, at most 500', async () => {
    await fillList(lid, 501);
    expect((await me.ok('lists/update', { lid, lnote: 'x' })).listcontents).toHaveLength(10);
    expect((await me.contents(lid)).list.listcontents).toHaveLength(10);
    const query = `query ($lid: ID!, $some: Int) { list(lid: $lid) {
      ten: listcontents { epi } some: listcontents(limit: $some) { epi } most: listcontents(limit: 5000) { epi } } allLists {
      ten: listcontents { epi } some: listcontents(limit: $some) { epi } none: listcontents(limit: 0) { epi } } }`;
    // Asked often, the query is compiled.
    for (const some of [3, 12, 40, 200]) {
      const { list, allLists } = (await me.graphql(query, { lid, some })).body.data;
      expect([list.ten.length, list.some.length, list.most.length]).toEqual([10, some, 500]);
      const [mine] = allLists;
      expect([mine.ten.length, mine.some.length, mine.none.length]).toEqual([10, some, 0]);
      expect(episOf(mine.some)).toEqual(numbers(501, 502 - some));
    }
  });

  test('lty picks a type; wl includes lists without one', async () => {
    await me.create('Typed', { lty: 'wl' });
    await me.create('Registry', { lty: 'registry' });
    await me.ok('lists/sfl/create');
    const names = async (lty?: string) =>
      (await me.ok('lists/fetch-lists', { lty })).map(({ lname }: { lname: string }) => lname);
    expect(await names('wl')).toEqual(['Typed', 'List']);
    expect(await names('registry')).toEqual(['Registry']);
    expect(await names('sfl')).toEqual(['Save for later']);
    expect(await names('unheard-of')).toEqual([]);
    expect(await names()).toHaveLength(4);
    expect(await me.failure(400, 'lists/fetch-lists', { lty: 'x'.repeat(500) })).toBe('invalid-lty');
  });

  test('lists of a few megabytes are answered, briefly where their items are too large, more than can be answered at once are refused, and others do not notice', async () => {
    const { regid } = me.shopper;
    const { db } = service.services;
    const fill = async (from: number, to: number): Promise<void> => {
      await db.query(
        `INSERT INTO list (pid, lid, regid, lname, di, uid) SELECT $1, $2 || n, $2, 'L' || n, 'd', 'u' FROM generate_series($3::int, $4::int) n`,
        [store.pid, regid, from, to],
      );
      await db.query(
        `INSERT INTO item (pid, lid, epi, id, empi, du, di, cprops)
         SELECT $1, $2 || n, i::text, $2 || n || '-' || i, '1', '/p', 'd', jsonb_build_object('a', repeat('x', 32000))
         FROM generate_series($3::int, $4::int) n, generate_series(1, 10) i`,
        [store.pid, regid, from, to],
      );
    };
    await fill(1, 10);
    expect(await me.ok('lists/fetch-lists')).toHaveLength(11);
    await db.query(
      `INSERT INTO item (pid, lid, epi, id, empi, du, di, cprops)
       SELECT $1, $2 || n, 'large' || i, $2 || n || 'large' || i, '1', '/p', 'd', jsonb_build_object('a', repeat('x', 32000))
       FROM generate_series(1, 3) n, generate_series(1, 400) i`,
      [store.pid, regid],
    );
    const brief = await me.ok('lists/fetch-lists');
    expect(brief[9]).toMatchObject({ cnt: 410 });
    expect(brief[9].listcontents).toHaveLength(10);
    await fill(11, 105);
    const other = await newAccount(service, store);
    const [refused, ...fine] = await Promise.all([
      me.failure(400, 'lists/fetch-lists'),
      ...Array.from({ length: 10 }, () => other.ok('lists/fetch-lists')),
    ]);
    expect([refused, ...fine]).toEqual(['limit-reached', ...Array.from({ length: 10 }, () => [])]);
    const page = '{ lists(first: 20) { totalCount edges { node { listcontents { epi } } } } }';
    const { body } = await me.graphql(page);
    expect([body.data.lists.totalCount, body.data.lists.edges.length]).toEqual([106, 20]);
  });

  test('answers each shopper its own lists only', async () => {
    const guest = await newGuest(service, store);
    expect(await guest.ok('lists/fetch-lists')).toEqual([]);
    await me.ok('lists/markPublic', { lid });
    expect(await guest.ok('lists/fetch-lists')).toEqual([]);
  });
});

describe('fetch-list-with-contents', () => {
  test('pages by limit and offset', async () => {
    await me.add(lid, ...many(7));
    const { body: first } = await me.call('lists/fetch-list-with-contents?limit=3', { lid });
    expect(episOf(first.items)).toEqual([7, 6, 5]);
    expect(first.pagination).toEqual({ totalcount: 7, next: '3', limit: 3 });
    const { body: last } = await me.call(
      `lists/fetch-list-with-contents?limit=4&offset=${first.pagination.next}`,
      { lid },
    );
    expect(episOf(last.items)).toEqual([4, 3, 2, 1]);
    expect(last.pagination).toEqual({ totalcount: 7, next: null, limit: 4 });
    expect(episOf(last.list.listcontents)).toEqual(numbers(7, 1));
    const { body: beyond } = await me.call('lists/fetch-list-with-contents?offset=100', { lid });
    expect(beyond).toMatchObject({ items: [], pagination: { totalcount: 7, next: null, limit: 500 } });
  });
});

describe('fetch-user-list', () => {
  const page = (fields: object) => me.ok('lists/fetch-user-list', { lid, ...fields });
  async function walk(fields: object): Promise<unknown[]> {
    const seen: unknown[] = [];
    let next: string | undefined;
    do {
      const { items, pagination } = await page({ ...fields, next });
      seen.push(...episOf(items));
      next = pagination.next ?? undefined;
    } while (next !== undefined);
    return seen;
  }

  test('walks a list in pages, newest first, each item once', async () => {
    await me.add(lid, ...many(25));
    expect(await walk({ itemslimit: 7 })).toEqual(numbers(25, 1));
    expect(await walk({ itemslimit: 25 })).toEqual(numbers(25, 1));
    expect((await page({})).pagination).toEqual({ totalcount: 25, next: null, limit: 50 });
  });

  test('a page is stable while items come and go', async () => {
    await me.add(lid, ...many(6));
    const { items, pagination } = await page({ itemslimit: 3 });
    expect(episOf(items)).toEqual([6, 5, 4]);
    await me.ok('lists/update-ctx', { lid, a: [item(100)], d: [{ epi: 5 }, { epi: 4 }] });
    expect(episOf((await page({ itemslimit: 3, next: pagination.next })).items)).toEqual([3, 2, 1]);
  });

  test.each([
    ['price', 'asc', [3, 1, 2, 'none']],
    ['price', 'desc', [2, 1, 3, 'none']],
    ['title', 'asc', [2, 3, 1, 'none']],
    ['title', 'desc', [1, 3, 2, 'none']],
    ['added', 'asc', [1, 2, 3, 'none']],
    ['added', 'desc', ['none', 3, 2, 1]],
  ])(
    'sorts by %s %s in pages of any size; items without the value come last',
    async (sortby, sortorder, expected) => {
      await me.add(
        lid,
        item(1, { pr: 10, dt: 'vase' }),
        item(2, { pr: 10.5, dt: 'Apple' }),
        item(3, { pr: 9.99, dt: 'Cup' }),
        item('none'),
      );
      for (const itemslimit of [1, 2, 3, 50])
        expect(await walk({ sortby, sortorder, itemslimit })).toEqual(expected);
    },
  );

  test('equal prices keep one order over pages', async () => {
    await me.add(lid, ...many(9).map((entry) => ({ ...entry, pr: 5 })));
    expect(await walk({ sortby: 'price', itemslimit: 2 })).toEqual(numbers(1, 9));
    expect(await walk({ sortby: 'price', sortorder: 'desc', itemslimit: 2 })).toEqual(numbers(9, 1));
  });

  test('filters by stock; unknown stock counts as in stock', async () => {
    await stock(service, store, '71', { stk: 3 });
    await stock(service, store, '72', { stk: 0 });
    await stock(service, store, '73', { stk: -2 });
    await me.add(lid, item(71), item(72), item(73), item(74));
    const inStock = await page({ filterby: 'instock' });
    expect(episOf(inStock.items)).toEqual([74, 71]);
    expect(inStock.pagination.totalcount).toBe(2);
    const soldOut = await page({ filterby: 'outofstock', sortby: 'price', itemslimit: 1 });
    expect(soldOut.pagination).toMatchObject({ totalcount: 2, limit: 1 });
    expect(await walk({ filterby: 'outofstock', itemslimit: 1 })).toEqual([73, 72]);
  });

  test.each([
    ['101', 100],
    ['99999999999', 100],
    ['0', 0],
  ])('itemslimit=%s is cut to %i', async (itemslimit, limit) => {
    const { items, pagination } = await page({ itemslimit });
    expect(pagination).toMatchObject({ limit });
    expect(items).toHaveLength(Math.min(limit, pagination.totalcount));
    if (limit === 0) expect(pagination.next).toBeNull();
  });

  test.each([
    ['itemslimit', '-1', 'invalid-limit'],
    ['itemslimit', 'ten', 'invalid-limit'],
    ['itemslimit', '1.5', 'invalid-limit'],
    ['sortby', 'colour', 'invalid-request'],
    ['sortorder', 'up', 'invalid-request'],
    ['filterby', 'maybe', 'invalid-request'],
    ['next', 'nonsense', 'invalid-request'],
    ['next', Buffer.from('{}').toString('base64url'), 'invalid-request'],
    ['next', Buffer.from('["added desc ",null,"x"]').toString('base64url'), 'invalid-request'],
    ['next', Buffer.from('["added desc ","x",5]').toString('base64url'), 'invalid-request'],
    ['next', Buffer.from('["price asc ","1",5]').toString('base64url'), 'invalid-request'],
  ])('%s=%s is refused', async (field, value, type) => {
    expect(await me.failure(400, 'lists/fetch-user-list', { lid, [field]: value })).toBe(type);
  });

  test.each(['"cheap"', 'null', '"1 OR 1=1"', '""', '" "', '"1e999"', '"0b1"', '"NaN"'])(
    'a forged price cursor with %s is refused',
    async (key) => {
      const next = Buffer.from(`["price asc ",${key},5]`).toString('base64url');
      expect(await me.failure(400, 'lists/fetch-user-list', { lid, next, sortby: 'price' })).toBe(
        'invalid-request',
      );
    },
  );
});

describe('a public list', () => {
  test('shows a stranger the items and hides who is behind it', async () => {
    const owner = await newAccount(service, store, 'jane.doe@example.com');
    await service
      .graphql(
        'mutation { updateShopper(input: { fname: "Jane", lname: "Featherstonehaugh", m: "+4912345", extags: ["viponlyclub"], pd: { a: 1 } }) { regid } }',
        {},
        { store, shopper: owner.shopper },
      )
      .expect(200);
    const { body: list } = await service
      .post(
        '/api/v3/lists/create',
        { lname: 'For John', cfor: 'john@example.org', regid: owner.shopper.regid },
        { store },
      )
      .expect(200);
    await owner.add(list.lid, item(1, { note: 'blue' }));
    await owner.ok('lists/markPublic', { lid: list.lid });
    for (const stranger of [await newGuest(service, store), await newAccount(service, store)]) {
      const contents = await stranger.contents(list.lid);
      const paged = await stranger.ok('lists/fetch-user-list', { lid: list.lid });
      for (const shown of [contents.list, paged.list]) {
        expect(shown).toMatchObject({
          lname: 'For John',
          cnt: 1,
          cby: 'j***@example.com',
          uby: 'j***@example.com',
          cfor: 'j***@example.org',
          di: '',
          uid: '',
        });
        expect(shown.listcontents).toMatchObject([{ epi: 1, note: 'blue', di: '', uby: 'j***@example.com' }]);
        expect(shown.userinfo).toEqual({
          em: 'j***@example.com',
          fname: 'Jane',
          lname: '',
          uid: '',
          pid: store.pid,
          m: null,
          lastlogin: null,
          cts: null,
          uts: null,
          sw_mkt: null,
          ut: null,
          acc_mkt: false,
          extags: [],
          prefs: {},
          pd: {},
        });
      }
      expect(contents.userinfo).toEqual(contents.list.userinfo);
      expect(contents.items).toEqual(contents.list.listcontents);
      const { body } = await stranger.graphql(
        `query ($lid: ID!) { list(lid: $lid) { cby di userinfo { em lname } listcontents(limit: 5, offset: 0) { di uby } items { edges { node { di uby } } } } }`,
        { lid: list.lid },
      );
      const text = JSON.stringify([contents, paged, body]);
      for (const secret of [
        'jane.doe',
        'Featherstonehaugh',
        '+4912345',
        'viponlyclub',
        'john@',
        owner.shopper.regid,
        list.di,
        list.uid,
      ])
        expect(text).not.toContain(secret);
    }
    expect((await owner.contents(list.lid)).userinfo).toMatchObject({
      em: 'jane.doe@example.com',
      lname: 'Featherstonehaugh',
    });
  });

  test('of a guest names nobody', async () => {
    const guest = await newGuest(service, store);
    const list = await guest.create('Guest list');
    await guest.ok('lists/markPublic', { lid: list.lid });
    expect((await me.contents(list.lid)).list).toMatchObject({
      cby: null,
      uby: null,
      userinfo: null,
    });
  });
});

type ItemPage = {
  totalCount: number;
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
  edges: { node: { epi: number } }[];
};

describe('connections', () => {
  const LISTS =
    'query ($after: String, $first: Int, $st: Int) { lists(first: $first, after: $after, st: $st) { totalCount pageInfo { hasNextPage endCursor } edges { cursor node { lname } } } }';

  test('lists page by cursor, newest first, stable while lists come', async () => {
    for (const name of ['Two', 'Three', 'Four', 'Five']) await me.create(name === 'Two' ? 'Two two' : name);
    const first = (await me.graphql(LISTS, { first: 2, st: 1 })).body.data.lists;
    expect(first.edges.map((edge: { node: { lname: string } }) => edge.node.lname)).toEqual(['Five', 'Four']);
    expect(first).toMatchObject({ totalCount: 5, pageInfo: { hasNextPage: true } });
    await me.create('Newer');
    const second = (await me.graphql(LISTS, { first: 10, after: first.pageInfo.endCursor, st: 1 })).body.data
      .lists;
    expect(second.edges.map((edge: { node: { lname: string } }) => edge.node.lname)).toEqual([
      'Three',
      'Two two',
      'List',
    ]);
    expect(second.pageInfo.hasNextPage).toBe(false);
  });

  test('st picks archived or all lists', async () => {
    await me.ok('lists/markArchived', { lid: (await me.create('Old one')).lid });
    const names = async (st: number | null) =>
      (await me.graphql(LISTS, { first: 10, st })).body.data.lists.edges.map(
        (edge: { node: { lname: string } }) => edge.node.lname,
      );
    expect(await names(1)).toEqual(['List']);
    expect(await names(0)).toEqual(['Old one']);
    expect(await names(null)).toEqual(['Old one', 'List']);
  });

  test('items page by cursor with sort and filter', async () => {
    await me.add(lid, ...many(5).map((entry, index) => ({ ...entry, pr: 10 - index })));
    const query = `query ($lid: ID!, $after: String) { list(lid: $lid) { items(first: 2, after: $after, sort: price, filter: instock) {
      totalCount pageInfo { hasNextPage endCursor } edges { node { epi } } } } }`;
    const seen: unknown[] = [];
    let after: string | null = null;
    do {
      const { body }: { body: { data: { list: { items: ItemPage } } } } = await me.graphql(query, {
        lid,
        after,
      });
      const { items } = body.data.list;
      expect(items.totalCount).toBe(5);
      seen.push(...items.edges.map(({ node }) => node.epi));
      after = items.pageInfo.hasNextPage ? items.pageInfo.endCursor : null;
    } while (after !== null);
    expect(seen).toEqual([5, 4, 3, 2, 1]);
  });

  test('a first beyond the maximum is cut to it, and 0 gives an empty page that can go on', async () => {
    const query = `{ allLists {
      most: items(first: 5000) { edges { node { epi } } totalCount }
      none: items(first: 0) { edges { node { epi } } pageInfo { hasNextPage endCursor } totalCount }
    } }`;
    const { allLists } = (await me.graphql(query)).body.data;
    const { most, none } = allLists[0];
    expect(most.edges).toHaveLength(Math.min(most.totalCount, 100));
    expect(none).toMatchObject({
      edges: [],
      pageInfo: { hasNextPage: most.totalCount > 0, endCursor: null },
    });
    expect(none.totalCount).toBe(most.totalCount);
  });

  test.each([
    ['{ lists(first: -1) { totalCount } }', 'invalid-limit'],
    ['{ lists(after: "x") { totalCount } }', 'invalid-request'],
    [
      `{ lists(after: "${Buffer.from('["lists","x"]').toString('base64url')}") { totalCount } }`,
      'invalid-request',
    ],
    ['{ lists(st: 2) { totalCount } }', 'invalid-request'],
    ['{ allLists { items(first: -1) { totalCount } } }', 'invalid-limit'],
    ['{ allLists { items(after: "x") { totalCount } } }', 'invalid-request'],
    ['{ allLists { listcontents(limit: -1) { epi } } }', 'invalid-limit'],
    ['{ allLists { listcontents(offset: -1) { epi } } }', 'invalid-offset'],
  ])('%s is refused', async (query, type) => {
    expect((await me.graphql(query)).body.errors[0].extensions).toMatchObject({ type, status: 400 });
  });
});
