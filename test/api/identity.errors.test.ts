import { randomUUID } from 'node:crypto';
import { useService, useStore } from '../harness.ts';
import type { Caller } from '../harness.ts';

const service = useService();
const store = useStore(service);

const GENERATE = '/storeadmin/v3/user/generate-regid';
const SYNC = '/storeadmin/v3/user/guest-validate-sync';
const GENERATE_QUERY = `mutation ($uuid: String, $useremail: String, $useragenttype: String!) {
  generateRegid(uuid: $uuid, useremail: $useremail, useragenttype: $useragenttype) { regid }
}`;
const SYNC_QUERY = `mutation ($regid: String!, $useremail: String!, $useragenttype: String!) {
  syncGuest(regid: $regid, useremail: $useremail, useragenttype: $useragenttype) { regid }
}`;

type Fields = Record<string, string>;

/** Whether a variable that the document requires is left out: that is found before anything runs. */
const leavesOut = (query: string, fields: Fields): boolean =>
  [...query.matchAll(/\$(\w+): String!/g)].some(([, name]) => !(name! in fields));

/** Calls REST and GraphQL with the same fields and expects the same failure, with nothing else in the body. */
async function expectFailure(
  [path, query]: readonly [string, string],
  fields: Fields,
  [status, type]: readonly [number, string],
  caller: Caller = { store },
): Promise<void> {
  const rest = await service.post(path, fields, caller);
  expect([rest.status, rest.body]).toEqual([
    status,
    { error: true, type, msg: expect.stringMatching(/\S/), message: rest.body.msg },
  ]);
  const { body } = await service.graphql(query, fields, caller);
  expect(body.errors).toHaveLength(1);
  expect(body.errors[0].extensions).toMatchObject({ type, status });
  if (leavesOut(query, fields)) {
    expect(body).not.toHaveProperty('data');
    return;
  }
  expect(Object.values(body.data)).toEqual([null]);
  expect(body.errors[0].message).toBe(rest.body.msg);
}

const countShoppers = async (): Promise<number> =>
  (await service.services.db.query('SELECT 1 FROM shopper')).length;

const BAD_UUIDS: [string, string][] = [
  ['version 1', '2c5ea4c0-4067-11e9-8bad-9b1deb4d3b7d'],
  ['version 3', '6fa459ea-ee8a-3ca4-894e-db77e160355e'],
  ['version 5', '886313e1-3b8a-5372-9b90-0c9aee199e5d'],
  ['version 7', '018f2e6a-9d3b-7c41-b0de-3d7f6a1c2b4e'],
  ['nil', '00000000-0000-0000-0000-000000000000'],
  ['max', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
  ['of a wrong variant', '9b1deb4d-3b7d-4bad-0bdd-2b0d7b3dcb6d'],
  ['without hyphens', '9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d'],
  ['in braces', '{9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d}'],
  ['garbage', 'not a uuid'],
  ['followed by a line break and more', '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d\nx'],
  ['NUL', '\u0000'],
  ['10 kB of text', 'a'.repeat(10_000)],
];

test.each(BAD_UUIDS)(
  'a uuid that is %s makes no shopper and answers 400 invalid-uuid',
  async (_name, uuid) => {
    const before = await countShoppers();
    await expectFailure([GENERATE, GENERATE_QUERY], { uuid, useragenttype: 'pos' }, [400, 'invalid-uuid']);
    expect(await countShoppers()).toBe(before);
  },
);

test.each<[string, Fields]>([
  ['neither uuid nor useremail', { useragenttype: 'pos' }],
  ['two empty fields', { uuid: '', useremail: '', useragenttype: 'pos' }],
])('%s answers 400 invalid-uuid', (_name, fields) =>
  expectFailure([GENERATE, GENERATE_QUERY], fields, [400, 'invalid-uuid']),
);

test('no field at all answers 400 invalid-uuid over REST, and over GraphQL names the required one', async () => {
  expect((await service.post(GENERATE, {}, { store }).expect(400)).body.type).toBe('invalid-uuid');
  const { body } = await service.graphql(GENERATE_QUERY, {}, { store });
  expect(body.errors).toMatchObject([{ extensions: { type: 'invalid-useragenttype', status: 400 } }]);
});

test('an empty body without a content type answers 400 invalid-uuid', async () => {
  const { body } = await service.http.post(GENERATE).auth(store.pid, store.apiKey).expect(400);
  expect(body.type).toBe('invalid-uuid');
});

const BAD_EMAILS: [string, string][] = [
  ['without @', 'nobody'],
  ['without a domain', 'nobody@'],
  ['with two addresses', 'a@example.com,b@example.com'],
  ['with a name', 'Ann <ann@example.com>'],
  ['with a line break', 'a@example.com\nbcc: b@example.com'],
  ['with NUL', 'a\u0000@example.com'],
  ['10 kB long', `${'a'.repeat(10_000)}@example.com`],
];

test.each(BAD_EMAILS)('a useremail %s answers 400 invalid-useremail', async (_name, useremail) => {
  const before = await countShoppers();
  const guest = await service.guest(store);
  await expectFailure([GENERATE, GENERATE_QUERY], { useremail, useragenttype: 'pos' }, [
    400,
    'invalid-useremail',
  ]);
  await expectFailure([SYNC, SYNC_QUERY], { regid: guest.regid, useremail, useragenttype: 'pos' }, [
    400,
    'invalid-useremail',
  ]);
  expect(await countShoppers()).toBe(before);
});

test('guest-validate-sync without useremail answers 400 invalid-useremail', async () => {
  const { regid } = await service.guest(store);
  await expectFailure([SYNC, SYNC_QUERY], { regid, useragenttype: 'pos' }, [400, 'invalid-useremail']);
});

test.each<[string, Fields]>([
  ['missing', {}],
  ['empty', { useragenttype: '' }],
  ['blank', { useragenttype: '  ' }],
  ['of two lines', { useragenttype: 'a\nb' }],
  ['2,049 characters long', { useragenttype: 'x'.repeat(2_049) }],
])('a useragenttype that is %s answers 400 invalid-useragenttype', async (_name, field) => {
  const before = await countShoppers();
  const type = [400, 'invalid-useragenttype'] as const;
  await expectFailure([GENERATE, GENERATE_QUERY], { uuid: randomUUID(), ...field }, type);
  expect(await countShoppers()).toBe(before);
  const { regid } = await service.guest(store);
  await expectFailure([SYNC, SYNC_QUERY], { regid, useremail: 'a@example.com', ...field }, type);
});

test('a good uuid beside a bad useremail, or the other way round, is refused whole', async () => {
  const before = await countShoppers();
  const uuid = randomUUID();
  await expectFailure([GENERATE, GENERATE_QUERY], { uuid, useremail: 'x', useragenttype: 'pos' }, [
    400,
    'invalid-useremail',
  ]);
  await expectFailure(
    [GENERATE, GENERATE_QUERY],
    { uuid: 'x', useremail: 'a@b.example', useragenttype: 'pos' },
    [400, 'invalid-uuid'],
  );
  expect(await countShoppers()).toBe(before);
});

const basic = (text: string): Caller => ({
  headers: { authorization: `Basic ${Buffer.from(text).toString('base64')}` },
});

const WRONG_KEYS: [string, () => Caller | Promise<Caller>][] = [
  ['no Authorization header', () => ({})],
  ['a wrong key', () => basic(`${store.pid}:wg_wrong`)],
  ['an empty key', () => basic(`${store.pid}:`)],
  ['no colon', () => basic(store.pid)],
  ['an empty pid', () => basic(`:${store.apiKey}`)],
  ['an unknown pid', () => basic(`nobody:${store.apiKey}`)],
  ['a pid with NUL', () => basic(`${store.pid}\u0000:${store.apiKey}`)],
  ['the key of another store', async () => basic(`${store.pid}:${(await service.createStore()).apiKey}`)],
  ['a hash in place of the key', () => basic(`${store.pid}:[object Object]`)],
  ['text that is not base64', () => ({ headers: { authorization: 'Basic ***' } })],
  ['nothing after Basic', () => ({ headers: { authorization: 'Basic ' } })],
  ['another scheme', () => ({ headers: { authorization: `Bearer ${store.apiKey}` } })],
  ['a bare key', () => ({ headers: { authorization: store.apiKey } })],
  ['10 kB of base64', () => basic('x'.repeat(7_000))],
];

test.each(WRONG_KEYS)(
  '%s answers 401 unauthorised with WWW-Authenticate on every store call',
  async (_name, make) => {
    const caller = await make();
    const fields = { regid: 'x', uuid: randomUUID(), useremail: 'a@example.com', useragenttype: 'pos' };
    for (const api of [
      [GENERATE, GENERATE_QUERY],
      [SYNC, SYNC_QUERY],
    ] as const)
      await expectFailure(api, fields, [401, 'unauthorised'], caller);
    const { headers } = await service.get('/storeadmin/me', caller).expect(401);
    expect(headers['www-authenticate']).toMatch(/^Basic realm=/);
  },
);

test('a script in a browser is answered 401 without WWW-Authenticate: no password dialog opens over its page', async () => {
  const { headers, body } = await service.http
    .get('/storeadmin/me')
    .set('sec-fetch-dest', 'empty')
    .expect(401);
  expect(headers['www-authenticate']).toBeUndefined();
  expect(body.type).toBe('unauthorised');
});

test("a shopper's session is no store key: REST asks for the key, and GraphQL forbids the field", async () => {
  const shopper = await service.guest(store);
  const fields = { uuid: randomUUID(), useragenttype: 'pos' };
  const rest = await service.post(GENERATE, fields, { shopper });
  expect([rest.status, rest.body.type]).toEqual([401, 'unauthorised']);
  const { body } = await service.graphql(GENERATE_QUERY, fields, { shopper });
  expect(body.errors).toMatchObject([{ extensions: { type: 'forbidden', status: 403 } }]);
  expect(Object.values(body.data)).toEqual([null]);
});

test('a required field that was not sent is called missing, with its rule', async () => {
  const { body } = await service.post(GENERATE, { uuid: randomUUID() }, { store }).expect(400);
  expect(body.msg).toBe('useragenttype is missing: it must have 1 to 2,048 printable characters');
});

test('a wrong method names the right one, and an unknown path leads to the reference', async () => {
  const wrong = await service.get('/api/v3/lists/create').expect(404);
  expect(wrong.body).toMatchObject({ type: 'not-found', msg: 'Use POST for /api/v3/lists/create' });
  expect(wrong.headers['allow']).toBe('POST');
  const unknown = await service.get(`/api/v3/lists/crate${'x'.repeat(500)}`).expect(404);
  expect(unknown.body.msg).toMatch(/^There is no call GET \/api\/v3\/lists\/cratex{81}; see \/docs$/);
});
