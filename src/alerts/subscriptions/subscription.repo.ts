import type { SubscriptionModel, SubscriptionRequestModel } from '../../generated/prisma/models.ts';
import { selectColumns } from '../../platform/database/columns.ts';
import type { Db, Raw, Tx } from '../../platform/database/database.ts';
import { IN_SERVICE } from '../../platform/database/in-service.ts';
import { DAY_MS } from '../../platform/time.ts';
import { ACCOUNT_MEDIA } from '../../shoppers/contacts/contact.rules.ts';
import type { Contact } from '../../shoppers/contacts/contact.rules.ts';

export const FIELDS = {
  ...{ pid: true, id: true, medium: true, value: true, epi: true, empi: true, du: true, topic: true },
  ...{ extras: true, language: true, confirmedAt: true, seq: true, cts: true },
} as const;

export type StoredSubscription = Raw<Pick<SubscriptionModel, keyof typeof FIELDS>>;

export type NewSubscription = Pick<
  StoredSubscription,
  'id' | 'epi' | 'empi' | 'du' | 'topic' | 'extras' | 'language'
>;

/** `regid` is empty if the store itself makes the request. `confirmedAt` is null for a pending one. */
export type SignUp = Contact & { pid: string; regid: string; confirmedAt: Date | null };

const COLUMNS = selectColumns('s', Object.keys(FIELDS));

export type SignUpWrite<Wanted = NewSubscription> = SignUp & { wanted: readonly Wanted[]; now: Date };

export function rowsOf<Wanted>(signUps: readonly SignUpWrite<Wanted>[]): string {
  return JSON.stringify(
    signUps.flatMap(({ wanted, ...signUp }) => wanted.map((one) => ({ ...one, ...signUp }))),
  );
}

/** SQL: every sign-up runs it. Ordered against deadlocks; every row is locked, so that none loses its last request meanwhile. */
const SAVE = {
  name: 'save_subscriptions',
  text: `
    WITH n AS MATERIALIZED (
      SELECT * FROM jsonb_to_recordset($1::jsonb) AS n (pid text, id text, regid text, medium text, value text, epi text, empi text,
        du text, topic text, extras text, language text, "confirmedAt" timestamptz, now timestamptz))
    INSERT INTO subscription AS s (pid, id, medium, value, epi, empi, du, topic, extras, language, confirmed_at, cts)
    SELECT n.pid, n.id, n.medium, n.value, n.epi, n.empi, n.du, n.topic, n.extras, n.language, n."confirmedAt", n.now FROM n
    ORDER BY n.epi COLLATE "C", n.topic COLLATE "C", n.medium, n.value, n.pid
    ON CONFLICT (pid, medium, value, epi, topic) DO UPDATE SET
      confirmed_at = coalesce(s.confirmed_at, excluded.confirmed_at),
      (renewed_at, language) = (
        SELECT CASE WHEN own THEN excluded.cts ELSE s.renewed_at END, CASE WHEN own THEN coalesce(excluded.language, s.language) ELSE s.language END
        FROM (SELECT s.confirmed_at IS NULL OR excluded.confirmed_at IS NOT NULL OR EXISTS (
          SELECT FROM subscription_request q JOIN n ON n.id = excluded.id
          WHERE q.pid = s.pid AND q.subscription_id = s.id AND q.regid = n.regid AND q.confirmed_at IS NOT NULL) AS own) AS caller)
    RETURNING ${COLUMNS}`,
};

/** Creates missing subscriptions and renews or confirms the others; returns all of them. No contact may appear twice. */
export function saveSubscriptions(tx: Tx, signUps: readonly SignUpWrite[]): Promise<StoredSubscription[]> {
  return tx.query<StoredSubscription>(SAVE, [rowsOf(signUps)]);
}

/** All subscriptions of a store, those requested under a regid, or those of an account by its name. */
export type Owner = { pid: string } & ({ all: true } | { regid: string } | { account: string });

/** Null or undefined matches everything. The fields are named after their columns. */
export type Filter = Partial<Record<'id' | 'topic' | 'epi' | keyof Contact, string | null>>;

function whereOf(owner: Owner, { topic, medium, epi }: Filter) {
  const contact = 'account' in owner ? { medium: { in: ACCOUNT_MEDIA }, value: owner.account } : {};
  const asked = { topic: topic ?? undefined, medium: medium ?? undefined, epi: epi ?? undefined };
  return { pid: owner.pid, AND: [contact, asked] };
}

export function conditionOf(owner: Owner, filter: Filter): { text: string; params: unknown[] } {
  const contact = 'account' in owner ? { medium: ACCOUNT_MEDIA, value: owner.account } : {};
  const whose: Record<string, unknown> = 'regid' in owner ? { regid: owner.regid } : contact;
  // The filter may name a contact in addition to the owner's: both must match.
  const given = [...Object.entries({ pid: owner.pid, ...whose }), ...Object.entries<unknown>(filter)].filter(
    ([, value]) => value != null,
  );
  return {
    text: given
      .map(([column, value], index) =>
        Array.isArray(value) ? `s.${column} = ANY ($${index + 1})` : `s.${column} = $${index + 1}`,
      )
      .join(' AND '),
    params: given.map(([, value]) => value),
  };
}

type PageRead = { before?: number; offset?: number; ids?: readonly string[]; limit: number };

/** Newest first: the subscriptions before `before`, after the first `offset` ones, or with these `ids`. */
export async function listSubscriptions(
  db: Db,
  owner: Owner,
  filter: Filter,
  { before, offset, ids, limit }: PageRead,
): Promise<StoredSubscription[]> {
  const where = { ...whereOf(owner, filter), seq: { lt: before }, id: ids && { in: [...ids] } };
  const page = { select: FIELDS, orderBy: { seq: 'desc' }, skip: offset, take: limit } as const;
  // A guest sees its own requests, regardless of other shoppers' requests.
  const rows =
    'regid' in owner
      ? await db.prisma.subscriptionRequest.findMany({ ...page, where: { ...where, regid: owner.regid } })
      : await db.prisma.subscription.findMany({ ...page, where });
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}

export function countSubscriptions(db: Db, owner: Owner, filter: Filter): Promise<number> {
  const where = whereOf(owner, filter);
  return 'regid' in owner
    ? db.prisma.subscriptionRequest.count({ where: { ...where, regid: owner.regid } })
    : db.prisma.subscription.count({ where });
}

/** SQL: returns the deleted rows, which Prisma cannot; the confirmed requests are deleted with them. */
export function deleteSubscriptions(tx: Tx, owner: Exclude<Owner, { regid: string }>, filter: Filter) {
  const { text, params } = conditionOf(owner, filter);
  const statement = `DELETE FROM subscription s WHERE ${text} RETURNING ${COLUMNS}`;
  return tx.query<StoredSubscription>(statement, params);
}

export type EndedRequest = Pick<
  SubscriptionRequestModel,
  'medium' | 'value' | 'epi' | 'topic' | 'subscriptionId'
>;

const ENDED = `jsonb_to_recordset($2::jsonb) AS e (medium text, value text, epi text, topic text, "subscriptionId" text)`;
const IS_ENDED = `s.pid = $1 AND s.medium = e.medium AND s.value = e.value AND s.epi = e.epi AND s.topic = e.topic`;
const REQUESTS = `SELECT FROM subscription_request q
  WHERE q.pid = s.pid AND q.medium = s.medium AND q.value = s.value AND q.epi = s.epi AND q.topic = s.topic`;

/** SQL: returns the deleted rows, which Prisma cannot, and joins requests by their content, for which there is no relation. */
const DELETE_ABANDONED = `
  DELETE FROM subscription s USING ${ENDED}
  WHERE ${IS_ENDED} AND (s.confirmed_at IS NULL OR s.id = e."subscriptionId") AND NOT EXISTS (${REQUESTS})
  RETURNING ${COLUMNS}`;

/** SQL: joins requests by their content, for which there is no relation. */
const UNCONFIRM = `
  UPDATE subscription s SET confirmed_at = NULL FROM ${ENDED}
  WHERE ${IS_ENDED} AND s.id = e."subscriptionId" AND NOT EXISTS (${REQUESTS} AND q.confirmed_at IS NOT NULL)`;

/** Deletes and returns subscriptions without requests; one with only pending requests becomes pending again. */
export async function settleSubscriptions(tx: Tx, pid: string, ended: readonly EndedRequest[]) {
  if (ended.length === 0) return [];
  const params = [pid, JSON.stringify(ended)];
  const gone = await tx.query<StoredSubscription>(DELETE_ABANDONED, params);
  await tx.query(UNCONFIRM, params);
  return gone;
}

/** Deletes a batch of requests and subscriptions that were not confirmed in time; returns the count. */
export async function forgetUnconfirmed({ db }: { db: Db }, now: Date): Promise<number> {
  const before = new Date(now.getTime() - 30 * DAY_MS);
  const isOld = [{ renewedAt: null }, { renewedAt: { lt: before } }];
  const batch = { where: { ...IN_SERVICE, confirmedAt: null, cts: { lt: before }, OR: isOld }, limit: 1_000 };
  const subscriptions = await db.prisma.subscription.deleteMany(batch);
  const requests = await db.prisma.subscriptionRequest.deleteMany(batch);
  return subscriptions.count + requests.count;
}

const FORGOTTEN_AT_ONCE = 5_000;

/** Deletes a batch of a topic's subscriptions and requests; `ended` counts the subscriptions. */
export async function endTopic(tx: Tx, pid: string, topic: string) {
  const batch = { where: { pid, topic }, limit: FORGOTTEN_AT_ONCE };
  const { count: ended } = await tx.prisma.subscription.deleteMany(batch);
  // Requests that belong to no subscription.
  const { count: requests } = await tx.prisma.subscriptionRequest.deleteMany(batch);
  return { ended, isDone: Math.max(ended, requests) < FORGOTTEN_AT_ONCE };
}

/** Deletes a batch of expired subscriptions, topic by topic; returns the count. */
export async function forgetExpired({ db }: { db: Db }, now: Date): Promise<number> {
  const topics = await db.prisma.topic.findMany({
    where: { ...IN_SERVICE, expiryDays: { not: null } },
    select: { pid: true, name: true, expiryDays: true },
  });
  let count = 0;
  for (const { pid, name, expiryDays } of topics) {
    const oldest = new Date(now.getTime() - expiryDays! * DAY_MS);
    const isOld = [{ renewedAt: { lte: oldest } }, { renewedAt: null, cts: { lte: oldest } }];
    const batch = { where: { pid, topic: name, OR: isOld }, limit: FORGOTTEN_AT_ONCE };
    count += (await db.prisma.subscription.deleteMany(batch)).count;
  }
  return count;
}
