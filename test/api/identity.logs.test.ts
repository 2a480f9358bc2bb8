import { randomUUID } from 'node:crypto';
import { createLogger } from '../../src/platform/log.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';

let service: TestService;
let lines: Record<string, unknown>[];

beforeEach(async () => {
  lines = [];
  const log = createLogger('trace', { write: (line: string) => void lines.push(JSON.parse(line)) });
  service = await startService({}, log);
});
afterEach(() => service.close());

const GENERATE = '/storeadmin/v3/user/generate-regid';

/** Waits for the line of each request: it is written after the answer has gone. */
async function linesOf(count: number): Promise<typeof lines> {
  while (lines.filter(({ msg }) => msg === 'Request').length < count)
    await new Promise((resolve) => setImmediate(resolve));
  return lines;
}

test('a request leaves one line with its id, route, path, store, operation, status and duration', async () => {
  const store = await service.createStore();
  await service.get('/storeadmin/me?secret=1', { store, headers: { 'x-request-id': 'req-1' } }).expect(200);
  const [line] = await linesOf(1);
  expect(line).toEqual({
    level: 30,
    time: expect.any(String),
    requestId: 'req-1',
    method: 'GET',
    route: '/storeadmin/me',
    path: '/storeadmin/me',
    store: store.pid,
    operation: 'query store',
    status: 200,
    durationMs: expect.any(Number),
    msg: 'Request',
  });
});

test('an unknown path is not repeated in the log', async () => {
  await service.get('/anna@example.com').expect(404);
  const [line] = await linesOf(1);
  expect(line).toMatchObject({ route: 'unknown', path: 'unknown', type: 'not-found' });
  expect(JSON.stringify(line)).not.toContain('anna');
});

test('REST and GraphQL name the same operation, the store, and the type of what failed, also under status 200', async () => {
  const store = await service.createStore();
  const shopper = await service.guest(store);
  await service.post('/api/v3/lists/create', { lname: 'x' }, { shopper }).expect(400);
  await service
    .graphql('mutation { createList(input: { lname: "x" }) { lid } }', {}, { shopper })
    .expect(200);
  await service.graphql('{ store { pid } store { name } lists { totalCount } }', {}, { store }).expect(200);
  const seen = (await linesOf(4)).slice(1).map((line) => [line['operation'], line['type'], line['status']]);
  expect(seen).toEqual([
    ['mutation createList', 'invalid-lname', 400],
    ['mutation createList', 'invalid-lname', 200],
    ['query store,lists', 'sw-badregid', 200],
  ]);
  expect(lines.map((line) => line['store'])).toEqual(Array(4).fill(store.pid));
});

test('what a caller makes up in a document stays out of the log: names, aliases, fields that do not exist', async () => {
  const store = await service.createStore();
  const own =
    'query anna { anna: store { anna: pid } ...anna } fragment anna on Query { anna2: shopper { uid } }';
  await service.graphql(own, {}, { store }).expect(200);
  await service.graphql('{ anna }', {}, { store }).expect(200);
  await service.graphql('{ anna', {}, { store }).expect(200);
  await service.http.post('/graphql').auth(store.pid, store.apiKey).send({ anna: 1 }).expect(400);
  await service.http.get('/graphql').set('x-pid', 'anna').expect(400);
  await service.get('/storeadmin/me', { store: { ...store, pid: 'anna' } }).expect(401);
  await service.http.get('/confirm/anna').expect(404);
  await service.http.get('/client/anna.js').expect(404);
  await service.http.get('/client/wishgate.js').expect(200);
  const seen = await linesOf(9);
  expect(JSON.stringify(seen)).not.toContain('anna');
  expect(seen.map(({ path, operation, type }) => [path, operation, type])).toEqual([
    ['/graphql', 'query store,shopper', 'sw-badregid'],
    ['/graphql', undefined, 'invalid-request'],
    ['/graphql', undefined, 'invalid-request'],
    ['/graphql', undefined, 'invalid-request'],
    ['/graphql', undefined, 'invalid-request'],
    ['/storeadmin/me', 'query store', 'unauthorised'],
    ['/confirm/:token', undefined, undefined],
    ['/client/:file', undefined, 'not-found'],
    ['/client/wishgate.js', undefined, undefined],
  ]);
});

test('a request for many fields leaves a line of bounded length, with each name once', async () => {
  const store = await service.createStore();
  const names =
    'topics alerts webhooks products integrations triggers lists allLists saveForLater findShopper auditLog activity ' +
    'mostWishlisted waitingDemand shopper store subscriptions subscriptionPage';
  const fields = names.split(' ').map((name) => `${name} { __typename }`);
  await service.graphql(`{ ${fields.join(' ')} again: lists { __typename } }`, {}, { store }).expect(200);
  const [line] = await linesOf(1);
  expect(line!['operation']).toBe(`query ${names.replaceAll(' ', ',')}`.slice(0, 150) + '…');
});

test('neither key, sessionid, regid, e-mail nor phone reach the log, whatever happens', async () => {
  const store = await service.createStore();
  const useremail = 'hidden.person@example.com';
  const guest = await service.guest(store, randomUUID());
  const account = await service.account(store, useremail);
  await service.post(
    '/storeadmin/v3/user/guest-validate-sync',
    { regid: guest.regid, useremail, useragenttype: 'test' },
    { store },
  );
  const update = 'mutation ($m: String) { updateShopper(input: { m: $m }) { userinfo { em m } } }';
  await service.graphql(update, { m: '+4915112345678' }, { store, shopper: account }).expect(200);
  await service.graphql(`{ shopper { regid } } # ${account.sessionid}`, {}, { shopper: guest });
  await service.post(`${GENERATE}?x=${useremail}`, { uuid: useremail, useragenttype: 'pos' }, { store });
  await service.get(`/storeadmin/me?regid=${guest.regid}`).expect(401);
  // Failures of the database quote the row: one that breaks a rule, and a column that is gone.
  const { db } = service.services;
  await db.query('ALTER TABLE shopper ADD CONSTRAINT unnamed CHECK (external_id IS NULL)');
  const named = { useremail: `other.${useremail}`, externalid: 'hidden.person' };
  await service.post(GENERATE, { ...named, useragenttype: 'pos' }, { store }).expect(500);
  const other = await service.account(store);
  await db.query('ALTER TABLE shopper ALTER COLUMN m TYPE varchar(3) USING NULL');
  await service.graphql(update, { m: '+4915112345678' }, { store, shopper: other });
  const text = JSON.stringify(await linesOf(10));
  expect(text).toContain('Unexpected error');
  for (const secret of [store.apiKey, guest.regid, guest.sessionid, account.regid, account.sessionid])
    expect(text).not.toContain(secret);
  expect(text).not.toMatch(/hidden\.person|15112345678/);
});

test('a bug answers 500 with the request id and nothing else, over REST and GraphQL, and its place is in the log', async () => {
  const store = await service.createStore();
  const { regid } = await service.guest(store);
  await service.services.db.query('ALTER TABLE guest_link RENAME TO gone');
  const headers = { 'x-request-id': 'req-500' };
  const fields = { regid, useremail: 'a@example.com', useragenttype: 'pos' };
  const rest = await service
    .post('/storeadmin/v3/user/guest-validate-sync', fields, { store, headers })
    .expect(500);
  const msg = 'Internal server error; please quote the request id req-500';
  expect(rest.body).toEqual({ error: true, type: 'internal-error', msg, message: msg });
  expect(rest.headers['x-request-id']).toBe('req-500');
  const graphql = await service.graphql(
    'mutation ($regid: String!) { syncGuest(regid: $regid, useremail: "a@example.com", useragenttype: "x") { regid } }',
    { regid },
    { store, headers },
  );
  expect(graphql.body.errors).toEqual([
    {
      message: msg,
      locations: [{ line: 1, column: 30 }],
      path: ['syncGuest'],
      extensions: { code: 'INTERNAL_SERVER_ERROR', type: 'internal-error', status: 500 },
    },
  ]);
  const failures = (await linesOf(3)).filter(({ level }) => level === 50);
  expect(failures).toHaveLength(2);
  expect(failures[0]).toMatchObject({
    requestId: 'req-500',
    err: {
      message: expect.stringContaining('guest_link'),
      code: 'P2021',
      stack: expect.stringContaining(' at '),
    },
  });
});

test('a field of ours that breaks its own type is our bug, not the caller’s', async () => {
  const store = await service.createStore();
  const shopper = await service.account(store);
  await service.services.db.query('ALTER TABLE shopper ALTER COLUMN fname DROP NOT NULL');
  await service.services.db.query('UPDATE shopper SET fname = NULL');
  for (let n = 0; n < 5; n += 1) {
    const { body } = await service.graphql('{ shopper { userinfo { fname } } }', {}, { shopper });
    expect(body.errors[0].extensions).toEqual({
      code: 'INTERNAL_SERVER_ERROR',
      type: 'internal-error',
      status: 500,
    });
  }
});
