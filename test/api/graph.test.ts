import { useNewStore, useService } from '../harness.ts';
import type { Caller } from '../harness.ts';
import { statementsOf } from '../statements.ts';
import { item, newAccount, newGuest, stock, useNewAccount } from './list-kit.ts';
import type { Client } from './list-kit.ts';

const service = useService();
const store = useNewStore(service, { customItems: true });
const me = useNewAccount(service, store, 'ada@example.com');
let lid: string;
beforeEach(async () => {
  ({ lid } = await me.create('Wishes'));
  await stock(service, store, '11');
  await me.add(lid, item(11), item(12));
});

/** The data of an operation that must succeed. */
async function read(text: string, caller: Caller, variables: object = {}) {
  const { body } = await service.graphql(text, variables, caller).expect(200);
  expect(body.errors).toBeUndefined();
  return body.data;
}

async function subscribeMe(): Promise<void> {
  const contact = { medium: 'email', mediumvalue: 'ada@example.com' };
  const products = [{ epi: 11, empi: 900, du: '/p/900' }];
  const form = { ...contact, topics: ['backinstock'], products };
  await service.post('/storeadmin/bispa/subscriptions/create', form, { store }).expect(200);
}

const GRAPH = `lists { edges { node { lname items { edges { node { epi list { lid } } } } owner { fname em isGuest isMe } } } totalCount }
  list(lid: $lid) { lname listcontents { epi product { epi stk } } }
  saveForLater { list { lname } items { epi } }
  subscriptions { edges { node { topic epi } } }
  isInLists(epis: [11, 99]) { epi isInList lids }`;

const expected = () => ({
  lists: {
    edges: [
      {
        node: {
          lname: 'Wishes',
          items: { edges: [{ node: { epi: 12, list: { lid } } }, { node: { epi: 11, list: { lid } } }] },
          owner: expect.objectContaining({ em: 'ada@example.com', isGuest: false }),
        },
      },
    ],
    totalCount: 1,
  },
  list: {
    lname: 'Wishes',
    listcontents: [
      { epi: 12, product: null },
      { epi: 11, product: expect.objectContaining({ epi: 11, stk: 5 }) },
    ],
  },
  saveForLater: null,
  subscriptions: { edges: [{ node: { topic: 'backinstock', epi: 11 } }] },
  isInLists: [
    { epi: 11, isInList: true, lids: [lid] },
    { epi: 99, isInList: false, lids: [] },
  ],
});

describe('Shopper leads to everything that is the shopper’s', () => {
  beforeEach(() => subscribeMe());

  test.each<[string, string, () => Caller]>([
    ['for the shopper itself', 'shopper', () => ({ shopper: me.shopper })],
    ['for a store that acts for it', 'shopper', () => ({ store, shopper: me.shopper })],
    ['for a store that found it', 'findShopper(useremail: "ada@example.com")', () => ({ store })],
  ])('%s', async (_who, field, caller) => {
    const data = await read(`query ($lid: ID!) { me: ${field} { ${GRAPH} } }`, caller(), { lid });
    expect(data.me).toEqual(expected());
  });
});

test('saveForLater is the list with its items once there is one', async () => {
  const { list } = await me.ok('lists/sfl/create');
  await me.ok('lists/sfl/add', { lid: list.lid, items: [item(13)] });
  const { shopper } = await read('{ shopper { saveForLater { list { lty } items { epi list { lid } } } } }', {
    shopper: me.shopper,
  });
  expect(shopper.saveForLater).toEqual({
    list: { lty: 'sfl' },
    items: [{ epi: 13, list: { lid: list.lid } }],
  });
});

test('the list of a shopper is null when it is another shopper’s, public or not, or another store’s', async () => {
  const others = await newAccount(service, store);
  const { lid: theirs } = await others.create('Theirs');
  const elsewhere = await newAccount(service, await service.createStore());
  const { lid: abroad } = await elsewhere.create('Abroad');
  const text = 'query ($lid: ID!) { shopper { list(lid: $lid) { lid } } }';
  const ask = async (wanted: string) =>
    (await read(text, { shopper: me.shopper }, { lid: wanted })).shopper.list;
  expect([await ask(theirs), await ask(abroad), await ask('gone')]).toEqual([null, null, null]);
  await others.ok('lists/markPublic', { lid: theirs });
  expect(await ask(theirs)).toBeNull();
  const { body } = await me.graphql('{ shopper { regid list(lid: "") { lid } } }');
  expect(body).toMatchObject({
    data: { shopper: { regid: me.shopper.regid, list: null } },
    errors: [{ extensions: { type: 'invalid-lid' } }],
  });
});

test('a store acts for the shopper that x-regid names', async () => {
  const other = await newGuest(service, store);
  const { shopper } = await read('{ shopper { lists { totalCount } } }', { store, shopper: other.shopper });
  expect(shopper.lists.totalCount).toBe(0);
});

test('without a session the graph has no entrance', async () => {
  const { body } = await service.graphql('{ shopper { lists { totalCount } } }');
  expect(body).toMatchObject({ data: { shopper: null }, errors: [{ extensions: { type: 'unauthorised' } }] });
});

describe('the way back from an item', () => {
  const FIELDS = 'lid lname cby di uid userinfo { em lname } owner { fname em isGuest isMe }';

  test('of somebody else’s public list leads to the masked list, and never to the owner', async () => {
    await service.graphql(
      'mutation { updateShopper(input: { fname: "Ada", lname: "Lovelace" }) { regid } }',
      {},
      { store, shopper: me.shopper },
    );
    await me.ok('lists/markPublic', { lid });
    const reader = await newGuest(service, store);
    const text = `query ($lid: ID!) {
      list(lid: $lid) { items { edges { node { uby list { ${FIELDS} items { edges { node { uby } } } } } } } listcontents { list { ${FIELDS} } } }
      listContents(lid: $lid) { items { list { ${FIELDS} } } } }`;
    const data = await read(text, { shopper: reader.shopper }, { lid });
    expect(await read(text, { headers: { 'x-pid': store.pid } }, { lid })).toEqual(data);
    const masked = {
      lid,
      lname: 'Wishes',
      cby: expect.not.stringContaining('ada@'),
      di: '',
      uid: '',
      userinfo: { em: expect.not.stringContaining('ada@'), lname: '' },
      owner: { fname: 'Ada', em: expect.not.stringContaining('ada@'), isGuest: false, isMe: false },
    };
    expect(data.list.items.edges[0].node.list).toMatchObject(masked);
    expect(data.list.listcontents[0].list).toEqual(masked);
    expect(data.listContents.items[0].list).toEqual(masked);
    expect(JSON.stringify(data)).not.toMatch(/ada@example|Lovelace/);
  });

  test('of my own list leads to my own view', async () => {
    const { list } = await read(
      `query ($lid: ID!) { list(lid: $lid) { listcontents { list { ${FIELDS} } } } }`,
      { shopper: me.shopper },
      { lid },
    );
    expect(list.listcontents[0].list).toMatchObject({
      cby: 'ada@example.com',
      owner: { em: 'ada@example.com', isMe: true },
    });
  });

  test('is there for items that a write answers, as the list is after it', async () => {
    const text = `mutation ($lid: ID!) {
      a: updateListContents(lid: $lid, a: [{ epi: 21, empi: 900, du: "/p" }]) { a { list { cnt } } }
      b: updateListContents(lid: $lid, a: [{ epi: 22, empi: 900, du: "/p" }]) { a { list { cnt } } } }`;
    expect(await read(text, { shopper: me.shopper }, { lid })).toEqual({
      a: { a: [{ list: { cnt: 3 } }] },
      b: { a: [{ list: { cnt: 4 } }] },
    });
  });

  test('may be gone twice at most, also by way of fragments', async () => {
    const text = `query ($lid: ID!) { list(lid: $lid) { listcontents { list { ...Again } } } }
      fragment Again on List { listcontents { list { lid } } }`;
    const { body } = await me.graphql(text, { lid });
    expect(body.errors[0]).toMatchObject({
      message: 'The query goes through `list` 3 times on one path; the limit is 2',
      extensions: { type: 'invalid-request', status: 400 },
    });
  });

  test('ends where the answer would be too large', async () => {
    const many = Array.from({ length: 100 }, (_, epi) => item(1_000 + epi));
    for (let index = 0; index < 12; index += 1) {
      const { lid: full } = await me.create(`Full ${index}`);
      await me.add(full, ...many);
    }
    const { body } = await me.graphql(
      '{ lists { edges { node { items(first: 100) { edges { node { list { listcontents(limit: 100) { epi dt qty du id lid } } } } } } } } }',
    );
    const types = body.errors.map((error: { extensions: { type: string } }) => error.extensions.type);
    expect([...new Set(types)]).toEqual(['limit-reached']);
  });
});

describe('Item.product', () => {
  test('is the catalogue’s record as it is now, and null for custom items and once it is gone', async () => {
    await me.add(lid, { title: 'My own', du: '/own', price: 3 });
    const ask = async () => {
      const data = await read('{ allLists { listcontents { epi product { dt pr empi tags } } } }', {
        shopper: me.shopper,
      });
      return data.allLists[0].listcontents.map(({ product }: { product: unknown }) => product);
    };
    expect(await ask()).toEqual([null, null, { dt: 'Kettle', pr: 20, empi: 900, tags: [] }]);
    await service.graphql('mutation { removeProducts(epis: [11]) { removed } }', {}, { store });
    expect(await ask()).toEqual([null, null, null]);
  });
});

describe('Product.waiting and Product.wishlisted', () => {
  const TEXT = '{ product(epi: 11) { waiting wishlisted } }';
  const subscribe = (value: string, more: object = {}) =>
    service
      .post(
        '/storeadmin/bispa/subscriptions/create',
        {
          medium: 'email',
          mediumvalue: value,
          topics: ['backinstock'],
          products: [{ epi: 11, empi: 900, du: '/p/900' }],
          ...more,
        },
        { store },
      )
      .expect(200);

  test('tell the store how many wait, confirmed ones alone, and how many shoppers want it in active lists', async () => {
    await subscribe('a@example.com');
    await subscribe('b@example.com');
    await service.services.db.prisma.subscription.updateMany({
      where: { pid: store.pid, value: 'b@example.com' },
      data: { confirmedAt: null },
    });
    const other = await newGuest(service, store);
    const { lid: theirs } = await other.create('Theirs');
    await other.add(theirs, item(14));
    expect((await read(TEXT, { store })).product).toEqual({ waiting: 1, wishlisted: 2 });
    await other.ok('lists/markArchived', { lid: theirs });
    expect((await read(TEXT, { store })).product).toEqual({ waiting: 1, wishlisted: 1 });
    expect((await read(TEXT, { store, shopper: me.shopper })).product).toEqual({ waiting: 1, wishlisted: 1 });
  });

  test('are forbidden to shoppers, wherever they meet the product', async () => {
    await subscribe('a@example.com');
    const forbidden = { message: expect.stringContaining('API key'), extensions: { code: 'FORBIDDEN' } };
    const { body } = await me.graphql(TEXT);
    expect(body).toMatchObject({
      data: { product: { waiting: null, wishlisted: null } },
      errors: [forbidden, forbidden],
    });
    const { body: nested } = await me.graphql(
      '{ lists { edges { node { items { edges { node { product { dt waiting } } } } } } } }',
    );
    const [{ node: list }] = nested.data.lists.edges;
    expect(list.items.edges[1].node.product).toEqual({ dt: expect.any(String), waiting: null });
    expect(nested.errors).toMatchObject([forbidden]);
  });

  test('count the own store’s alone', async () => {
    const other = await service.createStore();
    await stock(service, other, '11');
    await subscribe('a@example.com');
    expect((await read(TEXT, { store: other })).product).toEqual({ waiting: 0, wishlisted: 0 });
  });
});

describe('however many items there are, the same few statements read', () => {
  const fill = async (lists: number): Promise<Client> => {
    const client = await newAccount(service, store);
    for (let index = 0; index < lists; index += 1) {
      const { lid: full } = await client.create(`List ${index}`);
      await client.add(full, ...Array.from({ length: 8 }, (_, epi) => item(epi)));
    }
    return client;
  };
  const IDENTITY = 'load_identities';

  test.each([
    [
      'products of items',
      '{ shopper { lists(first: 30) { edges { node { listcontents { product { dt stk uts } } } } } } }',
      [IDENTITY, 'lists_of', 'find_each_product'],
    ],
    [
      'lists of items',
      '{ allLists { listcontents { list { lname owner { em } } } } }',
      [IDENTITY, 'lists_of', 'page_added_desc_all'],
    ],
    [
      'items of lists of items',
      '{ allLists { listcontents { list { listcontents { epi } } } } }',
      [IDENTITY, 'lists_of', 'page_added_desc_all', 'page_added_desc_all'],
    ],
  ])('%s', async (_what, text, statements) => {
    for (const lists of [2, 30]) {
      const client = await fill(lists);
      expect(await statementsOf(service, () => read(text, { shopper: client.shopper }))).toEqual(statements);
    }
  });

  test('demand of products', async () => {
    for (const count of [2, 40]) {
      for (let epi = 100; epi < 100 + count; epi += 1)
        await stock(service, store, String(epi), { empi: String(epi) });
      const { prisma } = service.services.db;
      const { groupBy } = prisma.subscription;
      let grouped = 0;
      prisma.subscription.groupBy = ((...args: unknown[]) => {
        grouped += 1;
        return (groupBy as (...all: unknown[]) => unknown)(...args);
      }) as never;
      const seen = await statementsOf(service, () =>
        read('{ products(first: 100) { edges { node { waiting wishlisted } } } }', { store }),
      );
      prisma.subscription.groupBy = groupBy;
      expect([seen, grouped]).toEqual([[IDENTITY, 'social_count'], 1]);
    }
  });
});

describe('an answer that is kept', () => {
  const countOf = async (text: string): Promise<number> => {
    for (const _time of [1, 2]) await read(text, { shopper: me.shopper });
    return (await statementsOf(service, () => read(text, { shopper: me.shopper }))).length;
  };

  test('holds own records and the catalogue until either changes', async () => {
    const text =
      '{ shopper { lists { edges { node { lname owner { isMe } listcontents { epi list { lname } product { dt stk pr } } } } } isInLists(epis: [11]) { isInList } } }';
    expect(await countOf(text)).toBe(1);
    await service.graphql('mutation { setStock(stocks: [{ epi: 11, stk: 77 }]) { unknown } }', {}, { store });
    const { shopper } = await read(text, { shopper: me.shopper });
    expect(shopper.lists.edges[0].node.listcontents[1].product.stk).toBe(77);
  });

  test('is not made of what does not move the catalogue’s revision, which is read anew each time', async () => {
    expect(await countOf('{ allLists { listcontents { product { tags } } } }')).toBeGreaterThan(1);
  });

  test('is not made of subscriptions: a new one shows at once', async () => {
    const subscriptions = async () =>
      (await read('{ shopper { subscriptions { edges { node { epi } } } } }', { shopper: me.shopper }))
        .shopper.subscriptions.edges;
    for (const _time of [1, 2, 3]) expect(await subscriptions()).toEqual([]);
    await subscribeMe();
    expect(await subscriptions()).toEqual([{ node: { epi: 11 } }]);
  });
});
