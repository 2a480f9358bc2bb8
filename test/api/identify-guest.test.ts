import type { NewStore } from '../../src/stores/store.service.ts';
import { startService, useService, useStore } from '../harness.ts';
import type { StoreAccess, TestService } from '../harness.ts';

const IDENTIFY = '/api/v3/shopper/identify';
const MUTATION = 'mutation { identifyGuest { message regid sessionid uuid } }';
const SHOP = 'https://shop.example';
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const service = useService();
const shop = useStore(service, { allowedOrigins: [SHOP] });
const open = useStore(service);

const identify = ({ pid }: StoreAccess, headers: Record<string, string> = { origin: SHOP }) =>
  service.post(IDENTIFY, { pid }, { headers });

const overGraphql = ({ pid }: StoreAccess, headers: Record<string, string> = { origin: SHOP }) =>
  service.graphql(MUTATION, {}, { headers: { 'x-pid': pid, ...headers } });

test('a page of an allowed origin gets a guest by the pid alone, in the form or the query, and no row is written', async () => {
  const { body, headers } = await identify(shop).expect(200);
  expect(Object.keys(body)).toEqual(['message', 'regid', 'sessionid', 'uuid']);
  expect(body.uuid).toMatch(UUID_V4);
  expect(headers).toMatchObject({ 'access-control-allow-origin': SHOP, 'cache-control': 'no-store' });
  const inQuery = await service
    .post(`${IDENTIFY}?pid=${encodeURIComponent(shop.pid)}`, {}, { headers: { origin: SHOP } })
    .expect(200);
  expect(inQuery.body.uuid).not.toBe(body.uuid);
  const shopper = { pid: shop.pid, regid: body.regid, sessionid: body.sessionid };
  expect((await service.post('/api/v3/lists/fetch-lists', {}, { shopper }).expect(200)).body).toEqual([]);
  const rows = await service.services.db.query('SELECT 1 FROM shopper WHERE pid = $1', [shop.pid]);
  expect(rows).toEqual([]);
});

test('GraphQL gives the same record', async () => {
  const { body } = await overGraphql(shop).expect(200);
  expect(body.data.identifyGuest).toMatchObject({ uuid: expect.stringMatching(UUID_V4) });
});

test('the guest saves a list, and a back end that sends the uuid finds the same guest', async () => {
  const { body } = await identify(shop).expect(200);
  const shopper = { pid: shop.pid, regid: body.regid, sessionid: body.sessionid };
  await service.post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper }).expect(200);
  expect((await service.guest(shop, body.uuid)).regid).toBe(body.regid);
});

test("the sessionid is the browser's, as if its User-Agent were the useragenttype", async () => {
  const agent = `Mozilla/5.0 ${'x'.repeat(3_000)}`;
  const long = await identify(shop, { origin: SHOP, 'user-agent': agent }).expect(200);
  const known = await service.guest(shop, long.body.uuid, agent.slice(0, 2_048));
  expect(known.sessionid).toBe(long.body.sessionid);
  const none = await identify(shop, { origin: SHOP, 'user-agent': '' }).expect(200);
  expect((await service.guest(shop, none.body.uuid, 'browser')).sessionid).toBe(none.body.sessionid);
});

const REFUSED: [what: string, store: StoreAccess, headers: Record<string, string>, msg: RegExp][] = [
  ['while the store names no origin', open, { origin: SHOP }, /off.*allowedOrigins/],
  [
    "from the service's own page while the store names no origin",
    open,
    { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1' },
    /off/,
  ],
  ['from a foreign origin', shop, { origin: 'https://evil.example' }, /allowedOrigins/],
  [
    "from the service's own page",
    shop,
    { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1' },
    /allowedOrigins/,
  ],
  ['from a sandboxed page', shop, { origin: 'null' }, /allowedOrigins/],
  ['without an Origin', shop, {}, /no Origin header.*generate-regid/],
];

test.each(REFUSED)('%s the call is refused with 403 over both APIs', async (_what, store, headers, msg) => {
  const rest = await identify(store, headers).expect(403);
  expect(rest.body).toMatchObject({ type: 'forbidden', msg: expect.stringMatching(msg) });
  const { body } = await overGraphql(store, headers);
  expect(body.errors[0]).toMatchObject({
    message: rest.body.msg,
    extensions: { type: 'forbidden', status: 403 },
  });
  expect(body.data?.identifyGuest ?? null).toBeNull();
});

test('an unknown pid, and none, are 401', async () => {
  for (const pid of ['bm8=', ''])
    expect((await identify({ pid, apiKey: '' }).expect(401)).body.type).toBe('unauthorised');
});

test('a preflight is answered', async () => {
  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-pid' };
  const { headers } = await service.http
    .options(IDENTIFY)
    .set({ origin: SHOP, ...asked })
    .expect(204);
  expect(headers).toMatchObject({
    'access-control-allow-origin': SHOP,
    'access-control-allow-headers': 'x-pid',
  });
});

describe('a service with limits and the demo store', () => {
  let limited: TestService;
  beforeAll(async () => {
    limited = await startService({ demo: true, trustProxy: ['loopback'] });
  });
  afterAll(() => limited.close());

  const call = ({ pid }: { pid: string }, address: string, origin = SHOP) =>
    limited.post(IDENTIFY, { pid }, { headers: { origin, 'x-forwarded-for': address } });

  test("the demo store's guests come from the service's own pages alone", async () => {
    const demo = limited.demo!;
    await call(demo, '192.0.2.1', limited.url).expect(200);
    await call(demo, '192.0.2.1').expect(403);
    await limited.post(IDENTIFY, { pid: demo.pid }).expect(403);
  });

  test('beyond a tenth of the requests of an address the call is 429 with headers, other calls and addresses go on', async () => {
    const store = await limited.createStore({ allowedOrigins: [SHOP], rateLimits: { address: 20 } });
    await call(store, '192.0.2.7').expect(200);
    await call(store, '192.0.2.7').expect(200);
    const { headers, body } = await call(store, '192.0.2.7').expect(429);
    expect(body.type).toBe('too-many-requests');
    expect(headers).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': '0' });
    expect(headers['retry-after']).toBe(headers['ratelimit-reset']);
    await call(store, '192.0.2.8').expect(200);
    const other = { origin: SHOP, 'x-forwarded-for': '192.0.2.7', 'x-pid': store.pid };
    await limited.graphql('{ store { name } }', {}, { headers: other }).expect(200);
    // Each field of a document counts.
    const { body: many } = await limited.graphql(
      'mutation { a: identifyGuest { uuid } b: identifyGuest { uuid } c: identifyGuest { uuid } }',
      {},
      { headers: { ...other, 'x-forwarded-for': '192.0.2.9' } },
    );
    expect(many.errors).toMatchObject([{ path: ['c'], extensions: { type: 'too-many-requests' } }]);
  });

  test("all addresses together have the store's limit", async () => {
    const store: NewStore = await limited.createStore({ allowedOrigins: [SHOP], rateLimits: { key: 2 } });
    await call(store, '192.0.2.21').expect(200);
    await call(store, '192.0.2.22').expect(200);
    const { headers } = await call(store, '192.0.2.23').expect(429);
    expect(headers['ratelimit-limit']).toBe('2');
  });
});
