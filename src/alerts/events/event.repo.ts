import type { Db, Tx } from '../../platform/database/database.ts';
import { AVAILABLE } from '../../stores/products/product.repo.ts';
import { MAX_STOCK } from '../../stores/products/product.rules.ts';
import type { MessageState } from '../queue/outbox.repo.ts';
import type { ProductState } from '../topics/triggers.ts';
import type { LiveOccasion } from './price.rules.ts';
import { FIRST_PASS } from './queue.repo.ts';
import type { Opening, RestockPlan, Resumption } from './event.rules.ts';

// The statements of this file are planned at each call: these tables grow from nothing to 100,000 rows within seconds, and a plan
// from before would read them whole.
// Those whose fall of price nobody has heard of yet are locked: whether that is so must not change until the price is written.
// SQL: set-wise; says by the cursors whether anybody was queued, and locks.
const LIVE = `
  SELECT r.topic, r.epi, r.cause, r.was_pr AS "wasPr", r.state = 'open' AND r.cursor_seq = ${FIRST_PASS} AND r.item_seq IS NULL AS "isPending"
  FROM unnest($2::text[]) AS e (epi) CROSS JOIN LATERAL (
    SELECT * FROM restock WHERE pid = $1 AND epi = e.epi AND state <> 'stopped' AND cause = 'pricedrop' OFFSET 0 FOR UPDATE) r
  UNION ALL
  SELECT r.topic, r.epi, r.cause, NULL, false
  FROM unnest($2::text[]) AS e (epi) JOIN restock r ON r.pid = $1 AND r.epi = e.epi AND r.state <> 'stopped' AND r.cause <> 'pricedrop'`;

/** The occasions of some variants that have not ended. */
export function findLive(tx: Tx, pid: string, epis: readonly string[]): Promise<LiveOccasion[]> {
  return tx.query<LiveOccasion>(LIVE, [pid, epis]);
}

// SQL: set-wise, a row a variant and topic.
const STOP = `
  UPDATE restock r SET state = 'stopped', next_batch_at = NULL
  FROM jsonb_to_recordset($2::jsonb) AS o(topic text, epi text, cause text)
  WHERE r.pid = $1 AND r.epi = o.epi AND r.topic = o.topic AND r.state <> 'stopped' AND (o.cause IS NULL OR r.cause = o.cause)`;

/** Ends occasions; alerts of theirs that are not sent yet will be withheld. Only of one cause where it is given. */
export async function stopRestocks(
  tx: Tx,
  pid: string,
  stops: readonly { topic: string; epi: string; cause?: string }[],
): Promise<void> {
  if (stops.length > 0) await tx.query(STOP, [pid, JSON.stringify(stops)]);
}

/** Ends all occasions of a topic. */
export async function stopTopic(tx: Tx, pid: string, topic: string): Promise<void> {
  await tx.prisma.restock.updateMany({
    where: { pid, topic, state: { not: 'stopped' } },
    data: { state: 'stopped', nextBatchAt: null },
  });
}

/** SQL: set-wise, and opens only where anybody waits and nothing is open. */
const OPEN = `
  INSERT INTO restock (pid, id, topic, epi, cause, units, was_pr, cut_seq, item_cut, cursor_seq, next_batch_at, opened_at)
  SELECT $1, gen_random_uuid()::text, o.topic, o.epi, o.cause, o.units, o."wasPr", numbers.last_value,
    CASE WHEN o."listHolders" THEN items.last_value ELSE 0 END, ${FIRST_PASS}, $3::timestamptz + make_interval(secs => o."delaySeconds"), $3
  FROM jsonb_to_recordset($2::jsonb) AS o(
    topic text, epi text, cause text, units int, "wasPr" double precision, "delaySeconds" int, "listHolders" boolean)
  CROSS JOIN subscription_seq_seq AS numbers CROSS JOIN item_seq_seq AS items
  WHERE (SELECT true FROM subscription s WHERE s.pid = $1 AND s.epi = o.epi AND s.topic = o.topic LIMIT 1)
    OR (o."listHolders" AND (SELECT true FROM item i WHERE i.pid = $1 AND i.epi = o.epi LIMIT 1))
  ON CONFLICT (pid, epi, topic) WHERE state <> 'stopped' DO NOTHING
  RETURNING topic, epi`;

/** Opens occasions where anybody waits, one at a time for a variant and topic. Answers those it opened. */
export async function openRestocks(
  tx: Tx,
  pid: string,
  openings: readonly Opening[],
  now: Date,
): Promise<{ topic: string; epi: string }[]> {
  if (openings.length === 0) return [];
  tx.afterCommit(tx.wake);
  return tx.query<{ topic: string; epi: string }>(OPEN, [pid, JSON.stringify(openings), now]);
}

// The occasion that the removal stopped goes on as a new one: who was still to hear of it does, with the units that it had left, and so does
// everybody who subscribed while the product was away. Those between them subscribed while it was there, and wait for the next restock. Of list
// holders those go on to hear who had it in a list when the first of these occasions opened, and have not heard since.
// SQL: set-wise, from the occasion before.
const RESUME = `
  INSERT INTO restock (pid, id, topic, epi, cause, units, queued, carried, cut_seq, item_cut, told_since, cursor_seq, skip_from,
    skip_to, next_batch_at, opened_at)
  SELECT $1, gen_random_uuid()::text, o.topic, o.epi, o.cause, coalesce(least(was.units::bigint + o.more, ${MAX_STOCK}), o.units),
    sent.places, sent.places, numbers.last_value, CASE WHEN o."listHolders" THEN coalesce(was.item_cut, 0) ELSE 0 END,
    coalesce(was.told_since, was.opened_at), ${FIRST_PASS}, coalesce(was.cut_seq, 0), o."goneSince",
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

/** Lets occasions go on whose product is there again. */
export async function resumeRestocks(
  tx: Tx,
  pid: string,
  resumptions: readonly Resumption[],
  now: Date,
): Promise<void> {
  if (resumptions.length === 0) return;
  tx.afterCommit(tx.wake);
  await tx.query(RESUME, [pid, JSON.stringify(resumptions), now]);
}

// Units of many deliveries may come to more than the column holds; then everybody hears in any case.
// SQL: set-wise, each row by units of its own.
const ADD_UNITS = `
  UPDATE restock r SET units = least(r.units::bigint + o.units, ${MAX_STOCK}), next_batch_at = CASE WHEN r.state = 'open' THEN coalesce(r.next_batch_at, $3) END
  FROM jsonb_to_recordset($2::jsonb) AS o(topic text, epi text, cause text, units int)
  WHERE r.pid = $1 AND r.epi = o.epi AND r.topic = o.topic AND r.state <> 'stopped' AND r.cause = o.cause`;

/** Counts further units to the occasions they belong to. */
export async function addUnits(
  tx: Tx,
  pid: string,
  arrivals: RestockPlan['arrivals'],
  now: Date,
): Promise<void> {
  if (arrivals.length === 0) return;
  tx.afterCommit(tx.wake);
  await tx.query(ADD_UNITS, [pid, JSON.stringify(arrivals), now]);
}

// Open ones are locked too: that waits for a portion that is just ending them.
// SQL: set-wise, and locks.
const MISSED = `
  SELECT r.id, r.topic, r.cause, ${AVAILABLE} AS stk, p.pr, p.tags
  FROM jsonb_to_recordset($2::jsonb) AS late(topic text, epi text, seq bigint)
  JOIN product p ON p.pid = $1 AND p.epi = late.epi
  JOIN restock r ON r.pid = $1 AND r.epi = late.epi AND r.topic = late.topic AND r.state <> 'stopped' AND r.cut_seq >= late.seq
  FOR NO KEY UPDATE OF r`;

/** An occasion that began while a subscription waited for its confirmation, and what its variant is now. */
export type MissedOccasion = ProductState & { id: string; topic: string; cause: string };

/** The occasions of such subscriptions that have not ended. */
export function findMissed(
  tx: Tx,
  pid: string,
  late: readonly { topic: string; epi: string; seq: number }[],
): Promise<MissedOccasion[]> {
  const rows = late.map(({ topic, epi, seq }) => ({ topic, epi, seq }));
  return tx.query<MissedOccasion>(MISSED, [pid, JSON.stringify(rows)]);
}

/** Lets occasions go on that have told everybody; one whose subscribers are still being queued ends with a pass over all of them. */
export async function reopenRestocks(tx: Tx, pid: string, ids: readonly string[], now: Date): Promise<void> {
  tx.afterCommit(tx.wake);
  await tx.prisma.restock.updateMany({
    where: { pid, id: { in: [...ids] }, state: 'done' },
    data: { state: 'open', cursorSeq: 0, itemSeq: null, nextBatchAt: now },
  });
}

/** Rows removed by one statement. */
const FORGOTTEN_AT_ONCE = 5_000;

/** SQL: there is no relation to the messages that must be gone first. */
const FORGET = `
  DELETE FROM restock WHERE (pid, id) IN (
    SELECT pid, id FROM restock r WHERE state <> 'open' AND opened_at < $1
      AND NOT EXISTS (SELECT FROM outbox o WHERE o.pid = r.pid AND o.restock_id = r.id AND o.state = 'queued')
    LIMIT ${FORGOTTEN_AT_ONCE}) RETURNING 1`;

/** Removes one portion of the occasions from before that nobody waits for; answers how many. */
export async function removeRestocks(db: Db, before: Date): Promise<number> {
  return (await db.query(FORGET, [before])).length;
}

/** How far alerts have come. */
export type SendProgress = Record<MessageState, number> & { isQueueing: boolean };

/** How far the occasions of a topic and some variants have come that have not ended. */
export async function progressOf(
  db: Db,
  pid: string,
  topic: string,
  epis: readonly string[],
): Promise<SendProgress> {
  const occasions = await db.prisma.restock.findMany({
    where: { pid, epi: { in: [...epis] }, topic, state: { not: 'stopped' } },
    select: { id: true, state: true },
  });
  const groups = await db.prisma.outboxMessage.groupBy({
    by: ['state'],
    _count: true,
    where: { pid, restockId: { in: occasions.map(({ id }) => id) } },
  });
  const counts = Object.fromEntries(groups.map(({ state, _count: count }) => [state, count]));
  return {
    isQueueing: occasions.some(({ state }) => state === 'open'),
    ...{ queued: 0, sent: 0, failed: 0, withheld: 0 },
    ...counts,
  };
}
