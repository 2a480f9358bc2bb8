import type { Tx } from '../../database/database.ts';
import { isUntold } from '../contact/holding.repo.ts';
import { expiresBefore } from '../topic/topic.rules.ts';
import type { TopicRules } from '../topic/topic.types.ts';
import type { NextStep, Progress, Taken } from './restock.rules.ts';

/** An occasion that people are being queued for. */
export type RestockRow = Progress & {
  pid: string;
  id: string;
  topic: string;
  epi: string;
  cutSeq: number;
  skipFrom: number;
  skipTo: number;
  itemCut: number;
  toldSince: Date | null;
};

// `cursor_seq` and `item_seq` say both how far a pass has come and whether it is the first: that counts down from FIRST_PASS. To a process of an older version, which knows
// only the other kind, it is a pass that begins anew.
/** What a first pass counts down from. */
export const FIRST_PASS = -1;

/** SQL: SKIP LOCKED. */
const CLAIM = `
  SELECT pid, id, topic, epi, cause, units, queued, cut_seq AS "cutSeq", item_seq IS NOT NULL AS "isHolders", item_cut > 0 AS "hasHolders",
    greatest(coalesce(item_seq, cursor_seq), ${FIRST_PASS} - coalesce(item_seq, cursor_seq)) AS "cursorSeq",
    coalesce(item_seq, cursor_seq) < 0 AS "isFirstPass", batch_left AS "batchLeft", batch_at AS "batchAt", skip_from AS "skipFrom", skip_to AS "skipTo",
    item_cut AS "itemCut", told_since AS "toldSince"
  FROM restock WHERE state = 'open' AND next_batch_at <= $1
  ORDER BY next_batch_at LIMIT 1 FOR UPDATE SKIP LOCKED`;

/** Locks the occasion that has waited longest for its next portion, until the transaction ends. */
export async function claimRestock(tx: Tx, now: Date): Promise<RestockRow | null> {
  const [row] = await tx.query<RestockRow>(CLAIM, [now]);
  return row ?? null;
}

// An alert of which a try was begun that nobody heard the end of may have arrived: when stock goes before the next try it is withheld, and
// at the next occasion it leaves under its own id, by which mail programs and providers know it again. A new one would tell somebody twice.
// The look-up of the last alert is a sub-select, not a join: that is an index probe whatever the planner believes. Right after many rows came in it knows
// nothing of them, and the join it chose then took 30 s for a portion that takes 0.2 s.
const queueFrom = (subscribers: string): string => `
  WITH picked AS (
    SELECT s.id, s.seq, s.medium, s.value, greatest($8, make_interval(secs => $9) + (
      SELECT c.sent_at FROM alert_seen c
      WHERE c.pid = s.pid AND c.epi = s.epi AND c.topic = s.topic AND c.medium = s.medium AND c.value = s.value)) AS due_at
    FROM ${subscribers}
    ORDER BY s.seq LIMIT $7
  ), begun AS (
    SELECT DISTINCT ON (o.subscription_id) o.ctid AS at, o.subscription_id, p.due_at
    FROM outbox o JOIN picked p ON p.id = o.subscription_id
    WHERE o.pid = $1 AND o.epi = $2 AND o.topic = $3 AND o.state = 'withheld' AND o.attempts > 1
      AND NOT EXISTS (SELECT FROM outbox q WHERE q.pid = $1 AND q.subscription_id = o.subscription_id AND q.state = 'queued')
    ORDER BY o.subscription_id, o.seq DESC
  ), again AS (
    UPDATE outbox o SET state = 'queued', restock_id = $4, has_place = b.due_at <= $8, due_at = b.due_at, claim = o.claim + 1, finished_at = NULL, error = NULL
    FROM begun b WHERE o.ctid = b.at
  ), queued AS (
    INSERT INTO outbox (pid, id, lane, medium, kind, recipient, restock_id, subscription_id, topic, epi, has_place, due_at, cts)
    SELECT $1, gen_random_uuid()::text, 'alert', medium, 'alert', value, $4, id, $3, $2, due_at <= $8, due_at, $8
    FROM picked WHERE id NOT IN (SELECT subscription_id FROM begun) ORDER BY seq
    ON CONFLICT (pid, subscription_id) WHERE state = 'queued' AND subscription_id IS NOT NULL
    DO UPDATE SET restock_id = excluded.restock_id, has_place = excluded.has_place
  )
  SELECT count(*) < $7 AS "isEnd", (count(*) FILTER (WHERE due_at <= $8))::int AS places, coalesce(max(seq), 0) AS "lastSeq" FROM picked`;

const WAITING = `
  subscription s
  WHERE s.pid = $1 AND s.epi = $2 AND s.topic = $3 AND s.seq > $5 AND s.seq <= $6 AND (s.seq <= $11 OR s.seq > $12)
    AND s.confirmed_at IS NOT NULL AND ($10::timestamptz IS NULL OR coalesce(s.renewed_at, s.cts) > $10)`;

// In a pass that follows the first, some have their alert of this occasion: one difference of sets finds the others in a third of the time of as many probes.
const UNTOLD = `
  (SELECT s.id FROM ${WAITING} EXCEPT SELECT subscription_id FROM outbox WHERE pid = $1 AND restock_id = $4) AS untold
  JOIN LATERAL (SELECT * FROM subscription WHERE id = untold.id OFFSET 0) s ON s.pid = $1`;

// Where list holders hear, too, somebody may have been told as one of them before the subscription was confirmed.
const UNHEARD = `${UNTOLD} WHERE ${isUntold('$1', 's.medium', 's.value', '$4')}`;

/** SQL: fan-out, thousands of rows from select to insert. */
const QUEUE = { first: queueFrom(WAITING), again: queueFrom(UNTOLD), beside: queueFrom(UNHEARD) };

/**
 * Queues the next subscribers, oldest first. Someone inside the cool-down is queued for its end and takes no place. A subscription that still has
 * an unsent alert of an older occasion, or one that may have arrived, keeps that alert, which now belongs to this one.
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
  const pass = isFirstPass ? 'first' : restock.hasHolders ? 'beside' : 'again';
  const [row] = await tx.query<Omit<Taken, 'limit'>>(QUEUE[pass], params);
  return row!;
}

/** Records how far the queueing has come. */
export async function advanceRestock(
  tx: Tx,
  { pid, id }: RestockRow,
  { isHolders, isFirstPass, cursorSeq, ...next }: NextStep,
  places: number,
): Promise<void> {
  const cursor = isFirstPass ? FIRST_PASS - cursorSeq : cursorSeq;
  await tx.prisma.restock.updateMany({
    where: { pid, id },
    data: {
      ...next,
      ...(isHolders ? { itemSeq: cursor } : { cursorSeq: cursor }),
      queued: { increment: places },
    },
  });
}
