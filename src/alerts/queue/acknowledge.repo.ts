import type { Tx } from '../../platform/database/database.ts';
import type { ClaimedMessage } from './outbox.repo.ts';

// Statements find rows by id alone, lock them and update them by ctid, without a name. A join reads a store's whole queue while
// the planner has no statistics after a fan-out: 37 ms for a hundred rows against 12 (decision 9).

/** The first three parameters of a statement on claimed messages. */
export const claimsOf = (messages: readonly ClaimedMessage[]) => [
  messages.map(({ pid }) => pid),
  messages.map(({ id }) => id),
  messages.map(({ claim }) => claim),
];

/** SQL: locks rows by key. */
const LOCK = `
  SELECT FROM unnest($1::text[], $2::text[]) AS m (pid, id) CROSS JOIN LATERAL (
    SELECT pid FROM outbox WHERE id = m.id OFFSET 0 FOR UPDATE) o
  WHERE o.pid = m.pid`;

/**
 * Locks messages in the order of their ids to avoid deadlocks. It is a separate statement, because only the next one sees the
 * current ctid of rows that changed during the wait.
 */
export async function lock(tx: Tx, messages: readonly Pick<ClaimedMessage, 'pid' | 'id'>[]): Promise<void> {
  const inOrder = [...messages].sort((left, right) => (left.id < right.id ? -1 : 1));
  await tx.query(LOCK, [inOrder.map(({ pid }) => pid), inOrder.map(({ id }) => id)]);
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

export type EndedMessage = Pick<
  ClaimedMessage,
  'pid' | 'id' | 'medium' | 'recipient' | 'topic' | 'epi' | 'subscriptionId' | 'restockId'
> & { error: string | null; hasPlace: boolean };

const ENDED_COLUMNS = `o.pid, o.id, o.medium, o.recipient, o.topic, o.epi, o.subscription_id AS "subscriptionId", o.restock_id AS "restockId",
  o.error, h.has_place AS "hasPlace"`;

/** A message to retry, with the result of its attempt. A deferred one releases its place and its shared message. */
export type Delay = { message: ClaimedMessage; until: Date; reason: string | null; isDeferred: boolean };

export type Ending = { message: ClaimedMessage; reason: string };

/** SQL: updates each row with its own values. */
const POSTPONE = `
  UPDATE outbox o SET due_at = h.until, error = h.reason, has_place = o.has_place AND NOT h.is_deferred,
    leaves_at = CASE WHEN NOT h.is_deferred THEN o.leaves_at END, parcel_id = CASE WHEN NOT h.is_deferred THEN o.parcel_id END
  FROM (${held({ until: 'timestamptz', reason: 'text', is_deferred: 'boolean' })}) h
  WHERE o.ctid = h.at AND ${STILL_HELD}
  RETURNING ${ENDED_COLUMNS}`;

/** Schedules retries, except for messages that were claimed or requeued in the meantime; returns the deferred ones. */
export async function postpone(tx: Tx, delays: readonly Delay[]): Promise<EndedMessage[]> {
  if (delays.length === 0) return [];
  const messages = delays.map(({ message }) => message);
  await lock(tx, messages);
  const rows = await tx.query<EndedMessage>(POSTPONE, [
    ...claimsOf(messages),
    delays.map(({ until }) => until),
    delays.map(({ reason }) => reason),
    delays.map(({ isDeferred }) => isDeferred),
  ]);
  const deferred = new Set(delays.flatMap(({ message, isDeferred }) => (isDeferred ? [message.id] : [])));
  return rows.filter(({ id }) => deferred.has(id));
}

/** SQL: updates each row with its own values. */
const WITHHOLD = `
  UPDATE outbox o SET state = 'withheld', error = h.reason, finished_at = $6
  FROM (${held({ reason: 'text', of: 'text' })}) h
  WHERE o.ctid = h.at AND ${STILL_HELD} AND h.restock_id IS NOT DISTINCT FROM h.of
  RETURNING ${ENDED_COLUMNS}`;

/**
 * Ends messages unsent. One that a newer event took over since the claim is due again, because the reason applied to the older
 * event.
 */
export async function withhold(tx: Tx, endings: readonly Ending[], now: Date): Promise<EndedMessage[]> {
  if (endings.length === 0) return [];
  const messages = endings.map(({ message }) => message);
  await lock(tx, messages);
  const reasons = endings.map(({ reason }) => reason);
  const restocks = messages.map(({ restockId }) => restockId);
  const ended = await tx.query<EndedMessage>(WITHHOLD, [...claimsOf(messages), reasons, restocks, now]);
  const ids = new Set(ended.map(({ id }) => id));
  const others = messages.filter(({ id }) => !ids.has(id));
  await postpone(
    tx,
    others.map((message) => ({ message, until: now, reason: null, isDeferred: false })),
  );
  return ended;
}

/** SQL: finds the rows by key. */
const MARK_SENT = `
  UPDATE outbox o SET state = 'sent', error = NULL, finished_at = $4, payload = CASE WHEN o.lane = 'webhook' THEN o.payload END
  FROM (${held()}) h
  WHERE o.ctid = h.at AND h.state <> 'sent' AND (h.lane <> 'webhook' OR h.claimed = h.claim)
  RETURNING ${ENDED_COLUMNS}`;

/** Records deliveries, even after the lease has expired, except for a webhook event that was replayed in the meantime. */
export async function markSent(
  tx: Tx,
  messages: readonly ClaimedMessage[],
  now: Date,
): Promise<EndedMessage[]> {
  if (messages.length === 0) return [];
  await lock(tx, messages);
  return tx.query<EndedMessage>(MARK_SENT, [...claimsOf(messages), now]);
}

/** SQL: updates each row with its own values. */
const MARK_FAILED = `
  UPDATE outbox o SET state = 'failed', error = h.reason, finished_at = $5
  FROM (${held({ reason: 'text' })}) h WHERE o.ctid = h.at AND ${STILL_HELD}
  RETURNING ${ENDED_COLUMNS}`;

/** Makes dead letters, which the store can retry, except of messages that were claimed or requeued in the meantime. */
export async function markFailed(tx: Tx, endings: readonly Ending[], now: Date): Promise<EndedMessage[]> {
  if (endings.length === 0) return [];
  const messages = endings.map(({ message }) => message);
  await lock(tx, messages);
  const reasons = endings.map(({ reason }) => reason);
  return tx.query<EndedMessage>(MARK_FAILED, [...claimsOf(messages), reasons, now]);
}
