import type { Tx } from '../../platform/database/database.ts';
import type { ClaimedMessage } from './outbox.repo.ts';

// Rows are found by id alone, locked, and changed where they lie (ctid). A join would read a store's whole queue right after a fan-out, when the planner
// has no statistics: 37 ms for a hundred rows against 12 (decision 9). For the same reason the statements have no names.

/** The first three parameters of a statement about claims. */
export const claimsOf = (messages: readonly ClaimedMessage[]) => [
  messages.map(({ pid }) => pid),
  messages.map(({ id }) => id),
  messages.map(({ claim }) => claim),
];

/** SQL: locks rows by their keys. */
const LOCK = `
  SELECT FROM unnest($1::text[], $2::text[]) AS m (pid, id) CROSS JOIN LATERAL (
    SELECT pid FROM outbox WHERE id = m.id OFFSET 0 FOR UPDATE) o
  WHERE o.pid = m.pid`;

/**
 * Holds messages until the transaction ends, ordered by id, so that two transactions never deadlock. It is a statement of its own: only the next one is
 * sure to see where rows lie that were changed while this one waited.
 */
export async function lock(tx: Tx, messages: readonly Pick<ClaimedMessage, 'pid' | 'id'>[]): Promise<void> {
  const inOrder = [...messages].sort((left, right) => (left.id < right.id ? -1 : 1));
  await tx.query(LOCK, [inOrder.map(({ pid }) => pid), inOrder.map(({ id }) => id)]);
}

/** The locked rows of claims, with further columns given as parameters from $4 on; `at` is where a row lies. */
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

/** Those of them that are still queued under the same claim. */
export const STILL_HELD = `h.state = 'queued' AND h.claimed = h.claim`;

/** A message whose attempt ended, as the table has it. */
export type EndedMessage = Pick<
  ClaimedMessage,
  'pid' | 'id' | 'medium' | 'recipient' | 'topic' | 'epi' | 'subscriptionId' | 'restockId'
> & { error: string | null; hasPlace: boolean };

const ENDED_COLUMNS = `o.pid, o.id, o.medium, o.recipient, o.topic, o.epi, o.subscription_id AS "subscriptionId", o.restock_id AS "restockId",
  o.error, h.has_place AS "hasPlace"`;

/** A message to be tried again, and what its attempt said. A deferred one gives its place up meanwhile, and leaves the message that it shares with others. */
export type Delay = { message: ClaimedMessage; until: Date; reason: string | null; isDeferred: boolean };

/** A message that ends without having been sent, and why. */
export type Ending = { message: ClaimedMessage; reason: string };

/** SQL: changes each row by values of its own. */
const POSTPONE = `
  UPDATE outbox o SET due_at = h.until, error = h.reason, has_place = o.has_place AND NOT h.is_deferred,
    leaves_at = CASE WHEN NOT h.is_deferred THEN o.leaves_at END, parcel_id = CASE WHEN NOT h.is_deferred THEN o.parcel_id END
  FROM (${held({ until: 'timestamptz', reason: 'text', is_deferred: 'boolean' })}) h
  WHERE o.ctid = h.at AND ${STILL_HELD}
  RETURNING ${ENDED_COLUMNS}`;

/** Lets messages be tried again later, unless they were claimed or queued anew meanwhile; returns those that it deferred. */
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

/** SQL: changes each row by values of its own. */
const WITHHOLD = `
  UPDATE outbox o SET state = 'withheld', error = h.reason, finished_at = $6
  FROM (${held({ reason: 'text', of: 'text' })}) h
  WHERE o.ctid = h.at AND ${STILL_HELD} AND h.restock_id IS NOT DISTINCT FROM h.of
  RETURNING ${ENDED_COLUMNS}`;

/** Ends messages without sending them. One that a newer event took over since the claim is due again instead: the reason was that of the older event. */
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

/** SQL: the rows are found by their keys. */
const MARK_SENT = `
  UPDATE outbox o SET state = 'sent', error = NULL, finished_at = $4, payload = CASE WHEN o.lane = 'webhook' THEN o.payload END
  FROM (${held()}) h
  WHERE o.ctid = h.at AND h.state <> 'sent' AND (h.lane <> 'webhook' OR h.claimed = h.claim)
  RETURNING ${ENDED_COLUMNS}`;

/** Records deliveries. Sent is sent, even if the lease had run out; but a webhook event that was replayed meanwhile is still to come. */
export async function markSent(
  tx: Tx,
  messages: readonly ClaimedMessage[],
  now: Date,
): Promise<EndedMessage[]> {
  if (messages.length === 0) return [];
  await lock(tx, messages);
  return tx.query<EndedMessage>(MARK_SENT, [...claimsOf(messages), now]);
}

/** SQL: changes each row by values of its own. */
const MARK_FAILED = `
  UPDATE outbox o SET state = 'failed', error = h.reason, finished_at = $5
  FROM (${held({ reason: 'text' })}) h WHERE o.ctid = h.at AND ${STILL_HELD}
  RETURNING ${ENDED_COLUMNS}`;

/** Makes messages dead letters, which the store sees and can retry; one that was claimed or queued anew meanwhile stays as it is. */
export async function markFailed(tx: Tx, endings: readonly Ending[], now: Date): Promise<EndedMessage[]> {
  if (endings.length === 0) return [];
  const messages = endings.map(({ message }) => message);
  await lock(tx, messages);
  const reasons = endings.map(({ reason }) => reason);
  return tx.query<EndedMessage>(MARK_FAILED, [...claimsOf(messages), reasons, now]);
}
