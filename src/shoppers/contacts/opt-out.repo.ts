import type { SubscriptionModel } from '../../generated/prisma/models.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { DAY_MS } from '../../platform/time.ts';
import type { ContactKey } from './contact.rules.ts';
import type { UnsubscribeClaim } from './link.rules.ts';

export const claimedTopics = ({ topic, moreTopics = [] }: UnsubscribeClaim) => [topic, ...moreTopics];

type RemovedSubscription = Pick<
  SubscriptionModel,
  'id' | 'medium' | 'value' | 'topic' | 'epi' | 'empi' | 'du' | 'cts'
> & { confirmed: boolean };

const WHERE = { product: 'AND epi = $4', topic: 'AND topic = ANY ($4::text[])', all: '' } as const;

/** SQL: returns what it deleted, which Prisma cannot. */
export function removeSubscriptions(tx: Tx, pid: string, claim: UnsubscribeClaim) {
  const { scope, medium, value, epi } = claim;
  const only = scope === 'all' ? [] : [scope === 'product' ? epi : claimedTopics(claim)];
  return tx.query<RemovedSubscription>(
    `DELETE FROM subscription WHERE pid = $1 AND medium = $2 AND value = $3 ${WHERE[scope]}
     RETURNING id, medium, value, topic, epi, empi, du, confirmed_at IS NOT NULL AS confirmed, cts`,
    [pid, medium, value, ...only],
  );
}

/** What an alert to this contact was about; a digest has no single product. Null for an alert that is gone or another's. */
export async function findAlertSubject(db: Db, pid: string, contact: ContactKey, seq: number) {
  const { medium, value: recipient } = contact;
  const select = { topic: true, epi: true, messageId: true } as const;
  const where = { pid, seq, recipient, medium, lane: 'alert' };
  const alert = await db.prisma.outboxMessage.findFirst({ where, select });
  if (alert === null) return null;
  const { topic, epi, messageId } = alert;
  const digest = { pid, recipient, messageId, scheduledAt: { not: null } };
  const all = messageId === null ? [] : await db.prisma.outboxMessage.findMany({ where: digest, select });
  const others = new Set(all.map((one) => one.topic!).filter((one) => one !== topic));
  return { topic: topic!, epi: all.length > 1 ? '' : epi!, moreTopics: [...others].sort() };
}

export async function addMutes(tx: Tx, pid: string, claim: UnsubscribeClaim, now: Date): Promise<void> {
  const { scope, medium, value, epi } = claim;
  const muted =
    scope === 'product' ? [{ topic: '', epi }] : claimedTopics(claim).map((topic) => ({ topic, epi: '' }));
  const data = muted.map((part) => ({ pid, medium, value, ...part, cts: now }));
  await tx.prisma.alertMute.createMany({ data, skipDuplicates: true });
}

/** Suppresses a contact until it signs up again, which takes a new double opt-in. */
export async function addSuppression(tx: Tx, pid: string, { medium, value }: ContactKey, now: Date) {
  await tx.prisma.suppression.createMany({ data: { pid, medium, value, cts: now }, skipDuplicates: true });
  await tx.prisma.contactProof.deleteMany({ where: { pid, medium, value } });
}

export async function findOptedOut(db: Db, medium: string, values: readonly string[]): Promise<string[]> {
  const where = { medium, value: { in: [...new Set(values)] }, isStopped: true };
  const rows = await db.prisma.stop.findMany({ where, select: { value: true } });
  return rows.map(({ value }) => value);
}

/** The ids of the last ten replies, the new one first. */
const REPLY_IDS = `CASE WHEN $3 = '' THEN s.answers ELSE (array_prepend($3, s.answers))[1:10] END`;

/** SQL: ignores a reply that is delivered again, in any order, in one statement; a START of a contact that never sent STOP leaves no row. */
const SAVE_REPLY = {
  stop: `
  INSERT INTO stop AS s (medium, value, is_stopped, answers, uts) VALUES ($1, $2, true, array_remove(ARRAY[$3], ''), $4)
  ON CONFLICT (medium, value) DO UPDATE SET is_stopped = true, answers = ${REPLY_IDS}, uts = excluded.uts
  WHERE NOT $3 = ANY (s.answers)`,
  start: `
  UPDATE stop s SET is_stopped = false, answers = ${REPLY_IDS}, uts = $4
  WHERE medium = $1 AND value = $2 AND NOT $3 = ANY (s.answers)`,
};

export async function saveReply(
  tx: Tx,
  { medium, value }: ContactKey,
  { says, id }: { says: 'stop' | 'start'; id: string },
  now: Date,
): Promise<void> {
  await tx.query(SAVE_REPLY[says], [medium, value, id, now]);
}

export async function findConsentingStores(tx: Tx, { medium, value }: ContactKey): Promise<string[]> {
  const where = { medium, value, acceptmarketing: true };
  const rows = await tx.prisma.mailingAnswer.findMany({ where, orderBy: { pid: 'asc' } });
  return rows.map(({ pid }) => pid);
}

/** Deletes a batch of contacts that replied START 30 days ago; until then a STOP that is delivered again is recognised. */
export async function forgetResubscribed({ db }: { db: Db }, now: Date): Promise<number> {
  const where = { isStopped: false, uts: { lt: new Date(now.getTime() - 30 * DAY_MS) } };
  return (await db.prisma.stop.deleteMany({ where, limit: 1_000 })).count;
}
