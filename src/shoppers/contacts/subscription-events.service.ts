import type { Tx } from '../../platform/database/database.ts';
import { countEvents } from '../../stores/reports/report.repo.ts';
import type { ZonedStore } from '../../stores/reports/report.repo.ts';
import { queueEvents } from '../../stores/webhooks/event.repo.ts';
import type { RemovedSubscription } from './opt-out.repo.ts';

type EventName = 'subscription.created' | 'subscription.removed';
type Announced = Pick<
  RemovedSubscription,
  'pid' | 'id' | 'medium' | 'value' | 'topic' | 'epi' | 'empi' | 'du' | 'confirmedAt' | 'cts'
>;

function eventsOf(type: EventName, rows: readonly Announced[], now: Date) {
  return rows.map(({ pid, id, medium, value, topic, epi, empi, du, confirmedAt, cts }) => {
    const times = { confirmed: confirmedAt !== null, cts: cts.getTime() };
    return { pid, type, now, data: { id, medium, value, topic, epi, empi, du, ...times } };
  });
}

/** Notifies the store's webhooks. */
export async function announce(tx: Tx, type: EventName, rows: readonly Announced[], now: Date) {
  await queueEvents(tx, eventsOf(type, rows, now));
}

type Created = { store: ZonedStore; created: readonly Announced[]; now: Date };

/** Updates the stores' statistics and notifies the webhooks. */
export async function announceCreated(tx: Tx, news: readonly Created[]): Promise<void> {
  const counts = news.map(({ store, created, now }) => ({ store, n: created.length, now }));
  await countEvents(tx, 'subscribe', counts);
  const events = news.flatMap(({ created, now }) => eventsOf('subscription.created', created, now));
  await queueEvents(tx, events);
}
