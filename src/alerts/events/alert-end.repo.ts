import type { Tx } from '../../platform/database/database.ts';
import type { EndedMessage } from '../queue/acknowledge.repo.ts';

/** SQL: one statement for all events that lose places. */
const GIVE_BACK = `
  UPDATE restock r SET queued = r.queued - d.places, next_batch_at = least(r.next_batch_at, $3::timestamptz),
    batch_left = CASE WHEN r.batch_at IS NOT NULL THEN coalesce(r.batch_left, 0) + d.places END
  FROM (SELECT pid, id, count(*)::int AS places FROM unnest($1::text[], $2::text[]) AS place (pid, id) GROUP BY pid, id) d
  WHERE r.pid = d.pid AND r.id = d.id AND r.state = 'open'`;

/**
 * Gives the places of alerts that reach nobody back to their events, which queue the next subscribers for them. With batches these are places of
 * the current or last batch. Nothing happens where nobody is left to be queued.
 */
export async function giveBackPlaces(
  tx: Tx,
  alerts: readonly Pick<EndedMessage, 'pid' | 'restockId' | 'hasPlace'>[],
  now: Date,
): Promise<void> {
  const placed = alerts.filter(({ hasPlace, restockId }) => hasPlace && restockId !== null);
  if (placed.length === 0) return;
  const ids = placed.map(({ restockId }) => restockId);
  await tx.query(GIVE_BACK, [placed.map(({ pid }) => pid), ids, now]);
}

/** SQL: locks rows by their keys, for the next statement to see where they lie. */
const LOCK_SUBSCRIPTIONS = `
  SELECT FROM unnest($1::text[], $2::text[]) AS m (pid, id) CROSS JOIN LATERAL (
    SELECT pid FROM subscription WHERE id = m.id OFFSET 0 FOR UPDATE) s
  WHERE s.pid = m.pid`;

/** SQL: every delivery runs it; three tables in one round trip. */
const RECORD_SENT = `
  WITH done AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) AS d (pid, subscription_id, medium, value, epi, topic)
  ), consumed AS (
    DELETE FROM subscription WHERE ctid = ANY (ARRAY(
      SELECT s.ctid FROM done d CROSS JOIN LATERAL (
        SELECT ctid, pid FROM subscription WHERE id = d.subscription_id OFFSET 0) s WHERE s.pid = d.pid))
  ), seen AS (
    INSERT INTO alert_seen (pid, medium, value, epi, topic, sent_at)
    SELECT DISTINCT pid, medium, value, epi, topic, $7::timestamptz FROM done
    ON CONFLICT (pid, epi, topic, medium, value) DO UPDATE SET sent_at = excluded.sent_at
  )
  INSERT INTO tally_delta (pid, kind, key, n)
  SELECT pid, 'alert', to_char($7::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD'), count(*) FROM done GROUP BY pid`;

/** A sent alert consumes its subscription, starts the cool-down and counts in the store's figures. */
export async function recordSent(tx: Tx, alerts: readonly EndedMessage[], now: Date): Promise<void> {
  if (alerts.length === 0) return;
  const inOrder = [...alerts].sort((left, right) => (left.id < right.id ? -1 : 1));
  const pids = inOrder.map(({ pid }) => pid);
  const subscriptions = inOrder.map(({ subscriptionId }) => subscriptionId);
  await tx.query(LOCK_SUBSCRIPTIONS, [pids, subscriptions]);
  await tx.query(RECORD_SENT, [
    pids,
    subscriptions,
    inOrder.map(({ medium }) => medium),
    inOrder.map(({ recipient }) => recipient),
    inOrder.map(({ epi }) => epi),
    inOrder.map(({ topic }) => topic),
    now,
  ]);
}
