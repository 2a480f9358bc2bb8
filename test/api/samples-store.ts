import { OPERATOR_USER } from '../../src/stores/operator.service.ts';
import { SET_MAIL_SERVER } from '../alerts/tls-smtp.ts';
import type { TlsSmtp } from '../alerts/tls-smtp.ts';
import type { Caller, Fields, TestService } from '../harness.ts';
import type { Ids } from './samples-kit.ts';
import { SHOPIFY, proxied } from './token-kit.ts';
import type { Provider } from './token-kit.ts';

export const ADA = 'ada@example.com';
const PRODUCT = { epi: 1001, empi: 101, du: 'https://shop.example/p/linen-throw' };
const CATALOGUE = {
  ...{ ...PRODUCT, dt: 'Linen throw', bt: 'Hearth & Loom', vi: 'Sand', sku: 'HL-THROW', pr: 49.5, stk: 12 },
  ...{ uri: `${PRODUCT.du}?variant=1001`, iu: 'https://shop.example/i/linen-throw.jpg' },
};
const CUSTOMER = '7001';
const SHOP = 'https://shop.example';
const WEBHOOK = `mutation { saveWebhook(url: "https://shop.example/hooks", events: ["alert.sent"]) { webhook { id } } }`;

/** The store in which a sample request is sent, with what others did before. */
/** `query` is what a platform has signed, in place of the sample's. */
export type Scene = {
  ids: Ids;
  query?: string;
  callers: Record<'store' | 'shopper' | 'browser' | 'operator', Caller>;
};

export type Kit = { service: TestService; smtp: TlsSmtp; provider: Provider; operatorKey: string };

/** A store with a product and an account that has two lists, as the examples describe them. */
export async function prepare({ service, smtp, provider, operatorKey }: Kit, call: string): Promise<Scene> {
  const { pid, apiKey } = await service.createStore({
    name: 'Hearth & Loom',
    currency: 'EUR',
    senderAddress: 'hello@shop.example',
    ...(/identify/.test(call) && { allowedOrigins: [SHOP] }),
    ...(/login/.test(call) && { ...provider.settings, shopifyDomain: SHOPIFY.domain }),
  });
  const store = { pid, apiKey };
  const asStore = async (path: string, fields: Fields, headers = {}) =>
    (await service.post(`/storeadmin/${path}`, fields, { store, headers }).expect(200)).body;
  await asStore('v3/products/upsert', { products: [CATALOGUE] });
  const shopper = await service.account(store, ADA, 'web');
  const { regid, sessionid } = shopper;
  await asStore('v3/user/update', { regid, fname: 'Ada', lname: 'Lovelace', acc_mkt: true });
  const asShopper = async (path: string, fields: Fields) =>
    (await service.post(`/api/v3/lists/${path}`, fields, { shopper }).expect(200)).body;
  const { lid } = await asShopper('create', { lname: 'Birthday', lty: 'wl', lnote: 'For the living room' });
  await asShopper('update-ctx', { lid, a: [{ ...PRODUCT, qty: 1, note: 'in sand, please' }] });
  const { lid: tolid } = await asShopper('create', { lname: 'Holidays', lty: 'wl' });
  const ids: Ids = { pid, regid, sessionid, lid, tolid };
  let signed: string | undefined;

  const run = async (query: string, variables = {}) => {
    const { body } = await service.graphql(query, variables, { store });
    expect(body.errors).toBeUndefined();
    return body.data;
  };
  const setStock = (stk: number) => asStore('v3/products/set-stock', { stocks: [{ epi: 1001, stk }] });
  const subscribe = async (): Promise<void> => {
    await setStock(0);
    const contact = { medium: 'email', mediumvalue: ADA, addtomailinglist: 1, extras: 'size guide was open' };
    const fields = { ...contact, products: [PRODUCT], topics: ['backinstock'] };
    await asStore('bispa/subscriptions/create', fields, { 'x-regid': regid });
  };
  const alert = async (): Promise<void> => {
    await subscribe();
    await setStock(12);
    await service.runTasks();
  };
  const order = async (): Promise<void> => {
    await alert();
    const lines = [{ epi: 1001, quantity: 1, price: '49.50' }];
    await asStore('v3/orders/report', { orderId: 'A-1000', currency: 'EUR', lines, useremail: ADA });
  };
  const removeItem = () => asShopper('update-ctx', { lid, d: [{ epi: 1001 }] });
  const deleteList = () => asShopper('delete-list', { lid });
  const saveForLater = async (items: object[] = [PRODUCT]): Promise<void> => {
    const { list } = await asShopper('sfl/create', { lname: 'Saved for later' });
    ids.lid = list.lid as string;
    if (items.length > 0) await asShopper('sfl/add', { lid: ids.lid, items });
  };
  const webhook = async (): Promise<void> => {
    ids.webhookId = (await run(WEBHOOK)).saveWebhook.webhook.id as string;
  };
  const delivery = async (): Promise<void> => {
    await webhook();
    const query = 'mutation($id: ID!) { testWebhook(id: $id) { id } }';
    ids.id = (await run(query, { id: ids.webhookId })).testWebhook.id as string;
  };
  const webhookAsId = async (): Promise<void> => {
    await webhook();
    ids.id = ids.webhookId!;
    delete ids.webhookId;
  };
  const key = async (): Promise<void> => {
    ids.id = (await run('mutation { createApiKey(name: "Old import") { id } }')).createApiKey.id as string;
  };

  /** What happens before a call, by method and path or by kind and name; before others, nothing. */
  const steps: Record<string, () => Promise<unknown>> = {
    'POST /storeadmin/v3/user/guest-validate-sync': async () => {
      const guest = await service.guest(store, undefined, 'web');
      const list = await service.post('/api/v3/lists/create', { lname: 'Guest list' }, { shopper: guest });
      const fields = { lid: list.body.lid as string, a: [PRODUCT] };
      await service.post('/api/v3/lists/update-ctx', fields, { shopper: guest }).expect(200);
      ids.guest = guest.regid;
    },
    'POST /api/v3/shopper/login': async () => {
      const claims = { email: ADA, sub: CUSTOMER };
      ids.token = await provider.token(claims, {}, undefined, service.services.now());
    },
    'POST /api/v3/shopify/proxy/login': async () => {
      await run('mutation ($secret: String) { setShopifySecret(secret: $secret) { url } }', SHOPIFY);
      await asStore('v3/user/generate-regid', { useremail: ADA, externalid: CUSTOMER, useragenttype: 'web' });
      const timestamp = service.services.now().getTime() / 1_000;
      signed = proxied(store, { customer: CUSTOMER, timestamp });
    },
    'POST /storeadmin/v3/products/set-stock': () => setStock(0),
    'POST /storeadmin/bispa/subscriptions/create': () => setStock(0),
    'POST /storeadmin/bispa/subscriptions/remove': subscribe,
    'POST /api/v3/subscriptions/fetch-subs': subscribe,
    'POST /api/v3/subscriptions/unsubscribe': subscribe,
    'GET /storeadmin/v3/mailinglist': subscribe,
    'GET /storeadmin/v3/mailinglist.csv': subscribe,
    'GET /storeadmin/v3/alerts.csv': alert,
    'GET /storeadmin/v3/revenue': order,
    'GET /storeadmin/v3/revenue.csv': order,
    'POST /api/v3/lists/create': () => asShopper('update', { lid, lname: 'Wedding' }),
    'POST /api/v3/lists/markPrivate': () => asShopper('markPublic', { lid }),
    'POST /api/v3/lists/markUnarchived': () => asShopper('markArchived', { lid }),
    'POST /api/v3/lists/update-ctx': removeItem,
    'POST /api/v3/lists/sfl/add': () => saveForLater([]),
    'POST /api/v3/lists/sfl/fetch': saveForLater,
    'POST /api/v3/lists/sfl/remove': saveForLater,
    'POST /api/v3/lists/sfl/update': saveForLater,
    'POST /api/v3/lists/sfl/moved-to-cart': saveForLater,
    'POST /api/v3/lists/restore': deleteList,
    'POST /api/v3/lists/restore-items': removeItem,
    'POST /api/v3/lists/fetch-deleted': deleteList,
    'POST /api/v3/lists/fetch-deleted-items': removeItem,
    'query stockChanges': () => setStock(0),
    'query mailServer': () => run(MAIL_SERVER),
    'query auditLog': () => asStore('v3/user/export', { useremail: ADA }),
    'query activity': alert,
    'query activityReport': alert,
    'query setup': alert,
    'query occasions': alert,
    'query mostWishlisted': service.runTasks,
    'query waitingDemand': async () => subscribe().then(service.runTasks),
    'query subscriptions': subscribe,
    'query audience': subscribe,
    'query sendProgress': alert,
    'query deletedLists': deleteList,
    'query webhooks': webhook,
    'query deliveries': delivery,
    'query delivery': delivery,
    'mutation triggerTopic': subscribe,
    'mutation renameApiKey': key,
    'mutation revokeApiKey': key,
    'mutation removeMailServer': () => run(MAIL_SERVER),
    'mutation testMailServer': () => run(SET_MAIL_SERVER, { input: smtp.input }),
    'mutation deleteTopic': () => run('mutation { saveTopic(input: { name: "autumn" }) { name } }'),
    'mutation deleteWebhook': webhookAsId,
    'mutation testWebhook': webhookAsId,
    'mutation replayDelivery': delivery,
  };
  await steps[call]?.();
  const callers = {
    store: { store },
    shopper: { shopper, headers: { origin: SHOP } },
    browser: { headers: { origin: SHOP } },
    operator: { store: { pid: OPERATOR_USER, apiKey: operatorKey } },
  };
  return { ids, query: signed, callers };
}

const MAIL_SERVER =
  'mutation { setMailServer(input: { host: "smtp.shop.example", port: 587, security: starttls, user: "shop", password: "secret" }) { host } }';
