import type { Db, Tx } from '../../database/database.ts';
import type { ProductRow } from '../product/product.columns.ts';
import type { Contact } from '../contact/contact.rules.ts';

/** A subscription, or a request for one, as stored: both are shown alike. */
export type StoredSubscription = {
  pid: string;
  id: string;
  medium: string;
  value: string;
  epi: string;
  empi: string;
  du: string;
  topic: string;
  extras: string | null;
  confirmedAt: Date | null;
  seq: number;
  cts: Date;
};

/** A subscription as it is shown, with its product. */
export type SubscriptionRow = StoredSubscription & { product: ProductRow };

/** A subscription to be made. */
export type NewSubscription = Pick<StoredSubscription, 'id' | 'epi' | 'empi' | 'du' | 'topic' | 'extras'>;

/** Who asks for which contact; `regid` is empty when the store itself asks. `confirmedAt` is null for what has to wait. */
export type SignUp = Contact & { pid: string; regid: string; confirmedAt: Date | null };

/** The columns that subscriptions and requests share. */
export const COLUMNS = `s.pid, s.id, s.medium, s.value, s.epi, s.empi, s.du, s.topic, s.extras, s.confirmed_at AS "confirmedAt", s.seq, s.cts`;

// Ordered, so that two calls with the same products never wait for each other in a circle. Every row is locked, changed or not:
// one that loses its last request meanwhile must not be counted on. Asking for what others have confirmed renews nothing.
const SAVE = {
  name: 'save_subscriptions',
  text: `
    INSERT INTO subscription AS s (pid, id, medium, value, epi, empi, du, topic, extras, confirmed_at, cts)
    SELECT $1, n.id, $2, $3, n.epi, n.empi, n.du, n.topic, n.extras, $5, $6
    FROM jsonb_to_recordset($4::jsonb) AS n (id text, epi text, empi text, du text, topic text, extras text)
    ORDER BY n.epi COLLATE "C", n.topic COLLATE "C"
    ON CONFLICT (pid, medium, value, epi, topic) DO UPDATE SET
      confirmed_at = coalesce(s.confirmed_at, excluded.confirmed_at),
      renewed_at = CASE WHEN s.confirmed_at IS NULL OR excluded.confirmed_at IS NOT NULL OR EXISTS (
          SELECT FROM subscription_request q
          WHERE q.pid = s.pid AND q.subscription_id = s.id AND q.regid = $7 AND q.confirmed_at IS NOT NULL)
        THEN excluded.cts ELSE s.renewed_at END
    RETURNING ${COLUMNS}`,
};

/** Makes the subscriptions that are not there yet and renews or confirms the others; answers all of them. */
export function saveSubscriptions(
  tx: Tx,
  { pid, medium, value, regid, confirmedAt }: SignUp,
  wanted: readonly NewSubscription[],
  now: Date,
): Promise<StoredSubscription[]> {
  return tx.query<StoredSubscription>(SAVE, [
    pid,
    medium,
    value,
    JSON.stringify(wanted),
    confirmedAt,
    now,
    regid,
  ]);
}

/** Whose subscriptions: all of a store, what was asked for under a regid, or those of a contact. */
export type Owner = { pid: string } & ({ all: true } | { regid: string } | { contact: Contact });

/** Which of them; null means any. */
export type Filter = { topic: string | null; medium?: string | null; epi?: string | null };

type Where = { text: string; params: unknown[] };

/** The condition on rows `s` of `tableOf(owner)`. */
export function whereOf(owner: Owner, { topic, medium = null, epi = null }: Filter): Where {
  const params: unknown[] = [owner.pid];
  const terms = ['s.pid = $1'];
  const add = (column: string, value: unknown): void => {
    params.push(value);
    terms.push(`s.${column} = $${params.length}`);
  };
  if ('regid' in owner) add('regid', owner.regid);
  if ('contact' in owner) {
    add('medium', owner.contact.medium);
    add('value', owner.contact.value);
  }
  if (topic !== null) add('topic', topic);
  if (medium !== null) add('medium', medium);
  if (epi !== null) add('epi', epi);
  return { text: terms.join(' AND '), params };
}

/** A shopper sees its requests, whatever became of what others asked for. */
const tableOf = (owner: Owner): string => ('regid' in owner ? 'subscription_request' : 'subscription');

/** Subscriptions in front of `before`, newest first. */
export function listSubscriptions(
  db: Db,
  owner: Owner,
  filter: Filter,
  before: number,
  limit: number,
): Promise<StoredSubscription[]> {
  const { text, params } = whereOf(owner, filter);
  return db.query<StoredSubscription>(
    `SELECT ${COLUMNS} FROM ${tableOf(owner)} s WHERE ${text} AND s.seq < $${params.length + 1} ORDER BY s.seq DESC LIMIT $${params.length + 2}`,
    [...params, before, limit],
  );
}

/** A numbered page of subscriptions, newest first, and how many there are in all. */
export async function pageSubscriptions(
  db: Db,
  owner: Owner,
  filter: Filter,
  limit: number,
  offset: number,
): Promise<{ total: number; rows: StoredSubscription[] }> {
  const { text, params } = whereOf(owner, filter);
  const [[count], rows] = await Promise.all([
    db.query<{ total: number }>(
      `SELECT count(*)::int AS total FROM ${tableOf(owner)} s WHERE ${text}`,
      params,
    ),
    db.query<StoredSubscription>(
      `SELECT ${COLUMNS} FROM ${tableOf(owner)} s WHERE ${text} ORDER BY s.seq DESC LIMIT $${params.length + 1} OFFSET $${params.length + 2}`,
      [...params, limit, offset],
    ),
  ]);
  return { total: count!.total, rows };
}

/** Ends subscriptions of a contact, with the requests that were confirmed; answers those that were there. */
export function deleteSubscriptions(
  tx: Tx,
  owner: { pid: string; contact: Contact },
  filter: Filter,
): Promise<StoredSubscription[]> {
  const { text, params } = whereOf(owner, filter);
  return tx.query<StoredSubscription>(
    `DELETE FROM subscription s WHERE ${text} RETURNING ${COLUMNS}`,
    params,
  );
}

/** A request that is there no more, and the subscription that it held, if it held one. */
export type EndedRequest = Pick<StoredSubscription, 'medium' | 'value' | 'epi' | 'topic'> & {
  subscriptionId: string | null;
};

const ENDED = `jsonb_to_recordset($2::jsonb) AS e (medium text, value text, epi text, topic text, "subscriptionId" text)`;
const IS_ENDED = `s.pid = $1 AND s.medium = e.medium AND s.value = e.value AND s.epi = e.epi AND s.topic = e.topic`;
const REQUESTS = `SELECT FROM subscription_request q
  WHERE q.pid = s.pid AND q.medium = s.medium AND q.value = s.value AND q.epi = s.epi AND q.topic = s.topic`;

/**
 * Draws the consequences of ended requests: a subscription that nobody asks for any more is deleted, one that waits for everybody
 * who still does waits again. A request that was not confirmed cannot touch what others have confirmed. Answers the deleted ones.
 */
export async function settleSubscriptions(
  tx: Tx,
  pid: string,
  ended: readonly EndedRequest[],
): Promise<StoredSubscription[]> {
  if (ended.length === 0) return [];
  const params = [pid, JSON.stringify(ended)];
  const gone = await tx.query<StoredSubscription>(
    `DELETE FROM subscription s USING ${ENDED}
     WHERE ${IS_ENDED} AND (s.confirmed_at IS NULL OR s.id = e."subscriptionId") AND NOT EXISTS (${REQUESTS})
     RETURNING ${COLUMNS}`,
    params,
  );
  await tx.query(
    `UPDATE subscription s SET confirmed_at = NULL FROM ${ENDED}
     WHERE ${IS_ENDED} AND s.id = e."subscriptionId" AND NOT EXISTS (${REQUESTS} AND q.confirmed_at IS NOT NULL)`,
    params,
  );
  return gone;
}

/** Forgets requests, and subscriptions, that nobody confirmed in time; answers how many. */
export async function forgetUnconfirmed(db: Db, before: Date): Promise<number> {
  let count = 0;
  for (const table of ['subscription', 'subscription_request'])
    count += (
      await db.query(
        `DELETE FROM ${table} WHERE (pid, id) IN (
           SELECT pid, id FROM ${table}
           WHERE confirmed_at IS NULL AND cts < $1 AND coalesce(renewed_at, cts) < $1 LIMIT 1000) RETURNING 1`,
        [before],
      )
    ).length;
  return count;
}
