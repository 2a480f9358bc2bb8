import { arraysOf } from '../../platform/database/columns.ts';
import type { Tx } from '../../platform/database/database.ts';
import type { Outcome } from '../send/outcome.ts';
import type { ClaimedMessage } from './outbox.repo.ts';

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
};

export type EndedMessage = Pick<
  ClaimedMessage,
  'pid' | 'id' | 'medium' | 'recipient' | 'topic' | 'epi' | 'subscriptionId' | 'eventId'
> &
  Pick<MessageEnd, 'kind' | 'isContactGone'> & { error: string | null; hasPlace: boolean };

const ENDS = { kind: 'text', reason: 'text', until: 'timestamptz', is_gone: 'boolean', event_id: 'text' };

// A deferred message releases its place. One that a newer event took over is due again, because the reason applied to the older event.
/** SQL: updates each row with its own values. */
const RECORD = `
  UPDATE outbox o SET state = CASE WHEN h.kind IN ('retry', 'deferred') THEN 'queued' ELSE h.kind END, error = h.reason,
    due_at = coalesce(h.until, o.due_at), finished_at = CASE WHEN h.kind NOT IN ('retry', 'deferred') THEN $9::timestamptz END,
    payload = CASE WHEN h.kind <> 'sent' OR o.lane = 'webhook' THEN o.payload END, has_place = o.has_place AND h.kind <> 'deferred',
    leaves_at = CASE WHEN h.kind <> 'deferred' THEN o.leaves_at END, parcel_id = CASE WHEN h.kind <> 'deferred' THEN o.parcel_id END
  FROM (
    SELECT h.at, h.lane, h.state, h.claim, h.claimed, h.has_place, h.is_gone, new.*
    FROM (${held(ENDS)}) h CROSS JOIN LATERAL (SELECT h.kind = 'withheld' AND h.restock_id IS DISTINCT FROM h.event_id AS is_moved) event
    CROSS JOIN LATERAL (SELECT CASE WHEN is_moved THEN 'retry' ELSE h.kind END AS kind, CASE WHEN NOT is_moved THEN h.reason END AS reason,
      CASE WHEN is_moved THEN $9 ELSE h.until END AS until) new) h
  WHERE o.ctid = h.at AND CASE WHEN h.kind = 'sent' THEN h.state <> 'sent' AND (h.lane <> 'webhook' OR h.claimed = h.claim) ELSE ${STILL_HELD} END
  RETURNING o.pid, o.id, o.medium, o.recipient, o.topic, o.epi, o.subscription_id AS "subscriptionId", o.restock_id AS "eventId", o.error,
    h.kind, h.has_place AS "hasPlace", h.is_gone AS "isContactGone"`;

/** Skips messages that were claimed or requeued meanwhile; a delivery counts even then, except of a replayed webhook event. */
export async function recordEnds(tx: Tx, ends: readonly MessageEnd[], now: Date): Promise<EndedMessage[]> {
  const messages = ends.map(({ message }) => message);
  await lock(tx, messages);
  const values = arraysOf(ends, 'kind', 'reason', 'until', 'isContactGone');
  const params = [...claimsOf(messages), ...values, ...arraysOf(messages, 'eventId'), now];
  return tx.query<EndedMessage>(RECORD, params);
}
