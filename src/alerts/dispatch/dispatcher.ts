import { MEDIA, channelOf } from '../send/channels.ts';
import type { Medium } from '../send/channels.ts';
import { openFileOutbox } from '../send/file.ts';
import type { FileOutbox } from '../send/file.ts';
import { STORE_CONNECTIONS } from '../send/store-smtp.ts';
import type { Services } from '../../context.ts';
import { queueNextPortion } from '../events/event.service.ts';
import { alertLane } from './alert.queue.ts';
import { createLane } from './queue.ts';
import type { LaneOptions } from './queue.ts';
import { always, openMailWays } from './mail-transports.ts';
import { messageLane } from './message.queue.ts';
import { createTrust } from './circuit-breaker.ts';
import { createWebhookChannel } from './webhook.channel.ts';
import { webhookLane } from './webhook.queue.ts';
import type { Task } from './worker.ts';

/** Queues alerts; says while it does that more are to come. */
function createQueueing(services: Services): Task & { isUnderWay: () => boolean } {
  let isUnderWay = false;
  return {
    name: 'queue-alerts',
    isUnderWay: () => isUnderWay,
    async run() {
      try {
        isUnderWay = await queueNextPortion(services);
      } catch (error) {
        isUnderWay = false;
        throw error;
      }
      return isUnderWay;
    },
  };
}

/** Mails by stores' own servers under way at a time; a store has as many connections as it may have of them. */
const OWN_CONCURRENCY = 32;

/** The lanes of a medium. Mails have two more, so that no server of a store's own holds up what leaves by another. */
function lanesOf(
  services: Services,
  medium: Medium,
  files: FileOutbox,
  isQueueing: () => boolean,
): LaneOptions[] {
  const channel = channelOf(medium);
  const settings = services.config.channels[medium] ?? null;
  const sender = channel.open(settings, files);
  const concurrency = channel.concurrency(settings);
  const ways = channel.hasOwnServers ? openMailWays(services, sender) : null;
  const { whose, carriers } = ways?.shared ?? { whose: undefined, carriers: always(sender) };
  const shared = [
    {
      ...alertLane(services, medium, carriers, concurrency),
      // A provider sets the pace itself; a file can wait, and what is queued for 100,000 leaves no time for both.
      ...(settings === null && { givesWay: isQueueing }),
    },
    { ...messageLane(services, medium, carriers, concurrency), close: () => sender.close?.() },
  ].map((lane) => ({ ...lane, ...(whose && { whose }) }));
  if (ways === null) return shared;
  // An address that hangs takes minutes a try; it has one slot until it has proved itself.
  const ofStores = () => ({
    whose: ways.own.whose,
    perStore: STORE_CONNECTIONS,
    trust: createTrust(STORE_CONNECTIONS),
  });
  return [
    ...shared,
    { ...alertLane(services, medium, ways.own.carriers, OWN_CONCURRENCY), ...ofStores() },
    {
      ...messageLane(services, medium, ways.own.carriers, OWN_CONCURRENCY),
      ...ofStores(),
      close: ways.own.close,
    },
  ];
}

/** Everything that brings messages to the outside: one loop a lane, so that a slow receiver holds up only its own kind. */
export function createDispatchTasks(services: Services): Task[] {
  const { config, log } = services;
  const files = openFileOutbox(config.dataDir, log);
  const { isUnderWay, ...queueing } = createQueueing(services);
  const lanes = MEDIA.flatMap((medium) => lanesOf(services, medium, files, isUnderWay));
  return [
    queueing,
    ...[...lanes, webhookLane(services, createWebhookChannel(config))].map((lane) =>
      createLane(services, lane),
    ),
  ];
}
