import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import supertest from 'supertest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { ensureDemoStore } from '../../src/web/demo-store/demo.ts';
import type { OutboxMail } from '../../src/web/demo-store/message.ts';
import { DEMO_PRODUCTS } from '../../src/web/demo-store/products.ts';
import { encryptLink } from '../../src/shoppers/contacts/link.rules.ts';
import { findStore } from '../../src/stores/store.repo.ts';
import { rotateKey, updateStore } from '../../src/stores/store.service.ts';
import { toClaim } from '../../src/alerts/subscriptions/signup.rules.ts';
import { openRuntime } from '../../src/services.ts';
import { createLogger } from '../../src/platform/log.ts';
import { startService, useService } from '../harness.ts';
import { createTestDatabase } from '../setup/database.ts';

const service = useService({ demo: true });
let withDemo: ReturnType<typeof supertest>;
let withoutDemo: ReturnType<typeof supertest>;

beforeAll(async () => {
  withDemo = service.http;
  const { config } = service.services;
  const app = await createApp(
    { ...service.services, config: { ...config, demo: false } },
    { isDraining: false },
  );
  withoutDemo = supertest(app);
});

test('the demo shop reports what is ordered at its own prices, and the dashboard has it', async () => {
  const shop = supertest.agent(service.url);
  const store = { ...service.demo!, name: '' };
  await shop.post('/demo/api/login').send({ email: 'buyer@example.com' }).expect(200);
  const [{ epi, pr }] = DEMO_PRODUCTS as [(typeof DEMO_PRODUCTS)[0]];
  const lines = [{ epi, quantity: 2, price: '0.01' }];
  const { body } = await shop.post('/demo/api/order').send({ lines, click: 'nonsense' }).expect(200);
  expect(body).toEqual({ orderId: expect.any(String), total: (2 * pr).toFixed(2) });
  for (const wrong of [{}, { lines: [] }, { lines: 'x' }, { lines: [{ epi: 'unknown' }] }])
    await shop.post('/demo/api/order').send(wrong).expect(400);
  const { body: revenue } = await service.get('/storeadmin/v3/revenue?days=1', { store }).expect(200);
  expect(revenue.totals).toMatchObject([{ currency: 'EUR', orders: 1, amount: body.total }]);
});

test("the API reference holds the demo store's key on the machine that runs the service, and nowhere else", async () => {
  const { pid, apiKey } = service.demo!;
  const own = await withDemo.get('/docs').expect(200);
  expect(own.text).toContain(JSON.stringify({ pid, apiKey }));
  expect(own.headers['cache-control']).toBe('no-store');
  const visits = [
    withDemo.get('/docs').set('host', 'wishes.example'),
    withDemo.get('/docs').set('x-forwarded-for', '203.0.113.7'),
    withDemo.get('/docs').set('via', '1.1 proxy'),
    withoutDemo.get('/docs'),
  ];
  for (const visit of visits) {
    const { text, headers } = await visit.expect(200);
    expect(text).toContain('"demo":null');
    expect(text).not.toContain(apiKey);
    expect(headers['cache-control']).toBe('no-cache');
  }
  const { text } = await withDemo.get('/docs/openapi.json').expect(200);
  expect(text).not.toContain(apiKey);
});

test('a server without DEMO does not know the demo store that an earlier one left in its database', async () => {
  const demo = { ...service.demo!, name: '' };
  const store = (await findStore(service.services.db, demo.pid))!;
  const shopper = await service.account(demo);
  const { body: list } = await service
    .post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper })
    .expect(200);
  await service.post('/api/v3/lists/markPublic', { lid: list.lid }, { shopper }).expect(200);
  const contact = { medium: 'email', value: 'a@example.com' } as const;
  const confirm = encryptLink(store, 'confirm', toClaim(contact, service.services.now()));
  const leave = encryptLink(store, 'unsubscribe', [
    'topic',
    contact.medium,
    contact.value,
    'backinstock',
    '',
  ]);
  await service
    .graphql(
      'mutation { setShopifySecret(secret: "shpss_0123456789abcdef") { connected } }',
      {},
      { store: demo },
    )
    .expect(200);
  const signature = createHmac('sha256', 'shpss_0123456789abcdef').update('{}').digest('base64');
  const pid = encodeURIComponent(demo.pid);
  const session = { 'x-pid': shopper.pid, 'x-regid': shopper.regid, 'x-sessionid': shopper.sessionid };

  const answers = async (http: typeof withDemo): Promise<Record<string, number>> => ({
    key: (await http.get('/storeadmin/me').auth(demo.pid, demo.apiKey)).status,
    session: (await http.post('/graphql').set(session).send({ query: '{ shopper { uid } }' })).body.data
      ?.shopper
      ? 200
      : 401,
    shared: (await http.get(`/shared/${list.lid}?pid=${pid}`)).status,
    confirm: (await http.get(`/confirm/${confirm}`)).status,
    unsubscribe: (await http.get(`/unsubscribe/${leave}`)).status,
    shopify: (
      await http
        .post(`/webhooks/shopify/${pid}`)
        .set({
          'content-type': 'application/json',
          'x-shopify-topic': 'x/y',
          'x-shopify-hmac-sha256': signature,
        })
        .send('{}')
    ).status,
  });
  expect(await answers(withDemo)).toEqual({
    key: 200,
    session: 200,
    shared: 200,
    confirm: 200,
    unsubscribe: 200,
    shopify: 200,
  });
  expect(await answers(withoutDemo)).toEqual({
    key: 401,
    session: 401,
    shared: 404,
    confirm: 404,
    unsubscribe: 404,
    shopify: 401,
  });
});

describe('the demo dashboard', () => {
  const ROUTE = '/dashboard/demo';
  const own = { 'sec-fetch-site': 'same-origin' };

  test('opens for a page of our own on the machine of our own, and leads to the dashboard as the demo store', async () => {
    const { headers } = await withDemo.post(ROUTE).set(own).expect(303);
    expect(headers['location']).toBe('/dashboard');
    const cookie = headers['set-cookie']![0]!.split(';')[0]!;
    const { body } = await withDemo
      .get('/dashboard/session')
      .set({ ...own, cookie, 'x-wishgate-dashboard': '1' });
    expect(body.session).toMatchObject({
      isOperator: false,
      store: { pid: service.demo!.pid, isDemo: true },
    });
    expect(body.hasDemo).toBe(true);
    const old = await withDemo.post(ROUTE).set({ origin: service.url }).expect(303);
    expect(old.headers['set-cookie']).toBeDefined();
  });

  test.each<[string, Record<string, string>]>([
    ['a form of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['a page on another port', { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }],
    ['an old browser on another site', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['who does not say where it comes from', {}],
  ])('stays shut for %s', async (_name, headers) => {
    const answer = await withDemo.post(ROUTE).set(headers);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
  });

  test('is not there for other machines, behind a proxy, by another name, by GET or without a demo store', async () => {
    for (const headers of [
      { 'x-forwarded-for': '203.0.113.7' },
      { forwarded: 'for=1' },
      { host: 'evil.example' },
    ]) {
      const answer = await withDemo.post(ROUTE).set({ ...own, ...headers });
      expect([answer.status, answer.headers['set-cookie']]).toEqual([404, undefined]);
    }
    await withDemo.get(ROUTE).set(own).expect(404);
    await withoutDemo.post(ROUTE).set(own).expect(404);
  });
});

test('two processes on one database each hand out links of the demo store that lead to themselves', async () => {
  const { services } = service;
  const { pid, apiKey } = service.demo!;
  // What an earlier version stored leads to a process that is gone.
  await updateStore(services, pid, { shareUrl: 'http://127.0.0.1:1/demo#/shared/{lid}' });
  const addresses = ['http://127.0.0.1:4001', 'http://127.0.0.1:4002'];
  const apps = [];
  for (const publicUrl of addresses) {
    const own = { ...services, config: { ...services.config, publicUrl } };
    apps.push(supertest(await createApp(own, { isDraining: false }, await ensureDemoStore(own))));
  }
  const shopper = await service.account(service.demo!);
  const { body: list } = await service
    .post('/api/v3/lists/create', { lname: 'Shared' }, { shopper })
    .expect(200);
  const { epi, empi } = DEMO_PRODUCTS[0]!;
  const a = [{ epi, empi, du: '/demo#/p/throw' }];
  await service.post('/api/v3/lists/update-ctx', { lid: list.lid, a }, { shopper }).expect(200);
  const preview = `{ previewTopic(topic: "backinstock", epi: ${epi}) { html } }`;
  for (const [index, http] of apps.entries()) {
    const toemail = `friend${index}@example.com`;
    const { body } = await http.post('/graphql').auth(pid, apiKey).send({ query: preview }).expect(200);
    await http
      .post('/api/v3/lists/emailList')
      .query({ pid })
      .type('form')
      .send({ ...shopper, lid: list.lid, toemail })
      .expect(200);
    await service.runTasks();
    const { body: mails } = await http.get('/demo/api/outbox').expect(200);
    const read = await Promise.all((mails as OutboxMail[]).map(({ eml }) => PostalMime.parse(eml)));
    const mail = read.find(({ to }) => to?.[0]?.address === toemail)!;
    const page = await http.get(`/shared/${list.lid}`).expect(200);
    const here = addresses[index]!;
    expect(body.data.previewTopic.html).toContain(`${here}/demo?variant=${epi}#/p/throw`);
    expect(body.data.previewTopic.html).toContain(`${here}/demo/images/throw.svg`);
    expect(mail.text).toContain(`${here}/demo#/shared/${list.lid}`);
    expect(page.text).toContain(`href="${here}/demo?variant=${epi}#/p/throw"`);
    for (const elsewhere of addresses.filter((address) => address !== here))
      for (const text of [body.data.previewTopic.html, mail.text, page.text])
        expect(text).not.toContain(elsewhere);
  }
});

test('what a visitor changed in the test panel survives a restart, stock and price alike', async () => {
  const { pid, apiKey } = service.demo!;
  const { epi, pr, stk } = DEMO_PRODUCTS[3]!;
  expect(stk).toBeGreaterThan(0);
  await withDemo.post('/demo/api/stock').send({ epi, isInStock: false }).expect(200);
  await withDemo.post('/demo/api/price').send({ epi, isReduced: true }).expect(200);
  const read = async () => {
    const query = `{ product(epi: ${epi}) { stk pr } }`;
    return (await withDemo.post('/graphql').auth(pid, apiKey).send({ query })).body.data.product;
  };
  const changed = await read();
  expect(changed).toEqual({ stk: 0, pr: Math.round(pr * 80) / 100 });
  await ensureDemoStore(service.services);
  expect(await read()).toEqual(changed);
});

test('a demo store whose file was lost gets a new key, also when it has as many as a store can have', async () => {
  const own = await startService({ demo: true });
  const { services } = own;
  const { pid } = own.demo!;
  for (let keys = 1; keys < 20; keys += 1) await rotateKey(services, pid);
  await rm(join(services.config.dataDir, 'demo-store.json'));
  const found = await ensureDemoStore(services);
  expect(found.pid).toBe(pid);
  await own.http.get('/storeadmin/me').auth(pid, found.apiKey).expect(200);
  await own.close();
});

test('what a visitor does in the test panel wakes the background work, which starts after the shop is wired', async () => {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'wishgate-test-'));
  const config = readConfig({ DATABASE_URL: database.url, DATA_DIR: dataDir, DEMO: '1' });
  const runtime = await openRuntime(config, createLogger('fatal'));
  const demo = await ensureDemoStore(runtime);
  const shop = supertest(await createApp(runtime, { isDraining: false }, demo));
  let calls = 0;
  runtime.db.onWork(() => (calls += 1));
  const { epi } = DEMO_PRODUCTS[0]!;
  for (const isInStock of [false, true])
    await shop.post('/demo/api/stock').send({ epi, isInStock }).expect(200);
  expect(calls).toBe(1);
  await runtime.close();
  await database.drop();
  await rm(dataDir, { recursive: true });
});
