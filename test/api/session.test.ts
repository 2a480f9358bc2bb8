import { HOUSEKEEPING } from '../../src/alerts/dispatch/housekeeping.ts';
import { addOperatorKey } from '../../src/stores/operator.service.ts';
import { revokeKey } from '../../src/stores/store.service.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { startService, useService, useStore } from '../harness.ts';

const service = useService({ rateLimits: true });
const store = useStore(service, { name: 'Nordlys' });
afterEach(() => service.setClock(() => new Date()));

const PATH = '/dashboard/session';
/** What the dashboard sends along, and the browser by itself. */
const OWN = { 'x-wishgate-dashboard': '1', 'sec-fetch-site': 'same-origin' };

/** Signs in and gives the cookie, as a browser would send it back. */
async function signIn({ pid, apiKey }: Pick<NewStore, 'pid' | 'apiKey'> = store): Promise<string> {
  const { headers } = await service.http.post(PATH).set(OWN).send({ pid, apiKey }).expect(200);
  return headers['set-cookie']![0]!.split(';')[0]!;
}

const ask = (headers: Record<string, string>, query = '{ store { name } }') =>
  service.graphql(query, {}, { headers });
const storeOf = async (headers: Record<string, string>): Promise<unknown> =>
  (await ask(headers)).body.data?.store ?? null;

test('a key gives a session that REST and GraphQL understand; its cookie is for no script and no other site, and its token is stored hashed', async () => {
  const { headers, body } = await service.http.post(PATH).set(OWN).send(store).expect(200);
  expect(body).toEqual({
    session: { isOperator: false, store: { pid: store.pid, name: 'Nordlys', isDemo: false } },
  });
  const [set] = headers['set-cookie']! as unknown as string[];
  expect(set).toMatch(
    /^wishgate_session=[\w-]+\.[\w-]{43}; Max-Age=28800; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
  );
  const cookie = set!.split(';')[0]!;
  expect(await storeOf({ ...OWN, cookie })).toEqual({ name: 'Nordlys' });
  const me = await service.get('/storeadmin/me', { headers: { ...OWN, cookie } }).expect(200);
  expect(me.body.pid).toBe(store.pid);
  const again = await service.http
    .get(PATH)
    .set({ ...OWN, cookie })
    .expect(200);
  expect(again.body).toEqual({ ...body, hasDemo: false });
  const token = cookie.split('.')[1]!;
  const rows = await service.services.db.query('SELECT 1 FROM store_session t WHERE t::text LIKE $1', [
    `%${token}%`,
  ]);
  expect(rows).toEqual([]);
});

test('where the service is known by https, the cookie never travels without it', async () => {
  const { services, database } = service;
  const secure = await startService({ publicUrl: 'https://wishes.example' }, services.log, service);
  expect(database).toBe(secure.database);
  const { headers } = await secure.http.post(PATH).set(OWN).send(store).expect(200);
  expect(headers['set-cookie']![0]).toMatch(/; Secure/);
  await secure.close();
});

describe('the cookie alone opens nothing:', () => {
  let cookie: string;
  beforeAll(async () => {
    cookie = await signIn();
  });

  test.each<[string, Record<string, string>]>([
    ['without the header of the dashboard', { 'sec-fetch-site': 'same-origin' }],
    ['with another value of it', { ...OWN, 'x-wishgate-dashboard': 'yes' }],
    ['from another site', { ...OWN, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
    ['from another port or subdomain', { ...OWN, 'sec-fetch-site': 'same-site' }],
    ['opened by hand', { ...OWN, 'sec-fetch-site': 'none' }],
    [
      'from an old browser on another origin',
      { 'x-wishgate-dashboard': '1', origin: 'https://evil.example' },
    ],
    ['from a page without an origin', { 'x-wishgate-dashboard': '1', origin: 'null' }],
    ['beside a wrong Authorization', { ...OWN, authorization: 'Basic eDp5' }],
  ])('%s', async (_name, headers) => {
    const { body } = await ask({ ...headers, cookie });
    expect(body.errors[0].extensions.type).toBe('unauthorised');
    await service.get('/storeadmin/me', { headers: { ...headers, cookie } }).expect(401);
  });

  test('but an old browser on our own page is let in', async () => {
    const origin = service.url;
    expect(await storeOf({ 'x-wishgate-dashboard': '1', origin, cookie })).toEqual({ name: 'Nordlys' });
  });

  test('a made-up or cut cookie, or one of another store, signs nobody in', async () => {
    const other = await service.createStore();
    const [, token] = cookie.split('.');
    const forged = `wishgate_session=${Buffer.from(other.pid).toString('base64url')}.${token}`;
    const operator = `wishgate_session=.${token}`;
    for (const tried of [
      forged,
      operator,
      cookie.slice(0, -1),
      'wishgate_session=x',
      'wishgate_session=%00.x',
    ])
      expect([tried, await storeOf({ ...OWN, cookie: tried })]).toEqual([tried, null]);
  });

  test('a stream takes no cookie, since it could outlive the session', async () => {
    for (const [path, accept] of [
      ['/graphql/stream', 'text/event-stream'],
      ['/graphql', 'multipart/mixed;subscriptionSpec=1.0'],
    ]) {
      const headers = { ...OWN, cookie, accept };
      const { text } = await service.http.post(path!).set(headers).send({ query: '{ store { pid } }' });
      expect(text).toContain('unauthorised');
    }
  });
});

test('a page of another origin is never allowed the header, and never answered with credentials', async () => {
  const cookie = await signIn();
  const asked = { origin: 'https://evil.example', 'access-control-request-method': 'POST' };
  for (const name of ['x-wishgate-dashboard', 'content-type, X-Wishgate-Dashboard']) {
    const { headers } = await service.http
      .options('/graphql')
      .set({ ...asked, 'access-control-request-headers': name });
    expect(headers['access-control-allow-headers']?.toLowerCase()).not.toContain('dashboard');
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  }
  const preflight = await service.http
    .options(PATH)
    .set({ ...asked, 'access-control-request-headers': 'content-type' });
  expect(preflight.headers).not.toHaveProperty('access-control-allow-origin');
  const called = await ask({
    ...OWN,
    cookie,
    origin: 'https://evil.example',
    'sec-fetch-site': 'cross-site',
  });
  expect(called.headers).not.toHaveProperty('access-control-allow-credentials');
});

test.each<[string, Record<string, string>]>([
  ['a form of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ['a script of another site', { ...OWN, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }],
  ['who does not send the header', { 'sec-fetch-site': 'same-origin' }],
])('%s signs nobody in or out', async (_name, headers) => {
  const cookie = await signIn();
  const { status, headers: answer } = await service.http
    .post(PATH)
    .set({ ...headers, cookie })
    .send(store);
  expect([status, answer['set-cookie']]).toEqual([403, undefined]);
  await service.http
    .delete(PATH)
    .set({ ...headers, cookie })
    .expect(403);
  await service.http
    .get(PATH)
    .set({ ...headers, cookie })
    .expect(403);
  expect(await storeOf({ ...OWN, cookie })).toEqual({ name: 'Nordlys' });
});

test('a wrong key, a wrong store and a wrong operator key are told alike, without the browser asking for a password', async () => {
  await addOperatorKey(service.services, '');
  const tries = [
    { pid: store.pid, apiKey: 'wrong' },
    { pid: 'nothing', apiKey: store.apiKey },
    { pid: 'operator', apiKey: store.apiKey },
    { pid: '', apiKey: '' },
  ];
  const answers = await Promise.all(tries.map((tried) => service.http.post(PATH).set(OWN).send(tried)));
  for (const { status, body, headers } of answers) {
    expect([status, body.msg]).toEqual([401, 'The store id or API key is wrong']);
    expect(headers).not.toHaveProperty('www-authenticate');
    expect(headers).not.toHaveProperty('set-cookie');
  }
});

test('guesses of a key at sign-in are counted for their address, like those of any other call', async () => {
  const { headers: tried } = await service.http.post(PATH).set(OWN).send({ pid: store.pid, apiKey: 'wrong' });
  const { headers: next } = await service.get('/storeadmin/me', { store: { ...store, apiKey: 'wrong' } });
  expect(tried['ratelimit-limit']).toBe('3000');
  expect(Number(next['ratelimit-remaining'])).toBe(Number(tried['ratelimit-remaining']) - 1);
});

test.each<[string, string, string]>([
  ['no JSON', 'text/plain', '{}'],
  ['broken JSON', 'application/json', '{'],
  ['a key that is no text', 'application/json', '{"pid":"x","apiKey":5}'],
  ['a form', 'application/x-www-form-urlencoded', 'pid=x&apiKey=y'],
])('%s is a bad request and signs nobody in', async (_name, type, body) => {
  const answer = await service.http.post(PATH).set(OWN).type(type).send(body);
  expect([answer.status, answer.headers['set-cookie']]).toEqual([400, undefined]);
});

test('a session ends when its merchant signs out, and its cookie goes', async () => {
  const cookie = await signIn();
  const { headers } = await service.http
    .delete(PATH)
    .set({ ...OWN, cookie })
    .expect(204);
  expect(headers['set-cookie']![0]).toMatch(/^wishgate_session=; Path=\/; Expires=Thu, 01 Jan 1970/);
  expect(await storeOf({ ...OWN, cookie })).toBeNull();
  await service.http.delete(PATH).set(OWN).expect(204);
  const { body } = await service.http
    .get(PATH)
    .set({ ...OWN, cookie })
    .expect(200);
  expect(body).toEqual({ session: null, hasDemo: false });
});

test('another sign-in in the same browser ends the session before', async () => {
  const first = await signIn();
  await service.http
    .post(PATH)
    .set({ ...OWN, cookie: first })
    .send(store)
    .expect(200);
  expect(await storeOf({ ...OWN, cookie: first })).toBeNull();
});

test('a session ends with its key, at once, and no other does', async () => {
  const { body } = await service.graphql(
    'mutation { createApiKey(name: "Till") { id apiKey } }',
    {},
    { store },
  );
  const { id, apiKey } = body.data.createApiKey;
  const [one, other] = [await signIn({ ...store, apiKey }), await signIn()];
  expect(await storeOf({ ...OWN, cookie: one })).toEqual({ name: 'Nordlys' });
  await revokeKey(service.services, store.pid, id);
  const refused = await ask({ ...OWN, cookie: one });
  expect(refused.body.errors[0]).toMatchObject({ message: 'The session has ended; sign in again' });
  expect(await storeOf({ ...OWN, cookie: other })).toEqual({ name: 'Nordlys' });
});

test('a session ends after eight hours, and housekeeping forgets it', async () => {
  const cookie = await signIn();
  const later = (hours: number): void => service.setNow(new Date(Date.now() + hours * 3_600_000));
  later(7.9);
  expect(await storeOf({ ...OWN, cookie })).toEqual({ name: 'Nordlys' });
  later(8.1);
  expect(await storeOf({ ...OWN, cookie })).toBeNull();
  const chore = HOUSEKEEPING.find(({ name }) => name === 'delete dashboard sessions')!;
  while ((await chore.run(service.services, service.services.now())) > 0);
  expect(await service.services.db.query('SELECT 1 FROM store_session')).toEqual([]);
});

test('a session speaks for its own store alone, whatever store the call names', async () => {
  const other = await service.createStore({ name: 'Other' });
  const shopper = await service.account(other);
  const cookie = await signIn();
  expect(await storeOf({ ...OWN, cookie, 'x-pid': other.pid })).toEqual({ name: 'Nordlys' });
  const headers = { ...OWN, cookie, 'x-pid': other.pid, 'x-regid': shopper.regid };
  const { body } = await ask(headers, '{ allLists { lid } }');
  expect(body.errors[0].extensions.type).toBe('sw-badregid');
});

test('a key has at most fifty sessions; a further one ends the oldest', async () => {
  const busy = await service.createStore({ name: 'Busy' });
  const first = await signIn(busy);
  service.setNow(new Date(Date.now() + 1_000));
  for (let n = 0; n < 50; n += 10) await Promise.all(Array.from({ length: 10 }, () => signIn(busy)));
  expect(await storeOf({ ...OWN, cookie: first })).toBeNull();
  const rows = await service.services.db.query('SELECT 1 FROM store_session WHERE pid = $1', [busy.pid]);
  expect(rows.length).toBe(50);
});
