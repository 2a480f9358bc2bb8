import type { Tx } from '../../platform/database/database.ts';
import type { ClaimedMessage } from './outbox.repo.ts';

// Set-wise: a lane hands over all that ended while the statement before was under way. Without names, as those of outbox.repo.ts. Rows are found one by
// one through their key, locked, and then changed where they lie. A join would read all of a store's queue for each row wherever the planner knows little
// of it, and right after a restock it does: 37 ms for a hundred rows against 12. They are looked up by id alone, and their store is compared outside: only the key can
// serve that (decision 9). Where a row lies says all: with `pid` beside it the planner reads the whole
// queue of the store and looks which rows lie there.

/** A statement's first three parameters. */
export const claimsOf = (messages: readonly ClaimedMessage[]) => [
  messages.map(({ pid }) => pid),
  messages.map(({ id }) => id),
  messages.map(({ claim }) => claim),
];

/** SQL: locks rows of two tables by their keys, and nothing else. */
const LOCK = `
  SELECT FROM unnest($1::text[], $2::text[]) AS m (pid, id) CROSS JOIN LATERAL (
    SELECT pid, subscription_id FROM outbox WHERE id = m.id OFFSET 0 FOR UPDATE) o
  LEFT JOIN LATERAL (
    SELECT pid FROM subscription WHERE id = o.subscription_id OFFSET 0 FOR UPDATE) s ON s.pid = o.pid
  WHERE o.pid = m.pid`;

/**
 * Holds messages and their subscriptions until the transaction ends, in an order, so that two never wait for each other. Only the next statement sees
 * for sure where the rows lie then: somebody may have changed them while this one waited.
 */
export async function lock(tx: Tx, messages: readonly Pick<ClaimedMessage, 'pid' | 'id'>[]): Promise<void> {
  const inOrder = [...messages].sort((left, right) => (left.id < right.id ? -1 : 1));
  await tx.query(LOCK, [inOrder.map(({ pid }) => pid), inOrder.map(({ id }) => id)]);
}

/**
 * The locked rows of claims, which are a statement's first three parameters, and of what else it has to say about each; `at` is where a row lies.
 */
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

/** Those of them that still wait, as they were claimed. */
export const STILL_HELD = `h.state = 'queued' AND h.claimed = h.claim`;

/**
 * Gives the places of alerts that nobody hears, rows of `done`, back to their occasions: the next in line are queued for them. With batches they
 * are places of the batch that is under way or was the last. Nothing happens where nobody is left to be queued.
 */
export const giveBackAt = (now: string): string => `
  UPDATE restock r SET queued = r.queued - d.places, next_batch_at = least(r.next_batch_at, ${now}::timestamptz),
    batch_left = CASE WHEN r.batch_at IS NOT NULL THEN coalesce(r.batch_left, 0) + d.places END
  FROM (SELECT pid, restock_id, count(*)::int AS places FROM done WHERE has_place GROUP BY pid, restock_id) d
  WHERE r.pid = d.pid AND r.id = d.restock_id AND r.state = 'open'`;

/** A message that is to wait, until when, and what its try said. In a cool-down somebody else has its place meanwhile, and it leaves no message that others wait in. */
export type Delay = { message: ClaimedMessage; until: Date; reason: string | null; isPlaceFree: boolean };

/** A message that ends without having been sent, and why. */
export type Ending = { message: ClaimedMessage; reason: string };

/** SQL: two tables in one statement, so that a place is neither lost nor given twice. */
const POSTPONE = `
  WITH held AS (${held({ until: 'timestamptz', reason: 'text', is_free: 'boolean' })}), waiting AS (
    UPDATE outbox o SET due_at = h.until, error = h.reason, has_place = o.has_place AND NOT h.is_free,
      leaves_at = CASE WHEN NOT h.is_free THEN o.leaves_at END, parcel_id = CASE WHEN NOT h.is_free THEN o.parcel_id END
    FROM held h WHERE o.ctid = h.at AND ${STILL_HELD}
  ), done AS (
    SELECT * FROM held h WHERE ${STILL_HELD} AND h.is_free
  )
  ${giveBackAt('$7')}`;

/** Lets messages be tried again later, unless they were claimed or queued anew meanwhile. */
export async function postpone(tx: Tx, delays: readonly Delay[], now: Date): Promise<void> {
  if (delays.length === 0) return;
  const messages = delays.map(({ message }) => message);
  await lock(tx, messages);
  const claims = claimsOf(messages);
  const times = delays.map(({ until }) => until);
  const reasons = delays.map(({ reason }) => reason);
  const frees = delays.map(({ isPlaceFree }) => isPlaceFree);
  await tx.query(POSTPONE, [...claims, times, reasons, frees, now]);
}

/** SQL: the same two tables. */
const WITHHOLD = `
  WITH held AS (${held({ reason: 'text', of: 'text' })}), done AS (
    UPDATE outbox o SET state = 'withheld', error = h.reason, finished_at = $6
    FROM held h WHERE o.ctid = h.at AND ${STILL_HELD} AND h.restock_id IS NOT DISTINCT FROM h.of
    RETURNING o.pid, o.id, o.restock_id, o.has_place
  ), given_back AS (${giveBackAt('$6')})
  SELECT id FROM done`;

/**
 * Ends messages without sending them. One that a newer restock took over since the claim is due again instead: the reason was
 * that of the older restock.
 */
export async function withhold(tx: Tx, endings: readonly Ending[], now: Date): Promise<void> {
  if (endings.length === 0) return;
  const messages = endings.map(({ message }) => message);
  await lock(tx, messages);
  const reasons = endings.map(({ reason }) => reason);
  const restocks = messages.map(({ restockId }) => restockId);
  const rows = await tx.query<{ id: string }>(WITHHOLD, [...claimsOf(messages), reasons, restocks, now]);
  const ended = new Set(rows.map(({ id }) => id));
  const others = messages.filter(({ id }) => !ended.has(id));
  const delays = others.map((message) => ({ message, until: now, reason: null, isPlaceFree: false }));
  await postpone(tx, delays, now);
}

/** What webhooks are told of the alerts in `done`; the parameters are the time and the type of event. */
const eventRows = (now: string, type: string): string => `
  INSERT INTO outbox (pid, id, lane, kind, recipient, payload, due_at, cts)
  SELECT d.pid, gen_random_uuid()::text, 'webhook', ${type}::text, w.id,
    jsonb_build_object('type', ${type}::text, 'timestamp', to_char(${now}::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'data', jsonb_build_object('id', d.id, 'topic', d.topic, 'epi', d.epi, 'medium', d.medium, 'value', d.recipient, 'error', d.error)),
    ${now}, ${now}
  FROM done d
  JOIN webhook w ON w.pid = d.pid AND ${type}::text = ANY (w.events)
  WHERE d.lane = 'alert'`;

/** SQL: every delivery runs it; five tables in one round trip. */
const MARK_SENT = `
  WITH held AS (${held()}), done AS (
    UPDATE outbox o SET state = 'sent', error = NULL, finished_at = $4, payload = CASE WHEN o.lane = 'webhook' THEN o.payload END
    WHERE o.ctid = ANY (ARRAY(
      SELECT at FROM held WHERE state <> 'sent' AND (lane <> 'webhook' OR claimed = claim)))
    RETURNING o.pid, o.id, o.lane, o.topic, o.epi, o.medium, o.recipient, o.error, o.subscription_id
  ), consumed AS (
    DELETE FROM subscription WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM done d CROSS JOIN LATERAL (
        SELECT ctid, pid FROM subscription WHERE id = d.subscription_id OFFSET 0) s WHERE s.pid = d.pid))
  ), seen AS (
    INSERT INTO alert_seen (pid, medium, value, epi, topic, sent_at)
    SELECT DISTINCT pid, medium, recipient, epi, topic, $4::timestamptz FROM done WHERE lane = 'alert'
    ON CONFLICT (pid, epi, topic, medium, value) DO UPDATE SET sent_at = excluded.sent_at
  ), counted AS (
    INSERT INTO tally_delta (pid, kind, key, n)
    SELECT pid, 'alert', to_char($4::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD'), count(*)
    FROM done WHERE lane = 'alert' GROUP BY pid
  )
  ${eventRows('$4', '$5')}`;

/**
 * Records deliveries. Sent is sent, also when the lease had run out; but an event that was asked for again meanwhile is still to
 * come. An alert consumes its subscription, starts the cool-down, counts in the store's figures and tells its webhooks, all in
 * this one statement.
 */
export async function markSent(tx: Tx, messages: readonly ClaimedMessage[], now: Date): Promise<void> {
  if (messages.length === 0) return;
  await lock(tx, messages);
  await tx.query(MARK_SENT, [...claimsOf(messages), now, 'alert.sent']);
}

/** SQL: three tables in one statement. */
const MARK_FAILED = `
  WITH held AS (${held({ reason: 'text' })}), done AS (
    UPDATE outbox o SET state = 'failed', error = h.reason, finished_at = $5
    FROM held h WHERE o.ctid = h.at AND ${STILL_HELD}
    RETURNING o.pid, o.id, o.lane, o.topic, o.epi, o.medium, o.recipient, o.error, o.restock_id, o.has_place
  ), given_back AS (${giveBackAt('$5')}), told AS (${eventRows('$5', '$6')})
  SELECT id FROM done`;

/**
 * Makes messages dead letters: they are kept, shown to the store and can be tried again by hand. Answers how many; one that was claimed or
 * queued anew meanwhile stays as it is.
 */
export async function markFailed(tx: Tx, endings: readonly Ending[], now: Date): Promise<number> {
  if (endings.length === 0) return 0;
  const messages = endings.map(({ message }) => message);
  await lock(tx, messages);
  const claims = claimsOf(messages);
  const reasons = endings.map(({ reason }) => reason);
  return (await tx.query(MARK_FAILED, [...claims, reasons, now, 'alert.failed'])).length;
}
