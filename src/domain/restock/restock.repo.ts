import type { Db, Tx } from '../../database/database.ts';
import { MAX_STOCK } from '../product/product.rules.ts';
import type { NextStep, Opening, Progress, RestockPlan, Resumption, Taken } from './restock.rules.ts';
import { expiresBefore } from '../topic/topic.rules.ts';
import type { TopicRules } from '../topic/topic.types.ts';

/** An occasion whose subscribers are being queued. */
export type RestockRow = Progress & {
  pid: string;
  id: string;
  topic: string;
  epi: string;
  cutSeq: number;
  skipFrom: number;
  skipTo: number;
};

// `cursor_seq` says both how far a pass has come and whether it is the first: that counts down from FIRST_PASS. To a process of an older version, which knows
// only the other kind, it is a pass that begins anew.
const FIRST_PASS = -1;

// The statements of this file are planned at each call: these tables grow from nothing to 100,000 rows within seconds, and a plan
// from before would read them whole.
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
  INSERT INTO restock (pid, id, topic, epi, cause, units, cut_seq, cursor_seq, next_batch_at, opened_at)
  SELECT $1, gen_random_uuid()::text, o.topic, o.epi, o.cause, o.units, numbers.last_value, ${FIRST_PASS}, $3, $3
  FROM jsonb_to_recordset($2::jsonb) AS o(topic text, epi text, cause text, units int)
  CROSS JOIN subscription_seq_seq AS numbers
  WHERE (SELECT true FROM subscription s WHERE s.pid = $1 AND s.epi = o.epi AND s.topic = o.topic LIMIT 1)
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
// everybody who subscribed while the product was away. Those between them subscribed while it was there, and wait for the next restock.
// SQL: set-wise, from the occasion before.
const RESUME = `
  INSERT INTO restock (pid, id, topic, epi, cause, units, queued, carried, cut_seq, cursor_seq, skip_from, skip_to, next_batch_at, opened_at)
  SELECT $1, gen_random_uuid()::text, o.topic, o.epi, o.cause, coalesce(least(was.units::bigint + o.more, ${MAX_STOCK}), o.units),
    sent.places, sent.places, numbers.last_value, ${FIRST_PASS}, coalesce(was.cut_seq, 0), o."goneSince", $3, $3
  FROM jsonb_to_recordset($2::jsonb) AS o(topic text, epi text, cause text, units int, more int, "goneSince" bigint)
  CROSS JOIN subscription_seq_seq AS numbers
  LEFT JOIN LATERAL (
    SELECT r.id, r.cut_seq, r.units, r.carried FROM restock r
    WHERE r.pid = $1 AND r.epi = o.epi AND r.topic = o.topic AND r.cause = o.cause ORDER BY r.seq DESC LIMIT 1) was ON true
  CROSS JOIN LATERAL (
    SELECT coalesce(was.carried, 0) + count(*) AS places FROM outbox m
    WHERE m.pid = $1 AND m.restock_id = was.id AND m.state = 'sent' AND m.has_place) sent
  WHERE (SELECT true FROM subscription s WHERE s.pid = $1 AND s.epi = o.epi AND s.topic = o.topic
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

// Open ones are written too, unchanged: that waits for a portion that is just ending them.
// SQL: set-wise, under conditions of other tables.
const REOPEN = `
  UPDATE restock r SET state = 'open', cursor_seq = CASE r.state WHEN 'done' THEN 0 ELSE r.cursor_seq END,
    next_batch_at = CASE r.state WHEN 'done' THEN $3 ELSE r.next_batch_at END
  FROM jsonb_to_recordset($2::jsonb) AS late(topic text, epi text, seq bigint)
  JOIN product p ON p.pid = $1 AND p.epi = late.epi
  LEFT JOIN topic t ON t.pid = $1 AND t.name = late.topic
  WHERE r.pid = $1 AND r.epi = late.epi AND r.topic = late.topic AND r.state <> 'stopped' AND r.cause = 'automatic' AND r.cut_seq >= late.seq
    AND (p.is_untracked OR p.stk >= coalesce(t.min_stock, 1))`;

/**
 * Lets subscriptions that waited for a confirmation catch up with the occasion they missed meanwhile, while its stock is there. One whose
 * subscribers are still being queued finds them by itself: it ends with a pass over all of them.
 */
export async function reopenRestocks(
  tx: Tx,
  pid: string,
  late: readonly { topic: string; epi: string; seq: number }[],
  now: Date,
): Promise<void> {
  const rows = late.map(({ topic, epi, seq }) => ({ topic, epi, seq }));
  if (rows.length === 0) return;
  tx.afterCommit(tx.wake);
  await tx.query(REOPEN, [pid, JSON.stringify(rows), now]);
}

/** SQL: SKIP LOCKED. */
const CLAIM = `
  SELECT pid, id, topic, epi, cause, units, queued, cut_seq AS "cutSeq",
    greatest(cursor_seq, ${FIRST_PASS} - cursor_seq) AS "cursorSeq", cursor_seq < 0 AS "isFirstPass", batch_left AS "batchLeft",
    batch_at AS "batchAt", skip_from AS "skipFrom", skip_to AS "skipTo"
  FROM restock WHERE state = 'open' AND next_batch_at <= $1
  ORDER BY next_batch_at LIMIT 1 FOR UPDATE SKIP LOCKED`;

/** Locks the occasion that has waited longest for its next portion, until the transaction ends. */
export async function claimRestock(tx: Tx, now: Date): Promise<RestockRow | null> {
  const [row] = await tx.query<RestockRow>(CLAIM, [now]);
  return row ?? null;
}

// The look-up of the last alert is a sub-select, not a join: that is an index probe whatever the planner believes. Right after many rows came in it knows
// nothing of them, and the join it chose then took 30 s for a portion that takes 0.2 s.
const queueFrom = (subscribers: string): string => `
  WITH picked AS (
    SELECT s.id, s.seq, s.medium, s.value, greatest($8, make_interval(secs => $9) + (
      SELECT c.sent_at FROM alert_seen c
      WHERE c.pid = s.pid AND c.epi = s.epi AND c.topic = s.topic AND c.medium = s.medium AND c.value = s.value)) AS due_at
    FROM ${subscribers}
    ORDER BY s.seq LIMIT $7
  ), queued AS (
    INSERT INTO outbox (pid, id, lane, medium, kind, recipient, restock_id, subscription_id, topic, epi, has_place, due_at, cts)
    SELECT $1, gen_random_uuid()::text, 'alert', medium, 'alert', value, $4, id, $3, $2, due_at <= $8, due_at, $8
    FROM picked ORDER BY seq
    ON CONFLICT (pid, subscription_id) WHERE state = 'queued' AND subscription_id IS NOT NULL
    DO UPDATE SET restock_id = excluded.restock_id, has_place = excluded.has_place
  )
  SELECT count(*)::int AS count, (count(*) FILTER (WHERE due_at <= $8))::int AS places, coalesce(max(seq), 0) AS "lastSeq" FROM picked`;

const WAITING = `
  subscription s
  WHERE s.pid = $1 AND s.epi = $2 AND s.topic = $3 AND s.seq > $5 AND s.seq <= $6 AND (s.seq <= $11 OR s.seq > $12)
    AND s.confirmed_at IS NOT NULL AND ($10::timestamptz IS NULL OR coalesce(s.renewed_at, s.cts) > $10)`;

// In a pass that follows the first, some have their alert of this occasion: one difference of sets finds the others in a third of the time of as many probes.
const UNTOLD = `
  (SELECT s.id FROM ${WAITING} EXCEPT SELECT subscription_id FROM outbox WHERE pid = $1 AND restock_id = $4) AS untold
  CROSS JOIN LATERAL (SELECT * FROM subscription WHERE id = untold.id OFFSET 0) s`;

/** SQL: fan-out, thousands of rows from select to insert. */
const QUEUE = { first: queueFrom(WAITING), again: queueFrom(UNTOLD) };

/**
 * Queues the next subscribers, oldest first. Someone inside the cool-down is queued for its end and takes no place. A subscription that still has
 * an unsent alert of an older occasion keeps that alert, which now belongs to this one.
 */
export async function queuePortion(
  tx: Tx,
  restock: RestockRow,
  topic: TopicRules,
  limit: number,
  now: Date,
): Promise<Omit<Taken, 'limit'>> {
  const { pid, epi, id, cursorSeq, isFirstPass, cutSeq, skipFrom, skipTo } = restock;
  const oldest = expiresBefore(topic, now);
  const params = [
    pid,
    epi,
    topic.name,
    id,
    cursorSeq,
    cutSeq,
    limit,
    now,
    topic.coolDownSeconds,
    oldest,
    skipFrom,
    skipTo,
  ];
  const [row] = await tx.query<Omit<Taken, 'limit'>>(QUEUE[isFirstPass ? 'first' : 'again'], params);
  return row!;
}

/** Records how far the queueing has come. */
export async function advanceRestock(
  tx: Tx,
  { pid, id }: RestockRow,
  { isFirstPass, cursorSeq, ...next }: NextStep,
  places: number,
): Promise<void> {
  const cursor = isFirstPass ? FIRST_PASS - cursorSeq : cursorSeq;
  await tx.prisma.restock.updateMany({
    where: { pid, id },
    data: { ...next, cursorSeq: cursor, queued: { increment: places } },
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
