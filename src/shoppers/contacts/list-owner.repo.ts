// Who gets alerts as a list owner: an account with the variant in one of its lists, by each contact that accepts the store's mailing list. Guests
// have no contact. The same rules apply when an alert is queued and when it is sent.

/** Archived lists and lists of what is saved for later do not count. */
const LIST_COUNTS = `l.st = 1 AND l.lty IS DISTINCT FROM 'sfl'`;

/** Whether a contact has unsubscribed from everything, the topic, or the product; all are SQL expressions. */
export const hasUnsubscribed = (
  pid: string,
  medium: string,
  value: string,
  topic: string,
  epi: string,
): string => `
  (coalesce((SELECT true FROM suppression x WHERE x.pid = ${pid} AND x.medium = ${medium} AND x.value = ${value}), false)
    OR coalesce((SELECT true FROM alert_mute x WHERE x.pid = ${pid} AND x.medium = ${medium} AND x.value = ${value}
      AND ((x.topic = ${topic} AND x.epi = '') OR (x.topic = '' AND x.epi = ${epi})) LIMIT 1), false))`;

/**
 * Whether no alert of this event is queued for a contact; all are SQL expressions. The index covers every topic but back in stock, and the store is
 * compared outside, so that the planner takes no other index.
 */
export const isNotQueued = (pid: string, medium: string, value: string, event: string): string => `
  (SELECT true FROM (
    SELECT q.pid FROM outbox q WHERE q.restock_id = ${event} AND q.recipient = ${value} AND q.medium = ${medium}
      AND q.topic <> 'backinstock' OFFSET 0) q WHERE q.pid = ${pid} LIMIT 1) IS NULL`;

/** What is known of a list owner when an alert `o` is about to be sent; the columns of a subquery. */
export const LIST_OWNER_COLUMNS = `
  a.regid IS NOT NULL AS accepts, ${hasUnsubscribed('o.pid', 'o.medium', 'o.recipient', 'o.topic', 'o.epi')} AS "hasLeft",
  coalesce((SELECT true FROM list l CROSS JOIN LATERAL (
    SELECT 1 FROM item i WHERE i.pid = l.pid AND i.lid = l.lid AND i.epi = o.epi AND i.lity IS NULL OFFSET 0) i
    WHERE l.pid = o.pid AND l.regid = a.regid AND ${LIST_COUNTS} LIMIT 1), false) AS holds
  FROM (SELECT 1) one LEFT JOIN LATERAL (
    SELECT a.regid FROM mailing_answer a JOIN shopper sh ON sh.pid = a.pid AND sh.regid = a.regid AND NOT sh.is_guest
    WHERE a.pid = o.pid AND a.medium = o.medium AND a.value = o.recipient AND a.acceptmarketing) a ON true`;

/** Joins an item `x` with the contacts of its list owner; `contact` has their columns. */
export const LIST_OWNER_CONTACTS = `
  CROSS JOIN LATERAL (SELECT l.regid FROM list l WHERE l.pid = $1 AND l.lid = x.lid AND ${LIST_COUNTS} LIMIT 1) l
  CROSS JOIN LATERAL (
    SELECT a.medium, a.value FROM mailing_answer a WHERE a.pid = $1 AND a.regid = l.regid AND a.acceptmarketing OFFSET 0) contact
  CROSS JOIN LATERAL (SELECT 1 FROM shopper sh WHERE sh.pid = $1 AND sh.regid = l.regid AND NOT sh.is_guest LIMIT 1) account`;
