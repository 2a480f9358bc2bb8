import { randomUUID } from 'node:crypto';
import { createClient, item } from './list-kit.ts';
import { DAY, after, useRevenueKit } from './revenue-kit.ts';

const { kit, store } = useRevenueKit();

const ADA = 'ada@example.com';
const PAGE = 'https://shop.example/p/1?variant=7';
const rows = (table: string) =>
  kit.service.services.db.query<Record<string, unknown>>(
    `SELECT to_jsonb(t) AS row FROM ${table} t WHERE pid = $1`,
    [store.pid],
  );
const textOf = async (...tables: string[]): Promise<string> =>
  JSON.stringify(await Promise.all(tables.map(rows)));

/** Somebody with a list, a click and two orders. */
async function measuredShopper() {
  const ada = await kit.service.account(store, ADA);
  const client = createClient(kit.service, ada);
  const { lid } = await client.ok('lists/create', { lname: 'Wishes' });
  await client.ok('lists/update-ctx', { lid, a: [item(8)] });
  const { path, wayOut } = await kit.alert(store, ADA, '7');
  const { token } = await kit.click(path);
  const lines = [
    { epi: '7', quantity: 1, price: '10.00' },
    { epi: '8', empi: '900', quantity: 1, price: '5.00' },
  ];
  expect(await kit.counted(store, { orderId: 'by-regid', regid: ada.regid, lines })).toEqual([
    '15.00',
    '10.00',
    '5.00',
  ]);
  expect(await kit.counted(store, { orderId: 'by-email', useremail: ADA, lines })).toEqual([
    '15.00',
    '10.00',
    '5.00',
  ]);
  return { ada, path, wayOut, token, lines };
}

test('an export shows clicks, orders and the choice; erasure removes the person everywhere and leaves every sum as it was', async () => {
  const { ada, path, lines } = await measuredShopper();
  const before = await kit.revenue(store);
  const { body } = await kit.service
    .post('/storeadmin/v3/user/export', { useremail: ADA }, { store })
    .expect(200);
  expect(body.data.clicks).toMatchObject([{ epi: '7', topic: 'backinstock', value: ADA }]);
  expect(body.data.orders).toMatchObject([
    {
      order_id: 'by-regid',
      total: 15,
      lines: [
        { epi: '7', source: { from: 'alert', topic: 'backinstock' } },
        { epi: '8', source: { from: 'list' } },
      ],
    },
    { order_id: 'by-email', email: ADA },
  ]);
  expect(body.data.notMeasured).toEqual([]);
  await kit.service
    .graphql(`mutation { eraseShopper(useremail: "${ADA}") { action } }`, {}, { store })
    .expect(200);
  const left = await textOf('alert_click', 'order_report', 'unmeasured', 'revenue_sum', 'tally', 'outbox');
  expect(left).not.toContain(ADA);
  expect(left).not.toContain(ada.regid);
  expect(await rows('alert_click')).toEqual([]);
  expect(await kit.revenue(store)).toEqual(before);
  expect(before.totals).toMatchObject([
    { orders: 2, amount: '30.00', fromAlerts: '20.00', fromLists: '10.00' },
  ]);
  expect((await kit.report(store, { orderId: 'by-email', lines }).expect(200)).body).toMatchObject({
    isRepeat: true,
    total: '15.00',
    fromAlerts: '10.00',
  });
  expect(await kit.click(path)).toEqual({ location: PAGE, token: null });
});

test('a shopper who declines gets plain links; earlier ones lead on uncounted; orders count in the total alone, nameless', async () => {
  const { ada, path, token, lines } = await measuredShopper();
  const choose = (measured: unknown) =>
    kit.service.post('/api/v3/shopper/set-measured', { measured: measured as string }, { shopper: ada });
  expect((await choose(false).expect(200)).body).toEqual({ measured: false });
  expect(await rows('alert_click')).toEqual([]);
  expect(await textOf('order_report')).not.toContain(ADA);
  kit.service.setNow(after(DAY + 1));
  expect((await kit.alert(store, ADA, '7')).link).toBe(PAGE);
  expect(await kit.click(path)).toEqual({ location: PAGE, token: null });
  const none = ['15.00', '0.00', '0.00'];
  expect(await kit.counted(store, { orderId: 'd1', regid: ada.regid, lines })).toEqual(none);
  expect(await kit.counted(store, { orderId: 'd2', useremail: ADA, lines })).toEqual(none);
  expect(await kit.counted(store, { orderId: 'd3', click: token, lines })).toEqual(none);
  expect(await textOf('order_report')).not.toMatch(/ada@|"epi"/);
  const { body } = await kit.service.graphql('{ shopper { isMeasured } }', {}, { shopper: ada });
  expect(body.data.shopper).toEqual({ isMeasured: false });
  await choose(true).expect(200);
  kit.service.setNow(after(3 * DAY));
  const again = await kit.alert(store, ADA, '7');
  await kit.click(again.path);
  expect(await kit.counted(store, { orderId: 'd4', useremail: ADA, lines })).toEqual([
    '15.00',
    '10.00',
    '5.00',
  ]);
});

test('a contact without an account declines on the page behind the way out, and can allow it again', async () => {
  const bob = 'bob@example.com';
  const { path, wayOut } = await kit.alert(store, bob, '7');
  const page = await kit.service.http.get(wayOut).expect(200);
  expect(page.text).toContain('Don&#39;t track my clicks');
  const [, action] = /action="([^"]+do-not-measure)\?lang=en"/.exec(page.text)!;
  await kit.click(path);
  const done = await kit.service.http.post(action!).expect(200);
  expect(done.text).toContain('no longer tracks your clicks');
  expect(done.text).not.toContain(bob);
  expect(await kit.click(path)).toEqual({ location: PAGE, token: null });
  expect(await kit.counted(store, { useremail: bob })).toEqual(['20.20', '0.00', '0.00']);
  kit.service.setNow(after(2 * DAY));
  expect((await kit.alert(store, bob, '7')).link).toBe(PAGE);
  await kit.service.http.post(action!.replace('do-not-measure', 'measure')).expect(200);
  expect((await kit.click(path)).token).not.toBeNull();
  await kit.service.http.post(action!.replace('do-not-measure', 'sideways')).expect(404);
  await kit.service.http.post(`/unsubscribe/${'x'.repeat(80)}.${'y'.repeat(80)}/do-not-measure`).expect(404);
});

test("a guest's choice follows it into its account, and covers the addresses that it subscribed", async () => {
  const uuid = randomUUID();
  const guest = await kit.service.guest(store, uuid);
  await kit.service
    .graphql('mutation { setMeasured(measured: false) { measured } }', {}, { shopper: guest, store })
    .expect(200);
  const wish = { products: [{ epi: 7, empi: 1, du: '/x' }], topics: ['backinstock'] };
  await kit.service
    .post(
      '/storeadmin/bispa/subscriptions/create',
      { medium: 'email', mediumvalue: 'eve@example.com', ...wish },
      { store, headers: { 'x-regid': guest.regid } },
    )
    .expect(200);
  expect(await rows('subscription_request')).toMatchObject([{ row: { regid: guest.regid } }]);
  const { link } = await kit.alert(store, 'eve@example.com', '7', { isSubscribed: true });
  expect(link).toBe(PAGE);
  await kit.service
    .post('/storeadmin/v3/user/generate-regid', { uuid, useremail: ADA, useragenttype: 'test' }, { store })
    .expect(200);
  const ada = await kit.service.account(store, ADA);
  const { body } = await kit.service.graphql('{ shopper { isMeasured } }', {}, { shopper: ada });
  expect(body.data.shopper).toEqual({ isMeasured: false });
  const { body: next } = await kit.service.graphql(
    '{ shopper { isMeasured } }',
    {},
    { shopper: guest, store },
  );
  expect(next.data.shopper).toEqual({ isMeasured: true });
});

test('only the shopper or its store chooses, and only yes or no', async () => {
  const ada = await kit.service.account(store, ADA);
  const stranger = await kit.service.createStore();
  const path = '/api/v3/shopper/set-measured';
  await kit.service.post(path, { measured: false }).expect(401);
  await kit.service.post(path, { measured: false }, { shopper: { ...ada, sessionid: 'x' } }).expect(401);
  await kit.service.post(path, { measured: false }, { shopper: { ...ada, pid: stranger.pid } }).expect(401);
  for (const measured of [undefined, '', 'maybe'])
    expect((await kit.service.post(path, { measured }, { shopper: ada }).expect(400)).body).toMatchObject({
      type: 'invalid-request',
      msg: expect.stringContaining('measured'),
    });
  const { body } = await kit.service.graphql(
    'mutation { setMeasured(measured: false) { measured } }',
    {},
    { store },
  );
  expect(body.errors[0].extensions.status).toBe(401);
  expect(await rows('unmeasured')).toEqual([]);
});

test('who clicked and ordered is forgotten 30 days after the window, order ids after 400 days; sums stay', async () => {
  await measuredShopper();
  const before = (await kit.revenue(store)).totals;
  kit.service.setNow(after(36 * DAY));
  await kit.service.runTasks();
  expect(await rows('alert_click')).toHaveLength(1);
  kit.service.setNow(after(38 * DAY));
  await kit.service.runTasks();
  expect(await rows('alert_click')).toEqual([]);
  expect(await textOf('order_report')).not.toMatch(/ada@|"epi"/);
  expect(await rows('order_report')).toHaveLength(2);
  kit.service.setNow(after(401 * DAY));
  await kit.service.runTasks();
  expect(await rows('order_report')).toEqual([]);
  const { body } = await kit.service
    .get('/storeadmin/v3/revenue?from=2026-03-01&to=2026-03-31', { store })
    .expect(200);
  expect(body.totals).toEqual(before);
});
