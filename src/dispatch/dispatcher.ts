import type { Services } from '../context.ts';
import { queueNextPortion } from '../domain/restock/restock.service.ts';
import { createUpkeep } from '../domain/alert/upkeep.service.ts';
import { alertMailLane, alertSmsLane } from './alert.lanes.ts';
import { createFileChannel } from './file.channel.ts';
import { createLane } from './lane.ts';
import { createMailChannel } from './mail.channel.ts';
import { mailLane, smsLane } from './message.lanes.ts';
import { createSmsChannel } from './sms.channel.ts';
import { createWebhookChannel } from './webhook.channel.ts';
import { webhookLane } from './webhook.lane.ts';
import type { Task } from './worker.ts';

/** Messages under way at a time where no pool of connections sets it. */
const CONCURRENCY = 8;

/** Everything that brings messages to the outside: one loop a lane, so that a slow receiver holds up only its own kind. */
export function createDispatchTasks(services: Services): Task[] {
  const { config, log } = services;
  const files = createFileChannel(config.dataDir, log);
  const mail = createMailChannel(config, files);
  const sms = createSmsChannel(config, files);
  // Twice the connections: while one message is on the wire, another is being recorded.
  const mails = config.mail ? config.mail.connections * 2 : CONCURRENCY;
  return [
    { name: 'queue-alerts', run: () => queueNextPortion(services) },
    createLane(services, alertMailLane(services, mail, mails)),
    createLane(services, alertSmsLane(services, sms, CONCURRENCY)),
    createLane(services, { ...mailLane(services, mail, mails), close: () => mail.close() }),
    createLane(services, smsLane(services, sms, CONCURRENCY)),
    createLane(services, webhookLane(services, createWebhookChannel(config))),
    { name: 'forget-old-messages', run: createUpkeep(services) },
  ];
}
