import { randomUUID } from 'node:crypto';
import type { OutboxMessageModel } from '../../generated/prisma/models.ts';
import { arraysOf } from '../../platform/database/columns.ts';
import type { Db, Raw, Tx } from '../../platform/database/database.ts';
import { IN_SERVICE } from '../../platform/database/in-service.ts';
import { DAY_MS } from '../../platform/time.ts';
import { currentTraceparent } from '../../platform/tracing.ts';
import type { Medium } from '../send/channels.ts';
import type { Outcome } from '../send/outcome.ts';

/** Each queue has its own loop, so that a slow one never blocks another. Webhook events have no medium. */
export type QueueKey = { lane: 'alert' | 'message'; medium: Medium } | { lane: 'webhook'; medium: null };

/** `failed` is a dead letter; `withheld` is a suppressed message, which was not sent, because its reason no longer applied. */
export type MessageState = 'queued' | 'sent' | 'failed' | 'withheld';

export type NewMessage = {
  pid: string;
  medium: Medium;
  /** The purpose of the message, in one word. */
  kind: string;
  recipient: string;
  payload: object;
  /** A second message with the same key is dropped. */
  dedupeKey?: string | null;
  /** Sends at once if omitted. */
  dueAt?: Date;
};

/** A claimed message: `attempts` includes this attempt, and `claim` proves that the claim is still valid. */
export type ClaimedMessage = Omit<
  Raw<OutboxMessageModel>,
  'medium' | 'hasPlace' | 'dedupeKey' | 'state' | 'dueAt' | 'error' | 'finishedAt'
> & { medium: Medium | null };

/** Queues a message in the caller's transaction. Returns its id, or null if its `dedupeKey` already exists. */
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

// Unnamed, so that PostgreSQL plans them at each call: a plan made for the empty table scans 100,000 alerts.

/** The unit of fair scheduling in a queue: a store or, for webhooks, one webhook of a store. */
export type Flow = { pid: string; recipient: string };

/** A store that is closed or moves to another server sends nothing; its messages stay queued until it opens. */
const isOpen = (pid: string): string =>
  `EXISTS (SELECT FROM store s WHERE s.pid = ${pid} AND NOT s.maintenance AND s.move_step IS NULL)`;

/** SQL: loose index scan with one lookup per store, and a single one while nothing is due. */
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
  SELECT pid, '' AS recipient FROM waiting WHERE due_at <= $2 AND ${isOpen('waiting.pid')} ORDER BY random()`;

/** SQL: one lookup per given store in the same index. */
const DUE_AMONG = `
  SELECT own.pid, '' AS recipient FROM unnest($4::text[]) AS own (pid)
  WHERE EXISTS (SELECT FROM outbox o WHERE o.state = 'queued' AND o.lane = $1 AND o.medium = $3 AND o.pid = own.pid AND o.due_at <= $2)
    AND ${isOpen('own.pid')}
  ORDER BY random()`;

/** SQL: the same for webhooks, with their own index. */
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
  SELECT pid, recipient FROM waiting WHERE due_at <= $1 AND ${isOpen('waiting.pid')} ORDER BY random()`;

/** Returns flows with due messages in random order, optionally only of the given stores. */
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

/** The columns of a claim, for the outbox alias `o`. */
export const CLAIMED_COLUMNS = `o.pid, o.id, o.lane, o.medium, o.kind, o.recipient, o.payload, o.restock_id AS "eventId",
    o.subscription_id AS "subscriptionId", o.topic, o.epi, o.attempts, o.claim, o.cts, o.leaves_at AS "scheduledAt", o.parcel_id AS "messageId", o.seq,
    o.traceparent`;

/**
 * SQL: SKIP LOCKED, and by ctid: without statistics a lookup by id took 37 ms per hundred rows instead of 12. BETWEEN instead of `=`, so that
 * only an index by store has this order: with `=` the planner may walk the queue of all stores.
 */
const claimWhere = (isDue: string): string => `
  WITH due AS (
    SELECT oldest.at FROM unnest($3::text[], $4::text[], $5::int[]) AS share (pid, recipient, most) CROSS JOIN LATERAL (
      SELECT ctid AS at FROM outbox WHERE state = 'queued' AND ${isDue} AND pid BETWEEN share.pid AND share.pid AND due_at <= $1
      ORDER BY pid, due_at LIMIT share.most FOR UPDATE SKIP LOCKED) oldest
  )
  UPDATE outbox o SET attempts = o.attempts + 1, claim = o.claim + 1, due_at = $2
  WHERE o.ctid = ANY (ARRAY(SELECT at FROM due))
  RETURNING ${CLAIMED_COLUMNS}`;

const CLAIM_OF_STORES = claimWhere('lane = $6 AND medium = $7');
const CLAIM_OF_WEBHOOKS = claimWhere(`lane = 'webhook' AND recipient = share.recipient`);

export type Share = Flow & { most: number };

/** Leases the oldest due messages of these flows. Two dispatchers never claim the same message. */
export function claimMessages(
  db: Db,
  { lane, medium }: QueueKey,
  shares: readonly Share[],
  leaseMs: number,
  now: Date,
): Promise<ClaimedMessage[]> {
  const leaseEnd = new Date(now.getTime() + leaseMs);
  const params = [now, leaseEnd, ...arraysOf(shares, 'pid', 'recipient', 'most')];
  if (lane === 'webhook') return db.query<ClaimedMessage>(CLAIM_OF_WEBHOOKS, params);
  return db.query<ClaimedMessage>(CLAIM_OF_STORES, [...params, lane, medium]);
}

/** SQL: renews each lease only while its claim is valid. */
const RENEW = `
  UPDATE outbox o SET due_at = $4 WHERE o.ctid = ANY (ARRAY(
    SELECT r.at FROM unnest($1::text[], $2::text[], $3::int[]) AS m (pid, id, claim) CROSS JOIN LATERAL (
      SELECT ctid AS at, pid, state, claim FROM outbox WHERE id = m.id OFFSET 0 FOR UPDATE) r
    WHERE r.pid = m.pid AND r.state = 'queued' AND r.claim = m.claim))`;

export async function renewLeases(db: Db, messages: readonly ClaimedMessage[], leaseEnd: Date) {
  await db.query(RENEW, [...arraysOf(messages, 'pid', 'id', 'claim'), leaseEnd]);
}

/** Counting stops here, so that a longer queue does not slow down a scrape. */
const MOST_COUNTED = 100_000;

/** The length of a queue, and since when its oldest message is due; null if none is. */
export type QueueDepth = { lane: string; medium: string | null; queued: number; dueSince: Date | null };

const depthWhere = (isOfKind: string): string => `
  (SELECT count(*)::int FROM (SELECT FROM outbox WHERE state = 'queued' AND ${isOfKind} LIMIT ${MOST_COUNTED}) counted) AS queued,
  (SELECT due_at FROM outbox WHERE state = 'queued' AND ${isOfKind} AND due_at <= $1 ORDER BY due_at LIMIT 1) AS "dueSince"`;

/** SQL: two index lookups per queue in one statement, which Prisma would send one by one. */
const DEPTHS = `
  SELECT kind.lane, kind.medium, ${depthWhere('lane = kind.lane AND medium = kind.medium')}
  FROM unnest($2::text[], $3::text[]) AS kind (lane, medium)
  UNION ALL SELECT 'webhook', NULL, ${depthWhere(`lane = 'webhook' AND medium IS NULL`)}`;

export function countWaiting(db: Db, media: readonly Medium[], now: Date): Promise<QueueDepth[]> {
  const kinds = (['alert', 'message'] as const).flatMap((lane) => media.map((medium) => ({ lane, medium })));
  return db.query<QueueDepth>(DEPTHS, [now, ...arraysOf(kinds, 'lane', 'medium')]);
}

export function listSent(db: Db, pid: string, medium: Medium, exceptDomain: string, most: number) {
  return db.prisma.outboxMessage.findMany({
    where: { pid, medium, state: 'sent', NOT: { recipient: { endsWith: exceptDomain } } },
    select: { id: true, finishedAt: true },
    orderBy: { seq: 'desc' },
    take: most,
  });
}

export async function forgetFinished({ db }: { db: Db }, now: Date): Promise<number> {
  const where = { ...IN_SERVICE, finishedAt: { lt: new Date(now.getTime() - 30 * DAY_MS) } };
  return (await db.prisma.outboxMessage.deleteMany({ where, limit: 5_000 })).count;
}

// Rows are found by id alone and updated by ctid: without statistics a join reads a store's whole queue (decision 9).

/** The first three parameters of a statement on claimed messages. */
export const claimsOf = (messages: readonly ClaimedMessage[]) => arraysOf(messages, 'pid', 'id', 'claim');

/** SQL: locks rows by key. */
const LOCK = `
  SELECT FROM unnest($1::text[], $2::text[]) AS m (pid, id) CROSS JOIN LATERAL (
    SELECT pid FROM outbox WHERE id = m.id OFFSET 0 FOR UPDATE) o
  WHERE o.pid = m.pid`;

/** Ordered by id against deadlocks; a statement of its own, because only the next one sees the ctid of rows that changed meanwhile. */
export async function lock(tx: Tx, messages: readonly Pick<ClaimedMessage, 'pid' | 'id'>[]): Promise<void> {
  const inOrder = [...messages].sort((left, right) => (left.id < right.id ? -1 : 1));
  await tx.query(LOCK, arraysOf(inOrder, 'pid', 'id'));
}

/** The locked rows of claims, with more columns as parameters from $4 on; `at` is the ctid. */
export const held = (more: Record<string, string> = {}): string => {
  const names = ['pid', 'id', 'claim', ...Object.keys(more)];
  const types = ['text', 'text', 'int', ...Object.values(more)];
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
  return `
    SELECT m.*, o.at, o.lane, o.state, o.claim AS claimed, o.restock_id, o.has_place
    FROM unnest(${arrays.join(', ')}) AS m (${names.join(', ')}) CROSS JOIN LATERAL (
      SELECT ctid AS at, pid, lane, state, claim, restock_id, has_place FROM outbox WHERE id = m.id OFFSET 0) o
    WHERE o.pid = m.pid`;
};

export const STILL_HELD = `h.state = 'queued' AND h.claimed = h.claim`;

/** `until` is the next attempt of a retried or deferred message. */
export type MessageEnd = {
  message: ClaimedMessage;
  kind: Outcome['kind'];
  reason: string | null;
  until: Date | null;
  isContactGone: boolean;
  timeZone: string | null;
};

export type EndedMessage = Pick<
  ClaimedMessage,
  'pid' | 'id' | 'medium' | 'recipient' | 'topic' | 'epi' | 'subscriptionId' | 'eventId'
> &
  Pick<MessageEnd, 'kind' | 'isContactGone' | 'timeZone'> & { error: string | null; hasPlace: boolean };

const ENDS = {
  ...{ kind: 'text', reason: 'text', until: 'timestamptz', is_gone: 'boolean' },
  ...{ time_zone: 'text', event_id: 'text' },
};

// A deferred message releases its place. One that a newer event took over is due again, because the reason applied to the older event.
/** SQL: updates each row with its own values. */
const RECORD = `
  UPDATE outbox o SET state = CASE WHEN h.kind IN ('retry', 'deferred') THEN 'queued' ELSE h.kind END, error = h.reason,
    due_at = coalesce(h.until, o.due_at), finished_at = CASE WHEN h.kind NOT IN ('retry', 'deferred') THEN $10::timestamptz END,
    payload = CASE WHEN h.kind <> 'sent' OR o.lane = 'webhook' THEN o.payload END, has_place = o.has_place AND h.kind <> 'deferred',
    leaves_at = CASE WHEN h.kind <> 'deferred' THEN o.leaves_at END, parcel_id = CASE WHEN h.kind <> 'deferred' THEN o.parcel_id END
  FROM (
    SELECT h.at, h.lane, h.state, h.claim, h.claimed, h.has_place, h.is_gone, h.time_zone, new.*
    FROM (${held(ENDS)}) h CROSS JOIN LATERAL (SELECT h.kind = 'withheld' AND h.restock_id IS DISTINCT FROM h.event_id AS is_moved) event
    CROSS JOIN LATERAL (SELECT CASE WHEN is_moved THEN 'retry' ELSE h.kind END AS kind, CASE WHEN NOT is_moved THEN h.reason END AS reason,
      CASE WHEN is_moved THEN $10 ELSE h.until END AS until) new) h
  WHERE o.ctid = h.at AND CASE WHEN h.kind = 'sent' THEN h.state <> 'sent' AND (h.lane <> 'webhook' OR h.claimed = h.claim) ELSE ${STILL_HELD} END
  RETURNING o.pid, o.id, o.medium, o.recipient, o.topic, o.epi, o.subscription_id AS "subscriptionId", o.restock_id AS "eventId", o.error,
    h.kind, h.has_place AS "hasPlace", h.is_gone AS "isContactGone", h.time_zone AS "timeZone"`;

/** Skips messages that were claimed or requeued meanwhile; a delivery counts even then, except of a replayed webhook event. */
export async function recordEnds(tx: Tx, ends: readonly MessageEnd[], now: Date): Promise<EndedMessage[]> {
  const messages = ends.map(({ message }) => message);
  await lock(tx, messages);
  const values = arraysOf(ends, 'kind', 'reason', 'until', 'isContactGone', 'timeZone');
  const params = [...claimsOf(messages), ...values, ...arraysOf(messages, 'eventId'), now];
  return tx.query<EndedMessage>(RECORD, params);
}
