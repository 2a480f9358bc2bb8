import type { Db } from '../database/database.ts';
import type { ClaimedMessage } from './outbox.repo.ts';

/**
 * Gives the place of an alert that nobody hears, a row of `done`, back to its occasion: the next in line is queued for it. With batches it
 * is a place of the batch that is under way or was the last. Nothing happens where nobody is left to be queued.
 */
const giveBackAt = (now: string): string => `
  UPDATE restock r SET queued = r.queued - 1, next_batch_at = least(r.next_batch_at, ${now}::timestamptz),
    batch_left = CASE WHEN r.batch_at IS NOT NULL THEN coalesce(r.batch_left, 0) + 1 END
  FROM done d WHERE d.has_place AND r.pid = d.pid AND r.id = d.restock_id AND r.state = 'open'`;

/** Lets a message be tried again at `dueAt`, unless it was claimed or queued anew meanwhile. */
export async function putBack(
  db: Db,
  { pid, id, claim }: ClaimedMessage,
  dueAt: Date,
  error: string | null,
): Promise<void> {
  await db.prisma.outboxMessage.updateMany({
    where: { pid, id, state: 'queued', claim },
    data: { dueAt, error },
  });
}

/** SQL: two tables in one statement, so that a place is neither lost nor given twice. */
const DEFER = {
  name: 'defer_message',
  text: `
    WITH done AS (
      SELECT pid, id, restock_id, has_place FROM outbox WHERE pid = $1 AND id = $2 AND state = 'queued' AND claim = $3 FOR UPDATE
    ), deferred AS (
      UPDATE outbox o SET due_at = $4, error = NULL, has_place = false FROM done d WHERE o.pid = d.pid AND o.id = d.id
    )
    ${giveBackAt('$5')}`,
};

/** Lets an alert wait for the end of its contact's cool-down; meanwhile somebody else has its place. */
export async function defer(db: Db, message: ClaimedMessage, until: Date, now: Date): Promise<void> {
  await db.query(DEFER, [message.pid, message.id, message.claim, until, now]);
}

/** SQL: the same. */
const WITHHOLD = {
  name: 'withhold_message',
  text: `
    WITH done AS (
      UPDATE outbox SET state = 'withheld', error = $4, finished_at = $5
      WHERE pid = $1 AND id = $2 AND state = 'queued' AND claim = $3 AND restock_id IS NOT DISTINCT FROM $6
      RETURNING pid, id, restock_id, has_place
    ), given_back AS (${giveBackAt('$5')})
    SELECT id FROM done`,
};

/**
 * Ends a message without sending it. One that a newer restock took over since the claim is due again instead: the reason was
 * that of the older restock.
 */
export async function withhold(db: Db, message: ClaimedMessage, reason: string, now: Date): Promise<void> {
  const { pid, id, claim, restockId } = message;
  const ended = await db.query(WITHHOLD, [pid, id, claim, reason, now, restockId]);
  if (ended.length === 0) await putBack(db, message, now, null);
}

const EVENT_ROW = `
  INSERT INTO outbox (pid, id, lane, kind, recipient, payload, due_at, cts)
  SELECT d.pid, gen_random_uuid()::text, 'webhook', e.type, w.id,
    jsonb_build_object('type', e.type, 'timestamp', to_char($3::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'data', jsonb_build_object('id', d.id, 'topic', d.topic, 'epi', d.epi, 'medium', d.medium, 'value', d.recipient, 'error', d.error)),
    $3, $3
  FROM done d
  CROSS JOIN (SELECT $4::text AS type) e
  JOIN webhook w ON w.pid = d.pid AND e.type = ANY (w.events)
  WHERE d.subscription_id IS NOT NULL`;

/** SQL: every delivery runs it; five tables in one round trip. */
const MARK_SENT = {
  name: 'mark_sent',
  text: `
    WITH done AS (
      UPDATE outbox SET state = 'sent', error = NULL, finished_at = $3, payload = CASE WHEN lane = 'webhook' THEN payload END
      WHERE pid = $1 AND id = $2 AND state <> 'sent' AND (lane <> 'webhook' OR claim = $5) RETURNING *
    ), consumed AS (
      DELETE FROM subscription s USING done d WHERE s.pid = d.pid AND s.id = d.subscription_id
    ), seen AS (
      INSERT INTO alert_seen (pid, medium, value, epi, topic, sent_at)
      SELECT pid, medium, recipient, epi, topic, $3 FROM done WHERE subscription_id IS NOT NULL
      ON CONFLICT (pid, epi, topic, medium, value) DO UPDATE SET sent_at = excluded.sent_at
    ), counted AS (
      INSERT INTO tally_delta (pid, kind, key, n)
      SELECT pid, 'alert', to_char($3::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD'), 1 FROM done WHERE subscription_id IS NOT NULL
    )
    ${EVENT_ROW}`,
};

/**
 * Records a delivery. Sent is sent, also when the lease had run out; but an event that was asked for again meanwhile is still to
 * come. An alert consumes its subscription, starts the cool-down, counts in the store's figures and tells its webhooks, all in
 * this one statement.
 */
export async function markSent(db: Db, message: ClaimedMessage, now: Date): Promise<void> {
  await db.query(MARK_SENT, [message.pid, message.id, now, 'alert.sent', message.claim]);
}

/** SQL: three tables in one statement. */
const MARK_FAILED = {
  name: 'mark_failed',
  text: `
    WITH done AS (
      UPDATE outbox SET state = 'failed', error = $6, finished_at = $3
      WHERE pid = $1 AND id = $2 AND state = 'queued' AND claim = $5 RETURNING *
    ), given_back AS (${giveBackAt('$3')}), told AS (${EVENT_ROW})
    SELECT id FROM done`,
};

/**
 * Makes a message a dead letter: it is kept, shown to the store and can be tried again by hand. False when the message was claimed or
 * queued anew meanwhile, and nothing happened.
 */
export async function markFailed(
  db: Db,
  message: ClaimedMessage,
  error: string,
  now: Date,
): Promise<boolean> {
  const { pid, id, claim } = message;
  return (await db.query(MARK_FAILED, [pid, id, now, 'alert.failed', claim, error])).length === 1;
}
