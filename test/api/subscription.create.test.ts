import type { NewStore } from '../../src/stores/store.service.ts';
import { useService } from '../harness.ts';

const service = useService();
let store: NewStore;
beforeEach(async () => {
  store = await service.createStore();
});

const CREATE = '/storeadmin/bispa/subscriptions/create';
const VALID = {
  medium: 'email',
  mediumvalue: 'Ann@Example.com',
  products: [{ epi: 101, empi: 100, du: 'https://shop.example/p/100' }],
  topics: ['backinstock'],
};

type Row = {
  medium: string;
  value: string;
  epi: string;
  topic: string;
  extras: string | null;
  confirmed_at: Date | null;
};

function create(fields: object = {}, caller: object = { store }) {
  return service.post(CREATE, { ...VALID, ...fields }, caller);
}

async function rows(): Promise<Row[]> {
  return service.services.db.query<Row>(
    'SELECT medium, value, epi, topic, extras, confirmed_at FROM subscription WHERE pid = $1 ORDER BY epi, topic',
    [store.pid],
  );
}

async function prefsOf(email: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await service.services.db.query<{ prefs: Record<string, unknown> }>(
    'SELECT prefs FROM shopper WHERE pid = $1 AND em = $2',
    [store.pid, email],
  );
  return row?.prefs;
}

test('a subscription is stored with its contact in lower case and answered with the catalogue record', async () => {
  const products = [{ epi: 101, empi: 100, du: '/p/100', dt: 'Shirt', stk: 0, pr: 5, bt: 'Brand' }];
  await service.post('/storeadmin/v3/products/upsert', { products }, { store }).expect(200);
  const { body } = await create({
    topics: ['backinstock', 'comingsoon', 'backinstock'],
    extras: '{"size":"M"}',
  }).expect(200);
  expect(body).toEqual({
    message: expect.any(String),
    products: [
      expect.objectContaining({
        epi: 101,
        empi: 100,
        dt: 'Shirt',
        bt: 'Brand',
        stk: 0,
        pr: 5,
        du: '/p/100',
        pid: store.pid,
        vi: '',
      }),
    ],
    topics: ['backinstock', 'comingsoon'],
  });
  expect(await rows()).toMatchObject([
    {
      medium: 'email',
      value: 'ann@example.com',
      epi: '101',
      topic: 'backinstock',
      extras: '{"size":"M"}',
      confirmed_at: expect.any(Date),
    },
    { topic: 'comingsoon' },
  ]);
});

test('a product that is not in the catalogue is accepted and answered with what is known', async () => {
  const { body } = await create({
    products: [{ epi: 'x-1', empi: 'x', du: '/p/x', _cv: true, note: null }],
  }).expect(200);
  expect(body.products).toEqual([
    {
      epi: 'x-1',
      empi: 'x',
      du: '/p/x',
      uri: '/p/x?variant=x-1',
      pid: store.pid,
      bt: null,
      dt: null,
      sku: null,
      iu: null,
      stk: null,
      pr: null,
      vi: '',
    },
  ]);
});

test('subscribing again is a success and creates nothing, whatever the spelling', async () => {
  await create({ extras: 'first' }).expect(200);
  const { body } = await create({
    mediumvalue: ' ANN@example.com ',
    products: [{ epi: '101', empi: '100', du: '/other' }],
    extras: 'second',
  }).expect(200);
  expect(body.topics).toEqual(['backinstock']);
  expect(await rows()).toMatchObject([{ extras: 'first' }]);
});

test('50 identical calls at once make one subscription', async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => create()));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(await rows()).toHaveLength(1);
});

test('overlapping calls with products in opposite orders make every subscription once', async () => {
  const products = Array.from({ length: 30 }, (_, index) => ({ epi: index, empi: 1, du: '/p' }));
  await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      create({ products: index % 2 ? products : [...products].reverse(), topics: ['a', 'b'] }).expect(200),
    ),
  );
  expect(await rows()).toHaveLength(60);
});

test.each([
  ['+49 30 1234567', '+49301234567'],
  ['0049-30-1234567', '+49301234567'],
  ['+1 (415) 555-2671', '+14155552671'],
])('the phone number %s is stored as %s', async (given, stored) => {
  await create({ medium: 'sms', mediumvalue: given }).expect(200);
  expect(await rows()).toMatchObject([{ medium: 'sms', value: stored }]);
});

const product = { epi: 1, empi: 1, du: '/p' };
const manyProducts = Array.from({ length: 101 }, (_, epi) => ({ ...product, epi }));
const manyTopics = Array.from({ length: 21 }, (_, index) => `t${index}`);

test.each<[string, string, object]>([
  ['no medium', 'invalid-medium', { medium: '' }],
  ['another medium', 'invalid-medium', { medium: 'pigeon' }],
  ['a medium in capitals', 'invalid-medium', { medium: 'EMAIL' }],
  ['no contact', 'invalid-mediumvalue', { mediumvalue: '' }],
  ['a phone number as e-mail', 'invalid-mediumvalue', { mediumvalue: '+49301234567' }],
  ['an e-mail address as phone number', 'invalid-mediumvalue', { medium: 'sms' }],
  ['a phone number without country', 'invalid-mediumvalue', { medium: 'sms', mediumvalue: '030 1234567' }],
  ['an impossible phone number', 'invalid-mediumvalue', { medium: 'sms', mediumvalue: '+4912' }],
  ['two addresses', 'invalid-mediumvalue', { mediumvalue: 'a@example.com, b@example.com' }],
  ['a header in the address', 'invalid-mediumvalue', { mediumvalue: 'a@example.com\r\nBcc: b@example.com' }],
  ['no products', 'invalid-products', { products: '' }],
  ['products that are not JSON', 'invalid-products', { products: '[{' }],
  ['products that are no array', 'invalid-products', { products: product }],
  ['an empty array of products', 'invalid-products', { products: [] }],
  ['101 products', 'invalid-products', { products: manyProducts }],
  ['a product without epi', 'invalid-products', { products: [{ empi: 1, du: '/p' }] }],
  ['a product without empi', 'invalid-products', { products: [{ epi: 1, du: '/p' }] }],
  ['a product without du', 'invalid-products', { products: [{ epi: 1, empi: 1 }] }],
  ['a product with an empty du', 'invalid-products', { products: [{ ...product, du: '' }] }],
  [
    'a product with a script as du',
    'invalid-products',
    { products: [{ ...product, du: 'javascript:alert(1)' }] },
  ],
  ['a product with an object as epi', 'invalid-products', { products: [{ ...product, epi: {} }] }],
  ['a product that is null', 'invalid-products', { products: '[null]' }],
  ['no topics', 'invalid-topics', { topics: '' }],
  ['topics that are not JSON', 'invalid-topics', { topics: 'backinstock' }],
  ['topics that are one text', 'invalid-topics', { topics: '"backinstock"' }],
  ['an empty array of topics', 'invalid-topics', { topics: [] }],
  ['21 topics', 'invalid-topics', { topics: manyTopics }],
  ['a topic of 65 characters', 'invalid-topics', { topics: ['x'.repeat(65)] }],
  ['an empty topic', 'invalid-topics', { topics: [' '] }],
  ['a topic that is no text', 'invalid-topics', { topics: [{}] }],
  ['a topic of two lines', 'invalid-topics', { topics: ['a\nb'] }],
  ['addtomailinglist 2', 'invalid-addtomailinglist', { addtomailinglist: 2 }],
  ['addtomailinglist yes', 'invalid-addtomailinglist', { addtomailinglist: 'yes' }],
  ['extras of 2,049 characters', 'invalid-extras', { extras: 'x'.repeat(2049) }],
  ['extras with NUL', 'invalid-extras', { extras: 'a\u0000b' }],
])('%s is refused with %s and nothing is stored', async (_name, type, fields) => {
  const { body } = await create({
    ...fields,
    ...('addtomailinglist' in fields ? {} : { addtomailinglist: 1 }),
  }).expect(400);
  expect(body).toMatchObject({ error: true, type });
  expect(body.msg).toBe(body.message);
  expect(await rows()).toEqual([]);
  expect(await prefsOf('ann@example.com')).toBeUndefined();
});

/** Subscribes to these topics through one API; answers the topics, or the type of the failure. */
const subscribeTo = {
  REST: async (topics: unknown[]): Promise<unknown> => {
    const { body } = await create({ topics });
    return body.topics ?? body.type;
  },
  'GraphQL by variable': async (topics: unknown[]): Promise<unknown> => {
    const query = 'mutation($input: SubscribeInput!) { subscribe(input: $input) { topics } }';
    const { body } = await service.graphql(query, { input: { ...VALID, topics } }, { store });
    return body.data?.subscribe?.topics ?? body.errors[0].extensions.type;
  },
  'GraphQL by literal': async (topics: unknown[]): Promise<unknown> => {
    const input = `{ medium: email, mediumvalue: "ann@example.com", products: [{ epi: 1, empi: 1, du: "/p" }], topics: ${JSON.stringify(topics)} }`;
    const { body } = await service.graphql(
      `mutation { subscribe(input: ${input}) { topics } }`,
      {},
      { store },
    );
    return body.data?.subscribe?.topics ?? body.errors[0].extensions.type;
  },
};

test.each(Object.entries(subscribeTo))(
  'by %s a whole number among the topics is its text; what else is no text is refused with invalid-topics',
  async (_door, subscribe) => {
    expect(await subscribe(['a', 1, '1', -2])).toEqual(['a', '1', '-2']);
    for (const bad of [1.5, true, ['a'], 2 ** 53, ' '])
      expect(await subscribe(['a', bad])).toBe('invalid-topics');
    expect((await rows()).map(({ topic }) => topic)).toEqual(expect.arrayContaining(['-2', '1', 'a']));
  },
);

test('a call at its limits is taken: 100 products, 20 topics of 64 characters, extras of 2,048', async () => {
  const topics = manyTopics.slice(1).map((topic) => topic.padEnd(64, 'x'));
  const extras = '🙂'.repeat(2048);
  const { body } = await create({ products: manyProducts.slice(1), extras }).expect(200);
  expect(body.products).toHaveLength(100);
  expect(await rows()).toHaveLength(100);
  await create({ mediumvalue: 'bob@example.com', products: manyProducts.slice(0, 6), topics, extras }).expect(
    200,
  );
  expect(await rows()).toHaveLength(220);
});

test('a store without managed inventory is answered 403 and nothing is stored', async () => {
  store = await service.createStore({ inventoryManaged: false });
  const { body } = await create().expect(403);
  expect(body.type).toBe('inventory-not-managed');
  expect(await rows()).toEqual([]);
});

test('a wrong or missing key is answered 401 and nothing is stored', async () => {
  await create({}, { store: { ...store, apiKey: 'wrong' } }).expect(401);
  await create({ products: 'bad' }, {}).expect(401);
  expect(await rows()).toEqual([]);
});

test.each([
  [1, true],
  [0, false],
])(
  'addtomailinglist %d is recorded with time and source in userinfo.prefs',
  async (addtomailinglist, acceptmarketing) => {
    const now = new Date('2030-01-02T03:04:05Z');
    service.setNow(now);
    await create({ addtomailinglist }).expect(200);
    const shopper = await service.account(store, 'ann@example.com');
    const { body } = await service.graphql('{ shopper { userinfo { prefs acc_mkt em } } }', {}, { shopper });
    expect(body.data.shopper.userinfo).toEqual({
      prefs: {
        Mediums: { email: { signuptime: now.getTime(), acceptmarketing, acceptsource: 'subscription' } },
      },
      acc_mkt: acceptmarketing,
      em: 'ann@example.com',
    });
  },
);

test('other preferences stay, and without addtomailinglist nothing is recorded and no account appears', async () => {
  await create().expect(200);
  expect(await prefsOf('ann@example.com')).toBeUndefined();
  const shopper = await service.account(store, 'ann@example.com');
  const prefs = { lang: 'de', Mediums: { sms: { acceptmarketing: false } } };
  await service
    .graphql(
      'mutation($p: JSONObject) { updateShopper(input: { prefs: $p }) { regid } }',
      { p: prefs },
      { store, shopper },
    )
    .expect(200);
  await create({ addtomailinglist: 1 }).expect(200);
  expect(await prefsOf('ann@example.com')).toEqual({
    lang: 'de',
    Mediums: { sms: { acceptmarketing: false }, email: expect.objectContaining({ acceptmarketing: true }) },
  });
});
