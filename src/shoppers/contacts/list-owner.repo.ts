// Who hears because of a list, in one place: an account that has the very variant in a list of its own, by each contact of which the last answer to the
// store's mailing list was yes. Guests have no contact. The same holds when an alert is queued and when it is sent.

/** Whether what is in a list counts: wishlists and the store's own types do; lists that are archived, and what is saved for later, do not. */
const LIST_COUNTS = `l.st = 1 AND l.lty IS DISTINCT FROM 'sfl'`;

/** Whether a contact has left everything, the topic, or the product; all are SQL expressions. */
export const hasLeft = (pid: string, medium: string, value: string, topic: string, epi: string): string => `
  (coalesce((SELECT true FROM suppression x WHERE x.pid = ${pid} AND x.medium = ${medium} AND x.value = ${value}), false)
    OR coalesce((SELECT true FROM alert_mute x WHERE x.pid = ${pid} AND x.medium = ${medium} AND x.value = ${value}
      AND ((x.topic = ${topic} AND x.epi = '') OR (x.topic = '' AND x.epi = ${epi})) LIMIT 1), false))`;

/**
 * Whether an occasion has told nobody by this contact; the index says why back in stock is named, and the store is compared outside, so that no other index is
 * taken. All are SQL expressions.
 */
export const isUntold = (pid: string, medium: string, value: string, restock: string): string => `
  (SELECT true FROM (
    SELECT told.pid FROM outbox told WHERE told.restock_id = ${restock} AND told.recipient = ${value} AND told.medium = ${medium}
      AND told.topic <> 'backinstock' OFFSET 0) told WHERE told.pid = ${pid} LIMIT 1) IS NULL`;

/** What is known, when an alert is about to be sent, of somebody who hears because of a list. Columns of a subquery on the alert `o`. */
export const HOLDING_COLUMNS = `
  a.regid IS NOT NULL AS accepts, ${hasLeft('o.pid', 'o.medium', 'o.recipient', 'o.topic', 'o.epi')} AS "hasLeft",
  coalesce((SELECT true FROM list l CROSS JOIN LATERAL (
    SELECT 1 FROM item i WHERE i.pid = l.pid AND i.lid = l.lid AND i.epi = o.epi AND i.lity IS NULL OFFSET 0) i
    WHERE l.pid = o.pid AND l.regid = a.regid AND ${LIST_COUNTS} LIMIT 1), false) AS holds
  FROM (SELECT 1) one LEFT JOIN LATERAL (
    SELECT a.regid FROM mailing_answer a JOIN shopper sh ON sh.pid = a.pid AND sh.regid = a.regid AND NOT sh.is_guest
    WHERE a.pid = o.pid AND a.medium = o.medium AND a.value = o.recipient AND a.acceptmarketing) a ON true`;

/** The contacts that hear because of an item `x`, by its list; `contact` has their columns. */
export const HOLDER_CONTACTS = `
  CROSS JOIN LATERAL (SELECT l.regid FROM list l WHERE l.pid = $1 AND l.lid = x.lid AND ${LIST_COUNTS} LIMIT 1) l
  CROSS JOIN LATERAL (
    SELECT a.medium, a.value FROM mailing_answer a WHERE a.pid = $1 AND a.regid = l.regid AND a.acceptmarketing OFFSET 0) contact
  CROSS JOIN LATERAL (SELECT 1 FROM shopper sh WHERE sh.pid = $1 AND sh.regid = l.regid AND NOT sh.is_guest LIMIT 1) account`;
