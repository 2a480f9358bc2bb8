import type { ClaimedMessage } from '../../alerts/queue/outbox.repo.ts';
import { arraysOf } from '../../platform/database/columns.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { IN_SERVICE } from '../../platform/database/in-service.ts';
import { dayIn } from '../../platform/time-zone.ts';
import { DAY_MS } from '../../platform/time.ts';
import { SHOPPER, shopperKey } from '../../shoppers/contacts/consent.repo.ts';
import type { PersonKey } from '../../shoppers/contacts/consent.repo.ts';
import { variantUrl } from '../products/product.rules.ts';
import type { ZonedStore } from '../reports/report.repo.ts';
import { findSender } from '../sender.repo.ts';

/** Whether an alert may be tracked, and whether the catalogue has its product, so that its link can be short. */
type LinkFacts = { isTracked: boolean; isInCatalogue: boolean };

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
          WHERE m.subscription IS NULL AND a.pid = m.pid AND a.medium = m.medium AND a.value = m.value) AS "isTracked",
      EXISTS (SELECT FROM product p WHERE p.pid = m.pid AND p.epi = m.epi) AS "isInCatalogue"
    FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) WITH ORDINALITY
      AS m(pid, medium, value, subscription, epi, position)
    LEFT JOIN store s ON s.pid = m.pid
    ORDER BY m.position`,
};

export function loadLinkFacts(db: Db, alerts: readonly ClaimedMessage[]): Promise<LinkFacts[]> {
  const params = arraysOf(alerts, 'pid', 'medium', 'recipient', 'subscriptionId', 'epi');
  return db.query<LinkFacts>(LINK_FACTS, params);
}

/** The alert of a link, which names it by id, or by the numbers of its store and its own, and the product's page. */
export async function findTarget(db: Db, link: { alertId: string } | { linkNo: number; seq: number }) {
  const named = 'linkNo' in link ? await findSender(db, { linkNo: link.linkNo }) : null;
  if ('linkNo' in link && named === null) return null;
  const key = 'linkNo' in link ? { pid: named!.pid, seq: link.seq } : { id: link.alertId };
  const select = { id: true, pid: true, epi: true } as const;
  const alert = await db.prisma.outboxMessage.findFirst({ where: { ...key, lane: 'alert' }, select });
  const store = named ?? (alert && (await findSender(db, { pid: alert.pid })));
  if (alert === null || store === null) return null;
  const where = { pid: store.pid, epi: alert.epi! };
  const product = await db.prisma.product.findFirst({ where, select: { uri: true, du: true, epi: true } });
  return { alertId: alert.id, store, url: product && variantUrl(product) };
}

/** SQL: records the click and counts it in one statement, where it may be tracked. It locks the alert, so that an erasure that deletes it also finds the click. */
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
      SELECT pid, 'click', $4 || ' ' || topic, 1 FROM clicked WHERE is_new)
    SELECT is_new AS "isNew" FROM clicked`,
};

export async function recordClick(db: Db, { pid, pacing }: ZonedStore, alertId: string, now: Date) {
  return (await db.query(RECORD, [pid, alertId, now, dayIn(pacing.timeZone, now)])).length > 0;
}

/** The contacts that confirmed a request of a shopper. */
export function findOptedIn(db: Db, pid: string, regid: string): Promise<PersonKey[]> {
  return db.prisma.contactProof.findMany({ where: { pid, regid }, take: 100 });
}

export async function allowTracking(tx: Tx, pid: string, keys: readonly PersonKey[]): Promise<void> {
  await tx.prisma.unmeasured.deleteMany({ where: { pid, OR: [...keys] } });
}

export async function declineTracking(tx: Tx, pid: string, keys: readonly PersonKey[], now: Date) {
  const data = keys.map((key) => ({ pid, ...key, cts: now }));
  await tx.prisma.unmeasured.createMany({ data, skipDuplicates: true });
}

/** An order keeps its sums when its person is removed. */
const ANONYMOUS = { regid: null, email: null, phone: null, lines: [], isNameless: true };

/** Deletes whose clicks and orders these were; all figures stay. */
export async function anonymise(tx: Tx, pid: string, keys: readonly PersonKey[]): Promise<void> {
  const regids = keys.flatMap(({ medium, value }) => (medium === SHOPPER ? [value] : []));
  const values = keys.flatMap(({ medium, value }) => (medium === SHOPPER ? [] : [value]));
  await tx.prisma.alertClick.deleteMany({ where: { pid, OR: [...keys] } });
  const OR = [{ regid: { in: regids } }, { email: { in: values } }, { phone: { in: values } }];
  await tx.prisma.orderReport.updateMany({ where: { pid, OR }, data: ANONYMOUS });
}

/** Moves a guest's orders and its choice to its account. */
export async function moveTracking(tx: Tx, pid: string, guest: string, account: string, now: Date) {
  await tx.prisma.orderReport.updateMany({ where: { pid, regid: guest }, data: { regid: account } });
  const { count } = await tx.prisma.unmeasured.deleteMany({ where: { pid, ...shopperKey(guest) } });
  if (count > 0) await declineTracking(tx, pid, [shopperKey(account)], now);
}

/** Clicks and buyers are kept for this long after the attribution window, because orders are reported late. */
const GRACE_DAYS = 30;
/** Orders older than a year cannot be reported, so that a repeat need not be recognised. */
const ORDER_DAYS = 400;

/** Deletes a batch of old clicks and buyers; the sums stay. Returns how many. */
export async function forgetBuyers({ db }: { db: Db }, now: Date): Promise<number> {
  const { store, alertClick, orderReport } = db.prisma;
  const before = (days: number) => ({ lt: new Date(now.getTime() - days * DAY_MS) });
  const limit = 1_000;
  let { count } = await orderReport.deleteMany({
    where: { ...IN_SERVICE, reportedAt: before(ORDER_DAYS) },
    limit,
  });
  for (const { attributionDays } of await store.groupBy({ by: ['attributionDays'] })) {
    const old = before(attributionDays + GRACE_DAYS);
    const theirs = { store: { ...IN_SERVICE.store, attributionDays } };
    count += (await alertClick.deleteMany({ where: { ...theirs, lastAt: old }, limit })).count;
    const where = { ...theirs, isNameless: false, reportedAt: old };
    count += (await orderReport.updateMany({ where, data: ANONYMOUS, limit })).count;
  }
  return count;
}
