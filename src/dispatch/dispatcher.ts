import { MEDIA, channelOf } from '../channel/channels.ts';
import { openFileOutbox } from '../channel/file.ts';
import type { Services } from '../context.ts';
import { queueNextPortion } from '../domain/restock/restock.service.ts';
import { alertLane } from './alert.lane.ts';
import { createLane } from './lane.ts';
import { messageLane } from './message.lane.ts';
import { createWebhookChannel } from './webhook.channel.ts';
import { webhookLane } from './webhook.lane.ts';
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

/** Everything that brings messages to the outside: one loop a lane, so that a slow receiver holds up only its own kind. */
export function createDispatchTasks(services: Services): Task[] {
  const { config, log } = services;
  const files = openFileOutbox(config.dataDir, log);
  const { isUnderWay, ...queueing } = createQueueing(services);
  const lanes = MEDIA.flatMap((medium) => {
    const channel = channelOf(medium);
    const settings = config.channels[medium] ?? null;
    const sender = channel.open(settings, files);
    const concurrency = channel.concurrency(settings);
    return [
      {
        ...alertLane(services, medium, sender, concurrency),
        // A provider sets the pace itself; a file can wait, and what is queued for 100,000 leaves no time for both.
        ...(settings === null && { givesWay: isUnderWay }),
      },
      { ...messageLane(services, medium, sender, concurrency), close: () => sender.close?.() },
    ];
  });
  return [
    queueing,
    ...[...lanes, webhookLane(services, createWebhookChannel(config))].map((lane) =>
      createLane(services, lane),
    ),
  ];
}
