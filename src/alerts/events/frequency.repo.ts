import type { Db, Raw, Tx } from '../../platform/database/database.ts';
import type { OutboxMessageModel } from '../../generated/prisma/models.ts';
import { STILL_HELD, claimsOf, held, lock } from '../queue/acknowledge.repo.ts';
import type { EndedMessage } from '../queue/acknowledge.repo.ts';
import { CLAIMED_COLUMNS } from '../queue/outbox.repo.ts';
import type { ClaimedMessage } from '../queue/outbox.repo.ts';
import { giveBackPlaces } from './alert.repo.ts';

// Which alerts of a contact share a message, and whether the frequency cap allows one more, is decided under the contact's lock and written before anything
// is sent: a dispatcher that takes over after a crash continues with the same decision.

/** A contact in one store. */
export type Recipient = { pid: string; recipient: string };

/** SQL: Prisma has no advisory locks. They are taken in the order of their numbers, against deadlocks. */
const LOCK_CONTACTS = `
  SELECT pg_advisory_xact_lock(number) FROM (
    SELECT DISTINCT hashtextextended(name, 35) AS number FROM unnest($1::text[]) AS contact (name) ORDER BY 1 OFFSET 0) numbers`;

/** Lets one dispatcher at a time decide about contacts, until the transaction ends. */
export async function lockContacts(tx: Tx, medium: string, contacts: readonly Recipient[]): Promise<void> {
  const names = contacts.map(({ pid, recipient }) => JSON.stringify([pid, medium, recipient]));
  await tx.query(LOCK_CONTACTS, [names]);
}

/** SQL: rows by their keys. */
const STILL_OURS = `SELECT h.id FROM (${held()}) h WHERE ${STILL_HELD}`;

/** Holds messages until the transaction ends, and returns the ids of those that nobody else has claimed since. */
export async function lockClaimed(tx: Tx, messages: readonly ClaimedMessage[]): Promise<Set<string>> {
  await lock(tx, messages);
  const rows = await tx.query<{ id: string }>(STILL_OURS, claimsOf(messages));
  return new Set(rows.map(({ id }) => id));
}

/** An alert of a contact that frequency rules apply to: queued, or sent recently. */
export type RecentAlert = Raw<
  Pick<
    OutboxMessageModel,
    'pid' | 'id' | 'recipient' | 'state' | 'dueAt' | 'leavesAt' | 'parcelId' | 'finishedAt' | 'seq'
  >
>;

/** SQL: looks up by the recipient alone, which only one index can serve. */
const RECENT = `
  SELECT o.pid, o.id, o.recipient, o.state, o.due_at AS "dueAt", o.leaves_at AS "leavesAt", o.parcel_id AS "parcelId",
    o.finished_at AS "finishedAt", o.seq
  FROM unnest($1::text[], $2::text[]) AS contact (pid, recipient) CROSS JOIN LATERAL (
    SELECT * FROM outbox WHERE recipient = contact.recipient AND leaves_at IS NOT NULL OFFSET 0) o
  WHERE o.pid = contact.pid AND o.medium = $3 AND o.lane = 'alert' AND (o.state = 'queued' OR (o.state = 'sent' AND o.finished_at > $4))
  ORDER BY o.seq`;

/** Alerts of contacts under frequency rules that are queued or were sent since, oldest first. */
export function findRecent(
  db: Db,
  medium: string,
  contacts: readonly Recipient[],
  sentSince: Date,
): Promise<RecentAlert[]> {
  const pids = contacts.map(({ pid }) => pid);
  const recipients = contacts.map(({ recipient }) => recipient);
  return db.query<RecentAlert>(RECENT, [pids, recipients, medium, sentSince]);
}

/** An alert that waits, and for what. Where only this contact must wait, somebody else gets its place meanwhile. */
export type Wait = { message: ClaimedMessage; until: Date; reason: string; isPlaceFree: boolean };

/** SQL: changes each row by values of its own. Waiting counts as no attempt. */
const HOLD = `
  UPDATE outbox o SET due_at = h.until, leaves_at = h.until, error = h.reason, attempts = o.attempts - 1, has_place = o.has_place AND NOT h.is_free
  FROM (${held({ until: 'timestamptz', reason: 'text', is_free: 'boolean' })}) h
  WHERE o.ctid = h.at AND ${STILL_HELD}
  RETURNING o.pid, h.restock_id AS "restockId", h.has_place AND h.is_free AS "hasPlace"`;

/** Lets locked alerts wait. */
export async function hold(tx: Tx, waits: readonly Wait[], now: Date): Promise<void> {
  if (waits.length === 0) return;
  const held = await tx.query<Pick<EndedMessage, 'pid' | 'restockId' | 'hasPlace'>>(HOLD, [
    ...claimsOf(waits.map(({ message }) => message)),
    waits.map(({ until }) => until),
    waits.map(({ reason }) => reason),
    waits.map(({ isPlaceFree }) => isPlaceFree),
  ]);
  await giveBackPlaces(tx, held, now);
}

/** SQL: changes each row by values of its own. */
const GROUP = `
  UPDATE outbox o SET parcel_id = h.group_id, leaves_at = coalesce(o.leaves_at, $5)
  FROM (${held({ group_id: 'text' })}) h WHERE o.ctid = h.at AND ${STILL_HELD}`;

/** An alert with the id of the message that it is sent in. */
export type Grouped<Message> = { message: Message; groupId: string };

/** Puts locked alerts into messages. */
export async function group(tx: Tx, alerts: readonly Grouped<ClaimedMessage>[], now: Date): Promise<void> {
  if (alerts.length === 0) return;
  const claims = claimsOf(alerts.map(({ message }) => message));
  await tx.query(GROUP, [...claims, alerts.map(({ groupId }) => groupId), now]);
}

// An alert that is in no message yet is being sent by nobody, so it can be taken from the dispatcher that claimed it; one of a message is taken with it.
// SQL: claims rows where they lie, found by their keys.
const TAKE = `
  UPDATE outbox o SET parcel_id = m.group_id, attempts = o.attempts + 1, claim = o.claim + 1, due_at = $4
  FROM (
    SELECT r.at, t.group_id FROM unnest($1::text[], $2::text[], $3::text[]) AS t (pid, id, group_id) CROSS JOIN LATERAL (
      SELECT ctid AS at, pid, state, parcel_id FROM outbox WHERE id = t.id OFFSET 0) r
    WHERE r.pid = t.pid AND r.state = 'queued' AND coalesce(r.parcel_id, t.group_id) = t.group_id) m
  WHERE o.ctid = m.at
  RETURNING ${CLAIMED_COLUMNS}`;

/** Claims further alerts of locked contacts, into messages. */
export async function take(
  tx: Tx,
  alerts: readonly Grouped<RecentAlert>[],
  leaseEnd: Date,
): Promise<ClaimedMessage[]> {
  if (alerts.length === 0) return [];
  const rows = alerts.map(({ message }) => message);
  await lock(tx, rows);
  return tx.query<ClaimedMessage>(TAKE, [
    rows.map(({ pid }) => pid),
    rows.map(({ id }) => id),
    alerts.map(({ groupId }) => groupId),
    leaseEnd,
  ]);
}
