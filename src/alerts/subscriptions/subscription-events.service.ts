import type { Tx } from '../../platform/database/database.ts';
import { countEvents } from '../../stores/reports/report.repo.ts';
import type { ZonedStore } from '../../stores/reports/report.repo.ts';
import { emitEvents, queueEvents } from '../../stores/webhooks/event.repo.ts';
import type { StoredSubscription } from './subscription.repo.ts';

function eventOf(type: 'subscription.created' | 'subscription.removed', row: StoredSubscription) {
  const { id, medium, value, topic, epi, empi, du } = row;
  const times = { confirmed: row.confirmedAt !== null, cts: row.cts.getTime() };
  return { type, data: { id, medium, value, topic, epi, empi, du, ...times } };
}

type Created = { store: ZonedStore; created: readonly StoredSubscription[]; now: Date };

/** Updates the stores' statistics and notifies the webhooks. */
export async function announceCreated(tx: Tx, news: readonly Created[]): Promise<void> {
  const counts = news.map(({ store, created, now }) => ({ store, n: created.length, now }));
  await countEvents(tx, 'subscribe', counts);
  const events = news.flatMap(({ store: { pid }, created, now }) =>
    created.map((row) => ({ ...eventOf('subscription.created', row), pid, now })),
  );
  await queueEvents(tx, events);
}

export async function announceRemoved(
  tx: Tx,
  pid: string,
  removed: readonly StoredSubscription[],
  now: Date,
) {
  const events = removed.map((row) => eventOf('subscription.removed', row));
  await emitEvents(tx, pid, events, now);
}
