import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import type { NewStore, StoreSettings } from '../../src/stores/store.service.ts';
import { resealPasswords } from '../../src/stores/mail-server/sending.service.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { until } from '../until.ts';
import { enqueueMail, outboxOf, seedSubscription, setStock } from './kit.ts';
import { startSmtp } from './receivers.ts';
import type { TestSmtp } from './receivers.ts';
import { SET_MAIL_SERVER, startTlsSmtp, trustTestCertificate } from './tls-smtp.ts';
import type { TlsSmtp } from './tls-smtp.ts';

let service: TestService;
/** The server of the service. */
let common: TestSmtp;
/** That of a store. */
let own: TlsSmtp;
let distrust: () => void;

const OPTIONS = { webhookAllowPrivate: true, dispatchRetryMs: 10 };
const channels = () => ({
  email: { smtpUrl: common.url, from: 'alerts@service.example', connections: 2, dkim: null },
});

beforeAll(async () => {
  distrust = trustTestCertificate();
  [common, own] = [await startSmtp(), await startTlsSmtp()];
  service = await startService({ ...OPTIONS, channels: channels() });
});
afterAll(async () => {
  distrust();
  await service.close();
  await Promise.all([common.close(), own.close()]);
});
beforeEach(() => {
  common.received.length = own.received.length = 0;
  own.refuse = own.refuseFrom = () => null;
});

const READ = '{ mailServer { problem problemAt sentAt } }';
const stateOf = async (store: NewStore, on = service) =>
  (await on.graphql(READ, {}, { store })).body.data.mailServer;

async function setServer(store: NewStore, input: object, on = service): Promise<void> {
  const { body } = await on.graphql(SET_MAIL_SERVER, { input }, { store });
  expect(body.errors).toBeUndefined();
}

/** A store with its own server. */
async function createOwner(input: object = own.input, settings: StoreSettings = {}): Promise<NewStore> {
  const store = await service.createStore({
    senderAddress: 'hello@kettles.example',
    senderName: 'Kettles & Co',
    ...settings,
  });
  await setServer(store, input);
  return store;
}

/** Queues an alert of a store for each of some people. */
async function restock(store: NewStore, ...people: string[]): Promise<void> {
  for (const value of people) await seedSubscription(service, store, { epi: '1', value });
  await setStock(service, store, '1', 0);
  await setStock(service, store, '1', 5);
}

const toOwn = () => own.received.map(({ to }) => to).sort();
const toCommon = () => common.received.map(({ to }) => to).sort();

test("alerts, digests and other mails leave by the store's own server and from its address, those of other stores by the service's", async () => {
  const store = await createOwner();
  const paced = await createOwner(own.input, { digestSeconds: 1 });
  const other = await service.createStore({ senderAddress: 'reply@other.example' });
  await restock(store, 'alert@example.com');
  await restock(other, 'other@example.com');
  for (const epi of ['1', '2']) {
    await seedSubscription(service, paced, { epi, value: 'digest@example.com' });
    await setStock(service, paced, epi, 5);
  }
  await service.services.db.transaction((tx) =>
    enqueueMail(
      tx,
      { pid: store.pid, kind: 'confirm', to: 'new@example.com', subject: 's', html: 'h', text: 't' },
      new Date(),
    ),
  );
  await service.runTasks();
  service.setNow(new Date(Date.now() + 5_000));
  await service.runTasks();
  service.setClock(() => new Date());
  expect(toOwn()).toEqual(['alert@example.com', 'digest@example.com', 'new@example.com']);
  for (const { from, mail } of own.received) {
    expect(from).toBe('hello@kettles.example');
    expect(mail.from).toEqual({ name: 'Kettles & Co', address: 'hello@kettles.example' });
    expect(mail.messageId).toMatch(/@kettles\.example>$/);
    const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value;
    expect(header('list-id')).toMatch(/\.kettles\.example>$/);
    expect(header('auto-submitted')).toBe('auto-generated');
    expect(mail.replyTo).toEqual([{ name: '', address: 'hello@kettles.example' }]);
  }
  expect(toCommon()).toEqual(['other@example.com']);
  expect(common.received[0]!.from).toBe('alerts@service.example');
  expect(await stateOf(store)).toMatchObject({ problem: null, sentAt: expect.any(Number) });
  const list = (await service.graphql('{ integrations { kind state detail } }', {}, { store })).body.data
    .integrations as { kind: string; detail: string }[];
  expect(list.find(({ kind }) => kind === 'email')!.detail).toContain('localhost');
});

test('a change of the settings counts at once, in every process', async () => {
  const { dataDir } = service.services.config;
  const beside = await startService({ ...OPTIONS, channels: channels(), dataDir }, undefined, service);
  const second = await startTlsSmtp('tls', 'another horse');
  const store = await createOwner();
  await restock(store, 'one@example.com');
  await beside.runTasks();
  expect(toOwn()).toEqual(['one@example.com']);
  await setServer(store, second.input);
  await restock(store, 'two@example.com');
  await beside.runTasks();
  expect(second.received.map(({ to }) => to)).toEqual(['two@example.com']);
  await service.graphql('mutation { removeMailServer }', {}, { store });
  await restock(store, 'three@example.com');
  await beside.runTasks();
  expect(toCommon()).toEqual(['three@example.com']);
  expect([own.received.length, second.received.length]).toEqual([1, 1]);
  await beside.close();
  await second.close();
});

/** A server that takes connections and never says a word. */
async function startSilent(): Promise<{ port: number; sockets: Set<Socket>; close: () => void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.add(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, sockets, close };
}

test('a server that hangs holds up neither other stores with their own nor those without, and nothing of it leaves by another', async () => {
  const silent = await startSilent();
  const people = Array.from({ length: 40 }, (_, index) => `hang${index}@example.com`);
  const dead = await createOwner({ ...own.input, host: '127.0.0.1', port: silent.port });
  const alive = await createOwner();
  const plain = await service.createStore();
  await restock(dead, ...people);
  let isDone = false;
  const running = service.runTasks().finally(() => (isDone = true));
  await until(async () => silent.sockets.size > 0);
  await restock(alive, 'alive@example.com');
  await restock(plain, 'plain@example.com');
  const beside = await startService(
    { ...OPTIONS, channels: channels(), dataDir: service.services.config.dataDir },
    undefined,
    service,
  );
  const others = beside.runTasks();
  await until(async () => own.received.length + common.received.length === 2);
  expect([toOwn(), toCommon(), isDone]).toEqual([['alive@example.com'], ['plain@example.com'], false]);
  // Before it has proved itself, it has one connection a process, however many mails wait.
  expect(silent.sockets.size).toBeLessThanOrEqual(2);
  await service.services.db.query(`UPDATE outbox SET state = 'withheld' WHERE pid = $1`, [dead.pid]);
  silent.close();
  await Promise.all([running, others]);
  expect([toOwn(), toCommon()]).toEqual([['alive@example.com'], ['plain@example.com']]);
  await beside.close();
});

test('a mail refused with 4xx is tried later; 5xx is final and ends the subscriptions of a mailbox that is gone, in words of ours', async () => {
  const store = await createOwner();
  own.refuse = (to) =>
    to.startsWith('gone')
      ? { code: 550, text: '5.1.1 no such user at db.internal' }
      : { code: 451, text: 'busy, says db.internal' };
  await restock(store, 'gone@example.com', 'busy@example.com');
  service.setNow(new Date());
  await service.runTasks();
  expect(
    (await outboxOf(service, store.pid)).find(({ recipient }) => recipient === 'busy@example.com'),
  ).toMatchObject({
    state: 'queued',
    error: 'the mail server rejected the email (response 451)',
  });
  own.refuse = () => null;
  service.setNow(new Date(Date.now() + 60_000));
  await service.runTasks();
  service.setClock(() => new Date());
  const rows = await outboxOf(service, store.pid);
  expect(rows.find(({ recipient }) => recipient === 'gone@example.com')).toMatchObject({
    state: 'failed',
    error: 'the mail server rejected the email (response 550)',
  });
  expect(rows.find(({ recipient }) => recipient === 'busy@example.com')).toMatchObject({ state: 'sent' });
  const left = await service.services.db.query('SELECT 1 FROM subscription WHERE pid = $1', [store.pid]);
  expect(left).toEqual([]);
  expect(toCommon()).toEqual([]);
});

test('without the key the mails of the store wait, it is told so, and everybody else goes on; with the key they leave', async () => {
  const store = await createOwner();
  const path = join(service.services.config.dataDir, 'secrets.key');
  await rename(path, `${path}.lost`);
  await restock(store, 'wait@example.com');
  const other = await service.createStore();
  await restock(other, 'goes@example.com');
  service.setNow(new Date());
  await service.runTasks();
  expect([toOwn(), toCommon()]).toEqual([[], ['goes@example.com']]);
  expect(await outboxOf(service, store.pid)).toMatchObject([
    { state: 'queued', error: 'the key to decrypt the mail server password is missing' },
  ]);
  expect((await stateOf(store)).problem).toBe('locked');
  await rename(`${path}.lost`, path);
  service.setNow(new Date(Date.now() + 60_000));
  await service.runTasks();
  service.setClock(() => new Date());
  expect([toOwn(), toCommon()]).toEqual([['wait@example.com'], ['goes@example.com']]);
  expect((await stateOf(store)).problem).toBeNull();
});

test('a key of the environment opens what older ones of its list sealed, and seals it anew, so that they can go', async () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];
  const withKeys = (...secretsKeys: Buffer[]) =>
    startService({ ...OPTIONS, channels: channels(), secretsKeys }, undefined, service);
  const [first, both, last] = [await withKeys(old), await withKeys(fresh, old), await withKeys(fresh)];
  const store = await service.createStore({ senderAddress: 'hello@kettles.example' });
  await setServer(store, own.input, first);
  const problems = async () =>
    Promise.all([first, both, last].map(async (on) => (await stateOf(store, on)).problem));
  expect(await problems()).toEqual([null, null, 'locked']);
  await restock(store, 'rotated@example.com');
  await both.runTasks();
  expect(toOwn()).toEqual(['rotated@example.com']);
  while ((await resealPasswords(both.services)) > 0);
  expect(await problems()).toEqual(['locked', null, null]);
  await Promise.all([first, both, last].map((one) => one.close()));
});
