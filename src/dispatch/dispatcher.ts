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

/** Everything that brings messages to the outside: one loop a lane, so that a slow receiver holds up only its own kind. */
export function createDispatchTasks(services: Services): Task[] {
  const { config, log } = services;
  const files = openFileOutbox(config.dataDir, log);
  const lanes = MEDIA.flatMap((medium) => {
    const channel = channelOf(medium);
    const settings = config.channels[medium] ?? null;
    const sender = channel.open(settings, files);
    const concurrency = channel.concurrency(settings);
    return [
      alertLane(services, medium, sender, concurrency),
      { ...messageLane(services, medium, sender, concurrency), close: () => sender.close?.() },
    ];
  });
  return [
    { name: 'queue-alerts', run: () => queueNextPortion(services) },
    ...[...lanes, webhookLane(services, createWebhookChannel(config))].map((lane) =>
      createLane(services, lane),
    ),
  ];
}
