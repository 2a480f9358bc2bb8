import { useNewStore, useService } from '../harness.ts';

// What a storefront may know of its store, and the typed views of a shopper's profile.

const service = useService();
const store = useNewStore(service, {
  name: 'Hearth',
  currency: 'EUR',
  locale: 'de-DE',
  listTypes: ['registry'],
  logoUrl: 'https://shop.example/logo.svg',
  colour: '#1a73e8',
  senderAddress: 'shop@example.com',
});

const PUBLIC = '{ store { name currency locale listTypes brand { logoUrl colour } } }';

test('a shopper, an anonymous caller and the store read its public side', async () => {
  const shopper = await service.guest(store);
  for (const caller of [{ shopper }, { headers: { 'x-pid': store.pid } }, { store }]) {
    const { body } = await service.graphql(PUBLIC, {}, caller).expect(200);
    expect(body).toEqual({
      data: {
        store: {
          name: 'Hearth',
          currency: 'EUR',
          locale: 'de-DE',
          listTypes: ['registry'],
          brand: { logoUrl: 'https://shop.example/logo.svg', colour: '#1a73e8' },
        },
      },
    });
  }
});

test.each([
  'pid',
  'senderAddress',
  'allowedOrigins',
  'dailyCap',
  'measureAlerts',
  'apiKeys { hint }',
  'tokenKeys { cts }',
  'shopify { url }',
])('%s of a store needs its API key', async (field) => {
  const shopper = await service.account(store);
  for (const caller of [{ shopper }, { headers: { 'x-pid': store.pid } }]) {
    const { body } = await service.graphql(`{ store { name ${field} } }`, {}, caller);
    expect(body.errors).toHaveLength(1);
    expect(JSON.stringify(body.data ?? null)).not.toMatch(/shop@|"pid":"|hint|cts/);
  }
  const { body } = await service.graphql(`{ store { ${field} } }`, {}, { store }).expect(200);
  expect(body.errors).toBeUndefined();
});

test('without a store, and with a session that is wrong, there is no public side', async () => {
  const wrong = { 'x-pid': store.pid, 'x-regid': 'wrong', 'x-sessionid': 'wrong' };
  for (const headers of [undefined, { 'x-pid': 'unknown' }, wrong]) {
    const { body } = await service.graphql(PUBLIC, {}, headers && { headers });
    expect([body.data?.store ?? null, body.errors[0].extensions.status]).toEqual([null, 401]);
  }
});

test('over REST the store still needs its API key', async () => {
  await service.get(`/storeadmin/me?pid=${encodeURIComponent(store.pid)}`).expect(401);
  const { body } = await service.get('/storeadmin/me', { store }).expect(200);
  expect(body.pid).toBe(store.pid);
});

const PROFILE = `{ shopper { userinfo {
  preferences { media { medium acceptsMarketing source signedUpAt } other }
  platformData { tags addresses ordersCount state acceptsMarketing createdAt updatedAt totalSpent lastOrderId other } } } }`;

const NOTHING = {
  preferences: { media: [], other: {} },
  platformData: {
    ...{ tags: [], addresses: [], ordersCount: null, state: null, acceptsMarketing: null, createdAt: null },
    ...{ updatedAt: null, totalSpent: null, lastOrderId: null, other: {} },
  },
};

test('preferences and platform data have types, and keys of the store in other', async () => {
  const shopper = await service.account(store);
  const read = async () =>
    (await service.graphql(PROFILE, {}, { shopper }).expect(200)).body.data.shopper.userinfo;
  expect(await read()).toEqual(NOTHING);
  const prefs = {
    Mediums: {
      email: { signuptime: 1_700_000_000_000, acceptmarketing: true, acceptsource: 'popup' },
      sms: {},
    },
    size: 'M',
  };
  const pd = {
    ...{
      tags: ['vip'],
      addresses: [{ city: 'Bonn' }],
      orders_count: 3,
      state: 'enabled',
      tier: { level: 2 },
    },
    ...{ accepts_marketing: false, created_at: '2024-01-02T03:04:05+01:00', updated_at: 1_700_000_000_000 },
    ...{ total_spent: '199.50', last_order_id: 450_789_469 },
  };
  const query =
    'mutation ($input: UpdateShopperInput!) { updateShopper(input: $input) { regid userinfo { pd prefs } } }';
  const { body } = await service.graphql(query, { input: { prefs, pd } }, { store, shopper }).expect(200);
  expect(body.data.updateShopper.userinfo).toEqual({ pd, prefs });
  expect(await read()).toEqual({
    preferences: {
      media: [
        { medium: 'sms', acceptsMarketing: null, source: null, signedUpAt: null },
        { medium: 'email', acceptsMarketing: true, source: 'popup', signedUpAt: 1_700_000_000_000 },
      ],
      other: { size: 'M' },
    },
    platformData: {
      ...{ tags: ['vip'], addresses: [{ city: 'Bonn' }], ordersCount: 3, state: 'enabled' },
      ...{ acceptsMarketing: false, createdAt: '2024-01-02T02:04:05.000Z' },
      ...{ updatedAt: '2023-11-14T22:13:20.000Z', totalSpent: '199.50', lastOrderId: '450789469' },
      other: { tier: { level: 2 } },
    },
  });
});

test('odd values that the database holds are null and fail nothing', async () => {
  const shopper = await service.account(store);
  const prefs = {
    Mediums: { email: 'yes', sms: { signuptime: 1e30, acceptmarketing: 'no', acceptsource: 5 } },
  };
  const odd = {
    ...{ tags: 'vip', addresses: [null, 5, { city: 'Bonn' }], orders_count: 2.5, state: {} },
    ...{ accepts_marketing: 1, created_at: 'soon', updated_at: 1e300, total_spent: 12, last_order_id: {} },
  };
  const where = { pid: store.pid, regid: shopper.regid };
  for (const [pd, addresses] of [
    [odd, [{ city: 'Bonn' }]],
    [
      { ...odd, tags: [1, {}], addresses: {}, orders_count: 2 ** 40, created_at: [], last_order_id: null },
      [],
    ],
  ] as const) {
    await service.services.db.prisma.shopper.updateMany({ where, data: { prefs, pd: pd as never } });
    const { body } = await service.graphql(PROFILE, {}, { shopper }).expect(200);
    expect(body).toEqual({
      data: {
        shopper: {
          userinfo: {
            preferences: {
              media: [{ medium: 'sms', acceptsMarketing: null, source: null, signedUpAt: null }],
              other: {},
            },
            platformData: { ...NOTHING.platformData, addresses },
          },
        },
      },
    });
  }
});
