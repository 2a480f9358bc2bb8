import type { Database } from '../../platform/database/database.ts';
import type { ClaimedMessage } from '../../alerts/queue/outbox.repo.ts';
import { markFailed } from '../../alerts/queue/acknowledge.repo.ts';
import { withdrawConsent } from './mailing-list.service.ts';
import { endSubscriptions } from './unsubscribe.service.ts';

/**
 * Records that a message cannot be delivered because its contact does not exist, those that left with it among them. For an alert, all subscriptions of the contact in this store
 * end with it, so that no further restock tries, and it leaves the mailing list. Whoever subscribes the contact again begins anew.
 */
export async function recordBounce(
  db: Database,
  message: ClaimedMessage,
  others: readonly ClaimedMessage[],
  reason: string,
  now: Date,
): Promise<void> {
  const { pid, medium, recipient: value } = message;
  await db.transaction(async (tx) => {
    const endings = [message, ...others].map((one) => ({ message: one, reason }));
    const settled = await markFailed(tx, endings, now);
    if (settled === 0 || message.lane !== 'alert' || medium === null) return;
    await endSubscriptions(tx, pid, { scope: 'all', medium, value, topic: '', epi: '' }, now);
    await withdrawConsent(tx, pid, { medium, value }, 'bounce', now);
  });
}
