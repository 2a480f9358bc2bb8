import { randomUUID } from 'node:crypto';
import type { NewStore } from '../../src/stores/store.service.ts';
import { useNewStore, useService } from '../harness.ts';
import { until } from '../until.ts';

const service = useService();
const store = useNewStore(service);

const UPDATE =
  'mutation ($input: UpdateStoreInput!) { updateStore(input: $input) { name listTypes shareUrl doubleOptIn allowedOrigins } }';

test('a merchant changes what it sends and nothing else', async () => {
  const input = { listTypes: ['registry'], shareUrl: 'https://shop.example/l/{lid}', doubleOptIn: true };
  const { body } = await service.graphql(UPDATE, { input }, { store });
  expect(body).toEqual({ data: { updateStore: { name: 'Test store', allowedOrigins: [], ...input } } });
});

test('null clears the share address and is refused elsewhere', async () => {
  await service.graphql(UPDATE, { input: { shareUrl: 'https://shop.example/{lid}' } }, { store });
  const cleared = await service.graphql(UPDATE, { input: { shareUrl: null } }, { store });
  expect(cleared.body.data.updateStore.shareUrl).toBeNull();
  const refused = await service.graphql(UPDATE, { input: { name: null } }, { store });
  expect(refused.body.errors[0]).toMatchObject({
    message: 'name must not be null',
    extensions: { type: 'invalid-request', status: 400 },
  });
});

const numbered = (count: number, name: (index: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => name(index));

test.each([
  ['name', { name: '' }],
  ['name', { name: 'half \ud83d' }],
  ['listTypes', { listTypes: ['wl'] }],
  ['listTypes', { listTypes: ['a b'] }],
  ['listTypes', { listTypes: numbered(51, (index) => `t${index}`) }],
  ['allowedOrigins', { allowedOrigins: ['https://shop.example/path'] }],
  ['allowedOrigins', { allowedOrigins: numbered(101, (index) => `https://s${index}.example`) }],
  ['shareUrl', { shareUrl: 'javascript:alert(1)' }],
  ['shareUrl', { shareUrl: '' }],
  ['defaultRegion', { defaultRegion: 'Germany' }],
  ['defaultRegion', { defaultRegion: 'XX' }],
  ['defaultRegion', { defaultRegion: '' }],
  ['restoreDays', { restoreDays: -1 }],
  ['restoreDays', { restoreDays: 366 }],
  ['restoreDays', { restoreDays: null }],
  ['shareUrl', { shareUrl: 'https://shop.example/\r\nX: y/{lid}' }],
])('a wrong %s is refused by name and changes nothing', async (field, input) => {
  const { body } = await service.graphql(UPDATE, { input: { doubleOptIn: true, ...input } }, { store });
  expect(body.errors[0].extensions.type).toBe('invalid-request');
  expect(body.errors[0].message).toContain(field);
  const after = await service.graphql('{ store { doubleOptIn } }', {}, { store });
  expect(after.body.data.store.doubleOptIn).toBe(false);
});

const PACING =
  'mutation ($input: UpdateStoreInput!) { updateStore(input: $input) { digestSeconds quietFrom quietTo timeZone dailyCap } }';
const OFF = { digestSeconds: 0, quietFrom: null, quietTo: null, timeZone: null, dailyCap: null };
const ON = {
  digestSeconds: 86_400,
  quietFrom: '22:00',
  quietTo: '07:30',
  timeZone: 'Europe/Berlin',
  dailyCap: 3,
};

test('pacing is off until a merchant sets it, each part by itself, and off again where it is cleared', async () => {
  const pace = async (input: object) =>
    (await service.graphql(PACING, { input }, { store })).body.data?.updateStore;
  expect(await pace({})).toEqual(OFF);
  expect(await pace({ ...ON, timeZone: 'europe/berlin' })).toEqual(ON);
  expect(await pace({ quietTo: '06:00', dailyCap: null })).toEqual({
    ...ON,
    quietTo: '06:00',
    dailyCap: null,
  });
  expect(await pace({ name: 'Renamed' })).toEqual({ ...ON, quietTo: '06:00', dailyCap: null });
  expect(await pace({ ...OFF })).toEqual(OFF);
  const rows = await service.services.db.query('SELECT pacing FROM store WHERE pid = $1', [store.pid]);
  expect(rows).toEqual([{ pacing: {} }]);
});

test('two merchants who change different parts of the pacing at once both keep theirs', async () => {
  const pace = (input: object) => service.graphql(PACING, { input }, { store });
  await Promise.all([pace({ digestSeconds: 60 }), pace({ dailyCap: 5 }), pace({ timeZone: 'Asia/Tokyo' })]);
  const { body } = await pace({});
  expect(body.data.updateStore).toMatchObject({ digestSeconds: 60, dailyCap: 5, timeZone: 'Asia/Tokyo' });
});

test.each([
  ['digestSeconds', { digestSeconds: -1 }],
  ['digestSeconds', { digestSeconds: 86_401 }],
  ['digestSeconds', { digestSeconds: null }],
  ['dailyCap', { dailyCap: 0 }],
  ['dailyCap', { dailyCap: 1_001 }],
  ['quietFrom', { quietFrom: '24:00', quietTo: '07:00' }],
  ['quietFrom', { quietTo: '07:00' }],
  ['quietTo', { quietFrom: '22:00' }],
  ['quietTo', { quietFrom: '22:00', quietTo: '7:00' }],
  ['quietTo', { quietFrom: '22:00', quietTo: '22:00' }],
  ['timeZone', { timeZone: 'Berlin' }],
  ['timeZone', { timeZone: '+02:00' }],
  ['timeZone', { timeZone: '' }],
])('a wrong %s is refused by name, and nothing of the call is kept', async (field, input) => {
  const { body } = await service.graphql(PACING, { input: { name: 'Other', ...input } }, { store });
  expect(body.errors[0].extensions.type).toBe('invalid-request');
  expect(body.errors[0].message).toContain(field);
  const after = await service.graphql(
    '{ store { name digestSeconds quietFrom dailyCap timeZone } }',
    {},
    { store },
  );
  const { quietTo: _quietTo, ...off } = OFF;
  expect(after.body.data.store).toEqual({ name: 'Test store', ...off });
});

test('types and origins that are named twice are kept once', async () => {
  const input = { listTypes: ['a', 'b', 'a'], allowedOrigins: Array(200).fill('https://shop.example') };
  const { body } = await service.graphql(UPDATE, { input }, { store });
  expect(body.data.updateStore).toMatchObject({
    listTypes: ['a', 'b'],
    allowedOrigins: ['https://shop.example'],
  });
});

test('a store has at most 20 keys, also when many are asked for at once; revoking one makes room', async () => {
  const create = async () =>
    (await service.graphql('mutation { createApiKey { id } }', {}, { store })).body as {
      data: { createApiKey: { id: string } } | null;
      errors?: { extensions: { type: string } }[];
    };
  const answers = await Promise.all(Array.from({ length: 22 }, create));
  const made = answers.flatMap(({ data }) => data?.createApiKey?.id ?? []);
  const refused = answers.flatMap(({ errors }) => errors?.[0]!.extensions.type ?? []);
  expect(made).toHaveLength(19);
  expect(refused).toEqual(Array(3).fill('limit-reached'));
  await service.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { pid } }', { id: made[0] }, { store });
  expect((await create()).errors).toBeUndefined();
});

test('a new key works beside the old one, and a revoked one stops at once', async () => {
  const made = await service.graphql('mutation { createApiKey { id apiKey } }', {}, { store });
  const second = { ...store, apiKey: made.body.data.createApiKey.apiKey };
  const keys = await service.graphql('{ store { apiKeys { id hint isCurrent } } }', {}, { store: second });
  const first = keys.body.data.store.apiKeys.find((key: { isCurrent: boolean }) => !key.isCurrent);
  expect(first.hint).toBe(store.apiKey.slice(-4));
  await service.get('/storeadmin/me', { store }).expect(200);
  const revoked = await service.graphql(
    'mutation ($id: ID!) { revokeApiKey(id: $id) { apiKeys { id } } }',
    { id: first.id },
    { store: second },
  );
  expect(revoked.body.data.revokeApiKey.apiKeys).toEqual([{ id: made.body.data.createApiKey.id }]);
  await service.get('/storeadmin/me', { store }).expect(401);
  await service.get('/storeadmin/me', { store: second }).expect(200);
});

test('a key cannot end itself, nor a key of another store', async () => {
  const other = await service.createStore();
  const keyOf = async (of: NewStore): Promise<string> =>
    (await service.graphql('{ store { apiKeys { id } } }', {}, { store: of })).body.data.store.apiKeys[0].id;
  const revoke = async (id: string) =>
    (await service.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { pid } }', { id }, { store })).body
      .errors[0].extensions.type;
  expect(await revoke(await keyOf(store))).toBe('forbidden');
  expect(await revoke(await keyOf(other))).toBe('not-found');
  await service.get('/storeadmin/me', { store: other }).expect(200);
});

test('a key has a name and tells when it was last used, which is written once an hour at most', async () => {
  type Key = { id: string; name: string; lastUsedAt: number | null };
  const keysOf = async (of: NewStore): Promise<Key[]> =>
    (await service.graphql('{ store { apiKeys { id name lastUsedAt } } }', {}, { store: of })).body.data.store
      .apiKeys;
  const named = await service.createStore();
  const start = Date.now();
  service.setNow(new Date(start));
  const made = await service.graphql(
    'mutation { createApiKey(name: " Till ") { id apiKey } }',
    {},
    { store: named },
  );
  const { id, apiKey } = made.body.data.createApiKey;
  const unused = (await keysOf(named)).find((key) => key.id === id);
  expect(unused).toEqual({ id, name: 'Till', lastUsedAt: null });
  const used = async (): Promise<number | null | undefined> =>
    (await keysOf(named)).find((key) => key.id === id)?.lastUsedAt;
  const use = () => service.get('/storeadmin/me', { store: { ...named, apiKey } }).expect(200);
  await use();
  await until(async () => (await used()) === start);
  service.setNow(new Date(start + 59 * 60_000));
  await use();
  await service.post(
    '/storeadmin/v3/user/generate-regid',
    { uuid: randomUUID(), useragenttype: 'x' },
    { store: named },
  );
  expect(await used()).toBe(start);
  service.setNow(new Date(start + 61 * 60_000));
  await use();
  await until(async () => (await used()) === start + 61 * 60_000);
  service.setClock(() => new Date());

  const rename = async (caller: NewStore, name: string) =>
    (
      await service.graphql(
        'mutation ($id: ID!, $name: String!) { renameApiKey(id: $id, name: $name) { apiKeys { name } } }',
        { id, name },
        { store: caller },
      )
    ).body;
  expect((await rename(named, 'Back end')).data.renameApiKey.apiKeys.map((key: Key) => key.name)).toEqual([
    'First key',
    'Back end',
  ]);
  for (const [caller, name, type] of [
    [store, 'Mine', 'not-found'],
    [named, 'x'.repeat(61), 'invalid-request'],
    [named, 'a\nb', 'invalid-request'],
  ] as const)
    expect((await rename(caller, name)).errors[0].extensions.type).toBe(type);
  expect((await keysOf(named))[1]!.name).toBe('Back end');
});

test('settings and keys are out of reach for a shopper', async () => {
  const shopper = await service.account(store);
  for (const query of [
    'mutation { createApiKey { id } }',
    'mutation { renameApiKey(id: "x", name: "Mine") { pid } }',
    'mutation { updateStore(input: { name: "Mine" }) { name } }',
    'mutation { updateStore(input: { dailyCap: 1 }) { name } }',
    '{ store { pid } }',
  ]) {
    const { body } = await service.graphql(query, {}, { shopper });
    expect(body.errors[0].extensions.type).toBe('forbidden');
  }
});

const BRAND =
  'mutation ($input: UpdateStoreInput!) { updateStore(input: $input) { logoUrl colour senderName senderAddress postalAddress imprintUrl currency locale } }';
const PLAIN = {
  logoUrl: null,
  colour: null,
  senderName: null,
  senderAddress: null,
  postalAddress: null,
  imprintUrl: null,
  currency: null,
  locale: 'en',
};

test('a merchant sets the brand, in one spelling, and clears it again', async () => {
  const brand = async (input: object) =>
    (await service.graphql(BRAND, { input }, { store })).body.data?.updateStore;
  expect(await brand({})).toEqual(PLAIN);
  const given = {
    logoUrl: 'https://shop.example/logo.png',
    colour: '#1A73E8',
    senderName: ' Kettles & Co ',
    senderAddress: 'hello@shop.example',
    postalAddress: ' Kettles GmbH \r\nHauptstr. 1\n',
    imprintUrl: 'https://shop.example/legal',
    currency: 'eur',
    locale: 'DE-ch',
  };
  const kept = {
    ...given,
    colour: '#1a73e8',
    senderName: 'Kettles & Co',
    currency: 'EUR',
    locale: 'de-CH',
    postalAddress: 'Kettles GmbH\nHauptstr. 1',
  };
  expect(await brand(given)).toEqual(kept);
  expect(await brand({ colour: null })).toEqual({ ...kept, colour: null });
  expect(await brand(PLAIN)).toEqual(PLAIN);
});

test.each([
  ['logoUrl', 'http://shop.example/logo.png'],
  ['logoUrl', 'https://user@shop.example/logo.png'],
  ['logoUrl', 'https://a.example;script-src/logo.png'],
  ['logoUrl', "https://'unsafe-inline'/logo.png"],
  ['logoUrl', 'https://*/logo.png'],
  ['logoUrl', `https://shop.example/${'x'.repeat(1_000)}`],
  ['colour', 'red'],
  ['colour', '#fff'],
  ['senderName', ' '],
  ['senderName', 'Shop\r\nBcc: x@y.example'],
  ['senderName', 'x'.repeat(101)],
  ['senderAddress', 'shop.example'],
  ['postalAddress', ' \n '],
  ['postalAddress', 'x'.repeat(501)],
  ['postalAddress', 'a\u0000b'],
  ['imprintUrl', 'http://shop.example/legal'],
  ['imprintUrl', 'javascript:alert(1)'],
  ['currency', 'Euro'],
  ['currency', 'XQQ'],
  ['locale', 'de_CH'],
  ['locale', 'klingonish'],
  ['locale', null],
])('a wrong %s of the brand is refused by name, and nothing of the call is kept', async (field, value) => {
  const { body } = await service.graphql(BRAND, { input: { name: 'Other', [field]: value } }, { store });
  expect(body.errors[0].extensions).toMatchObject({ type: 'invalid-request', status: 400 });
  expect(body.errors[0].message).toContain(field);
  const after = await service.graphql('{ store { name } }', {}, { store });
  expect(after.body.data.store.name).toBe('Test store');
});

test('a store changes only its own brand, and a shopper none', async () => {
  const other = await service.createStore();
  await service.graphql(BRAND, { input: { colour: '#112233' } }, { store });
  const { body } = await service.graphql('{ store { colour } }', {}, { store: other });
  expect(body.data.store.colour).toBeNull();
  const shopper = await service.account(store);
  const refused = await service.graphql(BRAND, { input: { colour: '#445566' } }, { shopper });
  expect(refused.body.errors[0].extensions.status).toBe(403);
});
