import type { Services } from '../../context.ts';
import { copyNextPortion } from '../../lists/list.service.ts';
import { foldReports } from '../../stores/reports/report.service.ts';
import { alertEnded, queueNextPortion } from '../events/event.service.ts';
import { prepareMessages } from '../events/message.service.ts';
import { createQueue } from '../queue/queue.ts';
import type { QueueOptions } from '../queue/queue.ts';
import { createCircuitBreaker } from '../queue/scheduling.ts';
import type { Task } from '../queue/worker.ts';
import { MEDIA, channelOf } from '../send/channels.ts';
import type { Medium } from '../send/channels.ts';
import { openFileOutbox } from '../send/file.ts';
import type { FileOutbox } from '../send/file.ts';
import { STORE_CONNECTIONS } from '../send/store-smtp.ts';
import { createHousekeeping } from './housekeeping.ts';
import { always, openMailTransports } from './mail-transports.ts';
import type { Transports } from './mail-transports.ts';
import { messageQueue } from './message.queue.ts';
import { webhookQueue } from './webhook.queue.ts';

/** Alerts of a medium. They are rendered when they are sent, with the product as it is then. */
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

/** Mails in flight by stores' own servers; a store has as many connections as it may have of them. */
const OWN_CONCURRENCY = 32;

/** The queues of a medium. Mails have two more, so that no store's own server holds up what is sent by another. */
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
  // A server that hangs takes minutes for an attempt, so each begins with one at a time.
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

/** Everything that sends messages: a loop for each queue, so that a slow receiver holds up only its own kind. */
export function createDispatchTasks(services: Services): Task[] {
  const files = openFileOutbox(services.config.dataDir, services.log);
  const queues = [...MEDIA.flatMap((medium) => queuesOf(services, medium, files)), webhookQueue(services)];
  return [
    { name: 'queue-alerts', run: () => queueNextPortion(services) },
    ...queues.map((queue) => createQueue(services, queue)),
  ];
}

/** All background work of the service; every process that runs a worker runs all of it. */
export function createTasks(services: Services): Task[] {
  return [
    { name: 'fold-reports', run: () => foldReports(services) },
    { name: 'list-copy', run: () => copyNextPortion(services) },
    ...createDispatchTasks(services),
    ...createHousekeeping(services),
  ];
}
