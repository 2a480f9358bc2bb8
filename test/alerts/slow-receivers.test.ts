import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { email } from '../../src/alerts/send/email.ts';
import { openFileOutbox } from '../../src/alerts/send/file.ts';
import { createDispatchTasks } from '../../src/alerts/dispatch/dispatcher.ts';
import { until } from '../until.ts';
import { outboxOf, seedSubscription, setStock, useReceivers } from './kit.ts';

/** Long enough for a busy machine to renew it in time. */
const LEASE_MS = 2_000;
const MAIL = { from: 'alerts@store.example', connections: 1, dkim: null };

const { service, smtp, provider } = useReceivers({
  dispatchLeaseMs: LEASE_MS,
  dispatchRetryMs: 10,
  mail: MAIL,
});

/** Done when several leases have gone by since the first claim, as the row of the one message of a store tells. */
async function severalLeases(pid: string): Promise<void> {
  const read = async (): Promise<{ state: string; due: number }> => {
    const [row] = await service.services.db.query<{ state: string; due: Date }>(
      'SELECT state, due_at AS due FROM outbox WHERE pid = $1',
      [pid],
    );
    return { state: row!.state, due: row!.due.getTime() };
  };
  const first = await read();
  await until(async () => {
    const { state, due } = await read();
    return state !== 'queued' || due > first.due + 2.5 * LEASE_MS;
  });
}

/** Sends with this dispatcher, while a second one looks for work again and again. */
async function sendBesideAnother(): Promise<void> {
  const others = createDispatchTasks(service.services);
  let isSent = false;
  const sending = service.runTasks().finally(() => (isSent = true));
  while (!isSent) await Promise.all(others.map((task) => task.run()));
  await sending;
  for (const task of others) task.close?.();
}

test('a mail server that answers the end of a mail late gets one copy, however many leases it takes', async () => {
  const store = await service.createStore();
  await seedSubscription(service, store, { epi: '1', value: 'slow@example.com' });
  smtp.beforeAnswer = () => severalLeases(store.pid);
  await setStock(service, store, '1', 5);
  await sendBesideAnother();
  expect(smtp.received.map(({ to }) => to)).toEqual(['slow@example.com']);
  expect(await outboxOf(service, store.pid)).toMatchObject([{ state: 'sent' }]);
});

test('a provider of text messages that answers late is called once', async () => {
  const store = await service.createStore();
  const seed = { epi: '1', medium: 'sms', value: '+4915100000001' };
  await seedSubscription(service, store, seed);
  provider.answer = async () => {
    await severalLeases(store.pid);
    return { status: 201 };
  };
  await setStock(service, store, '1', 5);
  await sendBesideAnother();
  expect(provider.received).toHaveLength(1);
  expect(await outboxOf(service, store.pid)).toMatchObject([{ state: 'sent' }]);
});

test('a mail server that drips bytes for ever is left, and the next mail goes over a new connection', async () => {
  const target = Number(new URL(smtp.url).port);
  let dripping: Socket | undefined;
  let hasLeft = false;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    if (dripping !== undefined) return void socket.pipe(connect(target, '127.0.0.1')).pipe(socket);
    dripping = socket;
    const drip = setInterval(() => socket.write('250-and\r\n'), 10);
    socket.on('close', () => {
      clearInterval(drip);
      hasLeft = true;
    });
    socket.write('220 slow.example\r\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { config, log } = service.services;
  const mail = { ...MAIL, smtpUrl: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const limits = { setupMs: 60_000, silenceMs: 60_000, messageMs: 500 };
  const channel = email.open(mail, openFileOutbox(config.dataDir, log), limits);
  smtp.received.length = 0;
  smtp.beforeAnswer = async () => undefined;
  const payload = { subject: 's', html: 'h', text: 't', headers: {} };
  const content = { pid: 'p', isDemo: false, storeName: 'S', senderName: null, senderAddress: null, payload };
  const first = channel.send({ id: 'one', to: 'one@example.com', ...content }, new Date());
  const second = channel.send({ id: 'two', to: 'two@example.com', ...content }, new Date());
  expect(await first).toMatchObject({ kind: 'retry', reason: expect.stringContaining('did not finish') });
  expect(await second).toEqual({ kind: 'sent' });
  await until(async () => hasLeft);
  expect(smtp.received.map(({ to }) => to)).toEqual(['two@example.com']);
  channel.close();
  server.close();
});
