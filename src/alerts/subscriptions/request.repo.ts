import type { SubscriptionRequestModel } from '../../generated/prisma/models.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import type { Contact } from '../../shoppers/contacts/contact.rules.ts';
import type { ConfirmClaim } from './signup.rules.ts';
import { FIELDS, conditionOf, rowsOf, settleSubscriptions } from './subscription.repo.ts';
import type { EndedRequest, Filter, NewSubscription, SignUp, SignUpWrite } from './subscription.repo.ts';

/** `subscriptionId` is null if the request must not end together with the subscription of others. */
export type NewRequest = NewSubscription & Pick<SubscriptionRequestModel, 'mailinglist' | 'subscriptionId'>;

/** SQL: every sign-up runs it. Locks in the order of the subscriptions and after them, as the code that ends requests does. */
const SAVE = {
  name: 'save_requests',
  text: `
    INSERT INTO subscription_request AS q
      (pid, id, regid, asker, medium, value, epi, empi, du, topic, extras, language, mailinglist, subscription_id, confirmed_at, cts)
    SELECT n.pid, n.id, n.regid, n.regid, n.medium, n.value, n.epi, n.empi, n.du, n.topic, n.extras, n.language, n.mailinglist, n."subscriptionId",
      n."confirmedAt", n.now
    FROM jsonb_to_recordset($1::jsonb) AS n (pid text, id text, regid text, medium text, value text, epi text, empi text, du text,
      topic text, extras text, language text, mailinglist boolean, "subscriptionId" text, "confirmedAt" timestamptz, now timestamptz)
    ORDER BY n.epi COLLATE "C", n.topic COLLATE "C", n.medium, n.value, n.pid
    ON CONFLICT (pid, medium, value, epi, topic, regid) DO UPDATE SET
      confirmed_at = coalesce(q.confirmed_at, excluded.confirmed_at),
      subscription_id = coalesce(q.subscription_id, excluded.subscription_id),
      renewed_at = excluded.cts,
      language = coalesce(excluded.language, q.language)
    RETURNING q.id`,
};

/** Returns the ids of the requests that are new for their requester. */
export async function saveRequests(tx: Tx, signUps: readonly SignUpWrite<NewRequest>[]) {
  const stored = new Set((await tx.query<{ id: string }>(SAVE, [rowsOf(signUps)])).map(({ id }) => id));
  return new Set(signUps.flatMap(({ wanted }) => wanted.map(({ id }) => id)).filter((id) => stored.has(id)));
}

/** SQL: locks in the order of sign-ups and returns the deleted rows, which Prisma cannot. `gone` are the ended subscriptions. */
export async function endRequests(tx: Tx, owner: { pid: string; regid: string }, filter: Filter) {
  const { text, params } = conditionOf(owner, filter);
  await tx.query(
    `SELECT 1 FROM subscription s WHERE (s.pid, s.medium, s.value, s.epi, s.topic) IN (
       SELECT s.pid, s.medium, s.value, s.epi, s.topic FROM subscription_request s WHERE ${text})
     ORDER BY s.epi COLLATE "C", s.topic COLLATE "C", s.medium, s.value FOR UPDATE`,
    params,
  );
  const ended = await tx.query<EndedRequest>(
    `DELETE FROM subscription_request s WHERE ${text}
     RETURNING s.medium, s.value, s.epi, s.topic, s.subscription_id AS "subscriptionId"`,
    params,
  );
  return { removed: ended.length, gone: await settleSubscriptions(tx, owner.pid, ended) };
}

/** SQL: joins rows of one table with each other. */
const DROP_DOUBLES = `
  DELETE FROM subscription_request q USING subscription_request g JOIN subscription_request a
    ON a.pid = g.pid AND a.medium = g.medium AND a.value = g.value AND a.epi = g.epi AND a.topic = g.topic
  WHERE g.pid = $1 AND g.regid = $2 AND a.regid = $3 AND q.pid = $1
    AND q.id = CASE WHEN a.confirmed_at IS NOT NULL OR g.confirmed_at IS NULL THEN g.id ELSE a.id END`;

/** For a guest that was merged into an account. Of two duplicates the confirmed one remains, otherwise the account's. */
export async function moveRequests(tx: Tx, pid: string, fromRegid: string, toRegid: string): Promise<void> {
  await tx.query(DROP_DOUBLES, [pid, fromRegid, toRegid]);
  const where = { pid, regid: fromRegid };
  await tx.prisma.subscriptionRequest.updateMany({ where, data: { regid: toRegid } });
}

/** The requests of one requester for a contact. */
type Asked = Contact & { pid: string; requester: string };

/** A confirmation message describes no more. */
const MAX_ASKED = 500;

/** A link covers requests of its requester and of the contact's own account, and earlier ones of the store (of anyone in old links). */
export type Coverage = { pid: string; own: string | null } & ConfirmClaim;

export async function listPending(db: Db, coverage: Coverage) {
  const { pid, contact, requester, own, issuedAt } = coverage;
  const covered = [
    ...(requester ? [{ requester }] : []),
    ...(own === null ? [] : [{ regid: own }]),
    { cts: { lte: issuedAt }, ...(requester === null ? {} : { requester: '' }) },
  ];
  const rows = await db.prisma.subscriptionRequest.findMany({
    where: { pid, ...contact, confirmedAt: null, OR: covered },
    select: { ...FIELDS, regid: true, mailinglist: true },
    orderBy: { seq: 'asc' },
  });
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}

export async function listRequesters(db: Db, pid: string, contact: Contact): Promise<string[]> {
  const where = { pid, ...contact, requester: { not: '' } };
  const rows = await db.prisma.subscriptionRequest.groupBy({ by: ['requester'], where });
  return rows.map(({ requester }) => requester);
}

/** Returns the ids of the requests that were still pending. */
export async function confirmRequests(
  tx: Tx,
  pid: string,
  confirmed: readonly { id: string; subscriptionId: string }[],
  now: Date,
): Promise<string[]> {
  const ids: string[] = [];
  for (const { id, subscriptionId } of confirmed) {
    const { count } = await tx.prisma.subscriptionRequest.updateMany({
      where: { pid, id, confirmedAt: null },
      data: { confirmedAt: now, subscriptionId },
    });
    if (count === 1) ids.push(id);
  }
  return ids;
}

/** Removes the mailing list consent from an requester's pending requests, because their order does not reflect a later refusal. */
export async function withdrawPendingConsent(tx: Tx, { pid, regid, medium, value }: SignUp): Promise<void> {
  await tx.prisma.subscriptionRequest.updateMany({
    where: { pid, medium, value, regid, confirmedAt: null, mailinglist: true },
    data: { mailinglist: false },
  });
}

/** The pending requests of one requester, the latest first. */
export function listAsked(tx: Tx, asked: Asked) {
  return tx.prisma.subscriptionRequest.findMany({
    where: { ...asked, confirmedAt: null },
    select: { topic: true, epi: true, language: true },
    orderBy: [{ renewedAt: { sort: 'desc', nulls: 'last' } }, { seq: 'desc' }],
    take: MAX_ASKED,
  });
}

export async function markNotified(tx: Tx, asked: Asked, dueAt: Date): Promise<void> {
  const where = { ...asked, confirmedAt: null };
  await tx.prisma.subscriptionRequest.updateMany({ where, data: { notifiedAt: dueAt } });
}

/** Whether links that were due after `since` cover all pending requests of an requester. */
export async function isNotified(tx: Tx, asked: Asked, since: Date): Promise<boolean> {
  // A shopper's link also covers the shopper's later requests; the store makes requests for many people.
  const isAnyEnough = asked.requester !== '';
  const unnotified = { confirmedAt: null, OR: [{ notifiedAt: null }, { notifiedAt: { lte: since } }] };
  const where = { ...asked, ...(isAnyEnough ? { notifiedAt: { gt: since } } : unnotified) };
  const found = await tx.prisma.subscriptionRequest.findFirst({ where, select: { id: true } });
  return isAnyEnough === (found !== null);
}
