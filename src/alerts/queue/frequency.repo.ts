import type { Db, Raw, Tx } from '../../platform/database/database.ts';
import type { OutboxMessageModel } from '../../generated/prisma/models.ts';
import { CLAIMED_COLUMNS } from './outbox.repo.ts';
import type { ClaimedMessage } from './outbox.repo.ts';
import { STILL_HELD, claimsOf, giveBackAt, held, lock } from './acknowledge.repo.ts';

// Everything that is decided of the alerts of one contact is decided under its lock: which of them share a message, and whether there is room for one more.
// What is decided is written before anything is sent, so that a dispatcher which dies leaves behind what the next one has to go on with.

/** Whom alerts reach, in one store. */
export type Reached = { pid: string; recipient: string };

/** SQL: Prisma has no locks. In the order of their numbers, so that two never wait for each other. */
const LOCK_CONTACTS = `
  SELECT pg_advisory_xact_lock(number) FROM (
    SELECT DISTINCT hashtextextended(name, 35) AS number FROM unnest($1::text[]) AS contact (name) ORDER BY 1 OFFSET 0) numbers`;

/** Lets one dispatcher at a time decide about contacts, until the transaction ends. */
export async function lockContacts(tx: Tx, medium: string, contacts: readonly Reached[]): Promise<void> {
  const names = contacts.map(({ pid, recipient }) => JSON.stringify([pid, medium, recipient]));
  await tx.query(LOCK_CONTACTS, [names]);
}

/** SQL: the rows of a claim by their keys, many with one statement. */
const STILL_OURS = `SELECT h.id FROM (${held()}) h WHERE ${STILL_HELD}`;

/** Holds messages until the transaction ends, and answers the ids of those that were claimed by nobody else since. */
export async function lockClaimed(tx: Tx, messages: readonly ClaimedMessage[]): Promise<Set<string>> {
  await lock(tx, messages);
  const rows = await tx.query<{ id: string }>(STILL_OURS, claimsOf(messages));
  return new Set(rows.map(({ id }) => id));
}

/** A paced alert of a contact: one that waits or is under way, or that was sent of late. */
export type PacedRow = Raw<
  Pick<
    OutboxMessageModel,
    'pid' | 'id' | 'recipient' | 'state' | 'dueAt' | 'leavesAt' | 'parcelId' | 'finishedAt' | 'seq'
  >
>;

/** SQL: a look by the recipient alone, which only one index can serve, for many contacts. */
const PACED = `
  SELECT o.pid, o.id, o.recipient, o.state, o.due_at AS "dueAt", o.leaves_at AS "leavesAt", o.parcel_id AS "parcelId",
    o.finished_at AS "finishedAt", o.seq
  FROM unnest($1::text[], $2::text[]) AS contact (pid, recipient) CROSS JOIN LATERAL (
    SELECT * FROM outbox WHERE recipient = contact.recipient AND leaves_at IS NOT NULL OFFSET 0) o
  WHERE o.pid = contact.pid AND o.medium = $3 AND o.lane = 'alert' AND (o.state = 'queued' OR (o.state = 'sent' AND o.finished_at > $4))
  ORDER BY o.seq`;

/** The paced alerts of contacts that are queued, or were sent since, oldest first. */
export function findPaced(
  db: Db,
  medium: string,
  contacts: readonly Reached[],
  sentSince: Date,
): Promise<PacedRow[]> {
  const pids = contacts.map(({ pid }) => pid);
  const recipients = contacts.map(({ recipient }) => recipient);
  return db.query<PacedRow>(PACED, [pids, recipients, medium, sentSince]);
}

/** An alert that is to wait, and what for. Where only this contact must wait, somebody else has its place meanwhile. */
export type Wait = { message: ClaimedMessage; until: Date; reason: string; isPlaceFree: boolean };

/** SQL: two tables in one statement, as every delay; it is no try, however often it comes. */
const HOLD = `
  WITH held AS (${held({ until: 'timestamptz', reason: 'text', is_free: 'boolean' })}), waiting AS (
    UPDATE outbox o SET due_at = h.until, leaves_at = h.until, error = h.reason, attempts = o.attempts - 1,
      has_place = o.has_place AND NOT h.is_free
    FROM held h WHERE o.ctid = h.at AND ${STILL_HELD}
  ), done AS (
    SELECT * FROM held h WHERE ${STILL_HELD} AND h.is_free
  )
  ${giveBackAt('$7')}`;

/** Lets alerts wait that are locked and still held. */
export async function hold(tx: Tx, waits: readonly Wait[], now: Date): Promise<void> {
  if (waits.length === 0) return;
  await tx.query(HOLD, [
    ...claimsOf(waits.map(({ message }) => message)),
    waits.map(({ until }) => until),
    waits.map(({ reason }) => reason),
    waits.map(({ isPlaceFree }) => isPlaceFree),
    now,
  ]);
}

/** SQL: rows by their keys, each with a parcel of its own. */
const PACK = `
  UPDATE outbox o SET parcel_id = h.parcel, leaves_at = coalesce(o.leaves_at, $5)
  FROM (${held({ parcel: 'text' })}) h WHERE o.ctid = h.at AND ${STILL_HELD}`;

/** An alert with the id of the message that it leaves in. */
export type Packing<Message> = { message: Message; parcelId: string };

/** Puts claimed alerts that are locked and still held into messages. */
export async function pack(tx: Tx, packings: readonly Packing<ClaimedMessage>[], now: Date): Promise<void> {
  if (packings.length === 0) return;
  const claims = claimsOf(packings.map(({ message }) => message));
  await tx.query(PACK, [...claims, packings.map(({ parcelId }) => parcelId), now]);
}

// An alert that has no parcel is sent by nobody, so that it can be taken from whoever has claimed it: that claim no longer holds. One of a parcel is taken with it: whoever
// tries the parcel again has all of it.
// SQL: claims rows where they lie, found by their keys.
const TAKE = `
  UPDATE outbox o SET parcel_id = m.parcel, attempts = o.attempts + 1, claim = o.claim + 1, due_at = $4
  FROM (
    SELECT r.at, t.parcel FROM unnest($1::text[], $2::text[], $3::text[]) AS t (pid, id, parcel) CROSS JOIN LATERAL (
      SELECT ctid AS at, pid, state, parcel_id FROM outbox WHERE id = t.id OFFSET 0) r
    WHERE r.pid = t.pid AND r.state = 'queued' AND coalesce(r.parcel_id, t.parcel) = t.parcel) m
  WHERE o.ctid = m.at
  RETURNING ${CLAIMED_COLUMNS}`;

/** Claims further alerts of locked contacts, into messages. */
export async function take(
  tx: Tx,
  packings: readonly Packing<PacedRow>[],
  leaseEnd: Date,
): Promise<ClaimedMessage[]> {
  if (packings.length === 0) return [];
  const rows = packings.map(({ message }) => message);
  await lock(tx, rows);
  const parcelIds = packings.map(({ parcelId }) => parcelId);
  return tx.query<ClaimedMessage>(TAKE, [
    rows.map(({ pid }) => pid),
    rows.map(({ id }) => id),
    parcelIds,
    leaseEnd,
  ]);
}
