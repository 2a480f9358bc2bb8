import type { SubscriptionModel } from '../../generated/prisma/models.ts';
import type { Db, Raw, Tx } from '../../platform/database/database.ts';
import { IN_SERVICE } from '../../platform/database/in-service.ts';
import { DAY_MS } from '../../platform/time.ts';
import type { ConsentBefore } from './consent.repo.ts';
import type { ContactKey } from './contact.rules.ts';
import type { UnsubscribeClaim } from './link.rules.ts';
import { hasUnsubscribed } from './list-owner.repo.ts';

export const claimedTopics = ({ topic, moreTopics = [] }: UnsubscribeClaim) => [topic, ...moreTopics];

/** `row` and `requests` are whole rows, so that an undo restores every column. */
export type RemovedSubscription = Raw<SubscriptionModel> & { row: object; requests: object[] };

const COLUMNS = `s.*, s.confirmed_at AS "confirmedAt", to_jsonb(s) AS row`;

const WHERE = { product: 'AND epi = $4', topic: 'AND topic = ANY ($4::text[])', all: '' } as const;

/** SQL: returns what it deleted, which Prisma cannot; the requests are still seen as they were before. */
export function removeSubscriptions(tx: Tx, pid: string, claim: UnsubscribeClaim) {
  const { scope, medium, value, epi } = claim;
  const only = scope === 'all' ? [] : [scope === 'product' ? epi : claimedTopics(claim)];
  return tx.query<RemovedSubscription>(
    `WITH s AS (
       DELETE FROM subscription WHERE pid = $1 AND medium = $2 AND value = $3 ${WHERE[scope]} RETURNING *)
     SELECT ${COLUMNS}, coalesce((SELECT jsonb_agg(to_jsonb(q)) FROM subscription_request q
       WHERE q.pid = s.pid AND q.subscription_id = s.id), '[]') AS requests FROM s`,
    [pid, medium, value, ...only],
  );
}

/** What an unsubscribe changed for one address or number. */
export type Undo = {
  value: string;
  subscriptions: { row: object; requests: object[] }[];
  mutes: { topic: string; epi: string }[];
  isSuppressed: boolean;
  optIns: { pid: string; medium: string; value: string; regid: string; usedAt: Date }[];
  consent: ConsentBefore | null;
};

/** SQL: fills rows from JSON. A subscription that was made again since stays as it is. */
export async function restoreSubscriptions(tx: Tx, removed: Undo['subscriptions']) {
  const restored = await tx.query<RemovedSubscription>(
    `INSERT INTO subscription AS s SELECT * FROM jsonb_populate_recordset(NULL::subscription, $1::jsonb) r
     ORDER BY r.epi COLLATE "C", r.topic COLLATE "C" ON CONFLICT DO NOTHING RETURNING ${COLUMNS}, '[]'::jsonb AS requests`,
    [JSON.stringify(removed.map(({ row }) => row))],
  );
  await tx.query(
    `INSERT INTO subscription_request SELECT r.* FROM jsonb_populate_recordset(NULL::subscription_request, $1::jsonb) r
     WHERE r.subscription_id = ANY ($2::text[]) ORDER BY r.epi COLLATE "C", r.topic COLLATE "C" ON CONFLICT DO NOTHING`,
    [JSON.stringify(removed.flatMap(({ requests }) => requests)), restored.map(({ id }) => id)],
  );
  return restored;
}

/** Ends the mutes and the suppression of an unsubscribe, and restores the opt-ins that it deleted. */
export async function restoreContact(tx: Tx, pid: string, { medium, value }: ContactKey, removal: Undo) {
  const contact = { pid, medium, value };
  if (removal.mutes.length > 0)
    await tx.prisma.alertMute.deleteMany({ where: { ...contact, OR: removal.mutes } });
  if (removal.isSuppressed) await tx.prisma.suppression.deleteMany({ where: contact });
  await tx.prisma.contactProof.createMany({ data: removal.optIns, skipDuplicates: true });
}

export type SubscribedTopic = { topic: string; count: number; titles: string[]; isOwn: boolean };

/** SQL: groups, and joins products and topics, for which there are no relations. A topic that alerts list owners has no subscriptions. */
const LIST_TOPICS = `
  SELECT s.topic, count(*)::int AS count, bool_or(t.name IS NOT NULL) AS "isOwn",
    coalesce((array_agg(p.dt ORDER BY s.seq DESC) FILTER (WHERE p.dt IS NOT NULL))[1:3], '{}') AS titles
  FROM subscription s LEFT JOIN product p ON p.pid = s.pid AND p.epi = s.epi
    LEFT JOIN topic t ON t.pid = s.pid AND t.name = s.topic
  WHERE s.pid = $1 AND s.medium = $2 AND s.value = $3 AND s.confirmed_at IS NOT NULL GROUP BY s.topic
  UNION ALL
  SELECT t.name, 0, true, '{}' FROM topic t JOIN mailing_answer a ON a.pid = t.pid AND a.medium = $2 AND a.value = $3 AND a.acceptmarketing
  WHERE t.pid = $1 AND t.list_holders AND NOT ${hasUnsubscribed('$1', '$2', '$3', 't.name', "''")}
    AND NOT EXISTS (SELECT FROM subscription s WHERE s.pid = $1 AND s.medium = $2 AND s.value = $3 AND s.topic = t.name
      AND s.confirmed_at IS NOT NULL)
  ORDER BY topic`;

export function listSubscribedTopics(db: Db, pid: string, { medium, value }: ContactKey) {
  return db.query<SubscribedTopic>(LIST_TOPICS, [pid, medium, value]);
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

/** Returns the mutes that are new. */
export async function addMutes(tx: Tx, pid: string, claim: UnsubscribeClaim, now: Date) {
  const { scope, medium, value, epi } = claim;
  const muted =
    scope === 'product' ? [{ topic: '', epi }] : claimedTopics(claim).map((topic) => ({ topic, epi: '' }));
  const data = muted.map((part) => ({ pid, medium, value, ...part, cts: now }));
  const select = { topic: true, epi: true } as const;
  return tx.prisma.alertMute.createManyAndReturn({ data, select, skipDuplicates: true });
}

/** Suppresses a contact until it signs up again, which takes a new double opt-in. Returns what it changed. */
export async function addSuppression(tx: Tx, pid: string, { medium, value }: ContactKey, now: Date) {
  const contact = { pid, medium, value };
  const data = { ...contact, cts: now };
  const { count } = await tx.prisma.suppression.createMany({ data, skipDuplicates: true });
  const optIns = await tx.prisma.contactProof.findMany({ where: contact });
  await tx.prisma.contactProof.deleteMany({ where: contact });
  return { isSuppressed: count > 0, optIns };
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
  const isHere = { OR: [IN_SERVICE.store, { moveStep: 'paused' }] };
  const where = { store: isHere, medium, value, acceptmarketing: true };
  const rows = await tx.prisma.mailingAnswer.findMany({ where, orderBy: { pid: 'asc' } });
  return rows.map(({ pid }) => pid);
}

/** Deletes a batch of contacts that replied START 30 days ago; until then a STOP that is delivered again is recognised. */
export async function forgetResubscribed({ db }: { db: Db }, now: Date): Promise<number> {
  const where = { isStopped: false, uts: { lt: new Date(now.getTime() - 30 * DAY_MS) } };
  return (await db.prisma.stop.deleteMany({ where, limit: 1_000 })).count;
}
