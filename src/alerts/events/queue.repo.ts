import type { Tx } from '../../platform/database/database.ts';
import { isNotQueued } from '../../shoppers/contacts/list-owner.repo.ts';
import { expiresBefore } from '../topics/topic.rules.ts';
import type { TopicRules } from '../topics/topic.types.ts';
import type { NextStep, Progress, Taken } from './event.rules.ts';

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

// An alert of which a try was begun that nobody heard the end of may have arrived: when its reason goes before the next try it is withheld, and
// at the next occasion it leaves under its own id, by which mail programs and providers know it again. A new one would tell somebody twice. But where
// the message that it was part of was sent without it meanwhile, that id is used up. All tries but the one that was begun are before it again.
// Look-ups are sub-selects, not joins: those are index probes whatever the planner believes. Right after many rows came in it knows nothing of them, and the join it chose
// then took 30 s for a portion that takes 0.2 s.
/**
 * The rest of a statement that queues alerts for `picked`, whose `subscription_id` is null where somebody hears because of a list. `isSame` says whether an alert `o`
 * that may have arrived tells the same as one to `p` would, `isBeside` whether an unsent alert `q` leaves no room for it, and `key` what only one unsent alert can have.
 */
export const queuePicked = ({
  isSame,
  isBeside,
  key,
}: Record<'isSame' | 'isBeside' | 'key', string>): string => `
  found AS MATERIALIZED (
    SELECT p.*, begun.at FROM picked p LEFT JOIN LATERAL (
      SELECT o.at FROM (
        SELECT ctid AS at, * FROM outbox
        WHERE recipient = p.value AND medium = p.medium AND epi = $2 AND topic = $3 AND state = 'withheld' AND attempts > 1 OFFSET 0) o
      WHERE o.pid = $1 AND ${isSame}
        AND (SELECT true FROM outbox q WHERE q.pid = o.pid AND q.state = 'queued' AND ${isBeside} LIMIT 1) IS NULL
        AND (SELECT true FROM (SELECT * FROM outbox WHERE recipient = o.recipient AND leaves_at IS NOT NULL OFFSET 0) m
          WHERE m.pid = o.pid AND m.parcel_id = o.parcel_id AND m.state = 'sent' LIMIT 1) IS NULL
      ORDER BY o.seq DESC LIMIT 1) begun ON true
  ), again AS (
    UPDATE outbox o SET state = 'queued', restock_id = $4, subscription_id = f.subscription_id, has_place = f.due_at <= $8, due_at = f.due_at,
      attempts = 1, claim = o.claim + 1, finished_at = NULL, error = NULL
    FROM found f WHERE o.ctid = f.at
  ), queued AS (
    INSERT INTO outbox (pid, id, lane, medium, kind, recipient, restock_id, subscription_id, topic, epi, has_place, due_at, cts)
    SELECT $1, gen_random_uuid()::text, 'alert', medium, 'alert', value, $4, subscription_id, $3, $2, due_at <= $8, due_at, $8
    FROM found WHERE at IS NULL ORDER BY seq
    ON CONFLICT ${key} DO UPDATE SET restock_id = excluded.restock_id, has_place = excluded.has_place
  )`;

const queueFrom = (subscribers: string): string => `
  WITH picked AS MATERIALIZED (
    SELECT s.id AS subscription_id, s.seq, s.medium, s.value, greatest($8, make_interval(secs => $9) + (
      SELECT c.sent_at FROM alert_seen c
      WHERE c.pid = s.pid AND c.epi = s.epi AND c.topic = s.topic AND c.medium = s.medium AND c.value = s.value)) AS due_at
    FROM ${subscribers}
    ORDER BY s.seq LIMIT $7
  ), ${queuePicked({
    isSame: 'o.subscription_id = p.subscription_id',
    isBeside: 'q.subscription_id = o.subscription_id',
    key: `(pid, subscription_id) WHERE state = 'queued' AND subscription_id IS NOT NULL`,
  })}
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
const UNHEARD = `${UNTOLD} WHERE ${isNotQueued('$1', 's.medium', 's.value', '$4')}`;

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
