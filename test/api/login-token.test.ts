import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { SignJWT, UnsecuredJWT, exportSPKI } from 'jose';
import { createLogger } from '../../src/platform/log.ts';
import { findStore, updateStore } from '../../src/stores/store.service.ts';
import { filledBy, startService, useService, useStore } from '../harness.ts';
import type { StoreAccess, TestShopper } from '../harness.ts';
import { item } from './list-kit.ts';
import { newKeys, startProvider } from './token-kit.ts';
import type { Provider } from './token-kit.ts';

const LOGIN = '/api/v3/shopper/login';
const MUTATION = `mutation ($token: String!, $regid: String, $sessionid: String) {
  loginWithToken(token: $token, regid: $regid, sessionid: $sessionid) { message regid sessionid merged { lists items duplicates } }
}`;
const ZERO = { lists: 0, items: 0, duplicates: 0 };
const MINUTE = 60_000;

const service = useService({ rateLimits: false, webhookAllowPrivate: true });
const strict = useService({ rateLimits: false, webhookAllowPrivate: false });
const limited = useService({ webhookAllowPrivate: true });
const provider = filledBy(beforeAll, () => startProvider());
const store = filledBy(beforeAll, () => service.createStore(provider.settings));
afterAll(() => provider.close());
afterEach(() => service.resetClock());

type Shown = Partial<Pick<TestShopper, 'regid' | 'sessionid'>>;

const login = (token: string, { regid, sessionid }: Shown = {}, { pid }: { pid: string } = store) =>
  service.post(LOGIN, { pid, token, regid, sessionid });

const newEmail = () => `${randomUUID()}@example.com`;
/** The claims of another customer. */
const newClaims = () => ({ email: newEmail(), sub: randomUUID() });

async function guestWithList(of: StoreAccess = store): Promise<TestShopper & { lid: string }> {
  const shopper = await service.guest(of);
  const { body } = await service.post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper }).expect(200);
  await service
    .post('/api/v3/lists/update-ctx', { lid: body.lid, a: [item(1), item(2)] }, { shopper })
    .expect(200);
  return { ...shopper, lid: body.lid as string };
}

const listsOf = async ({ pid, regid, sessionid }: TestShopper): Promise<unknown[]> =>
  (await service.post('/api/v3/lists/fetch-lists', {}, { shopper: { pid, regid, sessionid } }).expect(200))
    .body;

test('a token logs the shopper in, and the session opens the same account as the email address does', async () => {
  const claims = newClaims();
  const { body } = await login(
    await provider.token({ ...claims, email: ` ${claims.email.toUpperCase()}` }),
  ).expect(200);
  expect(body).toEqual({
    message: expect.any(String),
    regid: expect.any(String),
    sessionid: expect.any(String),
    merged: ZERO,
  });
  expect((await service.account(store, claims.email)).regid).toBe(body.regid);
  const shopper = { pid: store.pid, regid: body.regid, sessionid: body.sessionid };
  const { body: known } = await service.graphql('{ shopper { isGuest userinfo { em } } }', {}, { shopper });
  expect(known.data.shopper).toEqual({ isGuest: false, userinfo: { em: claims.email } });
});

test('GraphQL gives the same record, and a replayed token counts while it lives', async () => {
  const token = await provider.token(newClaims());
  const rest = await login(token).expect(200);
  const { body } = await service.graphql(MUTATION, { token }, { headers: { 'x-pid': store.pid } });
  expect(body.data.loginWithToken).toEqual(rest.body);
});

test('the guest is merged, its repeat reports zeros, and its session opens nothing of the guest any more', async () => {
  const guest = await guestWithList();
  const token = await provider.token(newClaims());
  const { body } = await login(token, guest).expect(200);
  expect(body.merged).toEqual({ lists: 1, items: 2, duplicates: 0 });
  expect(await listsOf({ ...guest, ...body })).toHaveLength(1);
  const again = await login(token, guest).expect(200);
  expect(again.body).toMatchObject({ regid: body.regid, sessionid: body.sessionid, merged: ZERO });
  expect((await login(token, body).expect(200)).body.merged).toEqual(ZERO);
  // The account's regid with the guest's last session, as a page has them that kept the one and not the other.
  await login(token, { regid: body.regid, sessionid: guest.sessionid }).expect(200);
  const refused = await service.post('/api/v3/lists/fetch-lists', {}, { shopper: guest }).expect(401);
  expect(refused.body.type).toBe('sw-badregid');
});

test("a guest without a row is merged, and its session has ended for whoever has the guest's regid", async () => {
  const guest = await service.guest(store);
  const token = await provider.token(newClaims());
  expect((await login(token, guest).expect(200)).body.merged).toEqual(ZERO);
  await service.post('/api/v3/lists/fetch-lists', {}, { shopper: guest }).expect(401);
});

test('twenty logins of one guest at once merge it once', async () => {
  for (const guest of [await guestWithList(), await service.guest(store)]) {
    const token = await provider.token(newClaims());
    const all = await Promise.all(Array.from({ length: 20 }, () => login(token, guest).expect(200)));
    expect(new Set(all.map(({ body }) => body.sessionid)).size).toBe(1);
    const items = all.map(({ body }) => body.merged.items as number);
    expect(items.reduce((sum, one) => sum + one)).toBe('lid' in guest ? 2 : 0);
    expect(await listsOf({ ...guest, ...all[0]!.body })).toHaveLength('lid' in guest ? 1 : 0);
  }
});

test('two accounts that claim one guest at once: one gets the lists, the other an error, and nothing is doubled', async () => {
  const guest = await guestWithList();
  const tokens = [await provider.token(newClaims()), await provider.token(newClaims())];
  const all = await Promise.all(tokens.map((token) => login(token, guest)));
  expect(all.map(({ status }) => status).sort()).toEqual([200, 401]);
  const [row] = await service.services.db.query(
    'SELECT count(*)::int AS n FROM item WHERE pid = $1 AND lid = $2',
    [store.pid, guest.lid],
  );
  expect(row).toEqual({ n: 2 });
});

describe('a guest or account that the browser does not prove', () => {
  test.each<[string, (own: TestShopper, other: TestShopper) => Shown, string]>([
    ['a wrong session', ({ regid }) => ({ regid, sessionid: 'x' }), 'bad-sessionid'],
    ["another guest's session", ({ regid }, { sessionid }) => ({ regid, sessionid }), 'bad-sessionid'],
    ['no session', ({ regid }) => ({ regid }), 'bad-sessionid'],
    ['a session alone', ({ sessionid }) => ({ sessionid }), 'sw-badregid'],
    ['an unknown regid', ({ sessionid }) => ({ regid: 'x'.repeat(43), sessionid }), 'sw-badregid'],
    ['a regid that cannot be stored', ({ sessionid }) => ({ regid: 'x\u0000', sessionid }), 'sw-badregid'],
  ])('%s is 401, over GraphQL as well, and nothing is merged', async (_what, shown, type) => {
    const guest = await guestWithList();
    const claims = newClaims();
    const token = await provider.token(claims);
    const sent = shown(guest, await service.guest(store));
    expect((await login(token, sent).expect(401)).body.type).toBe(type);
    const { body } = await service.graphql(MUTATION, { token, ...sent }, { headers: { 'x-pid': store.pid } });
    expect(body.errors[0].extensions).toMatchObject({ type, status: 401 });
    expect(await listsOf(guest)).toHaveLength(1);
    const { n } = (
      await service.services.db.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM shopper WHERE pid = $1 AND em = $2',
        [store.pid, claims.email],
      )
    )[0]!;
    expect(n).toBe(0);
  });

  test("another account's session is 403 and moves nothing", async () => {
    const other = await service.account(store);
    await service.post('/api/v3/lists/create', { lname: 'Mine' }, { shopper: other }).expect(200);
    const refused = await login(await provider.token(newClaims()), other).expect(403);
    expect(refused.body.type).toBe('forbidden');
    expect(await listsOf(other)).toHaveLength(1);
  });

  test('a guest that another account has merged is 401', async () => {
    const guest = await guestWithList();
    await login(await provider.token(newClaims()), guest).expect(200);
    expect((await login(await provider.token(newClaims()), guest).expect(401)).body.type).toBe('sw-badregid');
  });

  test("another store's guest is 401", async () => {
    const elsewhere = await service.guest(await service.createStore());
    await login(await provider.token(newClaims()), elsewhere).expect(401);
  });
});

describe('a token is refused', () => {
  const now = () => Math.floor(Date.now() / 1_000);
  const WRONG: [what: string, make: (given: Provider) => Promise<string>, reason: RegExp][] = [
    ['from another issuer', ({ token }) => token({ iss: 'https://evil.example' }), /issuer \(iss\)/],
    ['without an issuer', ({ token }) => token({ iss: undefined }), /no claim iss/],
    ['for another audience', ({ token }) => token({ aud: 'other' }), /audience \(aud\)/],
    ['without an audience', ({ token }) => token({ aud: undefined }), /no claim aud/],
    ['that has expired', ({ token }) => token({ exp: now() - 61 }), /expired \(exp\)/],
    ['without an expiry', ({ token }) => token({ exp: undefined }), /no claim exp/],
    ['that is not valid yet', ({ token }) => token({ nbf: now() + 90 }), /not valid yet \(nbf\)/],
    ['from the future', ({ token }) => token({ iat: now() + 90 }), /future \(iat\)/],
    [
      'of an unverified address',
      ({ token }) => token({ email: newEmail(), email_verified: false }),
      /not verified: its claim email_verified/,
    ],
    [
      'of an address that nobody verified',
      ({ token }) => token({ email: newEmail(), email_verified: undefined }),
      /email_verified/,
    ],
    [
      'of an address that is none',
      ({ token }) => token({ email: 'ada' }),
      /claim email is not an email address/,
    ],
    ['without a customer id', ({ token }) => token({ email: newEmail(), sub: undefined }), /no claim sub/],
    ['with a customer id of another type', ({ token }) => token({ sub: { id: 1 } }), /claim sub must have/],
    [
      'with a customer id that is too long',
      ({ token }) => token({ sub: 'x'.repeat(256) }),
      /claim sub must have/,
    ],
    [
      'by an unknown key',
      async ({ token }) => token({}, {}, await newKeys('RS256', 'unknown')),
      /key \(kid\)/,
    ],
    [
      'by another key under a known name',
      async ({ token }) => token({}, {}, await newKeys('RS256', 'first')),
      /signature is wrong/,
    ],
    [
      'with another algorithm',
      async ({ token }) => token({}, {}, await newKeys('ES256', 'first')),
      /algorithm is not RS256/,
    ],
    [
      'without a signature',
      async ({ issuer }) =>
        new UnsecuredJWT({ sub: 'a' }).setIssuer(issuer).setAudience('shop').setExpirationTime('1h').encode(),
      /algorithm is not RS256/,
    ],
    ['that is none', async () => 'abc', /not a signed token/],
    ['that is too long', async ({ token }) => `${await token()}${'x'.repeat(17_000)}`, /longer than/],
    [
      'with changed claims',
      async ({ token }) => {
        const [head, , signature] = (await token()).split('.');
        const [, changed] = (await token({ sub: 'somebody-else' })).split('.');
        return [head, changed, signature].join('.');
      },
      /signature is wrong/,
    ],
  ];

  test.each(WRONG)('%s, with 401 that says so over both APIs', async (_what, make, reason) => {
    const token = await make(provider);
    const { body, headers } = await login(token).expect(401);
    expect(body).toMatchObject({ type: 'unauthorised', msg: expect.stringMatching(reason) });
    expect(body.msg).not.toContain(token);
    expect(headers['cache-control']).toBe('no-store');
    const { body: graph } = await service.graphql(MUTATION, { token }, { headers: { 'x-pid': store.pid } });
    expect(graph.errors[0]).toMatchObject({
      message: body.msg,
      extensions: { type: 'unauthorised', status: 401 },
    });
  });

  test('signed with the public key as a shared secret', async () => {
    const { jwk } = provider.state.keys[0]!;
    const key = await crypto.subtle.importKey(
      'jwk',
      jwk as JsonWebKey,
      { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
      true,
      ['verify'],
    );
    for (const secret of [await exportSPKI(key), JSON.stringify(jwk)]) {
      const forged = await new SignJWT({ sub: 'a' })
        .setProtectedHeader({ alg: 'HS256', kid: 'first' })
        .setIssuer(provider.issuer)
        .setAudience('shop')
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode(secret));
      expect((await login(forged).expect(401)).body.msg).toMatch(/algorithm is not RS256/);
    }
  });

  test('when it is missing', async () => {
    expect((await login('').expect(401)).body.msg).toBe('token is missing');
  });

  test('with the key of another store', async () => {
    const other = await startProvider();
    const elsewhere = await service.createStore(other.settings);
    await login(await other.token(), {}, elsewhere).expect(200);
    expect((await login(await other.token()).expect(401)).body.type).toBe('unauthorised');
    await login(await provider.token(), {}, elsewhere).expect(401);
    other.close();
  });
});

test('clocks may differ by a minute', async () => {
  const now = Math.floor(Date.now() / 1_000);
  await login(await provider.token({ ...newClaims(), exp: now - 30 })).expect(200);
  await login(await provider.token({ ...newClaims(), nbf: now + 30, iat: now + 30 })).expect(200);
});

test.each(['ES256', 'EdDSA'] as const)('%s works where the setting names it', async (alg) => {
  const other = await startProvider(alg);
  const elsewhere = await service.createStore(other.settings);
  await login(await other.token({ aud: ['other', 'shop'] }), {}, elsewhere).expect(200);
  other.close();
});

test('the claims can have other names, and an address may be missing', async () => {
  const named = await service.createStore({
    ...provider.settings,
    identityClaims: 'https://shop.example/mail, ok ,customer',
  });
  const email = newEmail();
  const { body } = await login(
    await provider.token({ 'https://shop.example/mail': email, ok: 'true', customer: 4711 }),
    {},
    named,
  ).expect(200);
  expect((await service.account(named, email)).regid).toBe(body.regid);
  const without = await login(await provider.token({ customer: 4712 }), {}, named).expect(200);
  expect(without.body.regid).not.toBe(body.regid);
  expect((await login(await provider.token({ customer: 4712 }), {}, named).expect(200)).body.regid).toBe(
    without.body.regid,
  );
});

test.each([
  ['identityIssuer', 'identityIssuer'],
  ['identityAudience', 'identityAudience'],
  ['identityJwksUri', 'identityJwksUri'],
] as const)('without the setting %s the call is off: 403 names it', async (_what, missing) => {
  const off = await service.createStore({ ...provider.settings, [missing]: undefined });
  const { body } = await login(await provider.token(), {}, off).expect(403);
  expect(body).toMatchObject({ type: 'forbidden', msg: expect.stringContaining(missing) });
});

test('the customer id leads to the account, also with another address; an address of another account is 409', async () => {
  const claims = newClaims();
  const guest = await guestWithList();
  const first = await login(await provider.token(claims), guest).expect(200);
  const moved = await login(await provider.token({ ...claims, email: newEmail() })).expect(200);
  expect(moved.body.regid).toBe(first.body.regid);
  expect(await listsOf({ ...guest, ...moved.body })).toHaveLength(1);
  const [one, other] = [newClaims(), newClaims()];
  await login(await provider.token(one)).expect(200);
  const next = await guestWithList();
  await login(await provider.token(other)).expect(200);
  const taken = await login(await provider.token({ ...other, email: one.email }), next).expect(409);
  expect(taken.body.type).toBe('address-taken');
  expect(await listsOf(next)).toHaveLength(1);
});

test('a page of any origin may log in, but for a foreign one where the store names its own', async () => {
  const token = await provider.token(newClaims());
  const from = (pid: string, origin: string) => service.post(LOGIN, { pid, token }, { headers: { origin } });
  await from(store.pid, 'https://anything.example').expect(200);
  const closed = await service.createStore({
    ...provider.settings,
    allowedOrigins: ['https://shop.example'],
  });
  await from(closed.pid, 'https://shop.example').expect(200);
  await from(closed.pid, 'https://evil.example').expect(403);
});

describe("the provider's keys", () => {
  /** A provider and a store for one test. */
  async function fresh() {
    const own = await startProvider();
    const shop = await service.createStore(own.settings);
    let at = Date.now();
    service.setClock(() => new Date(at));
    const later = (ms: number) => (at += ms);
    const enter = async (keys = own.state.keys[0]!) =>
      login(await own.token(newClaims(), {}, keys, new Date(at)), {}, shop);
    return { ...own, shop, later, enter };
  }

  test('are read once for many logins, and again after ten minutes', async () => {
    const { state, enter, later, close } = await fresh();
    const all = await Promise.all(Array.from({ length: 10 }, () => enter()));
    expect(all.map(({ status }) => status)).toEqual(Array(10).fill(200));
    later(9 * MINUTE);
    expect((await enter()).status).toBe(200);
    expect(state.reads).toBe(1);
    later(2 * MINUTE);
    expect((await enter()).status).toBe(200);
    expect(state.reads).toBe(2);
    close();
  });

  test('may rotate: a token with an unknown key reads them again, but at most every 30 seconds', async () => {
    const { state, enter, later, close } = await fresh();
    expect((await enter()).status).toBe(200);
    const [first] = state.keys;
    const next = await newKeys('RS256', 'second');
    expect((await enter(next)).body.msg).toMatch(/key \(kid\)/);
    state.keys = [next, first!];
    expect((await enter(next)).status).toBe(401);
    expect(state.reads).toBe(1);
    later(31_000);
    expect((await enter(next)).status).toBe(200);
    expect((await enter(first)).status).toBe(200);
    const unknown = await newKeys('RS256', 'third');
    for (let call = 0; call < 5; call += 1) expect((await enter(unknown)).status).toBe(401);
    expect(state.reads).toBe(2);
    // A key that the provider has withdrawn counts no longer than the keys are kept.
    state.keys = [next];
    later(11 * MINUTE);
    expect((await enter(first)).body.msg).toMatch(/key \(kid\)/);
    close();
  });

  test.each<[string, (res: ServerResponse) => void]>([
    ['fails', (res) => void res.writeHead(500).end()],
    ['redirects', (res) => void res.writeHead(302, { location: 'https://keys.example' }).end()],
    ['sends no keys', (res) => void res.end('{"keys": 1}')],
    ['sends no JSON', (res) => void res.end('<html>')],
    ['sends too much', (res) => void res.end(`{"keys": [], "x": "${'x'.repeat(70_000)}"}`)],
    ['hangs up', (res) => void res.destroy()],
  ])(
    'go on for twelve hours while the provider %s, then the call is 503 with Retry-After, until it is back',
    async (_what, respond) => {
      const { state, enter, later, close } = await fresh();
      expect((await enter()).status).toBe(200);
      state.respond = respond;
      later(11 * MINUTE);
      expect((await enter()).status).toBe(200);
      expect((await enter()).status).toBe(200);
      expect(state.reads).toBe(2);
      // Whether an unknown key is a new one cannot be known now.
      expect((await enter(await newKeys('RS256', 'new'))).status).toBe(503);
      later(11 * 60 * MINUTE);
      expect((await enter()).status).toBe(200);
      later(60 * MINUTE);
      const { status, body, headers } = await enter();
      expect([status, body.type]).toEqual([503, 'unavailable']);
      expect(Number(headers['retry-after'])).toBeGreaterThan(100);
      const { reads } = state;
      expect((await enter()).status).toBe(503);
      expect(state.reads).toBe(reads);
      state.respond = null;
      later(5 * MINUTE);
      expect((await enter()).status).toBe(200);
      close();
    },
  );

  test('are never read from an address that is not public, unless the operator allows it', async () => {
    const own = await startProvider();
    const hosts = ['127.0.0.1', 'localhost'].map((host) =>
      own.settings.identityJwksUri.replace('127.0.0.1', host),
    );
    for (const identityJwksUri of hosts) {
      const { pid } = await strict.createStore({ ...own.settings, identityJwksUri });
      const { body } = await strict.post(LOGIN, { pid, token: await own.token() }).expect(503);
      expect(body.type).toBe('unavailable');
    }
    expect(own.state.reads).toBe(0);
    own.close();
  });
});

test('beyond a tenth of the requests of an address the call is 429 with headers', async () => {
  const { pid } = await limited.createStore({ ...provider.settings, rateLimits: { address: 10 } });
  const enter = () => limited.post(LOGIN, { pid, token: 'abc' });
  await enter().expect(401);
  const { headers } = await enter().expect(429);
  expect(headers).toMatchObject({ 'ratelimit-limit': '1', 'retry-after': expect.stringMatching(/^\d+$/) });
});

test('no log line has a token, a session or an address', async () => {
  const lines: string[] = [];
  const log = createLogger('trace', { write: (line: string) => void lines.push(line) });
  const logged = await startService({ webhookAllowPrivate: true, logLevel: 'trace' }, log);
  const { pid } = await logged.createStore(provider.settings);
  const claims = newClaims();
  const token = await provider.token(claims);
  const { body } = await logged.post(LOGIN, { pid, token }).expect(200);
  await logged.post(LOGIN, { pid, token: `${token}x` }).expect(401);
  await logged.close();
  const text = lines.join('');
  expect(text).toContain('shopper/login');
  for (const secret of [token, token.split('.')[1]!, body.sessionid, claims.email])
    expect(text).not.toContain(secret);
});

describe('the settings', () => {
  const update = (input: object) =>
    service.graphql(
      'mutation ($input: UpdateStoreInput!) { updateStore(input: $input) { identityJwksUri identityAlgorithm identityClaims shopifyDomain } }',
      { input },
      { store: shop },
    );
  const shop = useStore(service);

  test('start with RS256 and the usual claims', async () => {
    expect((await update({})).body.data.updateStore).toEqual({
      identityJwksUri: null,
      identityAlgorithm: 'RS256',
      identityClaims: 'email,email_verified,sub',
      shopifyDomain: null,
    });
  });

  test.each([
    ['identityJwksUri', 'http://login.example/keys'],
    ['identityJwksUri', 'ftp://login.example/keys'],
    ['identityJwksUri', 'https://user:pw@login.example/keys'],
    ['identityJwksUri', 'keys'],
    ['identityAlgorithm', 'HS256'],
    ['identityAlgorithm', 'none'],
    ['identityClaims', 'email,sub'],
    ['identityClaims', ''],
    ['identityIssuer', ''],
    ['shopifyDomain', 'shop.example'],
    ['shopifyDomain', 'https://a.myshopify.com'],
  ])('%s refuses %p', async (name, value) => {
    const { body } = await update({ [name]: value });
    expect(body.errors[0]).toMatchObject({
      message: expect.stringMatching(new RegExp(`^${name} `)),
      extensions: { type: 'invalid-request' },
    });
  });
});

test('a changed setting counts at once', async () => {
  const { pid } = await service.createStore(provider.settings);
  const token = await provider.token();
  await login(token, {}, { pid }).expect(200);
  await updateStore(service.services, pid, { identityAudience: 'other' });
  await login(token, {}, { pid }).expect(401);
  expect((await findStore(service.services.db, pid))!.identityAudience).toBe('other');
});
