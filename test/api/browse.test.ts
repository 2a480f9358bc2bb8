import type { NewStore } from '../../src/stores/store.service.ts';
import { useService, useStore } from '../harness.ts';

// What a store browses: its shoppers, catalogue and alerts, by page and as files. One large store serves all tests; none of them changes it.

const SHOPPERS = 2_500;
const VARIANTS = 2_100;
const ALERTS = 2_300;

const service = useService();
const store = useStore(service);
const stranger = useStore(service);

beforeAll(async () => {
  const { db } = service.services;
  // Every tenth is a guest; many were first seen in the same moment.
  await db.query(
    `INSERT INTO shopper (pid, regid, is_guest, uid, di, em, fname, lname, lastlogin, cts)
     SELECT $1, 'r' || n, n % 10 = 0, 'u' || lpad(n::text, 5, '0'), 'd', CASE WHEN n % 10 > 0 THEN 'who' || n || '@example.com' END,
       CASE WHEN n = 7 THEN '=HYPERLINK("x")' WHEN n % 10 > 0 THEN 'First' || n ELSE '' END, CASE WHEN n % 10 > 0 THEN 'Last' ELSE '' END,
       now(), timestamptz '2030-01-01' + (n / 50) * interval '1 minute'
     FROM generate_series(1, ${SHOPPERS}) n`,
    [store.pid],
  );
  await db.query(
    `INSERT INTO product (pid, epi, empi, du, dt, stk) SELECT $1, n::text, (n / 2)::text, '/p', CASE WHEN n = 5 THEN '@SUM(1)' ELSE 'Kettle ' || lpad((3000 - n)::text, 4, '0') END,
       CASE WHEN n % 3 = 0 THEN 0 WHEN n = 10 THEN NULL ELSE n END FROM generate_series(1, ${VARIANTS}) n`,
    [store.pid],
  );
  await db.query(
    `INSERT INTO tally (pid, kind, key, n) VALUES ($1, 'wait', '30', 9), ($1, 'wait', '60', 12), ($1, 'wish', '100', 4)`,
    [store.pid],
  );
  await db.query(
    `INSERT INTO outbox (pid, id, lane, medium, kind, recipient, topic, epi, state, due_at, cts, finished_at, error)
     SELECT $1, 'a' || n, 'alert', 'email', 'alert', 'who' || n || '@example.com', CASE WHEN n % 2 = 0 THEN 'backinstock' ELSE 'pricedrop' END, (n % 50 + 1)::text,
       (ARRAY['sent', 'failed', 'withheld'])[n % 3 + 1], now(), timestamptz '2030-02-01' + n * interval '1 hour', now(), CASE WHEN n % 3 = 1 THEN '-1+1' END
     FROM generate_series(1, ${ALERTS}) n`,
    [store.pid],
  );
});

type Page<Node> = {
  edges: { node: Node }[];
  pageInfo: { endCursor: string | null; hasNextPage: boolean };
  totalCount: number;
};

/** Asks for a connection, `fields` of each node. */
async function ask<Node>(field: string, args: string, fields: string, as = store): Promise<Page<Node>> {
  const call = args === '' ? field : `${field}(${args})`;
  const query = `{ ${call} { edges { node { ${fields} } } pageInfo { endCursor hasNextPage } totalCount } }`;
  const { body } = await service.graphql(query, {}, { store: as });
  expect(body.errors).toBeUndefined();
  return body.data[field];
}

/** Goes through all pages and answers one field of every node. */
async function walk(field: string, args: string, name: string): Promise<string[]> {
  const all: string[] = [];
  for (let after = ''; ;) {
    const page = await ask<Record<string, unknown>>(field, `${args} first: 100 ${after}`, name);
    all.push(...page.edges.map(({ node }) => String(node[name])));
    if (!page.pageInfo.hasNextPage) return all;
    after = `after: "${page.pageInfo.endCursor}"`;
  }
}

const csv = (path: string, as = store) => service.get(`/storeadmin/v3/${path}`, { store: as });
const linesOf = (text: string): string[] => text.trimEnd().split('\r\n');

test('the pages of shoppers hold every guest and account once, newest first, also those of one moment', async () => {
  const uids = await walk('shoppers', '', 'uid');
  expect(new Set(uids).size).toBe(SHOPPERS);
  expect(uids).toHaveLength(SHOPPERS);
  expect(uids[0]).toBe('u02500');
  expect((await ask('shoppers', 'kind: guest, first: 1', 'uid')).totalCount).toBe(SHOPPERS / 10);
  const guests = await walk('shoppers', 'kind: guest', 'isGuest');
  expect(guests).toEqual(Array.from({ length: SHOPPERS / 10 }, () => 'true'));
});

test.each([
  ['the beginning of an address', 'who24@', ['u00024']],
  ['a word of the name', 'first24', 100],
  ['two words', 'last first2499', ['u02499']],
  ['what stands before the @', 'who2499', ['u02499']],
  ['a public id', 'u02499', []],
  ['signs of a pattern', '%@', []],
  ['nothing that a word has', '!!', []],
])('shoppers are found by %s', async (_what, search, found) => {
  const uids = await walk('shoppers', `search: "${search}"`, 'uid');
  if (typeof found === 'number') expect(uids).toHaveLength(found);
  else expect(uids).toEqual(found);
});

test('a whole regid finds its shopper, and merged and erased ones are nobody', async () => {
  const shopper = await service.account(stranger, 'ada@example.com');
  const gone = await service.account(stranger, 'gone@example.com');
  await service.graphql(
    'mutation ($regid: String) { eraseShopper(regid: $regid) { id } }',
    { regid: gone.regid },
    { store: stranger },
  );
  const page = await ask<{ uid: string; userinfo: { em: string } }>(
    'shoppers',
    `search: "${shopper.regid}"`,
    'uid userinfo { em }',
    stranger,
  );
  expect(page.edges.map(({ node }) => node.userinfo.em)).toEqual(['ada@example.com']);
  const { uid } = page.edges[0]!.node;
  const found = await service.graphql(
    'query ($uid: String) { findShopper(uid: $uid) { regid } }',
    { uid },
    { store: stranger },
  );
  expect(found.body.data.findShopper.regid).toBe(shopper.regid);
  expect(
    (await service.graphql('query ($uid: String) { findShopper(uid: $uid) { regid } }', { uid }, { store }))
      .body.data.findShopper,
  ).toBeNull();
  expect((await ask('shoppers', '', 'uid', stranger)).totalCount).toBe(1);
});

test.each([
  ['title', ['5', '2100', '2099']],
  ['stock', ['1002', '1005', '1008']],
  ['waiting', ['60', '30', '1']],
  ['lists', ['200', '201', '1']],
])('the catalogue is in the order of %s, each variant once', async (sort, first) => {
  const epis = await walk('products', `sort: ${sort}`, 'epi');
  expect(epis.slice(0, 3)).toEqual(first);
  expect(new Set(epis).size).toBe(VARIANTS);
  expect(epis).toHaveLength(VARIANTS);
});

test.each([
  ['by a filter', 'filter: { soldOut: true, search: "kettle" }'],
  ['by older arguments', 'soldOut: true, search: "kettle"'],
])(
  'a search among sold-out variants finds those with its words, and tells how many: %s',
  async (_how, args) => {
    const page = await ask<{ epi: number; stk: number }>(
      'products',
      `${args}, first: 100`,
      'epi stk inLists',
    );
    expect(page.totalCount).toBe(VARIANTS / 3);
    expect(page.edges.every(({ node }) => node.stk === 0)).toBe(true);
    expect(page.edges[0]!.node.epi).toBe(2100);
  },
);

test('alerts are found by state, topic, day and contact, and know their product', async () => {
  expect(new Set(await walk('alerts', '', 'id')).size).toBe(ALERTS);
  const day = `from: ${Date.parse('2030-02-02')}, to: ${Date.parse('2030-02-03')}`;
  const page = await ask<{ id: string; product: { dt: string } }>(
    'alerts',
    `${day}, topic: "backinstock", state: sent`,
    'id product { dt }',
  );
  expect(page.edges.map(({ node }) => node.id)).toEqual(['a42', 'a36', 'a30', 'a24']);
  expect(page.totalCount).toBe(4);
  expect(page.edges[0]!.node.product.dt).toBe('Kettle 2957');
  expect(await walk('alerts', 'search: "WHO230@"', 'id')).toEqual(['a230']);
  expect(await walk('alerts', 'search: "who_"', 'id')).toEqual([]);
});

test('each file holds every row, portion by portion, under a header', async () => {
  const files = [
    [
      'shoppers.csv',
      SHOPPERS,
      'uid,kind,email,firstname,lastname,mobile,acceptsmarketing,tags,firstseen,lastlogin,externalid',
    ],
    ['products.csv', VARIANTS, 'epi,empi,title,variant,brand,sku,price,stock,waiting,inlists,page,changed'],
    ['alerts.csv', ALERTS, 'id,queued,topic,epi,title,variant,medium,contact,state,attempts,error,finished'],
  ] as const;
  for (const [path, rows, header] of files) {
    const answer = await csv(path).expect(200);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(answer.headers['content-disposition']).toBe(`attachment; filename=${path}`);
    const [first, ...lines] = linesOf(answer.text);
    expect(first).toBe(header);
    expect(new Set(lines).size).toBe(rows);
    expect(lines).toHaveLength(rows);
    expect(linesOf((await csv(path, stranger)).text).filter((line) => lines.includes(line))).toEqual([]);
  }
  const [first, ...days] = linesOf((await csv('revenue.csv?from=2030-01-01&to=2030-01-31')).text);
  expect(first).toBe(
    'day,alertssent,alertsclicked,currency,orders,amount,alertorders,fromalerts,listorders,fromlists',
  );
  expect(days).toHaveLength(31);
});

test('a spreadsheet that opens a file runs nothing in it', async () => {
  expect((await csv('shoppers.csv?search=last&kind=account')).text).toContain(`,"'=HYPERLINK(""x"")",`);
  expect((await csv('products.csv')).text).toContain(",'@SUM(1),");
  expect((await csv('alerts.csv?state=failed')).text).toContain(",'-1+1,");
});

test('a file holds what its filters say', async () => {
  expect(linesOf((await csv('products.csv?soldOut=1&search=kettle')).text)).toHaveLength(1 + VARIANTS / 3);
  expect(linesOf((await csv('shoppers.csv?search=who24%40')).text)).toHaveLength(2);
  const day = 'from=2030-02-02T00:00:00Z&to=2030-02-03T00:00:00Z';
  expect(linesOf((await csv(`alerts.csv?${day}&topic=backinstock&state=sent`)).text)).toHaveLength(5);
});

test.each([
  ['products.csv?soldOut=maybe', 'soldOut'],
  [`products.csv?search=${'x'.repeat(201)}`, 'search'],
  ['shoppers.csv?kind=robot', 'kind'],
  ['alerts.csv?state=lost', 'state'],
  ['alerts.csv?from=yesterday', 'from'],
  ['alerts.csv?from=2030-02-03&to=2030-02-03', 'from'],
  ['revenue.csv?to=2030-02-30', 'to'],
])('%s is refused, and the answer names the field', async (path, field) => {
  const { body } = await csv(path).expect(400);
  expect(body.msg).toContain(field);
});

test.each(['products.csv', 'shoppers.csv', 'alerts.csv', 'revenue.csv'])(
  '%s is for the store alone',
  async (path) => {
    const shopper = await service.guest(await service.createStore());
    const session = { 'x-pid': shopper.pid, 'x-regid': shopper.regid, 'x-sessionid': shopper.sessionid };
    for (const headers of [undefined, session])
      expect((await service.get(`/storeadmin/v3/${path}`, { headers }).expect(401)).body.type).toBe(
        'unauthorised',
      );
  },
);

test.each(['shoppers', 'alerts', 'products(sort: title)', 'setup', 'occasions(epi: 1)'])(
  '%s cannot be asked for by a shopper, and a cursor of another order is refused',
  async (call) => {
    const shopper = await service.guest(await service.createStore());
    const [field, args = ''] = call.split(/[()]/);
    const fields = field === 'setup' ? 'alerts' : field === 'occasions' ? 'id' : 'totalCount';
    const { body } = await service.graphql(`{ ${call} { ${fields} } }`, {}, { shopper });
    expect(body.errors[0].extensions.type).toBe('forbidden');
    if (fields !== 'totalCount') return;
    const { pageInfo } = await ask<object>('products', 'first: 1, sort: stock', 'epi');
    const wrong = `{ ${field}(${args} after: "${pageInfo.endCursor}") { edges { cursor } } }`;
    const refused = (await service.graphql(wrong, {}, { store })).body;
    expect(refused.errors[0].message).toContain('after');
  },
);

test('each step of setting up a store is ticked once the store has done it', async () => {
  const setup = async (as: NewStore) =>
    (await service.graphql('{ setup { products shoppers lists alerts } }', {}, { store: as })).body.data
      .setup;
  const fresh = await service.createStore();
  expect(await setup(fresh)).toEqual({ products: false, shoppers: false, lists: false, alerts: false });
  const shopper = await service.account(fresh, 'ada@example.com');
  await service.post('/api/v3/lists/create', { lname: 'My list' }, { shopper }).expect(200);
  expect(await setup(fresh)).toEqual({ products: false, shoppers: true, lists: true, alerts: false });
  expect(await setup(store)).toMatchObject({ products: true, shoppers: true, lists: false });
});
