import type { Outgoing, Transport } from '../../src/alerts/send/channel.ts';
import type { MailPayload } from '../../src/alerts/send/email.ts';
import { SENT } from '../../src/alerts/send/outcome.ts';
import type { Outcome } from '../../src/alerts/send/outcome.ts';
import { alertQueue, always } from '../../src/alerts/dispatch/dispatcher.ts';
import { createQueue } from '../../src/alerts/queue/queue.ts';
import { emitEvents } from '../../src/stores/webhooks/event.repo.ts';
import { claimMessages } from '../../src/alerts/queue/outbox.repo.ts';
import type { ClaimedMessage, QueueKey } from '../../src/alerts/queue/outbox.repo.ts';
import { queueNextPortion } from '../../src/alerts/events/event.service.ts';
import { acknowledge } from '../../src/alerts/queue/outbox.service.ts';
import { useService } from '../harness.ts';
import { until } from '../until.ts';
import { enqueueMail, outboxOf, seedSubscription, setStock } from './kit.ts';
import { startHttp } from './receivers.ts';

const service = useService(() => ({ dispatchLeaseMs: LEASE_MS, webhookAllowPrivate: true }));

const START = new Date('2026-03-01T09:00:00Z');
const LEASE_MS = 300;
const ALERTS: QueueKey = { lane: 'alert', medium: 'email' };
const WEBHOOKS: QueueKey = { lane: 'webhook', medium: null };
const later = (ms: number) => new Date(START.getTime() + ms);
beforeEach(() => service.setNow(START));

const claimAll = (pid: string, key: QueueKey, recipient = ''): Promise<ClaimedMessage[]> =>
  claimMessages(service.services.db, key, [{ pid, recipient, most: 10 }], LEASE_MS, START);

/** The queue of alerts with a mailbox of its own. */
function createMailbox() {
  const mails: Outgoing[] = [];
  const sender: Transport = { send: async (sent) => (mails.push(sent), SENT) };
  return { mails, queue: alertQueue(service.services, 'email', always(sender), 4) };
}

test('an alert that a newer restock takes over while the older one is being withheld is sent', async () => {
  const store = await service.createStore();
  await seedSubscription(service, store, { epi: '1', value: 'flap@example.com' });
  await setStock(service, store, '1', 5);
  while (await queueNextPortion(service.services));
  const messages = await claimAll(store.pid, ALERTS);
  await setStock(service, store, '1', 0);
  const [delivery] = await createMailbox().queue.prepare(messages);
  await setStock(service, store, '1', 5);
  while (await queueNextPortion(service.services));
  const outcome = await delivery!.attempt();
  expect(outcome).toEqual({ kind: 'withheld', reason: 'the product is out of stock again' });
  await acknowledge(service.services, [{ message: messages[0]!, outcome }]);
  await service.runTasks();
  expect(await outboxOf(service, store.pid)).toMatchObject([
    { recipient: 'flap@example.com', state: 'sent', error: null },
  ]);
});

test('an alert that is erased after its claim is skipped, and the others keep their own products', async () => {
  const store = await service.createStore();
  const { db } = service.services;
  for (const epi of ['1', '2', '3']) {
    await seedSubscription(service, store, { epi, value: `${epi}@example.com` });
    await setStock(service, store, epi, 5, { dt: `Product ${epi}` });
  }
  while (await queueNextPortion(service.services));
  const messages = await claimAll(store.pid, ALERTS);
  expect(messages).toHaveLength(3);
  await db.query('DELETE FROM outbox WHERE pid = $1 AND id = $2', [store.pid, messages[0]!.id]);
  const { mails, queue } = createMailbox();
  const outcomes = [];
  for (const { attempt } of await queue.prepare(messages)) outcomes.push(await attempt());
  expect(outcomes.map(({ kind }) => kind)).toEqual(['withheld', 'sent', 'sent']);
  expect(mails.map(({ to, payload }) => [to, (payload as MailPayload).subject])).toEqual(
    messages.slice(1).map(({ recipient, epi }) => [recipient, `Product ${epi!} is back in stock`]),
  );
});

test('a try that outlasts its lease keeps the message: no other dispatcher sends it', async () => {
  const { pid } = await service.createStore();
  const { db } = service.services;
  await db.transaction((tx) =>
    enqueueMail(
      tx,
      { pid, kind: 'confirm', to: 'slow@example.com', subject: 's', html: 'h', text: 't' },
      START,
    ),
  );
  let finish = (): void => undefined;
  const gate = new Promise<void>((resolve) => (finish = resolve));
  let tries = 0;
  const attempt = async () => {
    tries += 1;
    await gate;
    return SENT;
  };
  const createSlowQueue = () =>
    createQueue(service.services, {
      key: { lane: 'message', medium: 'email' },
      concurrency: 1,
      prepare: async (all) => all.map((message) => ({ message, attempt })),
    });
  const sending = createSlowQueue().run();
  await until(async () => tries === 1);
  service.setNow(later(LEASE_MS - 1));
  await until(async () => {
    const [row] = await db.query<{ due: Date }>('SELECT due_at AS due FROM outbox WHERE pid = $1', [pid]);
    return row!.due.getTime() > START.getTime() + LEASE_MS;
  });
  service.setNow(later(LEASE_MS + 1));
  expect(await createSlowQueue().run()).toBe(false);
  finish();
  await sending;
  expect(tries).toBe(1);
  expect(await outboxOf(service, pid)).toMatchObject([{ state: 'sent', attempts: 1 }]);
});

test.each<[string, Outcome]>([
  ['fails', { kind: 'failed', reason: 'gone' }],
  ['is to be tried again', { kind: 'retry', reason: 'busy', afterMs: 3_600_000 }],
  ['arrives', SENT],
])(
  'a delivery that is replayed while a try is under way is sent again, also when that one %s',
  async (_how, outcome) => {
    const receiver = await startHttp();
    try {
      const store = await service.createStore();
      const saved = await service.graphql(
        'mutation ($url: String!) { saveWebhook(url: $url, events: ["list.item.added"]) { webhook { id } } }',
        { url: receiver.url },
        { store },
      );
      expect(saved.body.errors).toBeUndefined();
      await service.services.db.transaction((tx) =>
        emitEvents(tx, store.pid, [{ type: 'list.item.added', data: { lid: 'L', epi: '1' } }], START),
      );
      const [old] = await claimAll(store.pid, WEBHOOKS, saved.body.data.saveWebhook.webhook.id);
      const replay = 'mutation ($id: ID!) { replayDelivery(id: $id) { state attempts } }';
      const { body } = await service.graphql(replay, { id: old!.id }, { store });
      expect(body.data.replayDelivery).toEqual({ state: 'queued', attempts: 0 });
      await acknowledge(service.services, [{ message: old!, outcome }]);
      await service.runTasks();
      expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([old!.id]);
      expect(await outboxOf(service, store.pid)).toMatchObject([{ state: 'sent', attempts: 1 }]);
    } finally {
      await receiver.close();
    }
  },
);
