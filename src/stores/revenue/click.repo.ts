import { variantUrl } from '../../platform/variant-url.ts';
import type { Db } from '../../platform/database/database.ts';
import type { ClaimedMessage } from '../../alerts/queue/outbox.repo.ts';
import { findSender, findSenderByNo } from '../sender.repo.ts';
import type { Sender } from '../sender.repo.ts';

/** Whether the clicks of an alert may count, and whether the catalogue will know where its link leads. */
export type LinkFacts = { isMeasured: boolean; isInCatalogue: boolean };

/** SQL: every batch of alerts runs it; four tables in one round trip. */
const LINK_FACTS = {
  name: 'link_facts',
  text: `
    SELECT s.measure_alerts
        AND NOT EXISTS (SELECT FROM unmeasured u WHERE u.pid = m.pid AND u.medium = m.medium AND u.value = m.value)
        AND NOT EXISTS (
          SELECT FROM subscription_request q JOIN unmeasured u ON u.pid = q.pid AND u.medium = 'shopper' AND u.value = q.regid
          WHERE q.pid = m.pid AND q.subscription_id = m.subscription)
        AND NOT EXISTS (
          SELECT FROM mailing_answer a JOIN unmeasured u ON u.pid = a.pid AND u.medium = 'shopper' AND u.value = a.regid
          WHERE m.subscription IS NULL AND a.pid = m.pid AND a.medium = m.medium AND a.value = m.value) AS "isMeasured",
      EXISTS (SELECT FROM product p WHERE p.pid = m.pid AND p.epi = m.epi) AS "isInCatalogue"
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY
      AS m(pid, medium, value, subscription, epi, position)
    LEFT JOIN store s ON s.pid = m.pid
    ORDER BY m.position`,
};

/** Reads what decides on the links of claimed alerts, in their order. */
export function loadLinkFacts(db: Db, alerts: readonly ClaimedMessage[]): Promise<LinkFacts[]> {
  return db.query<LinkFacts>(LINK_FACTS, [
    alerts.map(({ pid }) => pid),
    alerts.map(({ medium }) => medium),
    alerts.map(({ recipient }) => recipient),
    alerts.map(({ subscriptionId }) => subscriptionId),
    alerts.map(({ epi }) => epi),
  ]);
}

/** Where the link of an alert leads, as its product says today. */
export type AlertTarget = { alertId: string; store: Sender; url: string | null };

/** The store of an alert and the address of its product; null when the alert is not known any more. */
export async function findTarget(db: Db, alertId: string): Promise<AlertTarget | null> {
  const alert = await db.prisma.outboxMessage.findFirst({
    where: { id: alertId, lane: 'alert' },
    select: { id: true, pid: true, epi: true },
  });
  const store = alert && (await findSender(db, alert.pid));
  return alert && store && targetOf(db, store, alert);
}

/** The same for an alert that a brief link names by the numbers of its store and its own. */
export async function findBriefTarget(
  db: Db,
  { linkNo, seq }: { linkNo: number; seq: number },
): Promise<AlertTarget | null> {
  const store = await findSenderByNo(db, linkNo);
  if (store === null) return null;
  const alert = await db.prisma.outboxMessage.findFirst({
    where: { pid: store.pid, seq, lane: 'alert' },
    select: { id: true, epi: true },
  });
  return alert && targetOf(db, store, alert);
}

async function targetOf(
  db: Db,
  store: Sender,
  alert: { id: string; epi: string | null },
): Promise<AlertTarget> {
  const product = await db.prisma.product.findFirst({
    where: { pid: store.pid, epi: alert.epi! },
    select: { uri: true, du: true, epi: true },
  });
  return { alertId: alert.id, store, url: product && variantUrl(product) };
}

/**
 * SQL: notes the click and counts it in one statement, unless the alert, its store or its contact rules that out. The alert is held meanwhile: an
 * erasure that takes it away takes the click along.
 */
const RECORD = {
  name: 'record_click',
  text: `
    WITH clicked AS (
      INSERT INTO alert_click AS c (pid, alert_id, topic, epi, empi, medium, value, first_at, last_at)
      SELECT o.pid, o.id, o.topic, o.epi, (SELECT p.empi FROM product p WHERE p.pid = o.pid AND p.epi = o.epi), o.medium, o.recipient, $3, $3
      FROM outbox o JOIN store s ON s.pid = o.pid AND s.measure_alerts
      WHERE o.id = $2 AND o.pid = $1 AND o.lane = 'alert' AND NOT EXISTS (
        SELECT FROM unmeasured u WHERE u.pid = o.pid AND u.medium = o.medium AND u.value = o.recipient)
      FOR KEY SHARE OF o
      ON CONFLICT (pid, alert_id) DO UPDATE SET last_at = greatest(c.last_at, excluded.last_at)
      RETURNING c.pid, c.topic, c.xmax = 0 AS is_new),
    counted AS (
      INSERT INTO tally_delta (pid, kind, key, n)
      SELECT pid, 'click', to_char($3::timestamptz AT TIME ZONE 'UTC', 'YYYY-MM-DD') || ' ' || topic, 1 FROM clicked WHERE is_new)
    SELECT is_new AS "isNew" FROM clicked`,
};

/** Notes that the link of an alert was opened; false where that does not count. */
export async function recordClick(db: Db, pid: string, alertId: string, now: Date): Promise<boolean> {
  return (await db.query(RECORD, [pid, alertId, now])).length > 0;
}
