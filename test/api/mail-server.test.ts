import { stat, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { problemOf } from '../../src/alerts/send/mail-problem.ts';
import { openStoreSmtp } from '../../src/alerts/send/store-smtp.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { startSmtp } from '../alerts/receivers.ts';
import type { TestSmtp } from '../alerts/receivers.ts';
import { SET_MAIL_SERVER, startTlsSmtp, trustTestCertificate } from '../alerts/tls-smtp.ts';
import type { TlsSmtp } from '../alerts/tls-smtp.ts';
import { startService } from '../harness.ts';
import type { Caller, TestService } from '../harness.ts';

let service: TestService;
/** As it is shipped: no private addresses. */
let strict: TestService;
let plain: TestSmtp;
let smtp: TlsSmtp;
let implicit: TlsSmtp;
let store: NewStore;
let distrust: () => void;

beforeAll(async () => {
  distrust = trustTestCertificate();
  [plain, smtp, implicit] = [await startSmtp(), await startTlsSmtp(), await startTlsSmtp('tls')];
  const channels = {
    email: { smtpUrl: plain.url, from: 'alerts@service.example', connections: 1, dkim: null },
  };
  service = await startService({ webhookAllowPrivate: true, channels, demo: true });
  strict = await startService({ channels }, undefined, service);
});
afterAll(async () => {
  distrust();
  await strict.close();
  await service.close();
  await Promise.all([plain.close(), smtp.close(), implicit.close()]);
});
beforeEach(async () => {
  store = await service.createStore({ senderAddress: 'hello@shop.example', senderName: 'Kettles & Co' });
  for (const one of [smtp, implicit]) {
    one.received.length = 0;
    one.refuse = one.refuseFrom = () => null;
  }
});

/** Half of a character, which no text may hold alone. */
const HALF = String.fromCharCode(0xd800);

const READ = '{ mailServer { host port security user problem problemAt sentAt cts uts } }';
const TEST = 'mutation ($to: String!) { testMailServer(to: $to) { isSent problem } }';
const set = async (input: object, caller: Caller = { store }, on = service) =>
  (await on.graphql(SET_MAIL_SERVER, { input }, caller)).body;
const read = async (caller: Caller = { store }, on = service) =>
  (await on.graphql(READ, {}, caller)).body.data.mailServer;
const tryOut = async (to = 'me@shop.example', on = service) =>
  (await on.graphql(TEST, { to }, { store })).body;
const rows = () =>
  service.services.db.query<{ password: string; host: string }>('SELECT * FROM mail_server WHERE pid = $1', [
    store.pid,
  ]);

test('a store sets its mail server, reads it without the password, and removes it', async () => {
  expect(await read()).toBeNull();
  const { password, ...shown } = smtp.input;
  expect(await set({ ...smtp.input, host: ' LOCALHOST ' })).toEqual({
    data: { setMailServer: { ...shown, problem: null } },
  });
  expect(await read()).toMatchObject({ ...shown, problem: null, sentAt: null });
  const [row] = await rows();
  expect(JSON.stringify(row)).not.toContain(password);
  const remove = () => service.graphql('mutation { removeMailServer }', {}, { store });
  expect((await remove()).body).toEqual({ data: { removeMailServer: true } });
  expect((await remove()).body).toEqual({ data: { removeMailServer: false } });
  expect([await read(), await rows()]).toEqual([null, []]);
});

test('the key that seals passwords is a file of the operator alone, one for all who make it at a time', async () => {
  const other = await startService({ webhookAllowPrivate: true }, undefined, service);
  try {
    const stores = await Promise.all(
      [1, 2, 3, 4].map(() => other.createStore({ senderAddress: 'hello@shop.example' })),
    );
    await Promise.all(stores.map((one) => set(smtp.input, { store: one }, other)));
    const problems = await Promise.all(
      stores.map(async (one) => (await read({ store: one }, other)).problem),
    );
    expect(problems).toEqual([null, null, null, null]);
    const path = join(other.services.config.dataDir, 'secrets.key');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
  } finally {
    await other.close();
  }
});

test.each([
  ['host', { host: '' }],
  ['host', { host: 'smtp.shop.example/x' }],
  ['host', { host: 'user@smtp.shop.example' }],
  ['host', { host: `${'x'.repeat(254)}` }],
  ['port', { port: 0 }],
  ['port', { port: 65_536 }],
  ['user', { user: ' ' }],
  ['user', { user: 'a\r\nb' }],
  ['password', { password: '' }],
  ['password', { password: 'a\nb' }],
  ['password', { password: null }],
])('a wrong %s is refused by name, and nothing is stored: %j', async (field, wrong) => {
  const body = await set({ ...smtp.input, ...wrong });
  expect(body.errors[0].extensions).toMatchObject({ type: 'invalid-request', status: 400 });
  expect(body.errors[0].message).toContain(field);
  expect(await rows()).toEqual([]);
});

test('a store cannot set a mail server without encryption', async () => {
  const body = await set({ ...smtp.input, security: 'none' });
  expect(body.errors[0].extensions.type).toBe('invalid-request');
  expect(await rows()).toEqual([]);
});

test('a stored password stays with its host, port and user: for others it is asked for again', async () => {
  await set(smtp.input);
  const { password: _password, ...rest } = smtp.input;
  for (const change of [{ host: 'smtp.evil.example' }, { port: implicit.input.port }, { user: 'other' }]) {
    const body = await set({ ...rest, ...change });
    expect(body.errors[0].message).toContain('password is missing');
  }
  expect((await set(rest)).data.setMailServer.host).toBe('localhost');
  expect(await tryOut()).toEqual({ data: { testMailServer: { isSent: true, problem: null } } });
  // Nor can it be taken along inside of the table.
  await service.services.db.query(`UPDATE mail_server SET host = '127.0.0.1' WHERE pid = $1`, [store.pid]);
  expect((await read()).problem).toBe('locked');
});

test('mails come from an address of the store, which it therefore needs and keeps', async () => {
  const nameless = await service.createStore();
  const body = await set(smtp.input, { store: nameless });
  expect(body.errors[0].message).toContain('senderAddress');
  await set(smtp.input);
  const clear = await service.graphql(
    'mutation { updateStore(input: { senderAddress: null }) { senderAddress } }',
    {},
    { store },
  );
  expect(clear.body.errors[0]).toMatchObject({ message: expect.stringContaining('senderAddress') });
});

test.each(['127.0.0.1', '169.254.169.254', '10.0.0.1', '::1', 'localhost', '2130706433'])(
  'a server at %s is refused, however it is written',
  async (host) => {
    const body = await set({ ...smtp.input, host, port: 587 }, { store }, strict);
    expect(body.errors[0].extensions.type).toBe('invalid-request');
    expect(body.errors[0].message).toBe('host must point to a public IP address');
    expect(await rows()).toEqual([]);
  },
);

test('only ports of mail servers can be reached', async () => {
  for (const port of [22, 80, 443, 5432]) {
    const body = await set({ ...smtp.input, host: 'smtp.example.com', port }, { store }, strict);
    expect(body.errors[0].message).toBe('port must be one of 25, 465, 587, 2525');
  }
});

test.each(['localhost', '127.0.0.1'])('%s, which was allowed before, is not connected to', async (host) => {
  await set({ ...smtp.input, host });
  const before = smtp.connections;
  const { dataDir } = service.services.config;
  const guarded = await startService({ webhookAllowPrivate: false, dataDir }, undefined, service);
  expect(await tryOut('me@shop.example', guarded)).toEqual({
    data: { testMailServer: { isSent: false, problem: 'address' } },
  });
  expect((await read()).problem).toBe('address');
  expect(smtp.connections).toBe(before);
  await guarded.close();
});

test('a mail server is out of reach for shoppers, other stores and nobody', async () => {
  await set(smtp.input);
  const other = await service.createStore({ senderAddress: 'x@other.example' });
  expect(await read({ store: other })).toBeNull();
  await service.graphql('mutation { removeMailServer }', {}, { store: other });
  expect(await read()).not.toBeNull();
  const refused = await service.graphql(TEST, { to: 'a@b.example' }, { store: other });
  expect(refused.body.errors[0].extensions.type).toBe('not-found');
  const shopper = await service.account(store);
  for (const [type, caller] of [
    ['forbidden', { shopper }],
    ['unauthorised', {}],
  ] as const) {
    const calls: [string, object][] = [
      [READ, {}],
      [SET_MAIL_SERVER, { input: smtp.input }],
      [TEST, { to: 'a@b.example' }],
      ['mutation { removeMailServer }', {}],
    ];
    for (const [query, variables] of calls) {
      const { body } = await service.graphql(query, variables, caller);
      expect(body.errors[0].extensions.type).toBe(type);
    }
  }
  expect(smtp.received).toEqual([]);
});

test('the demo store cannot have a mail server, and is told so at once', async () => {
  const demo = service.demo!;
  const caller = { store: { pid: demo.pid, apiKey: demo.apiKey, name: 'Demo' } };
  for (const [query, variables] of [
    [SET_MAIL_SERVER, { input: smtp.input }],
    [TEST, { to: 'a@b.example' }],
  ] as const) {
    const { body } = await service.graphql(query, variables, caller);
    expect(body.errors[0].extensions.type).toBe('forbidden');
    expect(body.errors[0].message).toContain('demo store');
  }
});

test.each(['starttls', 'tls'] as const)(
  'a test by %s brings one mail from the store itself',
  async (security) => {
    const target = security === 'tls' ? implicit : smtp;
    await set(target.input);
    expect(await tryOut()).toEqual({ data: { testMailServer: { isSent: true, problem: null } } });
    expect(target.received).toMatchObject([
      {
        to: 'me@shop.example',
        from: 'hello@shop.example',
        mail: { from: { name: 'Kettles & Co', address: 'hello@shop.example' } },
      },
    ]);
    expect((await read()).sentAt).not.toBeNull();
    for (const to of ['nobody', HALF, `half${HALF}@shop.example`]) {
      const wrong = await tryOut(to);
      expect(wrong.errors[0].message).toBe('to must be an email address');
    }
  },
);

/** A port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('a failed test is explained in words of the service; what the mail server says is not repeated', async () => {
  const told = async (input: object): Promise<string | null> => {
    await set({ ...smtp.input, ...input });
    const body = await tryOut();
    expect(JSON.stringify(body)).not.toMatch(/internal|wrong horse|5\d\d/);
    expect(body.data.testMailServer.isSent).toBe(false);
    return body.data.testMailServer.problem;
  };
  expect(await told({ port: await closedPort() })).toBe('refused');
  expect(await told({ host: 'nowhere.invalid' })).toBe('unreachable');
  expect(await told({ password: 'wrong horse' })).toBe('login');
  expect((await read()).problem).toBe('login');
  // It offers no encryption at all, or another kind, or a certificate for another name.
  expect(await told({ port: Number(new URL(plain.url).port) })).toBe('tls');
  expect(await told({ security: 'tls' })).toBe('tls');
  expect(await told({ host: '127.0.0.1' })).toBe('tls');
  smtp.refuseFrom = () => ({ code: 550, text: 'not from here, says db.internal' });
  expect(await told({})).toBe('sender');
  smtp.refuseFrom = () => null;
  smtp.refuse = () => ({ code: 550, text: 'nobody here, says db.internal' });
  expect(await told({})).toBe('refused');
  expect(plain.received).toEqual([]);
});

test('a store tests ten times in ten minutes at most', async () => {
  await set({ ...smtp.input, port: await closedPort() });
  const bodies = await Promise.all(Array.from({ length: 11 }, () => tryOut()));
  const problems = bodies.flatMap(({ data }) => (data?.testMailServer ? [data.testMailServer.problem] : []));
  expect(problems).toEqual(Array.from({ length: 10 }, () => 'refused'));
  const refused = bodies.find(({ errors }) => errors);
  expect(refused.errors[0].extensions).toMatchObject({ type: 'too-many-requests', status: 429 });
});

test('a test of a mail server that says nothing ends in time', async () => {
  const silent = createServer((socket) => void socket.on('error', () => undefined)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const limits = { setupMs: 300, silenceMs: 300, messageMs: 60_000 };
  const connection = openStoreSmtp({ ...smtp.input, port }, true, limits, 1);
  const sent = connection.send({ from: 'a@shop.example', to: 'b@shop.example', text: 'x' });
  expect(
    problemOf(
      await sent.then(
        () => null,
        (error) => error,
      ),
    ),
  ).toBe('timeout');
  connection.close();
  silent.close();
});
