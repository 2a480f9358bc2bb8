import { randomInt } from 'node:crypto';
import { customerOf, isProxySigned } from '../../src/shoppers/login/shopify-proxy.rules.ts';
import { useService } from '../harness.ts';
import type { StoreAccess, TestShopper } from '../harness.ts';
import { item } from './list-kit.ts';
import { SHOPIFY, proxied } from './token-kit.ts';
import type { ProxiedCall } from './token-kit.ts';

const PATH = '/api/v3/shopify/proxy/login';
const MUTATION = `mutation ($query: String!, $regid: String, $sessionid: String) {
  loginWithShopify(query: $query, regid: $regid, sessionid: $sessionid) { message regid sessionid isGuest uuid merged { lists items duplicates } }
}`;
const ZERO = { lists: 0, items: 0, duplicates: 0 };
const DOMAIN = SHOPIFY.domain;
const SECRET = SHOPIFY.secret;

describe("Shopify's published examples", () => {
  const example = (customer: string, signature: string) =>
    `extra=1&extra=2&shop=shop-name.myshopify.com&logged_in_customer_id=${customer}&path_prefix=%2Fapps%2Fawesome_reviews&timestamp=1317327555&signature=${signature}`;
  const VECTORS = [
    ['1', '4c68c8624d737112c91818c11017d24d334b524cb5c2b8ba08daa056f7395ddb'],
    ['', 'e072b6d7e6622d85912a5214b860d3100dc1e73d9bc29f43796ac8c9ff8093cb'],
  ] as const;

  test.each(VECTORS)('customer "%s": the signature counts, and no other', (customer, signature) => {
    const query = example(customer, signature);
    expect(isProxySigned('hush', query)).toBe(true);
    expect(isProxySigned('hush', query.replace(/^(.*)&(shop=.*)$/, '$2&$1'))).toBe(true);
    expect(isProxySigned('push', query)).toBe(false);
    expect(isProxySigned('hush', query.replace('extra=2', 'extra=3'))).toBe(false);
    expect(isProxySigned('hush', query.replace(/.$/, '0'))).toBe(false);
    expect(isProxySigned('hush', query.replace(/&signature=.*/, ''))).toBe(false);
    const at = new Date(1_317_327_555_000 + 89_000);
    expect(customerOf(query, 'shop-name.myshopify.com', at)).toBe(customer);
  });
});

const service = useService();
const limited = useService({ rateLimits: true });
const connect = async (of: StoreAccess): Promise<void> => {
  const query = 'mutation ($secret: String) { setShopifySecret(secret: $secret) { connected } }';
  const { body } = await service.graphql(query, { secret: SECRET }, { store: of });
  expect(body.data.setShopifySecret.connected).toBe(true);
};
let store: StoreAccess;
beforeAll(async () => {
  store = await service.createStore({ shopifyDomain: DOMAIN });
  await connect(store);
});

const newCustomer = () => String(randomInt(1e12, 9e12));

const login = (query: string, { regid, sessionid }: Partial<TestShopper> = {}, headers = {}) =>
  service.post(`${PATH}?${query}`, { regid, sessionid }, { headers });
const enter = (sent: ProxiedCall, shown: Partial<TestShopper> = {}) => login(proxied(store, sent), shown);
const listsOf = async ({ pid, regid, sessionid }: TestShopper): Promise<unknown[]> =>
  (await service.post('/api/v3/lists/fetch-lists', {}, { shopper: { pid, regid, sessionid } }).expect(200))
    .body;

test('a customer is logged in, and the guest of the browser is merged; a repeat reports zeros', async () => {
  const customer = newCustomer();
  const guest = await service.guest(store);
  const { lid } = (
    await service.post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper: guest }).expect(200)
  ).body;
  await service.post('/api/v3/lists/update-ctx', { lid, a: [item(1)] }, { shopper: guest }).expect(200);
  const { body } = await enter({ customer }, guest).expect(200);
  expect(body).toEqual({
    message: expect.any(String),
    regid: expect.any(String),
    sessionid: expect.any(String),
    isGuest: false,
    uuid: null,
    merged: { lists: 1, items: 1, duplicates: 0 },
  });
  expect(await listsOf({ ...guest, ...body })).toHaveLength(1);
  expect((await enter({ customer }, guest).expect(200)).body).toMatchObject({
    regid: body.regid,
    merged: ZERO,
  });
  expect((await enter({ customer }, body).expect(200)).body.merged).toEqual(ZERO);
  expect((await enter({ customer }).expect(200)).body.sessionid).toBe(body.sessionid);
  const byStore = await service
    .post('/storeadmin/v3/user/generate-regid', { externalid: customer, useragenttype: 'pos' }, { store })
    .expect(200);
  expect(byStore.body.regid).toBe(body.regid);
});

test('without a customer there is a new guest, without a row, who keeps its identity when it comes again', async () => {
  const { body } = await enter({}).expect(200);
  expect(body).toMatchObject({ isGuest: true, uuid: expect.stringMatching(/^[0-9a-f-]{36}$/), merged: ZERO });
  const rows = await service.services.db.query('SELECT 1 FROM shopper WHERE pid = $1 AND regid = $2', [
    store.pid,
    body.regid,
  ]);
  expect(rows).toEqual([]);
  const again = await enter({}, body).expect(200);
  expect(again.body).toMatchObject({
    regid: body.regid,
    sessionid: body.sessionid,
    isGuest: true,
    uuid: null,
  });
});

test('after a logout in the shop the account is left for a new guest', async () => {
  const guest = await service.guest(store);
  const account = (await enter({ customer: newCustomer() }, guest).expect(200)).body;
  for (const shown of [account, guest]) {
    const { body } = await enter({}, shown).expect(200);
    expect(body.isGuest).toBe(true);
    expect([account.regid, guest.regid]).not.toContain(body.regid);
  }
});

test('GraphQL gives the same record', async () => {
  const query = proxied(store, { customer: newCustomer() });
  const rest = await login(query).expect(200);
  const { body } = await service.graphql(MUTATION, { query }, { headers: { 'x-pid': store.pid } });
  expect(body.data.loginWithShopify).toEqual(rest.body);
});

describe('is 401', () => {
  test.each<[what: string, sent: ProxiedCall, msg: RegExp]>([
    ['with a wrong signature', { secret: 'another secret that is wrong' }, /signature/],
    ['for another shop', { shop: 'other.myshopify.com' }, /another shop/],
    ['when it is older than 90 seconds', { timestamp: Math.floor(Date.now() / 1_000) - 95 }, /too old/],
    ['when its time is no number', { timestamp: 'now' }, /too old/],
    ['when its customer is no number', { customer: 'ada@example.com' }, /must be a number/],
  ])('%s, over both APIs', async (_what, sent, msg) => {
    const query = proxied(store, { customer: newCustomer(), ...sent });
    const { body } = await login(query).expect(401);
    expect(body).toMatchObject({ type: 'unauthorised', msg: expect.stringMatching(msg) });
    const { body: graph } = await service.graphql(MUTATION, { query }, { headers: { 'x-pid': store.pid } });
    expect(graph.errors[0]).toMatchObject({ message: body.msg, extensions: { status: 401 } });
  });

  test('when the customer was changed, or named twice by the page, which REST refuses as it does everywhere', async () => {
    const query = proxied(store, { customer: '1' });
    await login(query.replace('customer_id=1', 'customer_id=2')).expect(401);
    for (const extra of [
      '&logged_in_customer_id=2',
      '&logged%5Fin_customer_id=2',
      '&shop=x',
      '&timestamp=1',
    ]) {
      const twice = proxied(store, { extra });
      await login(twice).expect(400);
      const { body } = await service.graphql(MUTATION, { query: twice }, { headers: { 'x-pid': store.pid } });
      expect(body.errors[0]).toMatchObject({
        message: expect.stringMatching(/once$/),
        extensions: { status: 401 },
      });
    }
  });

  test('with fields of the form instead of the query', async () => {
    const fields = Object.fromEntries(new URLSearchParams(proxied(store, { customer: '1' })));
    await service.post(PATH, fields).expect(401);
    await service.post(PATH, { pid: store.pid, query: proxied(store, { customer: '1' }) }).expect(401);
  });

  test('with a guest that the browser does not prove, and nothing moves', async () => {
    const guest = await service.guest(store);
    await service.post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper: guest }).expect(200);
    const { body } = await enter({ customer: newCustomer() }, { ...guest, sessionid: 'x' }).expect(401);
    expect(body.type).toBe('bad-sessionid');
    expect(await listsOf(guest)).toHaveLength(1);
  });

  test('for another store, whose app has another secret', async () => {
    const other = await service.createStore({ shopifyDomain: 'other.myshopify.com' });
    await connect(other);
    await login(proxied(other, { customer: '1' })).expect(401);
  });
});

test("another customer's account is 403", async () => {
  const { body } = await enter({ customer: newCustomer() }).expect(200);
  expect((await enter({ customer: newCustomer() }, body).expect(403)).body.type).toBe('forbidden');
});

test('without the domain or the secret the call is off: 403 names what is missing', async () => {
  const bare = await service.createStore();
  expect((await login(proxied(bare)).expect(403)).body.msg).toContain('shopifyDomain');
  const half = await service.createStore({ shopifyDomain: DOMAIN });
  expect((await login(proxied(half)).expect(403)).body.msg).toContain('setShopifySecret');
});

test('twenty logins of one guest at once merge it once', async () => {
  const guest = await service.guest(store);
  await service.post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper: guest }).expect(200);
  const query = proxied(store, { customer: newCustomer() });
  const all = await Promise.all(Array.from({ length: 20 }, () => login(query, guest).expect(200)));
  expect(new Set(all.map(({ body }) => body.sessionid)).size).toBe(1);
  expect(all.filter(({ body }) => body.merged.lists === 1)).toHaveLength(1);
});

test("customers have a limit each, because all of them come from Shopify's addresses", async () => {
  const shop = await limited.createStore({ shopifyDomain: DOMAIN, rateLimits: { address: 10 } });
  const query = 'mutation ($secret: String) { setShopifySecret(secret: $secret) { connected } }';
  await limited.graphql(query, { secret: SECRET }, { store: shop });
  const call = (customer: string) => limited.post(`${PATH}?${proxied(shop, { customer })}`, {});
  await call('1').expect(200);
  await call('2').expect(200);
  expect((await call('1').expect(429)).headers['ratelimit-limit']).toBe('1');
  for (let guest = 0; guest < 3; guest += 1) await call('').expect(200);
});
