import type { Db } from '../../platform/database/database.ts';
import {
  LIST_OWNER_CONTACTS,
  hasUnsubscribed,
  isNotQueued,
} from '../../shoppers/contacts/list-owner.repo.ts';
import type { Medium } from '../send/channels.ts';
import { expiresBefore } from '../topics/topic.rules.ts';
import type { TopicRules } from '../topics/topic.types.ts';
import { queuePicked } from './alert.repo.ts';
import type { QueuePortion } from './alert.repo.ts';
import { PORTION } from './event.rules.ts';
import type { Taken } from './event.rules.ts';

// A batch examines as many items as it may queue, even if few of their owners may be notified.
// A contact can have the product in several lists: DISTINCT and the lookup of existing alerts remove duplicates.
/** SQL: fan-out of thousands of rows from select to insert. */
const QUEUE = `
  WITH examined AS MATERIALIZED (
    SELECT i.seq, i.lid FROM item i WHERE i.pid = $1 AND i.epi = $2 AND i.seq > $5 AND i.seq <= $6 AND i.lity IS NULL
    ORDER BY i.seq LIMIT ${PORTION}
  ), waiting AS MATERIALIZED (
    SELECT x.seq, contact.medium, contact.value, seen.sent_at
    FROM examined x ${LIST_OWNER_CONTACTS}
    CROSS JOIN LATERAL (SELECT (
      SELECT c.sent_at FROM alert_seen c
      WHERE c.pid = $1 AND c.epi = $2 AND c.topic = $3 AND c.medium = contact.medium AND c.value = contact.value) AS sent_at OFFSET 0) seen
    WHERE ($10::timestamptz IS NULL OR seen.sent_at IS NULL OR seen.sent_at < $10)
      AND ${isNotQueued('$1', 'contact.medium', 'contact.value', '$4')}
      AND NOT ${hasUnsubscribed('$1', 'contact.medium', 'contact.value', '$3', '$2')}
    ORDER BY x.seq LIMIT $7
  ), picked AS MATERIALIZED (
    SELECT DISTINCT ON (medium, value) NULL::text AS subscription_id, seq, medium, value, greatest($8, make_interval(secs => $9) + sent_at) AS due_at
    FROM waiting ORDER BY medium, value, seq
  ), ${queuePicked({
    isSame: 'o.finished_at > $8 - make_interval(secs => $9)',
    isBeside: `q.lane = 'alert' AND q.subscription_id IS NULL AND q.epi = o.epi AND q.topic = o.topic AND q.medium = o.medium AND q.recipient = o.recipient`,
    key: `(pid, epi, topic, medium, recipient) WHERE state = 'queued' AND lane = 'alert' AND subscription_id IS NULL`,
  })}
  SELECT (SELECT count(*) FROM waiting) < $7 AND (SELECT count(*) FROM examined) < ${PORTION} AS "isEnd",
    (SELECT count(*) FROM picked WHERE due_at <= $8)::int AS places,
    coalesce(CASE WHEN (SELECT count(*) FROM waiting) < $7 THEN (SELECT max(seq) FROM examined) ELSE (SELECT max(seq) FROM waiting) END, $5) AS "lastSeq"`;

/** Queues list owners in the order in which they saved the product. */
export const queueListOwners: QueuePortion = async (tx, event, topic, limit, now) => {
  const { pid, epi, id, cursorSeq, itemCut, notifiedSince } = event;
  const params = [
    ...[pid, epi, topic.name, id, cursorSeq, itemCut],
    ...[limit, now, topic.coolDownSeconds, notifiedSince],
  ];
  return (await tx.query<Taken>(QUEUE, params))[0]!;
};

/** SQL: counts contacts over four tables. */
const COUNT = `
  SELECT contact.medium, count(DISTINCT (x.epi, contact.value))::int AS count
  FROM (SELECT i.epi, i.lid FROM item i WHERE i.pid = $1 AND i.epi = ANY ($2::text[]) AND i.lity IS NULL OFFSET 0) x ${LIST_OWNER_CONTACTS}
  WHERE NOT ${hasUnsubscribed('$1', 'contact.medium', 'contact.value', '$3', 'x.epi')}
  GROUP BY contact.medium`;

export function countListOwners(db: Db, pid: string, topic: string, epis: readonly string[]) {
  return db.query<{ medium: string; count: number }>(COUNT, [pid, epis, topic]);
}

/** SQL: counts contacts over five tables; a subscriber who is also a list owner counts once. */
const RECIPIENTS = `
  SELECT medium, count(*)::int AS people, sum(heard)::int AS messages FROM (
    SELECT medium, value, count(*) AS heard FROM (
      SELECT s.epi, s.medium, s.value FROM subscription s
      WHERE s.pid = $1 AND s.epi = ANY ($2::text[]) AND s.topic = $3 AND s.confirmed_at IS NOT NULL
        AND ($4::timestamptz IS NULL OR coalesce(s.renewed_at, s.cts) > $4)
      UNION
      SELECT x.epi, contact.medium, contact.value
      FROM (SELECT i.epi, i.lid FROM item i WHERE $5 AND i.pid = $1 AND i.epi = ANY ($2::text[]) AND i.lity IS NULL OFFSET 0) x ${LIST_OWNER_CONTACTS}
      WHERE NOT ${hasUnsubscribed('$1', 'contact.medium', 'contact.value', '$3', 'x.epi')}
    ) alert GROUP BY medium, value
  ) contact GROUP BY medium ORDER BY medium`;

/** Counts each contact once, even across several variants. */
export function countRecipients(db: Db, pid: string, topic: TopicRules, epis: readonly string[], now: Date) {
  const params = [pid, epis, topic.name, expiresBefore(topic, now), topic.listHolders];
  return db.query<{ medium: Medium; people: number; messages: number }>(RECIPIENTS, params);
}
