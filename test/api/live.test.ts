import { once } from 'node:events';
import { connect } from 'node:net';
import { WATCH_LIMITS } from '../../src/lists/live.watch.ts';
import { revokeSessions } from '../../src/shoppers/shopper.service.ts';
import { revokeKey, rotateKey, setMaintenance } from '../../src/stores/store.service.ts';
import { startService, useService, useStore } from '../harness.ts';
import type { Caller, TestService } from '../harness.ts';
import { WATCH, fillBuffers, headersOf, openStream } from '../live.ts';
import type { Stream } from '../live.ts';
import { until } from '../until.ts';
import { createClient, item, newAccount, newGuest, useNewAccount } from './list-kit.ts';
import type { Client } from './list-kit.ts';

const service = useService({ rateLimits: true });
const store = useStore(service);
const me = useNewAccount(service, store);
const open: Stream[] = [];

const watchAs = async (caller: Caller, since: string | null = null, on = service): Promise<Stream> => {
  const stream = await openStream(on, caller, since);
  open.push(stream);
  return stream;
};
const watch = (client: Client, since: string | null = null, on?: TestService): Promise<Stream> =>
  watchAs({ shopper: client.shopper }, since, on);
const told = async (stream: Stream, number: number) => (await stream.message(number)).data!.lists;
const changes = (client: Client, fields: object = {}) => client.ok('lists/changes', { wait: 0, ...fields });
const sorted = (lids: string[]): string[] => [...lids].sort();
afterEach(() => open.splice(0).forEach((stream) => stream.close()));

test('a stream tells the lists as they are, then each change with the lists that changed, also those that are gone', async () => {
  const [one, two] = [await me.create('One'), await me.create('Two')];
  const stream = await watch(me);
  expect(stream.status).toBe(200);
  const first = await told(stream, 1);
  expect(first).toMatchObject({ isWhole: true, lids: [two.lid, one.lid] });
  expect(first.lists).toEqual([
    { lid: two.lid, cnt: 0 },
    { lid: one.lid, cnt: 0 },
  ]);
  await me.add(one.lid, item(1));
  const second = await told(stream, 2);
  expect(second).toMatchObject({ isWhole: false, lids: [one.lid], lists: [{ lid: one.lid, cnt: 1 }] });
  await me.ok('lists/delete-list', { lid: two.lid });
  const third = await told(stream, 3);
  expect(third).toMatchObject({ isWhole: false, lids: [two.lid], lists: [] });
  const revs = [first, second, third].map(({ rev }) => Number(rev));
  expect(revs).toEqual([...new Set(revs)].sort((a, b) => a - b));
});

test('whoever comes back with its revision is told what it missed and nothing else, or everything where that is not known', async () => {
  const [one, two] = [await me.create('One'), await me.create('Two')];
  const { rev } = await changes(me);
  expect(await told(await watch(me, rev), 1)).toEqual({ rev, lids: [], isWhole: false, lists: [] });
  await me.add(two.lid, item(1));
  expect(await told(await watch(me, rev), 1)).toMatchObject({ isWhole: false, lids: [two.lid] });
  const all = { isWhole: true, lids: [two.lid, one.lid] };
  expect(await told(await watch(me, '999999'), 1)).toMatchObject(all);
  // More lists than a shopper's row has room for.
  await service.services.db.query(
    `INSERT INTO list (pid, lid, regid, lname, di, uid) SELECT $1, 'lid' || n || '-of-a-usual-length', $2, 'List ' || n, '', '' FROM generate_series(1, 60) n`,
    [store.pid, me.shopper.regid],
  );
  const whole = await told(await watch(me, rev), 1);
  expect([whole.isWhole, whole.lids.length, whole.lists?.length]).toEqual([true, 62, 62]);
  expect((await me.call('lists/changes', { since: rev }).expect(400)).body).toMatchObject({
    type: 'invalid-request',
    msg: expect.stringContaining('since'),
  });
});

test('changes are told for everything that happens to a list', async () => {
  const [list, other] = [await me.create('Mine'), await me.create('Other')];
  let { rev } = await changes(me);
  const expectChanged = async (lids: string[], write: () => PromiseLike<unknown>): Promise<void> => {
    await write();
    const answer = await changes(me, { since: rev });
    expect(sorted(answer.lids)).toEqual(sorted(lids));
    expect(Number(answer.rev)).toBeGreaterThan(Number(rev));
    rev = answer.rev;
  };
  const { lid } = list;
  await expectChanged([lid], () => me.add(lid, item(1), item(2)));
  await expectChanged([lid], () => me.ok('lists/update-ctx', { lid, u: [item(1, { note: 'red' })] }));
  await expectChanged([lid], () => me.ok('lists/update', { lid, lname: 'Renamed' }));
  await expectChanged([lid], () => me.ok('lists/markPublic', { lid }));
  await expectChanged([lid], () => me.ok('lists/markArchived', { lid }));
  await expectChanged([lid, other.lid], () =>
    me.ok('lists/move-items', { fromlid: lid, tolid: other.lid, epis: [1] }),
  );
  await expectChanged([lid], () => me.ok('lists/update-ctx', { lid, d: [item(2)] }));
  await expectChanged([lid], () => me.ok('lists/delete-list', { lid }));
  expect(await changes(me, { since: rev })).toEqual({ rev, lids: [] });
});

test('a shopper without lists is told so, and the first list is a change', async () => {
  expect(await changes(me)).toEqual({ rev: '0', lids: [] });
  expect(await changes(me, { since: '0' })).toEqual({ rev: '0', lids: [] });
  const stream = await watch(me);
  expect(await told(stream, 1)).toEqual({ rev: '0', lids: [], isWhole: true, lists: [] });
  const { lid } = await me.create('First');
  expect(await told(stream, 2)).toMatchObject({ lids: [lid] });
  expect((await changes(me, { since: '0' })).lids).toEqual([lid]);
});

test('lists/changes waits for a change and tells it, or the same revision when the time is over', async () => {
  const { lid } = await me.create('Waited for');
  const { rev, lids } = await changes(me);
  expect(lids).toEqual([lid]);
  const waiting = me.call('lists/changes', { since: rev }).expect(200);
  const answered = waiting.then(({ body }) => body);
  await me.add(lid, item(1));
  const answer = await answered;
  expect(answer).toEqual({ rev: expect.any(String), lids: [lid] });
  expect(Number(answer.rev)).toBeGreaterThan(Number(rev));
  expect(await me.ok('lists/changes', { since: answer.rev, wait: 1 })).toEqual({ rev: answer.rev, lids: [] });
});

test('a change in another process is found, and one statement a second serves all who watch', async () => {
  const beside = await startService({}, undefined, service);
  try {
    const clients = await Promise.all(Array.from({ length: 12 }, () => newAccount(service, store)));
    const lists = await Promise.all(clients.map((client) => client.create('Watched')));
    const streams = await Promise.all([...clients, ...clients].map((client) => watch(client, null, beside)));
    await Promise.all(streams.map((stream) => stream.message(1)));
    const seen: { name: string; keys: number; at: number }[] = [];
    const { db } = beside.services;
    const { query } = db;
    db.query = (statement: string | { name: string }, params?: unknown[]) => {
      const name = typeof statement === 'string' ? statement : statement.name;
      seen.push({ name, keys: (params![0] as unknown[]).length, at: performance.now() });
      return query(statement as never, params);
    };
    await until(() => seen.length >= 3);
    const idle = seen.splice(0);
    expect(idle.map(({ name, keys }) => `${name} ${keys}`)).toEqual(idle.map(() => 'moved_revisions 12'));
    idle.slice(1).forEach(({ at }, index) => expect(at - idle[index]!.at).toBeGreaterThan(900));
    await clients[0]!.add(lists[0]!.lid, item(1));
    const [mine, alsoMine] = [streams[0]!, streams[12]!];
    expect(await told(mine, 2)).toMatchObject({ lids: [lists[0]!.lid] });
    expect(await told(alsoMine, 2)).toMatchObject({ lids: [lists[0]!.lid] });
    expect(streams.filter(({ messages }) => messages.length > 1)).toEqual([mine, alsoMine]);
    streams.forEach((stream) => stream.close());
    // Who left is no longer asked about, and when all have left, nothing is.
    await until(async () => {
      seen.length = 0;
      const after = performance.now() + 1_200;
      await until(() => seen.length > 0 || performance.now() > after);
      return seen.length === 0;
    });
  } finally {
    await beside.close();
  }
});

test('a list that joins another at login is told to the account, and the stream of the guest ends with sw-badregid', async () => {
  const guest = await newGuest(service, store);
  const email = `${Math.random()}@example.com`;
  const account = await newAccount(service, store, email);
  const [kept, joined] = [await account.create('Same name'), await guest.create('Same name')];
  const moved = await guest.create('Only mine');
  await guest.add(joined.lid, item(1));
  const [ofGuest, ofAccount] = [await watch(guest), await watch(account)];
  await Promise.all([ofGuest.message(1), ofAccount.message(1)]);
  const fields = { regid: guest.shopper.regid, useremail: email, useragenttype: 'test' };
  await service.post('/storeadmin/v3/user/guest-validate-sync', fields, { store }).expect(200);
  expect(sorted((await told(ofAccount, 2)).lids)).toEqual(sorted([kept.lid, moved.lid]));
  expect((await ofGuest.message(2)).errors![0]!.extensions).toMatchObject({
    type: 'sw-badregid',
    status: 401,
  });
  await until(() => ofGuest.end() === 'complete');
});

test.each([
  ['its sessions are revoked', () => revokeSessions(service.services, store.pid, { all: true })],
  [
    'the shopper is erased',
    () =>
      service
        .graphql('mutation ($regid: String) { eraseShopper(regid: $regid) { id } }', me.shopper, { store })
        .expect(200),
  ],
])('a stream and a waiting call end when %s', async (_what, end) => {
  await me.create('Private');
  const stream = await watch(me);
  const { rev } = await told(stream, 1);
  const waiting = me.call('lists/changes', { since: rev }).then(({ body }) => body.type);
  await end();
  await until(() => stream.end() !== null);
  expect(stream.messages.at(-1)!.errors![0]!.extensions.type).toBe('bad-sessionid');
  expect(await waiting).toBe('bad-sessionid');
  expect((await watch(me)).status).toBe(401);
});

test('a store key watches the shopper that it names, until it is revoked', async () => {
  const other = await service.createStore();
  const shopper = await service.account(other);
  const { lid } = await createClient(service, shopper).create('Seen by the store');
  const { keyId, apiKey } = await rotateKey(service.services, other.pid);
  const stream = await watchAs({ store: { ...other, apiKey }, shopper });
  expect((await told(stream, 1)).lids).toEqual([lid]);
  await revokeKey(service.services, other.pid, keyId);
  await until(() => stream.end() === 'complete');
  expect(stream.messages.at(-1)!.errors![0]!.extensions.type).toBe('unauthorised');
});

test('nobody watches without a session, with a wrong one, as a store alone or for a shopper of another store', async () => {
  const other = await service.createStore();
  const { shopper } = me;
  const refusals: [Caller, number, string][] = [
    [{}, 401, 'unauthorised'],
    [{ headers: { 'x-pid': store.pid } }, 401, 'sw-badregid'],
    [{ shopper: { ...shopper, sessionid: '' } }, 401, 'bad-sessionid'],
    [{ shopper: { ...shopper, sessionid: 'wrong' } }, 401, 'bad-sessionid'],
    [{ shopper: { ...shopper, pid: other.pid } }, 401, 'sw-badregid'],
    [{ store }, 401, 'sw-badregid'],
    [{ store: other, shopper }, 401, 'sw-badregid'],
  ];
  for (const [caller, status, type] of refusals) {
    const stream = await watchAs(caller);
    expect(stream.status).toBe(status);
    expect(stream.body!.errors![0]!.extensions).toMatchObject({ type, status });
    const { body } = await service
      .graphql('{ listChanges { rev } }', {}, { ...caller, shopper: undefined, headers: headersOf(caller) })
      .expect(200);
    expect(body.errors[0].extensions.type).toBe(type);
  }
  expect((await service.post('/api/v3/lists/changes', {}).expect(401)).body.type).toBe('unauthorised');
});

test('bad input is refused with its field, over REST and GraphQL', async () => {
  for (const since of ['abc', '-1', '1.5', '9'.repeat(16)]) {
    expect((await me.call('lists/changes', { since }).expect(400)).body).toMatchObject({
      type: 'invalid-request',
      msg: expect.stringContaining('since'),
    });
    const stream = await watch(me, since);
    expect([stream.status, stream.body!.errors![0]!.extensions.type]).toEqual([400, 'invalid-request']);
    expect(stream.body!.errors![0]!.message).toContain('since');
  }
  expect(await me.failure(400, 'lists/changes', { wait: -1 })).toBe('invalid-request');
  expect(await me.failure(400, 'lists/changes', { wait: 'long' })).toBe('invalid-request');
  const waiting = '{ listChanges(since: "0", wait: 5) { rev } }';
  const { body } = await me.graphql(waiting, { unused: 'x'.repeat(60_000) }).expect(200);
  expect(body.errors[0].extensions.type).toBe('request-too-large');
});

const asked = (request: object) => openStream(service, { shopper: me.shopper }, null, request);

test('documents are held to the rules of /graphql, and refused before a stream opens', async () => {
  const refused: [object, RegExp][] = [
    [{ query: 'subscription { lists { nothing } }' }, /Cannot query field/],
    [{ query: 'subscription {' }, /Syntax Error/],
    [{ query: `subscription { lists { lists { ${'lname '.repeat(1_000)} } } }` }, /fields|tokens/],
    [{ query: 'subscription { a: lists { rev } b: lists { rev } }' }, /only one top level field/],
    [{ query: WATCH, variables: { since: { a: 1 } } }, /since/],
    [
      { extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } } },
      /PersistedQueryNotFound/,
    ],
  ];
  for (const [request, words] of refused) {
    const stream = await asked(request);
    expect(stream.body!.errors![0]!.message).toMatch(words);
    expect([stream.status, stream.messages]).toEqual([400, []]);
  }
  const plain = await fetch(`${service.url}/graphql/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headersOf({ shopper: me.shopper }) },
    body: JSON.stringify({ query: WATCH }),
  });
  expect(plain.status).toBe(400);
  const { body } = await me.graphql(WATCH).expect(200);
  expect(body.errors[0]).toMatchObject({
    message: expect.stringMatching(/subscriptionSpec=1\.0 at \/graphql, .* \/graphql\/stream$/),
    extensions: { type: 'invalid-request' },
  });
});

test('queries and mutations that come to a stream are answered in one message', async () => {
  const made = await asked({ query: 'mutation { createList(input: { lname: "By stream" }) { lname } }' });
  await until(() => made.end() === 'complete');
  expect(made.messages).toEqual([{ data: { createList: { lname: 'By stream' } } }]);
  const read = await asked({ query: '{ allLists { lname } }' });
  await until(() => read.end() === 'complete');
  expect(read.messages).toEqual([{ data: { allLists: [{ lname: 'By stream' }] } }]);
});

test('browsers of origins that the store does not list are refused, those of others may read', async () => {
  const shut = await service.createStore({ allowedOrigins: ['https://shop.example'] });
  const shopper = await service.account(shut);
  const from = (origin: string) => watchAs({ shopper, headers: { origin } });
  expect((await from('https://evil.example')).status).toBe(403);
  const stream = await from('https://shop.example');
  expect(stream.headers.get('access-control-allow-origin')).toBe('https://shop.example');
  const { headers } = await service.http
    .options('/graphql/stream')
    .set({ origin: 'https://shop.example', 'access-control-request-headers': 'x-pid,accept' })
    .expect(204);
  expect(headers['access-control-allow-headers']).toBe('x-pid,accept');
});

test('a shopper has so many streams, a process so many in all, and one that closes makes room', async () => {
  const streams = await Promise.all(Array.from({ length: WATCH_LIMITS.shopper }, () => watch(me)));
  const refused = await watch(me);
  expect([refused.status, refused.body!.errors![0]!.extensions.type]).toEqual([429, 'too-many-requests']);
  expect(refused.headers.get('retry-after')).toBe('10');
  expect(await me.failure(429, 'lists/changes', { since: '0' })).toBe('too-many-requests');
  streams[0]!.close();
  await until(async () => (await watch(me)).status === 200);
  const small = await startService({ maxStreams: 1 }, undefined, service);
  try {
    const other = await newAccount(service, store);
    expect((await watch(other, null, small)).status).toBe(200);
    expect((await watch(other, null, small)).status).toBe(503);
  } finally {
    await small.close();
  }
});

test('a reader that takes nothing costs no more than a message or two: it is told the newest state when it reads again', async () => {
  const { lid } = await me.create('Slow');
  const note = 'x'.repeat(900);
  const items = Array.from({ length: 500 }, (_, n) => item(n, { note }));
  await me.add(lid, ...items);
  const query = 'subscription { lists { rev lists { cnt listcontents(limit: 500) { note epi } } } }';
  const body = JSON.stringify({ query });
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  const head = { ...headersOf({ shopper: me.shopper }), 'content-type': 'application/json' };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `POST /graphql/stream HTTP/1.1\r\nhost: x\r\naccept: text/event-stream\r\n${lines.join('')}content-length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, 'readable');
  const writes = await fillBuffers(service, (n) => me.add(lid, item(1, { qty: n + 2 })));
  const { rev } = await changes(me);
  let text = '';
  let count = 0;
  socket.setEncoding('utf8');
  socket.on('data', (part: string) => {
    text += part;
    count += part.split('event: next').length - 1;
    text = text.slice(-2_000_000);
  });
  await until(() => text.includes(`"rev":"${rev}"`));
  // The last four or more are one message.
  expect(count).toBeLessThan(writes + 2);
  socket.destroy();
});

test('closing for maintenance breaks streams off, so that clients come back', async () => {
  const stream = await watch(me);
  await stream.message(1);
  await setMaintenance(service.services, null, true);
  try {
    await until(() => stream.end() === 'broken');
    expect((await watch(me)).status).toBe(503);
  } finally {
    await setMaintenance(service.services, null, false);
  }
});
