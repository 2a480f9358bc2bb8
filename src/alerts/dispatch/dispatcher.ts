import type { Services } from '../../context.ts';
import { copyNextPortion } from '../../lists/list.service.ts';
import { unsubscribeUrl } from '../../shoppers/contacts/link.rules.ts';
import { OPTED_OUT, findOptedOut } from '../../shoppers/contacts/opt-out.service.ts';
import {
  createHealthLog,
  listOwners,
  openServers,
  sendByOwnServer,
} from '../../stores/mail-server/sending.service.ts';
import { foldReports } from '../../stores/reports/report.service.ts';
import { loadEnvelopes } from '../../stores/store.service.ts';
import type { Envelope } from '../../stores/store.service.ts';
import { alertEnded, queueNextPortion } from '../events/event.service.ts';
import { prepareMessages } from '../events/message.service.ts';
import type { ClaimedMessage } from '../queue/outbox.service.ts';
import { createQueue } from '../queue/queue.ts';
import type { Delivery, QueueOptions, Stores } from '../queue/queue.ts';
import { createCircuitBreaker } from '../queue/scheduling.ts';
import type { Task } from '../queue/worker.ts';
import type { Payload, Sender } from '../send/channel.ts';
import { MEDIA, channelOf } from '../send/channels.ts';
import type { Medium } from '../send/channels.ts';
import { openFileOutbox } from '../send/file.ts';
import type { FileOutbox } from '../send/file.ts';
import { GONE } from '../send/outcome.ts';
import type { Outcome } from '../send/outcome.ts';
import { STORE_CONNECTIONS, openStoreSmtps } from '../send/store-smtp.ts';
import { createHousekeeping } from './housekeeping.ts';
import { webhookQueue } from './webhook.queue.ts';

/** The queue of a medium's alerts, which are rendered at the time of sending, with the product's current data. */
export function alertQueue(
  services: Services,
  medium: Medium,
  transports: Transports,
  concurrency: number,
): QueueOptions {
  return {
    key: { lane: 'alert', medium },
    concurrency,
    prepare: async (alerts) => {
      const transportOf = await transports(alerts.map(({ pid }) => pid));
      const messages = await prepareMessages(services, medium, alerts);
      return messages.map(({ message, others, compose }) => ({
        message,
        others,
        attempt: async () => {
          const composed = await compose();
          return 'kind' in composed ? composed : transportOf(message.pid).send(composed, services.now());
        },
      }));
    },
    onEnded: alertEnded,
  };
}

/** Concurrent emails over all stores' own servers; `STORE_CONNECTIONS` limits each store. */
const OWN_CONCURRENCY = 32;

/** Email has two extra queues, so that a slow server of one store never delays email over the service's server. */
function queuesOf(services: Services, medium: Medium, files: FileOutbox): QueueOptions[] {
  const channel = channelOf(medium);
  const settings = services.config.channels[medium] ?? null;
  const sender = channel.open(settings, files);
  const concurrency = channel.concurrency(settings);
  const close = (): void => sender.close?.();
  if (!channel.hasOwnServers)
    return [
      alertQueue(services, medium, always(sender), concurrency),
      { ...messageQueue(services, medium, always(sender), concurrency), close },
    ];
  const { shared, own } = openMailTransports(services, sender);
  // A hanging server takes minutes for one attempt, so every store starts with a concurrency of one.
  const ofStores = () => ({
    stores: own.stores,
    perStore: STORE_CONNECTIONS,
    breaker: createCircuitBreaker(STORE_CONNECTIONS),
  });
  return [
    { ...alertQueue(services, medium, shared.transports, concurrency), stores: shared.stores },
    { ...messageQueue(services, medium, shared.transports, concurrency), stores: shared.stores, close },
    { ...alertQueue(services, medium, own.transports, OWN_CONCURRENCY), ...ofStores() },
    { ...messageQueue(services, medium, own.transports, OWN_CONCURRENCY), ...ofStores(), close: own.close },
  ];
}

/** Each queue runs in its own loop, so that a slow receiver delays only its own kind of message. */
export function createDispatchTasks(services: Services): Task[] {
  const files = openFileOutbox(services.config.dataDir, services.log);
  const queues = [...MEDIA.flatMap((medium) => queuesOf(services, medium, files)), webhookQueue(services)];
  return [
    { name: 'queue-alerts', run: () => queueNextPortion(services) },
    ...queues.map((queue) => createQueue(services, queue)),
  ];
}

/** Every worker process runs all background tasks of the service. */
export function createTasks(services: Services): Task[] {
  return [
    { name: 'fold-reports', run: () => foldReports(services) },
    { name: 'list-copy', run: () => copyNextPortion(services) },
    ...createDispatchTasks(services),
    ...createHousekeeping(services),
  ];
}

export type Transport = Pick<Sender, 'send'>;

export type Transports = (pids: readonly string[]) => Promise<(pid: string) => Transport>;

/** Uses one provider for all stores. */
export const always =
  (sender: Transport): Transports =>
  async () =>
  () =>
    sender;

/** The store added or removed its server after the batch was claimed; the other queue sends the email next. */
const CHANGED: Transport = {
  send: async () => ({ kind: 'retry', reason: 'the mail server of the store was changed' }),
};

/** The service's mail server and the stores' own servers, each with the stores that use it. */
export type MailTransports = {
  shared: { stores: Stores; transports: Transports };
  own: { stores: Stores; transports: Transports; close: () => void };
};

/** Reads for each batch which stores have their own server, so that every process applies a change at once. */
export function openMailTransports(services: Services, sender: Sender): MailTransports {
  const { db, config, now } = services;
  const smtps = openStoreSmtps(config.webhookAllowPrivate);
  const note = createHealthLog(services);
  const owners = () => listOwners(db);
  return {
    shared: {
      stores: { except: owners },
      transports: async () => {
        const own = await owners();
        return (pid) => (own.has(pid) ? CHANGED : sender);
      },
    },
    own: {
      stores: { only: owners },
      transports: async (pids) => {
        const servers = await openServers(services, pids);
        return (pid) => {
          const opened = servers.get(pid);
          if (opened === undefined) return CHANGED;
          return {
            async send(message) {
              // Emails of the demo store are always written to files.
              if (message.isDemo) return sender.send(message, now());
              const { outcome, problem } = await sendByOwnServer(opened, message, (server, mail) =>
                smtps.send(opened, server, mail),
              );
              if (problem !== undefined) await note(opened, problem);
              return outcome;
            },
          };
        };
      },
      close: () => smtps.close(),
    },
  };
}

/** Replies to the contact's own action and a store's tests; the service sends them despite unsubscribes. */
const DIRECT_KINDS = new Set(['confirm', 'test']);

const SUPPRESSED: Outcome = { kind: 'withheld', reason: 'the contact has unsubscribed from everything' };

/** The queue of messages that were rendered at enqueue time: shared lists, confirmations, tests. */
export function messageQueue(
  services: Services,
  medium: Medium,
  transports: Transports,
  concurrency: number,
): QueueOptions {
  const channel = channelOf(medium);

  /** Adds an unsubscribe link unless the message has its own. */
  const withUnsubscribe = (payload: Payload, store: Envelope, to: string): Payload => {
    if (!channel.withWayOut) return payload;
    const claim = { scope: 'all', medium, value: to.toLowerCase(), topic: '', epi: '' } as const;
    const url = unsubscribeUrl(services.config.publicUrl, store, claim);
    return channel.withWayOut(payload, { why: `This message was sent for ${store.name}.`, url });
  };

  const attemptFor = (
    message: ClaimedMessage,
    store: Envelope | null,
    transport: Transport,
  ): Delivery['attempt'] => {
    if (store === null) return async () => GONE;
    if (store.isSuppressed && !DIRECT_KINDS.has(message.kind)) return async () => SUPPRESSED;
    const { id, recipient: to } = message;
    const { pid, isDemo, name: storeName, senderName, senderAddress } = store;
    const payload = withUnsubscribe(message.payload as Payload, store, to);
    return () =>
      transport.send({ id, pid, isDemo, storeName, senderName, senderAddress, to, payload }, services.now());
  };

  return {
    key: { lane: 'message', medium },
    concurrency,
    prepare: async (messages) => {
      const transportOf = await transports(messages.map(({ pid }) => pid));
      const recipients = messages.map(({ recipient }) => recipient);
      const contacts = messages.map(({ pid, recipient }) => ({ pid, medium, value: recipient }));
      const stores = await loadEnvelopes(services.db, contacts);
      const stopped = await findOptedOut(services.db, medium, recipients);
      return messages.map((message, index) => ({
        message,
        attempt: stopped.has(message.recipient)
          ? async () => OPTED_OUT
          : attemptFor(message, stores[index] ?? null, transportOf(message.pid)),
      }));
    },
  };
}
