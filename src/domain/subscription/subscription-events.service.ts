import type { Tx } from '../../database/database.ts';
import { emitEvents } from '../webhook/event.repo.ts';
import { countEvents } from '../report/report.repo.ts';
import type { StoredSubscription } from './subscription.repo.ts';

/** What the store's webhooks learn of a subscription. */
function eventOf(type: 'subscription.created' | 'subscription.removed', row: StoredSubscription) {
  const { id, medium, value, topic, epi, empi, du, cts, confirmedAt } = row;
  return {
    type,
    data: { id, medium, value, topic, epi, empi, du, confirmed: confirmedAt !== null, cts: cts.getTime() },
  };
}

/** Counts new subscriptions in the store's figures and tells its webhooks. */
export async function announceCreated(
  tx: Tx,
  pid: string,
  created: readonly StoredSubscription[],
  now: Date,
): Promise<void> {
  await countEvents(tx, 'subscribe', [{ pid, n: created.length, now }]);
  await emitEvents(
    tx,
    pid,
    created.map((row) => eventOf('subscription.created', row)),
    now,
  );
}

/** Tells the store's webhooks of subscriptions that ended. */
export async function announceRemoved(
  tx: Tx,
  pid: string,
  removed: readonly StoredSubscription[],
  now: Date,
): Promise<void> {
  await emitEvents(
    tx,
    pid,
    removed.map((row) => eventOf('subscription.removed', row)),
    now,
  );
}
