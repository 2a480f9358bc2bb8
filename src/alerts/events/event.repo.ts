import type { Db, Tx } from '../../platform/database/database.ts';
import { inService } from '../../platform/database/in-service.ts';
import { DAY_MS } from '../../platform/time.ts';
import { AVAILABLE } from '../../stores/products/product.repo.ts';
import { MAX_STOCK } from '../../stores/products/product.rules.ts';
import type { ProductState } from '../topics/triggers.ts';
import type { EventPlan, LiveEvent, Mark } from './event.rules.ts';

// Unnamed, so that PostgreSQL plans them at each call: the tables grow to 100,000 rows within seconds.

// SQL: set-wise. Locks price drops, because whether anyone was queued for them must not change until the price is written.
const LIVE = `
  SELECT r.topic, r.epi, r.cause, r.was_pr AS "wasPr", r.state = 'open' AND r.is_first_pass AND r.cursor_seq = 0 AND r.item_seq IS NULL AS "isPending"
  FROM unnest($2::text[]) AS e (epi) CROSS JOIN LATERAL (
    SELECT * FROM restock WHERE pid = $1 AND epi = e.epi AND state <> 'stopped' AND cause = 'pricedrop' OFFSET 0 FOR UPDATE) r
  UNION ALL
  SELECT r.topic, r.epi, r.cause, NULL, false
  FROM unnest($2::text[]) AS e (epi) JOIN restock r ON r.pid = $1 AND r.epi = e.epi AND r.state <> 'stopped' AND r.cause <> 'pricedrop'`;

export function findLive(tx: Tx, pid: string, epis: readonly string[]): Promise<LiveEvent[]> {
  return tx.query<LiveEvent>(LIVE, [pid, epis]);
}

/** SQL: set-wise, one row per variant and topic. */
const STOP = `
  UPDATE restock r SET state = 'stopped', next_batch_at = NULL
  FROM jsonb_to_recordset($2::jsonb) AS o(topic text, epi text, cause text)
  WHERE r.pid = $1 AND r.epi = o.epi AND r.topic = o.topic AND r.state <> 'stopped' AND (o.cause IS NULL OR r.cause = o.cause)`;

export async function stopTopic(tx: Tx, pid: string, topic: string): Promise<void> {
  await tx.prisma.restock.updateMany({
    where: { pid, topic, state: { not: 'stopped' } },
    data: { state: 'stopped', nextBatchAt: null },
  });
}

/** SQL: set-wise. */
const OPEN = `
  INSERT INTO restock (pid, id, topic, epi, cause, units, was_pr, cut_seq, item_cut, is_first_pass, next_batch_at, opened_at)
  SELECT $1, gen_random_uuid()::text, o.topic, o.epi, o.cause, o.units, o."wasPr", numbers.last_value,
    CASE WHEN o."listHolders" THEN items.last_value ELSE 0 END, true, $3::timestamptz + make_interval(secs => o."delaySeconds"), $3
  FROM jsonb_to_recordset($2::jsonb) AS o(
    topic text, epi text, cause text, units int, "wasPr" double precision, "delaySeconds" int, "listHolders" boolean)
  CROSS JOIN subscription_seq_seq AS numbers CROSS JOIN item_seq_seq AS items
  WHERE (SELECT true FROM subscription s WHERE s.pid = $1 AND s.epi = o.epi AND s.topic = o.topic LIMIT 1)
    OR (o."listHolders" AND (SELECT true FROM item i WHERE i.pid = $1 AND i.epi = o.epi LIMIT 1))
  ON CONFLICT (pid, epi, topic) WHERE state <> 'stopped' DO NOTHING
  RETURNING topic, epi`;

// SQL: set-wise. Notifies the remaining subscribers of the stopped event, those since the removal, and list owners not notified since.
const RESUME = `
  INSERT INTO restock (pid, id, topic, epi, cause, units, queued, carried, cut_seq, item_cut, told_since, is_first_pass, skip_from,
    skip_to, next_batch_at, opened_at)
  SELECT $1, gen_random_uuid()::text, o.topic, o.epi, o.cause, coalesce(least(was.units::bigint + o.more, ${MAX_STOCK}), o.units),
    sent.places, sent.places, numbers.last_value, CASE WHEN o."listHolders" THEN coalesce(was.item_cut, 0) ELSE 0 END,
    coalesce(was.told_since, was.opened_at), true, coalesce(was.cut_seq, 0), o."goneSince",
    $3::timestamptz + make_interval(secs => o."delaySeconds"), $3
  FROM jsonb_to_recordset($2::jsonb) AS o(
    topic text, epi text, cause text, units int, "delaySeconds" int, "listHolders" boolean, more int, "goneSince" bigint)
  CROSS JOIN subscription_seq_seq AS numbers
  LEFT JOIN LATERAL (
    SELECT r.id, r.cut_seq, r.units, r.carried, r.item_cut, r.told_since, r.opened_at FROM restock r
    WHERE r.pid = $1 AND r.epi = o.epi AND r.topic = o.topic AND r.cause = o.cause ORDER BY r.seq DESC LIMIT 1) was ON true
  CROSS JOIN LATERAL (
    SELECT coalesce(was.carried, 0) + count(*) AS places FROM outbox m
    WHERE m.pid = $1 AND m.restock_id = was.id AND m.state = 'sent' AND m.has_place) sent
  WHERE (o."listHolders" AND was.item_cut > 0) OR (SELECT true FROM subscription s WHERE s.pid = $1 AND s.epi = o.epi AND s.topic = o.topic
    AND (s.seq <= was.cut_seq OR s.seq > o."goneSince") LIMIT 1)
  ON CONFLICT (pid, epi, topic) WHERE state <> 'stopped' DO NOTHING`;

// SQL: set-wise, each row with its own number of units, capped at the column's maximum.
const ADD_UNITS = `
  UPDATE restock r SET units = least(r.units::bigint + o.units, ${MAX_STOCK}), next_batch_at = CASE WHEN r.state = 'open' THEN coalesce(r.next_batch_at, $3) END
  FROM jsonb_to_recordset($2::jsonb) AS o(topic text, epi text, cause text, units int)
  WHERE r.pid = $1 AND r.epi = o.epi AND r.topic = o.topic AND r.state <> 'stopped' AND r.cause = o.cause`;

/** SQL: set-wise. */
const SAVE_MARKS = `
  WITH given AS (SELECT * FROM jsonb_to_recordset($2::jsonb) AS m (topic text, epi text, pr double precision)), ended AS (
    DELETE FROM price_mark m USING given g WHERE g.pr IS NULL AND m.pid = $1 AND m.epi = g.epi AND m.topic = g.topic
  )
  INSERT INTO price_mark (pid, epi, topic, pr) SELECT $1, epi, topic, pr FROM given WHERE pr IS NOT NULL
  ON CONFLICT (pid, epi, topic) DO UPDATE SET pr = excluded.pr`;

/** A new event replaces a live one and takes over its unsent alerts; it opens only if it has subscribers. Returns the opened ones. */
export async function applyPlan(
  tx: Tx,
  pid: string,
  { openings = [], stops = [], resumptions = [], arrivals = [], marks = [] }: Partial<EventPlan>,
  now: Date,
): Promise<{ topic: string; epi: string }[]> {
  const run = async (statement: string, rows: readonly object[], ...more: unknown[]) =>
    rows.length === 0
      ? []
      : tx.query<{ topic: string; epi: string }>(statement, [pid, JSON.stringify(rows), ...more]);
  const replaced = openings.map(({ topic, epi }) => ({ topic, epi }));
  if (openings.length + resumptions.length + arrivals.length > 0) tx.afterCommit(tx.wake);
  await run(STOP, [...stops, ...replaced]);
  const opened = await run(OPEN, openings, now);
  await run(RESUME, resumptions, now);
  await run(ADD_UNITS, arrivals, now);
  await run(SAVE_MARKS, marks);
  return opened;
}

// SQL: set-wise. Locks open events too, to wait for a batch that is ending one.
const MISSED = `
  SELECT r.id, r.topic, r.cause, ${AVAILABLE} AS stk, p.pr, p.tags
  FROM jsonb_to_recordset($2::jsonb) AS late(topic text, epi text, seq bigint)
  JOIN product p ON p.pid = $1 AND p.epi = late.epi
  JOIN restock r ON r.pid = $1 AND r.epi = late.epi AND r.topic = late.topic AND r.state <> 'stopped' AND r.cut_seq >= late.seq
  FOR NO KEY UPDATE OF r`;

/** An event that began before a subscription was confirmed, with the current state of its variant. */
export type MissedEvent = ProductState & { id: string; topic: string; cause: string };

export type LateSubscription = { topic: string; epi: string; seq: number };

export function findMissed(tx: Tx, pid: string, late: readonly LateSubscription[]): Promise<MissedEvent[]> {
  const rows = late.map(({ topic, epi, seq }) => ({ topic, epi, seq }));
  return tx.query<MissedEvent>(MISSED, [pid, JSON.stringify(rows)]);
}

/** Reopens completed events; an event that is still open ends with a pass over all subscribers anyway. */
export async function reopenEvents(tx: Tx, pid: string, ids: readonly string[], now: Date): Promise<void> {
  tx.afterCommit(tx.wake);
  await tx.prisma.restock.updateMany({
    where: { pid, id: { in: [...ids] }, state: 'done' },
    data: { state: 'open', cursorSeq: 0, itemSeq: null, isFirstPass: false, nextBatchAt: now },
  });
}

export async function findMarks(tx: Tx, pid: string, epis: readonly string[]): Promise<Mark[]> {
  return tx.prisma.priceMark.findMany({
    where: { pid, epi: { in: [...epis] } },
    select: { topic: true, epi: true, pr: true },
  });
}

/** SQL: the schema has no relation to the messages that must be deleted first. */
const FORGET = `
  DELETE FROM restock WHERE (pid, id) IN (
    SELECT pid, id FROM restock r WHERE state <> 'open' AND opened_at < $1 AND ${inService('pid')}
      AND NOT EXISTS (SELECT FROM outbox o WHERE o.pid = r.pid AND o.restock_id = r.id AND o.state = 'queued')
    LIMIT 5000) RETURNING 1`;

/** Removes one batch of old events that have no queued messages and returns its size. */
export async function forgetAlertEvents({ db }: { db: Db }, now: Date): Promise<number> {
  return (await db.query(FORGET, [new Date(now.getTime() - 30 * DAY_MS)])).length;
}

/** Counts the alerts of a topic's live events for these variants by state. */
export async function progressOf(db: Db, pid: string, topic: string, epis: readonly string[]) {
  const live = await db.prisma.restock.findMany({
    where: { pid, epi: { in: [...epis] }, topic, state: { not: 'stopped' } },
    select: { id: true, state: true },
  });
  const groups = await db.prisma.outboxMessage.groupBy({
    by: ['state'],
    _count: true,
    where: { pid, eventId: { in: live.map(({ id }) => id) } },
  });
  const counts = Object.fromEntries(groups.map(({ state, _count: count }) => [state, count]));
  const isQueueing = live.some(({ state }) => state === 'open');
  return { isQueueing, queued: 0, sent: 0, failed: 0, withheld: 0, ...counts };
}
