import type { Db, Tx } from '../../database/database.ts';
import type { TopicRules } from '../topic/topic.types.ts';
import type { RestockRow } from './queue.repo.ts';
import { PORTION } from './restock.rules.ts';
import type { Taken } from './restock.rules.ts';

// Who hears because of a list, in one place: an account that has the very variant in a list of its own, by each contact of which the last answer to the
// store's mailing list was yes. Guests have no contact. The same holds when an alert is queued and when it is sent.

/** Whether what is in a list counts: wishlists and the store's own types do; lists that are archived, and what is saved for later, do not. */
const LIST_COUNTS = `l.st = 1 AND l.lty IS DISTINCT FROM 'sfl'`;

/** Whether a contact has left everything, the topic, or the product; all are SQL expressions. */
const hasLeft = (pid: string, medium: string, value: string, topic: string, epi: string): string => `
  (coalesce((SELECT true FROM suppression x WHERE x.pid = ${pid} AND x.medium = ${medium} AND x.value = ${value}), false)
    OR coalesce((SELECT true FROM alert_mute x WHERE x.pid = ${pid} AND x.medium = ${medium} AND x.value = ${value}
      AND ((x.topic = ${topic} AND x.epi = '') OR (x.topic = '' AND x.epi = ${epi})) LIMIT 1), false))`;

/** Whether an occasion has told nobody by this contact; the index says why back in stock is named. All are SQL expressions. */
export const isUntold = (medium: string, value: string, restock: string): string => `
  (SELECT true FROM outbox told WHERE told.restock_id = ${restock} AND told.recipient = ${value} AND told.medium = ${medium}
    AND told.topic <> 'backinstock' LIMIT 1) IS NULL`;

/** What is known, when an alert is about to be sent, of somebody who hears because of a list. Columns of a subquery on the alert `o`. */
export const HOLDING_COLUMNS = `
  a.regid IS NOT NULL AS accepts, ${hasLeft('o.pid', 'o.medium', 'o.recipient', 'o.topic', 'o.epi')} AS "hasLeft",
  coalesce((SELECT true FROM list l CROSS JOIN LATERAL (
    SELECT 1 FROM item i WHERE i.pid = l.pid AND i.lid = l.lid AND i.epi = o.epi AND i.lity IS NULL OFFSET 0) i
    WHERE l.pid = o.pid AND l.regid = a.regid AND ${LIST_COUNTS} LIMIT 1), false) AS holds
  FROM (SELECT 1) one LEFT JOIN LATERAL (
    SELECT a.regid FROM mailing_answer a JOIN shopper sh ON sh.pid = a.pid AND sh.regid = a.regid AND NOT sh.is_guest
    WHERE a.pid = o.pid AND a.medium = o.medium AND a.value = o.recipient AND a.acceptmarketing) a ON true`;

/** Items that a portion looks at, however few of them belong to people who may hear. */
const EXAMINED = PORTION;

/** The contacts that hear because of an item `x`, by its list; `contact` has their columns. */
const CONTACTS = `
  CROSS JOIN LATERAL (SELECT l.regid FROM list l WHERE l.pid = $1 AND l.lid = x.lid AND ${LIST_COUNTS} LIMIT 1) l
  CROSS JOIN LATERAL (
    SELECT a.medium, a.value FROM mailing_answer a WHERE a.pid = $1 AND a.regid = l.regid AND a.acceptmarketing OFFSET 0) contact
  CROSS JOIN LATERAL (SELECT 1 FROM shopper sh WHERE sh.pid = $1 AND sh.regid = l.regid AND NOT sh.is_guest LIMIT 1) account`;

// Look-ups are sub-selects, as those of subscribers are. One contact can have the product in several lists: it is told once in a portion by DISTINCT, and
// once in all portions because it is looked up who was told.
/** SQL: fan-out, thousands of rows from select to insert. */
const QUEUE = `
  WITH examined AS MATERIALIZED (
    SELECT i.seq, i.lid FROM item i WHERE i.pid = $1 AND i.epi = $2 AND i.seq > $5 AND i.seq <= $6 AND i.lity IS NULL
    ORDER BY i.seq LIMIT ${EXAMINED}
  ), waiting AS MATERIALIZED (
    SELECT x.seq, contact.medium, contact.value, seen.sent_at
    FROM examined x ${CONTACTS}
    CROSS JOIN LATERAL (SELECT (
      SELECT c.sent_at FROM alert_seen c
      WHERE c.pid = $1 AND c.epi = $2 AND c.topic = $3 AND c.medium = contact.medium AND c.value = contact.value) AS sent_at OFFSET 0) seen
    WHERE ($10::timestamptz IS NULL OR seen.sent_at IS NULL OR seen.sent_at < $10)
      AND ${isUntold('contact.medium', 'contact.value', '$4')}
      AND NOT ${hasLeft('$1', 'contact.medium', 'contact.value', '$3', '$2')}
    ORDER BY x.seq LIMIT $7
  ), picked AS MATERIALIZED (
    SELECT DISTINCT ON (medium, value) seq, medium, value, greatest($8, make_interval(secs => $9) + sent_at) AS due_at
    FROM waiting ORDER BY medium, value, seq
  ), queued AS (
    INSERT INTO outbox (pid, id, lane, medium, kind, recipient, restock_id, topic, epi, has_place, due_at, cts)
    SELECT $1, gen_random_uuid()::text, 'alert', medium, 'alert', value, $4, $3, $2, due_at <= $8, due_at, $8
    FROM picked ORDER BY seq
    ON CONFLICT (pid, epi, topic, medium, recipient) WHERE state = 'queued' AND lane = 'alert' AND subscription_id IS NULL
    DO UPDATE SET restock_id = excluded.restock_id, has_place = excluded.has_place
  )
  SELECT (SELECT count(*) FROM waiting) < $7 AND (SELECT count(*) FROM examined) < ${EXAMINED} AS "isEnd",
    (SELECT count(*) FROM picked WHERE due_at <= $8)::int AS places,
    coalesce(CASE WHEN (SELECT count(*) FROM waiting) < $7 THEN (SELECT max(seq) FROM examined) ELSE (SELECT max(seq) FROM waiting) END, $5) AS "lastSeq"`;

/** Queues the next of those who have the product in a list, who saved it first before others, by the rules that subscribers are queued by. */
export async function queueHolders(
  tx: Tx,
  { pid, epi, id, cursorSeq, itemCut, toldSince }: RestockRow,
  topic: TopicRules,
  limit: number,
  now: Date,
): Promise<Omit<Taken, 'limit'>> {
  const params = [
    ...[pid, epi, topic.name, id, cursorSeq, itemCut],
    ...[limit, now, topic.coolDownSeconds, toldSince],
  ];
  const [row] = await tx.query<Omit<Taken, 'limit'>>(QUEUE, params);
  return row!;
}

/** SQL: counts contacts over four tables. */
const COUNT = `
  SELECT contact.medium, count(DISTINCT (x.epi, contact.value))::int AS count
  FROM (SELECT i.epi, i.lid FROM item i WHERE i.pid = $1 AND i.epi = ANY ($2::text[]) AND i.lity IS NULL OFFSET 0) x ${CONTACTS}
  WHERE NOT ${hasLeft('$1', 'contact.medium', 'contact.value', '$3', 'x.epi')}
  GROUP BY contact.medium`;

/** How many would hear of some variants because of their lists, by medium. */
export function countHolders(
  db: Db,
  pid: string,
  topic: string,
  epis: readonly string[],
): Promise<{ medium: string; count: number }[]> {
  return db.query<{ medium: string; count: number }>(COUNT, [pid, epis, topic]);
}
