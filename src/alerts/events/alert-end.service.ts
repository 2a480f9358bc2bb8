import type { Tx } from '../../platform/database/database.ts';
import { endBouncedContact } from '../../shoppers/contacts/bounce.service.ts';
import { queueEvents } from '../../stores/webhooks/event.repo.ts';
import type { Ended, EndedMessage } from '../queue/outbox.service.ts';
import { giveBackPlaces, recordSent } from './alert-end.repo.ts';

/** What the end of alerts means for their subscriptions, events, figures and webhooks. The queue calls it in the transaction that records the end. */
export async function alertEnded(tx: Tx, ended: Ended, now: Date): Promise<void> {
  const { sent, failed, withheld, deferred, gone } = ended;
  await recordSent(tx, sent, now);
  await giveBackPlaces(tx, [...failed, ...withheld, ...deferred], now);
  await queueEvents(tx, [
    ...sent.map((alert) => eventOf('alert.sent', alert, now)),
    ...failed.map((alert) => eventOf('alert.failed', alert, now)),
  ]);
  const contacts = new Map(gone.map((alert) => [`${alert.pid} ${alert.recipient}`, alert]));
  for (const { pid, medium, recipient: value } of contacts.values())
    if (medium !== null) await endBouncedContact(tx, pid, { medium, value }, now);
}

function eventOf(type: 'alert.sent' | 'alert.failed', alert: EndedMessage, now: Date) {
  const { pid, id, topic, epi, medium, recipient: value, error } = alert;
  return { pid, type, now, data: { id, topic, epi, medium, value, error } };
}
