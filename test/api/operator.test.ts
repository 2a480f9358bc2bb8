import { runCli } from '../../src/cli/run.ts';
import { addOperatorKey, makeFirstOperatorKey } from '../../src/stores/operator.service.ts';
import { startService, useService, useStore } from '../harness.ts';
import type { Caller } from '../harness.ts';
import { until } from '../until.ts';

const service = useService();
const store = useStore(service, { name: 'Nordlys' });
let key: string;
let operator: Caller;

const as = (apiKey: string, pid?: string): Caller => ({
  store: { pid: 'operator', apiKey },
  ...(pid !== undefined && { headers: { 'x-pid': pid } }),
});

beforeAll(async () => {
  key = (await addOperatorKey(service.services, 'Tests')).key;
  operator = as(key);
});

const STORES =
  'query ($search: String, $first: Int, $after: String) { stores(search: $search, first: $first, after: $after) { totalCount edges { cursor node { pid name isDemo maintenance shoppers lists } } pageInfo { hasNextPage endCursor } } }';
const CREATE = 'mutation ($name: String!) { createStore(name: $name) { apiKey store { pid name } } }';
const CLOSE =
  'mutation ($pid: String!, $on: Boolean!) { setStoreMaintenance(pid: $pid, maintenance: $on) { maintenance } }';

test('an operator makes a store whose key works at once', async () => {
  const { body } = await service.graphql(CREATE, { name: ' Löwe & Sons ' }, operator);
  const { apiKey, store: made } = body.data.createStore;
  expect(made.name).toBe('Löwe & Sons');
  await service.get('/storeadmin/me', { store: { ...made, apiKey } }).expect(200);
  const bad = await service.graphql(CREATE, { name: ' ' }, operator);
  expect(bad.body.errors[0]).toMatchObject({
    message: expect.stringContaining('name'),
    extensions: { type: 'invalid-request' },
  });
});

test('nobody else makes, lists or closes stores', async () => {
  const shopper = await service.account(store);
  const count = async () => (await service.services.db.query('SELECT 1 FROM store')).length;
  const before = await count();
  const callers: [Caller, string][] = [
    [{}, 'unauthorised'],
    [{ store }, 'forbidden'],
    [{ shopper }, 'forbidden'],
    [{ store, shopper }, 'forbidden'],
    [as('wgo_wrong'), 'unauthorised'],
    [as(store.apiKey), 'unauthorised'],
    [{ store: { ...store, apiKey: key } }, 'unauthorised'],
    [{ headers: { 'x-pid': 'operator', 'x-api-key': key } }, 'unauthorised'],
    [{ shopper: { pid: 'operator', regid: key, sessionid: key } }, 'unauthorised'],
  ];
  for (const [caller, type] of callers)
    for (const [query, variables] of [
      [STORES, {}],
      [CREATE, { name: 'Mine' }],
      [CLOSE, { pid: store.pid, on: true }],
    ] as const) {
      const { body } = await service.graphql(query, variables, caller);
      expect([
        body.errors[0].extensions.type,
        Object.values(body.data ?? {}).every((value) => value === null),
      ]).toEqual([type, true]);
    }
  expect(await count()).toBe(before);
});

test('what an operator reads is kept by no cache', async () => {
  const query = encodeURIComponent('{ stores { totalCount } }');
  const { headers, body } = await service.http
    .get(`/graphql?query=${query}`)
    .auth('operator', key)
    .set('apollo-require-preflight', '1')
    .expect(200);
  expect(body.data.stores.totalCount).toBeGreaterThan(0);
  expect([headers['cache-control'], headers['etag']]).toEqual(['no-store', undefined]);
});

test('the list has figures, is searched by name or pid, and goes on where a page ended', async () => {
  const [busy] = [
    await service.createStore({ name: 'Figures A' }),
    await service.createStore({ name: 'figures b' }),
  ];
  await service.createStore({ name: '100% figures_c' });
  const shopper = await service.account(busy);
  // A visitor who has saved nothing does not count.
  await service.guest(busy);
  await service.post('/api/v3/lists/create', { lname: 'My list' }, { shopper }).expect(200);
  const list = async (variables: object) =>
    (await service.graphql(STORES, variables, operator)).body.data.stores;
  const all = await list({ search: 'FIGURES' });
  expect(all.totalCount).toBe(3);
  const found = all.edges.find(({ node }: { node: { pid: string } }) => node.pid === busy.pid);
  expect(found.node).toEqual({
    pid: busy.pid,
    name: 'Figures A',
    isDemo: false,
    maintenance: false,
    shoppers: 1,
    lists: 1,
  });
  expect(
    (await list({ search: busy.pid })).edges.map(({ node }: { node: { name: string } }) => node.name),
  ).toEqual(['Figures A']);
  expect(
    (await list({ search: '%' })).edges.map(({ node }: { node: { name: string } }) => node.name),
  ).toEqual(['100% figures_c']);
  const names: string[] = [];
  let after: string | null = null;
  do {
    const page = await list({ search: 'figures', first: 1, after });
    names.push(...page.edges.map(({ node }: { node: { name: string } }) => node.name));
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null);
  expect(names).toEqual(['100% figures_c', 'figures b', 'Figures A']);
  for (const variables of [{ after: 'x' }, { first: -1 }, { search: 'x'.repeat(101) }]) {
    const { body } = await service.graphql(STORES, variables, operator);
    expect(body.errors[0].extensions.type).toMatch(/^invalid-/);
  }
});

test('an operator acts for the store it names, over REST and GraphQL, and for none without', async () => {
  const shopper = await service.account(store, 'ada@example.com');
  const acting = as(key, store.pid);
  const renamed = await service.graphql(
    'mutation { updateStore(input: { name: "Nordlicht" }) { pid name } }',
    {},
    acting,
  );
  expect(renamed.body.data.updateStore).toEqual({ pid: store.pid, name: 'Nordlicht' });
  await service.get('/storeadmin/me', acting).expect(200);
  const headers = { 'x-pid': store.pid, 'x-regid': shopper.regid };
  const lists = await service.graphql('{ shopper { regid } }', {}, { ...operator, headers });
  expect(lists.body.data.shopper.regid).toBe(shopper.regid);
  for (const pid of [undefined, 'nothing']) {
    const { body } = await service.graphql('{ store { pid } }', {}, as(key, pid));
    expect(body.errors[0].extensions.type).toBe('unauthorised');
  }
  await service.get('/storeadmin/me', operator).expect(401);
});

test('a closed store answers 503 until an operator opens it', async () => {
  const closed = await service.createStore();
  const { body } = await service.graphql(CLOSE, { pid: closed.pid, on: true }, operator);
  expect(body.data.setStoreMaintenance.maintenance).toBe(true);
  await service.get('/storeadmin/me', { store: closed }).expect(503);
  await service.graphql(CLOSE, { pid: closed.pid, on: false }, operator).expect(200);
  await service.get('/storeadmin/me', { store: closed }).expect(200);
  const missing = await service.graphql(CLOSE, { pid: 'nothing', on: true }, operator);
  expect(missing.body.errors[0].extensions.type).toBe('not-found');
});

test('the command line makes, lists and ends operator keys; a revoked one ends its dashboards, too', async () => {
  const { db, config } = service.services;
  const environment = { DATABASE_URL: db.pool.options.connectionString!, DATA_DIR: config.dataDir };
  const cli = async (...args: string[]) => {
    const { status, stdout, stderr } = await runCli([...args, '--json'], environment, 'operator');
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringMatching(/^Using PostgreSQL at \S+ \(DATABASE_URL\)\n$/),
    });
    return JSON.parse(stdout);
  };
  const { keyId, operatorKey } = await cli('key', '--name', 'Grace');
  expect(operatorKey).toMatch(/^wgo_[\w-]{43}$/);
  const own = { 'x-wishgate-dashboard': '1', 'sec-fetch-site': 'same-origin' };
  const signedIn = await service.http
    .post('/dashboard/session')
    .set(own)
    .send({ pid: 'operator', apiKey: operatorKey });
  expect(signedIn.body).toEqual({ session: { isOperator: true, store: null } });
  const headers = { ...own, cookie: signedIn.headers['set-cookie']![0]!.split(';')[0]! };
  const total = async () => (await service.graphql('{ stores { totalCount } }', {}, { headers })).body;
  expect((await total()).data.stores.totalCount).toBeGreaterThan(0);
  const acting = await service.http.get('/dashboard/session').set({ ...headers, 'x-pid': store.pid });
  expect(acting.body.session.store.pid).toBe(store.pid);
  await until(async () =>
    (await cli('list')).some(
      ({ id, lastUsedAt }: { id: string; lastUsedAt: string | null }) => id === keyId && lastUsedAt !== null,
    ),
  );
  await cli('revoke', '--key-id', keyId);
  expect((await total()).errors[0].extensions.type).toBe('unauthorised');
  expect(
    (await service.graphql('{ stores { totalCount } }', {}, as(operatorKey))).body.errors[0].extensions.type,
  ).toBe('unauthorised');
  const twice = await runCli(['revoke', '--key-id', keyId], environment, 'operator');
  expect(twice).toMatchObject({ status: 1, stderr: expect.stringContaining('--key-id') });
  const [row] = await db.query<{ length: number }>('SELECT length(hash) FROM operator_key WHERE id = $1', [
    keyId,
  ]);
  expect(row).toEqual({ length: 32 });
  expect((await runCli(['--help'], environment, 'operator')).stdout).toContain(
    'npm run --silent operator --',
  );
});

test('only a service that never had an operator key gets one at its first start', async () => {
  const fresh = await startService();
  const made = await makeFirstOperatorKey(fresh.services);
  expect(made).toMatch(/^wgo_/);
  expect((await fresh.graphql('{ stores { totalCount } }', {}, as(made!))).body.data.stores.totalCount).toBe(
    0,
  );
  expect(await makeFirstOperatorKey(fresh.services)).toBeNull();
  await fresh.close();
});
