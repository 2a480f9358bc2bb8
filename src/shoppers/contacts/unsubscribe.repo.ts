import type { Db, Raw, Tx } from '../../platform/database/database.ts';
import type { SubscriptionModel } from '../../generated/prisma/models.ts';
import { topicsOf } from './unsubscribe.rules.ts';
import type { UnsubscribeClaim } from './unsubscribe.rules.ts';

/** A subscription that was just ended. */
export type RemovedSubscription = Raw<
  Pick<SubscriptionModel, 'id' | 'medium' | 'value' | 'topic' | 'epi' | 'empi' | 'du' | 'cts'>
> & { confirmed: boolean };

const WHERE = { product: 'AND epi = $4', topic: 'AND topic = ANY ($4::text[])', all: '' } as const;

/** SQL: tells what it deleted, which Prisma cannot. Ends a contact's subscriptions in the claim's scope. */
export function removeSubscriptions(
  tx: Tx,
  pid: string,
  claim: UnsubscribeClaim,
): Promise<RemovedSubscription[]> {
  const { scope, medium, value, epi } = claim;
  const only = scope === 'all' ? [] : [scope === 'product' ? epi : topicsOf(claim)];
  return tx.query<RemovedSubscription>(
    `DELETE FROM subscription WHERE pid = $1 AND medium = $2 AND value = $3 ${WHERE[scope]}
     RETURNING id, medium, value, topic, epi, empi, du, confirmed_at IS NOT NULL AS confirmed, cts`,
    [pid, medium, value, ...only],
  );
}

/** What the alert of a short link was about; null where it is not known any more, or was another's. */
export type AlertAbout = { topic: string; epi: string; moreTopics: string[] };

/** Looks up an alert of a contact, and where it left together with others, theirs: then it is about no single product. */
export async function findAlertAbout(
  db: Db,
  pid: string,
  contact: { medium: string; value: string },
  seq: number,
): Promise<AlertAbout | null> {
  const about = { topic: true, epi: true, parcelId: true } as const;
  const recipient = contact.value;
  const alert = await db.prisma.outboxMessage.findFirst({
    where: { pid, seq, recipient, medium: contact.medium, lane: 'alert' },
    select: about,
  });
  if (alert === null) return null;
  const { topic, epi, parcelId } = alert;
  const parcel = { pid, recipient, parcelId, leavesAt: { not: null } };
  const all =
    parcelId === null ? [] : await db.prisma.outboxMessage.findMany({ where: parcel, select: about });
  const topics = new Set(all.map((one) => one.topic!));
  topics.delete(topic!);
  return { topic: topic!, epi: all.length > 1 ? '' : epi!, moreTopics: [...topics].sort() };
}

/** Records what a contact left of what it hears because of its lists. */
export async function mute(tx: Tx, pid: string, claim: UnsubscribeClaim, now: Date): Promise<void> {
  const { scope, medium, value, epi } = claim;
  const left =
    scope === 'product' ? [{ topic: '', epi }] : topicsOf(claim).map((topic) => ({ topic, epi: '' }));
  await tx.prisma.alertMute.createMany({
    data: left.map((part) => ({ pid, medium, value, ...part, cts: now })),
    skipDuplicates: true,
  });
}

/** Records that a contact wants nothing more that it did not just ask for: shared lists. New alerts are to be confirmed again. */
export async function suppress(
  tx: Tx,
  pid: string,
  { medium, value }: UnsubscribeClaim,
  now: Date,
): Promise<void> {
  await tx.prisma.suppression.createMany({ data: { pid, medium, value, cts: now }, skipDuplicates: true });
  await tx.prisma.contactProof.deleteMany({ where: { pid, medium, value } });
}
