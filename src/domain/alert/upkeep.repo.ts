import type { Db } from '../../database/database.ts';

/** Rows removed by one statement. */
const PORTION = 5_000;

const OLD_ROWS = {
  messages: `
    DELETE FROM outbox WHERE (pid, id) IN (SELECT pid, id FROM outbox WHERE finished_at < $1 ORDER BY finished_at LIMIT ${PORTION}) RETURNING 1`,
  restocks: `
    DELETE FROM restock WHERE (pid, id) IN (
      SELECT pid, id FROM restock r WHERE state <> 'open' AND opened_at < $1
        AND NOT EXISTS (SELECT FROM outbox o WHERE o.pid = r.pid AND o.restock_id = r.id AND o.state = 'queued')
      LIMIT ${PORTION}) RETURNING 1`,
  seen: `
    DELETE FROM alert_seen WHERE (pid, epi, topic, medium, value) IN (
      SELECT pid, epi, topic, medium, value FROM alert_seen WHERE sent_at < $1 LIMIT ${PORTION}) RETURNING 1`,
  removed: `
    DELETE FROM removed_product WHERE (pid, epi) IN (
      SELECT pid, epi FROM removed_product WHERE at < $1 ORDER BY at LIMIT ${PORTION}) RETURNING 1`,
  subscriptions: `
    DELETE FROM subscription WHERE (pid, id) IN (
      SELECT s.pid, s.id FROM topic t
      JOIN subscription s ON s.pid = t.pid AND s.topic = t.name AND coalesce(s.renewed_at, s.cts) <= $1::timestamptz - make_interval(days => t.expiry_days)
      WHERE t.expiry_days IS NOT NULL LIMIT ${PORTION}) RETURNING 1`,
} as const;

/** What has a time to be forgotten. */
export type OldRows = keyof typeof OLD_ROWS;

/** Removes one portion of what is older than `before`; true when there may be more. */
export async function removeOldRows(db: Db, what: OldRows, before: Date): Promise<boolean> {
  return (await db.query(OLD_ROWS[what], [before])).length === PORTION;
}
