import { itemColumns } from '../../src/lists/item.columns.ts';
import { startService, useNewStore, useService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { createClient, item, newAccount, newGuest, stock, useNewAccount } from './list-kit.ts';
import type { Client } from './list-kit.ts';
import { statementsOf } from '../statements.ts';
import { until } from '../until.ts';

// Answers that are kept: nobody can tell them from new ones but by the statements that they save.

const service = useService();
let other: TestService;
const store = useNewStore(service);
const me = useNewAccount(service, store);
let lid: string;

beforeAll(async () => {
  other = await startService({}, undefined, service);
});
afterAll(async () => {
  await other.close();
});
beforeEach(async () => {
  ({ lid } = await me.create('Wishes'));
  await stock(service, store, '11');
  await me.add(lid, item(11), item(12));
});

const QUERY = '{ allLists { lid lname userinfo { fname } listcontents { epi qty dt stk } } }';
const READS: [string, (client: Client) => Promise<unknown>][] = [
  ['REST', (client) => client.ok('lists/fetch-lists')],
  ['GraphQL', async (client) => (await client.graphql(QUERY).expect(200)).body],
];
const IDENTITY = 'load_identities';
const isKept = async (read: () => Promise<unknown>): Promise<boolean> =>
  (await statementsOf(service, read)).join() === IDENTITY;

describe.each(READS)('over %s', (_door, read) => {
  test('the third reading of unchanged lists asks the database for the caller alone', async () => {
    const first = await read(me);
    const second = await read(me);
    let third: unknown;
    expect(await statementsOf(service, async () => (third = await read(me)))).toEqual([IDENTITY]);
    expect(second).toEqual(first);
    expect(third).toEqual(first);
  });

  test.each<[string, () => Promise<unknown>]>([
    ['a new name', () => me.ok('lists/update', { lid, lname: 'Other wishes' })],
    ['an item that was added', () => me.add(lid, item(13))],
    ['an item that was changed', () => me.ok('lists/update-ctx', { lid, u: [{ epi: 11, qty: 5 }] })],
    ['an item that was removed', () => me.ok('lists/update-ctx', { lid, d: [{ epi: 12 }] })],
    ['a new list', () => me.create('More wishes')],
    ['a list that was deleted', () => me.ok('lists/delete-list', { lid })],
    ['a list that was put away', () => me.ok('lists/markArchived', { lid })],
    [
      'a write in another process',
      () => createClient(other, me.shopper).ok('lists/update-ctx', { lid, d: [{ epi: 11 }] }),
    ],
    ['stock that changed', () => setStock(11, 3)],
    ['a variant that came into the catalogue', () => stock(service, store, '12', { dt: 'Pot' })],
    [
      'a variant that left the catalogue',
      () => graphqlAsStore('mutation { removeProducts(epis: [11]) { removed } }'),
    ],
    [
      'what the store learned of the shopper',
      () => graphqlAsStore('mutation { updateShopper(input: { fname: "Eve" }) { regid } }', me),
    ],
    ['a guest that joined', joinGuest],
  ])('%s shows at once', async (_what, change) => {
    for (let times = 0; times < 3; times += 1) await read(me);
    const before = await read(me);
    await change();
    const after = await read(me);
    expect(after).not.toEqual(before);
    expect(after).toEqual(await read(createClient(other, me.shopper)));
  });

  test('a session that was ended opens nothing, kept or not', async () => {
    for (let times = 0; times < 3; times += 1) await read(me);
    await service.services.db.prisma.shopper.updateMany({
      where: { pid: store.pid, regid: me.shopper.regid },
      data: { epoch: { increment: 1 } },
    });
    expect(await me.failure(401, 'lists/fetch-lists')).toBe('bad-sessionid');
    const { body } = await me.graphql(QUERY);
    expect(body.errors[0].extensions.type).toBe('bad-sessionid');
  });
});

function setStock(epi: number, stk: number): Promise<unknown> {
  return graphqlAsStore(`mutation { setStock(stocks: [{ epi: ${epi}, stk: ${stk} }]) { unknown } }`);
}

async function graphqlAsStore(query: string, client?: Client): Promise<unknown> {
  const { body } = await service.graphql(query, {}, { store, shopper: client?.shopper }).expect(200);
  expect(body.errors).toBeUndefined();
  return body;
}

async function joinGuest(): Promise<void> {
  const guest = await newGuest(service, store);
  const { lid: joined } = await guest.create('A list of a guest');
  await guest.add(joined, item(99));
  const [owner] = await service.services.db.query<{ em: string }>(
    'SELECT em FROM shopper WHERE pid = $1 AND regid = $2',
    [store.pid, me.shopper.regid],
  );
  const fields = { regid: guest.shopper.regid, useremail: owner!.em, useragenttype: 'test' };
  await service.post('/storeadmin/v3/user/guest-validate-sync', fields, { store }).expect(200);
}

test('a feed that sends the same again, or changes variants of others, leaves answers as they are', async () => {
  for (let times = 0; times < 3; times += 1) await me.ok('lists/fetch-lists');
  await setStock(11, 5);
  // Another slice of the catalogue than those of the two items.
  const [elsewhere] = await service.services.db.query<{ epi: string }>(
    `SELECT n::text AS epi FROM generate_series(1000, 2000) n
     WHERE catalog_slice(n::text) NOT IN (catalog_slice('11'), catalog_slice('12')) LIMIT 1`,
  );
  await stock(service, store, elsewhere!.epi);
  await stock(service, store, elsewhere!.epi, { stk: 1 });
  expect(await isKept(() => me.ok('lists/fetch-lists'))).toBe(true);
});

test('a feed moves the catalogue for every column that items show of a product', async () => {
  const [trigger] = await service.services.db.query<{ source: string }>(
    `SELECT prosrc AS source FROM pg_proc WHERE proname = 'product_changes_slices'`,
  );
  const [added, removed] = [
    ...trigger!.source.matchAll(/SELECT pid, catalog_slice\(epi\)(?: AS slice)?, (.*) FROM/g),
  ].map(([, columns]) => columns!.split(', '));
  const shown = itemColumns.filter(({ write }) => write === 'snapshot').map(({ column }) => column);
  expect(added).toEqual(expect.arrayContaining([...shown, 'epi', 'stk']));
  expect(removed).toEqual(added);
});

test('when the server closes a connection, nothing is kept any more: it may have been replaced by an older copy', async () => {
  for (let times = 0; times < 3; times += 1) await me.ok('lists/fetch-lists');
  expect(await isKept(() => me.ok('lists/fetch-lists'))).toBe(true);
  // It waits until they are gone: a call on one that is about to go would be told to come again.
  await other.services.db.query(
    `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  await until(async () => !(await isKept(() => me.ok('lists/fetch-lists'))));
});

test("somebody else's public list is read anew each time, because its owner's changes do not tell", async () => {
  await me.ok('lists/markPublic', { lid });
  const reader = await newAccount(service, store);
  for (let times = 0; times < 4; times += 1) await reader.contents(lid);
  await me.ok('lists/update', { lid, lname: 'Renamed' });
  expect((await reader.contents(lid)).list.lname).toBe('Renamed');
  expect(await isKept(() => reader.contents(lid))).toBe(false);
});

test('a failure is not kept', async () => {
  for (let times = 0; times < 4; times += 1) await me.failure(404, 'lists/sfl/fetch');
  await me.ok('lists/sfl/create');
  await me.ok('lists/sfl/fetch');
});

test('what depends on more than the shopper and the catalogue is not kept', async () => {
  const count = async () => (await me.ok('product/wishlist/social-count', { empi: 900 })).data.count;
  for (let times = 0; times < 4; times += 1) expect(await count()).toBe(1);
  const friend = await newAccount(service, store);
  const { lid: theirs } = await friend.create('Theirs');
  await friend.add(theirs, item(11));
  expect(await count()).toBe(2);
});

test('each shopper, and a store that speaks for one, has answers of its own', async () => {
  const friend = await newAccount(service, store);
  const ask = (caller: object) => service.graphql('{ shopper { regid } }', {}, caller).expect(200);
  for (let times = 0; times < 3; times += 1) {
    for (const { shopper } of [me, friend]) {
      for (const caller of [{ shopper }, { shopper, store }]) {
        expect((await ask(caller)).body.data.shopper.regid).toBe(shopper.regid);
      }
    }
  }
});

test('a wrong session or key learns nothing from what is kept for the right one', async () => {
  for (let times = 0; times < 3; times += 1) await me.ok('lists/fetch-lists');
  const thief = createClient(service, { ...me.shopper, sessionid: 'guessed' });
  expect(await thief.failure(401, 'lists/fetch-lists')).toBe('bad-sessionid');
  const forged = { ...store, apiKey: 'forged' };
  const { body } = await service.graphql(QUERY, {}, { store: forged, shopper: me.shopper });
  expect(body.data).toEqual({ allLists: null });
});

test('a closed store answers nothing from what was kept either', async () => {
  for (let times = 0; times < 3; times += 1) await me.ok('lists/fetch-lists');
  await service.services.db.prisma.store.updateMany({
    where: { pid: store.pid },
    data: { maintenance: true },
  });
  expect(await me.failure(503, 'lists/fetch-lists')).toBe('maintenance');
});

test('rate limits count cached responses, too', async () => {
  await service.services.db.prisma.store.updateMany({
    where: { pid: store.pid },
    data: { rateLimits: { shopper: 5 } },
  });
  const limited = await startService({ rateLimits: true }, undefined, service);
  const { shopper } = me;
  const statuses: number[] = [];
  for (let times = 0; times < 7; times += 1)
    statuses.push((await limited.post('/api/v3/lists/fetch-lists', {}, { shopper })).status);
  await limited.close();
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
});

test('headers are made anew: each answer has the id of its own request', async () => {
  const ids = new Set<string>();
  for (let times = 0; times < 4; times += 1)
    ids.add(String((await me.call('lists/fetch-lists').expect(200)).headers['x-request-id']));
  expect(ids.size).toBe(4);
});

test('a read under an Idempotency-Key is made anew', async () => {
  const read = () => me.call('lists/fetch-lists').set('Idempotency-Key', 'once').expect(200);
  for (let times = 0; times < 3; times += 1) await read();
  expect(await isKept(read)).toBe(false);
});

test('the type that a GraphQL client accepts is the type it gets', async () => {
  const types = ['application/json', 'application/graphql-response+json'];
  for (let times = 0; times < 4; times += 1) {
    for (const type of types) {
      const { headers } = await me.graphql(QUERY).set('accept', type).expect(200);
      expect(headers['content-type']).toBe(`${type}; charset=utf-8`);
    }
  }
});

test('with RESPONSE_CACHE_MB=0 every answer is made anew', async () => {
  const off = await startService({ responseCacheBytes: 0 }, undefined, service);
  const mine = createClient(off, me.shopper);
  for (let times = 0; times < 3; times += 1) await mine.ok('lists/fetch-lists');
  expect(await statementsOf(off, () => mine.ok('lists/fetch-lists'))).toEqual([IDENTITY, 'lists_of']);
  await off.close();
});

const raw = (path: string, encoding: string, body: string, type: string) =>
  fetch(`${service.url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': type,
      'accept-encoding': encoding,
      'x-pid': me.shopper.pid,
      'x-regid': me.shopper.regid,
      'x-sessionid': me.shopper.sessionid,
    },
    body,
  });

test.each([
  ['REST', '/api/v3/lists/fetch-lists', '', 'application/x-www-form-urlencoded'],
  [
    'GraphQL',
    '/graphql',
    JSON.stringify({ query: '{ allLists { listcontents { id epi di uts cts } } }' }),
    'application/json',
  ],
])('over %s, a long answer comes packed to who asks for it, kept or not', async (_door, path, body, type) => {
  await me.add(lid, ...Array.from({ length: 50 }, (_, n) => item(100 + n)));
  const plain = await (await raw(path, 'identity', body, type)).text();
  for (let times = 0; times < 3; times += 1) {
    for (const encoding of ['gzip, deflate, br', 'gzip', 'br;q=0, gzip;q=0.5', 'deflate']) {
      const answer = await raw(path, encoding, body, type);
      expect(answer.headers.get('vary')).toContain('Accept-Encoding');
      // fetch unpacks by itself, and fails where the header says something else than the bytes.
      expect(await answer.text()).toBe(plain);
      const expected = encoding.includes('br') && !encoding.includes('br;q=0') ? 'br' : 'gzip';
      expect(answer.headers.get('content-encoding')).toBe(encoding === 'deflate' ? null : expected);
    }
  }
});

test('a short answer is sent as it is', async () => {
  const answer = await raw(
    '/graphql',
    'br, gzip',
    JSON.stringify({ query: '{ shopper { regid } }' }),
    'application/json',
  );
  expect(answer.headers.get('content-encoding')).toBeNull();
  expect(answer.headers.get('vary')).toContain('Accept-Encoding');
});
