import type { Services } from '../../context.ts';
import { copyNextPortion } from '../../lists/list.service.ts';
import { shippedLanguage } from '../../platform/messages.ts';
import { unsubscribeUrl } from '../../shoppers/contacts/link.rules.ts';
import * as mailServers from '../../stores/mail-server/sending.service.ts';
import { foldReports } from '../../stores/reports/report.service.ts';
import type { Envelope } from '../../stores/sender.repo.ts';
import { loadEnvelopes } from '../../stores/store.service.ts';
import { footerTexts } from '../compose/model.rules.ts';
import { alertEnded, queueNextPortion } from '../events/event.service.ts';
import { OPTED_OUT, findOptedOut, prepareMessages, senderFields } from '../events/message.service.ts';
import type { ClaimedMessage } from '../queue/outbox.repo.ts';
import { createQueue } from '../queue/queue.ts';
import type { QueueOptions } from '../queue/queue.ts';
import { createCircuitBreaker } from '../queue/scheduling.ts';
import type { Task } from '../queue/worker.ts';
import type { Footer, Payload, Transport } from '../send/channel.ts';
import { MEDIA, channelOf } from '../send/channels.ts';
import type { Medium } from '../send/channels.ts';
import { openFileOutbox } from '../send/file.ts';
import type { FileOutbox } from '../send/file.ts';
import { GONE } from '../send/outcome.ts';
import type { Outcome } from '../send/outcome.ts';
import { STORE_CONNECTIONS, openStoreSmtps } from '../send/store-smtp.ts';
import { createHousekeeping } from './housekeeping.ts';
import { webhookQueue } from './webhook.queue.ts';

type Transports = (pids: readonly string[]) => Promise<(pid: string) => Pick<Transport, 'send'>>;

type MediumQueue = (
  services: Services,
  medium: Medium,
  transports: Transports,
  concurrency: number,
) => QueueOptions;

/** The queue of a medium's alerts, which are rendered at the time of sending, with the product's current data. */
export const alertQueue: MediumQueue = (services, medium, transports, concurrency) => ({
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
        if ('kind' in composed) return composed;
        const outcome = await transportOf(message.pid).send(composed, services.now());
        return outcome.kind === 'sent' ? { ...outcome, timeZone: composed.timeZone } : outcome;
      },
    }));
  },
  onEnded: alertEnded,
});

/** Concurrent emails over all stores' own servers; `STORE_CONNECTIONS` limits each store. */
const OWN_CONCURRENCY = 32;

/** Email has two extra queues, so that a slow server of one store never delays email over the service's server. */
function queuesOf(services: Services, medium: Medium, files: FileOutbox): QueueOptions[] {
  const channel = channelOf(medium);
  const settings = services.config.channels[medium] ?? null;
  const transport = channel.open(settings, files);
  const concurrency = channel.concurrency(settings);
  const close = (): void => transport.close?.();
  const pairOf = (transports: Transports, most: number, more: () => Partial<QueueOptions>, end = close) => [
    { ...alertQueue(services, medium, transports, most), ...more() },
    { ...messageQueue(services, medium, transports, most), ...more(), close: end },
  ];
  if (!channel.hasOwnServers) return pairOf(always(transport), concurrency, () => ({}));
  const stores = { except: () => mailServers.listOwners(services.db) };
  const own = openOwnServers(services, transport);
  const shared: Transports = async () => {
    const owners = await stores.except();
    return (pid) => (owners.has(pid) ? CHANGED : transport);
  };
  // A hanging server takes minutes for one attempt, so every store starts with a concurrency of one.
  const ofStores = () => ({
    stores: { only: stores.except },
    perStore: STORE_CONNECTIONS,
    breaker: createCircuitBreaker(STORE_CONNECTIONS),
  });
  return [
    ...pairOf(shared, concurrency, () => ({ stores })),
    ...pairOf(own.transports, OWN_CONCURRENCY, ofStores, own.close),
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

/** Uses one provider for all stores. */
export function always(transport: Transport): Transports {
  return async () => () => transport;
}

/** The store added or removed its server after the batch was claimed; the other queue sends the email next. */
const CHANGED: Transport = {
  send: async () => ({ kind: 'retry', reason: "the store's mail server was changed" }),
};

/** Reads the servers for each batch, so that every process applies a change at once. */
function openOwnServers(services: Services, shared: Transport) {
  const smtps = openStoreSmtps(services.config.webhookAllowPrivate);
  const recordHealth = mailServers.createHealthLog(services);
  const transports: Transports = async (pids) => {
    const servers = await mailServers.openServers(services, pids);
    return (pid) => {
      const opened = servers.get(pid);
      if (opened === undefined) return CHANGED;
      return {
        async send(message) {
          // Emails of the demo store are always written to files.
          if (message.isDemo) return shared.send(message, services.now());
          const { outcome, problem } = await mailServers.sendByOwnServer(opened, message, (server, mail) =>
            smtps.send(opened, server, mail),
          );
          if (problem !== undefined) await recordHealth(opened, problem);
          return outcome;
        },
      };
    };
  };
  return { transports, close: () => smtps.close() };
}

/** Replies to the contact's own action and a store's tests; the service sends them despite unsubscribes. */
const DIRECT_KINDS = new Set(['confirm', 'test']);

const SUPPRESSED: Outcome = { kind: 'withheld', reason: 'the contact has unsubscribed from everything' };

/** The queue of messages that were rendered at enqueue time: shared lists, confirmations, tests. */
const messageQueue: MediumQueue = (services, medium, transports, concurrency) => {
  const channel = channelOf(medium);

  /** The footer of a message, in its own language. */
  const footerOf = ({ language: wanted }: Payload, store: Envelope, to: string): Footer => {
    const language = shippedLanguage(wanted ?? null, store.locale);
    const claim = { scope: 'all', medium, value: to.toLowerCase(), topic: '', epi: '' } as const;
    const url = unsubscribeUrl(services.config.publicUrl, store, claim, language);
    return { ...footerTexts(store, language, 'footer.why.message'), url };
  };

  const send = async (
    { id, kind, recipient: to, ...message }: ClaimedMessage,
    store: Envelope | null,
    transport: Pick<Transport, 'send'>,
  ): Promise<Outcome> => {
    if (store === null) return GONE;
    if (store.isSuppressed && !DIRECT_KINDS.has(kind)) return SUPPRESSED;
    const content = message.payload as Payload;
    const payload = channel.withFooter?.(content, footerOf(content, store, to)) ?? content;
    return transport.send({ id, to, payload, ...senderFields(store) }, services.now());
  };

  return {
    key: { lane: 'message', medium },
    concurrency,
    prepare: async (messages) => {
      const transportOf = await transports(messages.map(({ pid }) => pid));
      const contacts = messages.map(({ pid, recipient }) => ({ pid, medium, value: recipient }));
      const stores = await loadEnvelopes(services.db, contacts);
      const recipients = contacts.map(({ value }) => value);
      const optedOut = await findOptedOut(services, medium, recipients);
      return messages.map((message, index) => ({
        message,
        attempt: async () =>
          optedOut.has(message.recipient)
            ? OPTED_OUT
            : send(message, stores[index] ?? null, transportOf(message.pid)),
      }));
    },
  };
};
