import type { Medium } from '../../alerts/send/channels.ts';
import type { Tx } from '../../platform/database/database.ts';
import { withdrawConsent } from './mailing-list.service.ts';
import { endSubscriptions } from './unsubscribe.service.ts';

/** Ends everything of a contact that does not exist: its subscriptions in this store and its place on the mailing list. A new subscription begins anew. */
export async function endBouncedContact(
  tx: Tx,
  pid: string,
  { medium, value }: { medium: Medium; value: string },
  now: Date,
): Promise<void> {
  await endSubscriptions(tx, pid, { scope: 'all', medium, value, topic: '', epi: '' }, now);
  await withdrawConsent(tx, pid, { medium, value }, 'bounce', now);
}
