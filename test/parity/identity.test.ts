import { randomUUID } from 'node:crypto';
import { SHOPIFY, proxied, startProvider } from '../api/token-kit.ts';
import { useService, useStore } from '../harness.ts';
import { fullSelection } from './full-selection.ts';

const service = useService();
const store = useStore(service);
const local = useService({ rateLimits: false, webhookAllowPrivate: true });

test('generate-regid answers every field of RegidPayload', async () => {
  const fields = { uuid: randomUUID(), useragenttype: 'pos' };
  const rest = await service.post('/storeadmin/v3/user/generate-regid', fields, { store }).expect(200);
  const { body } = await service.graphql(
    `mutation ($uuid: String, $useragenttype: String!) {
      generateRegid(uuid: $uuid, useragenttype: $useragenttype) ${fullSelection('RegidPayload')}
    }`,
    fields,
    { store },
  );
  expect(rest.body).toEqual(body.data.generateRegid);
});

test('guest-validate-sync answers every field of SyncGuestPayload', async () => {
  const { regid } = await service.guest(store);
  const fields = { regid, useremail: 'parity@example.com', useragenttype: 'pos' };
  // The first call merges; the two that are compared both find nothing left to do.
  await service.post('/storeadmin/v3/user/guest-validate-sync', fields, { store }).expect(200);
  const rest = await service.post('/storeadmin/v3/user/guest-validate-sync', fields, { store }).expect(200);
  const { body } = await service.graphql(
    `mutation ($regid: String!, $useremail: String!, $useragenttype: String!) {
      syncGuest(regid: $regid, useremail: $useremail, useragenttype: $useragenttype) ${fullSelection('SyncGuestPayload')}
    }`,
    fields,
    { store },
  );
  expect(rest.body).toEqual(body.data.syncGuest);
});

test('shopper/identify answers every field of GuestPayload', async () => {
  const origin = 'https://shop.example';
  const { pid } = await service.createStore({ allowedOrigins: [origin] });
  const rest = await service.post('/api/v3/shopper/identify', { pid }, { headers: { origin } }).expect(200);
  const { body } = await service.graphql(
    `mutation { identifyGuest ${fullSelection('GuestPayload')} }`,
    {},
    { headers: { origin, 'x-pid': pid } },
  );
  // Every call makes another guest.
  const made = Object.fromEntries(Object.keys(rest.body).map((name) => [name, expect.any(String)]));
  expect(body.data.identifyGuest).toEqual({ ...made, message: rest.body.message });
});

test("shopper/login answers every field of SyncGuestPayload, and Shopify's of its own", async () => {
  const provider = await startProvider();
  const { pid, apiKey } = await local.createStore({ ...provider.settings, shopifyDomain: SHOPIFY.domain });
  const connect = 'mutation ($secret: String) { setShopifySecret(secret: $secret) { url } }';
  await local.graphql(connect, SHOPIFY, { store: { pid, apiKey } });
  const run = async (call: string, type: string, variables: object) =>
    (
      await local.graphql(`mutation ($it: String!) { ${call} ${fullSelection(type)} }`, variables, {
        headers: { 'x-pid': pid },
      })
    ).body.data;
  const token = await provider.token();
  const login = await local.post('/api/v3/shopper/login', { pid, token }).expect(200);
  expect(await run('loginWithToken(token: $it)', 'SyncGuestPayload', { it: token })).toEqual({
    loginWithToken: login.body,
  });
  const it = proxied({ pid }, { customer: '7001' });
  const shopify = await local.post(`/api/v3/shopify/proxy/login?${it}`, {}).expect(200);
  expect(await run('loginWithShopify(query: $it)', 'ShopifyLoginPayload', { it })).toEqual({
    loginWithShopify: shopify.body,
  });
  provider.close();
});

test('me answers exactly the store fields that callers check a key by', async () => {
  const rest = await service.get('/storeadmin/me', { store }).expect(200);
  expect(rest.body).toEqual({ pid: store.pid, appId: 'StoreadminApi' });
  const { body } = await service.graphql('{ store { pid appId } }', {}, { store });
  expect(rest.body).toEqual(body.data.store);
});

test('user/update answers every field of Shopper, with the shopper named by the form or by the header', async () => {
  const { regid } = await service.account(store, 'parity-update@example.com');
  const input = {
    ...{ fname: 'Zoë', lname: 'Ångström', m: '+4915112345678', sw_mkt: 'ad', ut: 'vip', acc_mkt: true },
    extags: ['gold', 'spring'],
    prefs: {
      Mediums: { email: { signuptime: 1, acceptmarketing: true, acceptsource: 'popup' } },
      lang: 'de',
    },
    pd: { tags: ['a'], orders_count: 3, total_spent: '12.50', last_order_id: null, city: 'Ulm' },
  };
  service.setNow(new Date());
  const path = '/storeadmin/v3/user/update';
  const rest = await service.post(path, { regid, ...input }, { store }).expect(200);
  const { body } = await service.graphql(
    `mutation ($input: UpdateShopperInput!) { updateShopper(input: $input) ${fullSelection('Shopper')} }`,
    { input },
    { store, headers: { 'x-regid': regid } },
  );
  expect(rest.body).toEqual(body.data.updateShopper);
  expect(rest.body.userinfo).toMatchObject(input);
  const byHeader = await service
    .post(path, { ut: 'new' }, { store, headers: { 'x-regid': regid } })
    .expect(200);
  expect(byHeader.body.userinfo).toEqual({ ...rest.body.userinfo, ut: 'new' });
});
