import { randomUUID } from 'node:crypto';
import type { Medium } from '../send/channels.ts';
import type { Db, Raw, Tx } from '../../platform/database/database.ts';
import type { OutboxMessageModel } from '../../generated/prisma/models.ts';
import { currentTraceparent } from '../../platform/tracing.ts';

/** Which queue a message waits in; each has a loop of its own, so that a slow one never holds up another. Webhook events have no medium. */
export type QueueKey = { lane: 'alert' | 'message'; medium: Medium } | { lane: 'webhook'; medium: null };

/** `failed` is a dead letter; `withheld` was not sent because its reason went away. */
export type MessageState = 'queued' | 'sent' | 'failed' | 'withheld';

/** A message to be queued, already rendered. */
export type NewMessage = {
  pid: string;
  medium: Medium;
  /** What it is for, in one word. */
  kind: string;
  recipient: string;
  payload: object;
  /** A second message with the same key is dropped. */
  dedupeKey?: string | null;
  /** When to send; at once when left out. */
  dueAt?: Date;
};

/** A message as a dispatcher claimed it: `attempts` counts this attempt, and `claim` proves that the claim still holds. */
export type ClaimedMessage = Pick<
  Raw<OutboxMessageModel>,
  | 'pid'
  | 'id'
  | 'lane'
  | 'kind'
  | 'recipient'
  | 'payload'
  | 'restockId'
  | 'subscriptionId'
  | 'topic'
  | 'epi'
  | 'attempts'
  | 'claim'
  | 'cts'
  | 'leavesAt'
  | 'parcelId'
  | 'seq'
  | 'traceparent'
> & { medium: Medium | null };

/** Queues a message in the caller's transaction. Returns its id, or null when its `dedupeKey` was there already. */
export async function enqueueMessage(tx: Tx, message: NewMessage, now: Date): Promise<string | null> {
  const { payload, dueAt = now, ...rest } = message;
  const id = randomUUID();
  tx.afterCommit(tx.wake);
  const { count } = await tx.prisma.outboxMessage.createMany({
    data: { ...rest, id, lane: 'message', payload, dueAt, cts: now, traceparent: currentTraceparent() },
    skipDuplicates: true,
  });
  return count === 1 ? id : null;
}

// Statements without a name are planned at each call: a plan made while the table was empty reads all of it once 100,000 alerts
// are there (12 messages/s instead of several hundred), until statistics are gathered a minute later.

/** What is scheduled fairly within a queue: a store or, for webhooks, one webhook of a store. */
export type Flow = { pid: string; recipient: string };

/** SQL: hops through the index store by store: one look-up a store, and a single one while nothing is due. */
const DUE_STORES = `
  WITH RECURSIVE waiting AS (
    (SELECT pid, due_at FROM outbox WHERE state = 'queued' AND lane = $1 AND medium = $3
       AND EXISTS (SELECT FROM outbox WHERE state = 'queued' AND lane = $1 AND medium = $3 AND due_at <= $2)
     ORDER BY pid, due_at LIMIT 1)
    UNION ALL
    SELECT next.pid, next.due_at FROM waiting w CROSS JOIN LATERAL (
      SELECT pid, due_at FROM outbox WHERE state = 'queued' AND lane = $1 AND medium = $3 AND pid > w.pid
      ORDER BY pid, due_at LIMIT 1) next
  )
  SELECT pid, '' AS recipient FROM waiting WHERE due_at <= $2 ORDER BY random()`;

/** SQL: one look-up in the same index for each of some stores. */
const DUE_AMONG = `
  SELECT own.pid, '' AS recipient FROM unnest($4::text[]) AS own (pid)
  WHERE EXISTS (SELECT FROM outbox o WHERE o.state = 'queued' AND o.lane = $1 AND o.medium = $3 AND o.pid = own.pid AND o.due_at <= $2)
  ORDER BY random()`;

/** SQL: the same for webhooks, by an index of their own. */
const DUE_WEBHOOKS = `
  WITH RECURSIVE waiting AS (
    (SELECT pid, recipient, due_at FROM outbox WHERE state = 'queued' AND lane = 'webhook'
       AND EXISTS (SELECT FROM outbox WHERE state = 'queued' AND lane = 'webhook' AND medium IS NULL AND due_at <= $1)
     ORDER BY pid, recipient, due_at LIMIT 1)
    UNION ALL
    SELECT next.pid, next.recipient, next.due_at FROM waiting w CROSS JOIN LATERAL (
      SELECT pid, recipient, due_at FROM outbox WHERE state = 'queued' AND lane = 'webhook' AND (pid, recipient) > (w.pid, w.recipient)
      ORDER BY pid, recipient, due_at LIMIT 1) next
  )
  SELECT pid, recipient FROM waiting WHERE due_at <= $1 ORDER BY random()`;

/** The flows that have messages due, in random order; only those of some stores where they are named. */
export function findDueFlows(
  db: Db,
  { lane, medium }: QueueKey,
  now: Date,
  pids: readonly string[] | null = null,
): Promise<Flow[]> {
  if (lane === 'webhook') return db.query<Flow>(DUE_WEBHOOKS, [now]);
  if (pids !== null) return db.query<Flow>(DUE_AMONG, [lane, now, medium, pids]);
  return db.query<Flow>(DUE_STORES, [lane, now, medium]);
}

/** The columns of a claim, from an outbox called `o`. */
export const CLAIMED_COLUMNS = `o.pid, o.id, o.lane, o.medium, o.kind, o.recipient, o.payload, o.restock_id AS "restockId",
    o.subscription_id AS "subscriptionId", o.topic, o.epi, o.attempts, o.claim, o.cts, o.leaves_at AS "leavesAt", o.parcel_id AS "parcelId", o.seq,
    o.traceparent`;

/**
 * SQL: claims with `FOR UPDATE SKIP LOCKED`, some of each flow. Rows are changed where they lie (ctid): looked up again by their ids they took 37 ms a hundred
 * instead of 12 before statistics were gathered, and with `pid` in the last condition the whole queue of the store was read.
 */
const claimWhere = (isDue: string): string => `
  WITH due AS (
    SELECT oldest.at FROM unnest($3::text[], $4::text[], $5::int[]) AS share (pid, recipient, most) CROSS JOIN LATERAL (
      SELECT ctid AS at FROM outbox WHERE state = 'queued' AND ${isDue} AND pid = share.pid AND due_at <= $1
      ORDER BY due_at LIMIT share.most FOR UPDATE SKIP LOCKED) oldest
  )
  UPDATE outbox o SET attempts = o.attempts + 1, claim = o.claim + 1, due_at = $2
  WHERE o.ctid = ANY (ARRAY(SELECT at FROM due))
  RETURNING ${CLAIMED_COLUMNS}`;

/** SQL: SKIP LOCKED. */
const CLAIM_OF_STORES = claimWhere('lane = $6 AND medium = $7');
/** SQL: the same, by the index of webhooks. */
const CLAIM_OF_WEBHOOKS = claimWhere(`lane = 'webhook' AND recipient = share.recipient`);

/** How many messages of a flow are claimed at most. */
export type Share = { flow: Flow; most: number };

/** Claims the oldest due messages of some flows for the time of the lease. Two dispatchers never claim the same one. */
export function claimMessages(
  db: Db,
  { lane, medium }: QueueKey,
  shares: readonly Share[],
  leaseMs: number,
  now: Date,
): Promise<ClaimedMessage[]> {
  const params = [
    now,
    new Date(now.getTime() + leaseMs),
    shares.map(({ flow }) => flow.pid),
    shares.map(({ flow }) => flow.recipient),
    shares.map(({ most }) => most),
  ];
  if (lane === 'webhook') return db.query<ClaimedMessage>(CLAIM_OF_WEBHOOKS, params);
  return db.query<ClaimedMessage>(CLAIM_OF_STORES, [...params, lane, medium]);
}

/** SQL: each lease only while its claim holds. */
const RENEW = `
  UPDATE outbox o SET due_at = $4 WHERE o.ctid = ANY (ARRAY(
    SELECT r.at FROM unnest($1::text[], $2::text[], $3::int[]) AS m (pid, id, claim) CROSS JOIN LATERAL (
      SELECT ctid AS at, pid, state, claim FROM outbox WHERE id = m.id OFFSET 0 FOR UPDATE) r
    WHERE r.pid = m.pid AND r.state = 'queued' AND r.claim = m.claim))`;

/** Extends the leases of messages that are still being sent. */
export async function renewLeases(
  db: Db,
  messages: readonly ClaimedMessage[],
  leaseEnd: Date,
): Promise<void> {
  const [pids, ids] = [messages.map(({ pid }) => pid), messages.map(({ id }) => id)];
  await db.query(RENEW, [pids, ids, messages.map(({ claim }) => claim), leaseEnd]);
}

/** Counting stops here, so that a longer queue costs a scrape no more. */
export const MOST_COUNTED = 100_000;

/** How long a queue is, and since when its oldest message has been due; null when none is. */
export type QueueDepth = { lane: string; medium: string | null; queued: number; dueSince: Date | null };

const depthWhere = (isOfKind: string): string => `
  (SELECT count(*)::int FROM (SELECT FROM outbox WHERE state = 'queued' AND ${isOfKind} LIMIT ${MOST_COUNTED}) counted) AS queued,
  (SELECT due_at FROM outbox WHERE state = 'queued' AND ${isOfKind} AND due_at <= $1 ORDER BY due_at LIMIT 1) AS "dueSince"`;

/** SQL: two index look-ups a queue in one statement, which Prisma would send one by one. */
const DEPTHS = `
  SELECT kind.lane, kind.medium, ${depthWhere('lane = kind.lane AND medium = kind.medium')}
  FROM unnest($2::text[], $3::text[]) AS kind (lane, medium)
  UNION ALL SELECT 'webhook', NULL, ${depthWhere(`lane = 'webhook' AND medium IS NULL`)}`;

/** The depth of each queue, over all stores. */
export function countWaiting(db: Db, media: readonly Medium[], now: Date): Promise<QueueDepth[]> {
  const kinds = (['alert', 'message'] as const).flatMap((lane) => media.map((medium) => ({ lane, medium })));
  return db.query<QueueDepth>(DEPTHS, [
    now,
    kinds.map(({ lane }) => lane),
    kinds.map(({ medium }) => medium),
  ]);
}

export type SentMessage = { id: string; finishedAt: Date | null };

export function listSent(db: Db, pid: string, medium: Medium, most: number): Promise<SentMessage[]> {
  return db.prisma.outboxMessage.findMany({
    where: { pid, medium, state: 'sent' },
    select: { id: true, finishedAt: true },
    orderBy: { seq: 'desc' },
    take: most,
  });
}

const PORTION = 5_000;

/** Removes one portion of what was finished before; returns how many. */
export async function removeFinished(db: Db, before: Date): Promise<number> {
  const where = { finishedAt: { lt: before } };
  return (await db.prisma.outboxMessage.deleteMany({ where, limit: PORTION })).count;
}
