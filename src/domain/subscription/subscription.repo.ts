import type { Db } from '../../database/database.ts';
import type { ProductRow } from '../catalog/catalog.repo.ts';
import type { Contact } from './subscription.rules.ts';

/** A subscription as stored. */
export type StoredSubscription = {
  pid: string;
  id: string;
  medium: string;
  value: string;
  epi: string;
  empi: string;
  du: string;
  topic: string;
  regid: string | null;
  extras: string | null;
  mailinglist: boolean | null;
  confirmedAt: Date | null;
  seq: number;
  cts: Date;
};

/** A subscription as it is shown, with its product. */
export type SubscriptionRow = StoredSubscription & { product: ProductRow };

/** A subscription to be made. */
export type NewSubscription = Pick<StoredSubscription, 'id' | 'epi' | 'empi' | 'du' | 'topic'>;

/** What all subscriptions of one call share. */
export type SignUp = Contact &
  Pick<StoredSubscription, 'pid' | 'regid' | 'extras' | 'mailinglist' | 'confirmedAt'>;

const COLUMNS = `s.pid, s.id, s.medium, s.value, s.epi, s.empi, s.du, s.topic, s.regid, s.extras, s.mailinglist,
  s.confirmed_at AS "confirmedAt", s.seq, s.cts`;

// Ordered, so that two calls with the same products never wait for each other in a circle. A pending row is confirmed by a call
// that needs no confirmation; otherwise a row that is there stays as it is.
const INSERT = {
  name: 'insert_subscriptions',
  text: `
    INSERT INTO subscription AS s (pid, id, medium, value, epi, empi, du, topic, regid, extras, mailinglist, confirmed_at, cts)
    SELECT $1, n.id, $2, $3, n.epi, n.empi, n.du, n.topic, $5, $6, $7, $8, $9
    FROM jsonb_to_recordset($4::jsonb) AS n (id text, epi text, empi text, du text, topic text)
    ORDER BY n.epi COLLATE "C", n.topic COLLATE "C"
    ON CONFLICT (pid, medium, value, epi, topic) DO UPDATE SET confirmed_at = excluded.confirmed_at
    WHERE s.confirmed_at IS NULL AND excluded.confirmed_at IS NOT NULL
    RETURNING ${COLUMNS}`,
};

/** Makes the subscriptions that are not there yet; answers the new ones. */
export async function insertSubscriptions(
  tx: Db,
  signUp: SignUp,
  wanted: readonly NewSubscription[],
  now: Date,
): Promise<StoredSubscription[]> {
  const { pid, medium, value, regid, extras, mailinglist, confirmedAt } = signUp;
  const rows = await tx.query<StoredSubscription>(INSERT, [
    pid,
    medium,
    value,
    JSON.stringify(wanted),
    regid,
    extras,
    mailinglist,
    confirmedAt,
    now,
  ]);
  const ids = new Set(wanted.map(({ id }) => id));
  return rows.filter(({ id }) => ids.has(id));
}

/** Whose subscriptions: all of a store, those made under a regid, or those of a contact. */
export type Owner = { pid: string } & ({ all: true } | { regid: string } | { contact: Contact });

/** Which of them; null means any. */
export type Filter = { topic: string | null; medium?: string | null; epi?: string | null };

type Where = { text: string; params: unknown[] };

function whereOf(owner: Owner, { topic, medium = null, epi = null }: Filter): Where {
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
    `SELECT ${COLUMNS} FROM subscription s WHERE ${text} AND s.seq < $${params.length + 1} ORDER BY s.seq DESC LIMIT $${params.length + 2}`,
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
    db.query<{ total: number }>(`SELECT count(*)::int AS total FROM subscription s WHERE ${text}`, params),
    db.query<StoredSubscription>(
      `SELECT ${COLUMNS} FROM subscription s WHERE ${text} ORDER BY s.seq DESC LIMIT $${params.length + 1} OFFSET $${params.length + 2}`,
      [...params, limit, offset],
    ),
  ]);
  return { total: count!.total, rows };
}

/** Ends subscriptions; answers those that were there. */
export function deleteSubscriptions(tx: Db, owner: Owner, filter: Filter): Promise<StoredSubscription[]> {
  const { text, params } = whereOf(owner, filter);
  return tx.query<StoredSubscription>(
    `DELETE FROM subscription s WHERE ${text} RETURNING ${COLUMNS}`,
    params,
  );
}

/** Hands a guest's subscriptions to the account it was merged into, so that the device's next visitor does not see them. */
export async function moveSubscriptions(
  tx: Db,
  pid: string,
  fromRegid: string,
  toRegid: string,
): Promise<void> {
  await tx.query('UPDATE subscription SET regid = $3 WHERE pid = $1 AND regid = $2', [
    pid,
    fromRegid,
    toRegid,
  ]);
}

/** A contact's subscriptions that wait for confirmation and were made up to the given moment. */
export function listPending(
  db: Db,
  pid: string,
  { medium, value }: Contact,
  until: Date,
): Promise<StoredSubscription[]> {
  return db.query<StoredSubscription>(
    `SELECT ${COLUMNS} FROM subscription s
     WHERE s.pid = $1 AND s.medium = $2 AND s.value = $3 AND s.confirmed_at IS NULL AND s.cts <= $4 ORDER BY s.seq`,
    [pid, medium, value, until],
  );
}

/** Confirms them; answers those that were pending, in the order in which they were asked for. */
export function confirmPending(
  tx: Db,
  pid: string,
  { medium, value }: Contact,
  until: Date,
  now: Date,
): Promise<StoredSubscription[]> {
  return tx.query<StoredSubscription>(
    `WITH confirmed AS (
       UPDATE subscription s SET confirmed_at = $5
       WHERE s.pid = $1 AND s.medium = $2 AND s.value = $3 AND s.confirmed_at IS NULL AND s.cts <= $4 RETURNING ${COLUMNS}
     )
     SELECT * FROM confirmed ORDER BY seq`,
    [pid, medium, value, until, now],
  );
}

/** Takes back what pending subscriptions of a contact say in favour of the mailing list: a later no is not in their order. */
export async function withdrawPendingConsent(tx: Db, pid: string, { medium, value }: Contact): Promise<void> {
  await tx.query(
    `UPDATE subscription SET mailinglist = false
     WHERE pid = $1 AND medium = $2 AND value = $3 AND confirmed_at IS NULL AND mailinglist`,
    [pid, medium, value],
  );
}

/** Forgets subscriptions that nobody confirmed in time; answers how many. */
export async function forgetUnconfirmed(db: Db, before: Date): Promise<number> {
  const rows = await db.query(
    `DELETE FROM subscription WHERE (pid, id) IN (
       SELECT pid, id FROM subscription WHERE confirmed_at IS NULL AND cts < $1 LIMIT 1000) RETURNING 1`,
    [before],
  );
  return rows.length;
}
