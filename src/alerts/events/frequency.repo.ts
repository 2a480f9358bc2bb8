import type { OutboxMessageModel } from '../../generated/prisma/models.ts';
import { arraysOf } from '../../platform/database/columns.ts';
import type { Db, Raw, Tx } from '../../platform/database/database.ts';
import { CLAIMED_COLUMNS, STILL_HELD, claimsOf, held, lock } from '../queue/outbox.repo.ts';
import type { ClaimedMessage, EndedMessage } from '../queue/outbox.repo.ts';
import { giveBackPlaces } from './alert.repo.ts';

// Decisions about a contact are made under its lock and written before sending, so that another dispatcher continues after a crash.

type Recipient = { pid: string; recipient: string };

/** SQL: Prisma has no advisory locks. They are acquired in numeric order to avoid deadlocks. */
const LOCK_CONTACTS = `
  SELECT pg_advisory_xact_lock(number) FROM (
    SELECT DISTINCT hashtextextended(name, 35) AS number FROM unnest($1::text[]) AS contact (name) ORDER BY 1 OFFSET 0) numbers`;

/** Lets only one dispatcher at a time decide about these contacts, until the transaction ends. */
export async function lockContacts(tx: Tx, medium: string, contacts: readonly Recipient[]): Promise<void> {
  const names = contacts.map(({ pid, recipient }) => JSON.stringify([pid, medium, recipient]));
  await tx.query(LOCK_CONTACTS, [names]);
}

/** SQL: reads rows by key. */
const STILL_OURS = `SELECT h.id FROM (${held()}) h WHERE ${STILL_HELD}`;

/** Locks messages until the transaction ends, and returns the ids that no other dispatcher has claimed since. */
export async function lockClaimed(tx: Tx, messages: readonly ClaimedMessage[]): Promise<Set<string>> {
  await lock(tx, messages);
  const rows = await tx.query<{ id: string }>(STILL_OURS, claimsOf(messages));
  return new Set(rows.map(({ id }) => id));
}

export type RecentAlert = Pick<
  Raw<OutboxMessageModel>,
  'pid' | 'id' | 'recipient' | 'state' | 'scheduledAt' | 'messageId' | 'finishedAt'
>;

/** SQL: filters by recipient alone, which only one index supports. */
const RECENT = `
  SELECT o.pid, o.id, o.recipient, o.state, o.leaves_at AS "scheduledAt", o.parcel_id AS "messageId", o.finished_at AS "finishedAt"
  FROM unnest($1::text[], $2::text[]) AS contact (pid, recipient) CROSS JOIN LATERAL (
    SELECT * FROM outbox WHERE recipient = contact.recipient AND leaves_at IS NOT NULL OFFSET 0) o
  WHERE o.pid = contact.pid AND o.medium = $3 AND o.lane = 'alert' AND (o.state = 'queued' OR (o.state = 'sent' AND o.finished_at > $4))
  ORDER BY o.seq`;

/** Returns alerts that are queued or were sent since then, oldest first. */
export function findRecent(db: Db, medium: string, contacts: readonly Recipient[], sentSince: Date) {
  return db.query<RecentAlert>(RECENT, [...arraysOf(contacts, 'pid', 'recipient'), medium, sentSince]);
}

/** An alert to postpone. If only this contact has to wait, another subscriber gets its place. */
type Wait = { message: ClaimedMessage; until: Date; reason: string; isPlaceFree: boolean };

/** SQL: updates each row with its own values. Waiting does not count as an attempt. */
const HOLD = `
  UPDATE outbox o SET due_at = h.until, leaves_at = h.until, error = h.reason, attempts = o.attempts - 1, has_place = o.has_place AND NOT h.is_free
  FROM (${held({ until: 'timestamptz', reason: 'text', is_free: 'boolean' })}) h
  WHERE o.ctid = h.at AND ${STILL_HELD}
  RETURNING o.pid, h.restock_id AS "eventId", h.has_place AND h.is_free AS "hasPlace"`;

export async function hold(tx: Tx, waits: readonly Wait[], now: Date): Promise<void> {
  if (waits.length === 0) return;
  const held = await tx.query<Pick<EndedMessage, 'pid' | 'eventId' | 'hasPlace'>>(HOLD, [
    ...claimsOf(waits.map(({ message }) => message)),
    ...arraysOf(waits, 'until', 'reason', 'isPlaceFree'),
  ]);
  await giveBackPlaces(tx, held, now);
}

/** SQL: updates each row with its own values. */
const GROUP = `
  UPDATE outbox o SET parcel_id = h.group_id, leaves_at = coalesce(o.leaves_at, $5)
  FROM (${held({ group_id: 'text' })}) h WHERE o.ctid = h.at AND ${STILL_HELD}`;

type Grouped<Message> = { message: Message; groupId: string };

export async function group(tx: Tx, alerts: readonly Grouped<ClaimedMessage>[], now: Date): Promise<void> {
  if (alerts.length === 0) return;
  const claims = claimsOf(alerts.map(({ message }) => message));
  await tx.query(GROUP, [...claims, ...arraysOf(alerts, 'groupId'), now]);
}

// SQL: by ctid, found by key. Nobody sends an alert without a message yet, so it may be claimed; others are claimed with theirs.
const TAKE = `
  UPDATE outbox o SET parcel_id = m.group_id, attempts = o.attempts + 1, claim = o.claim + 1, due_at = $4
  FROM (
    SELECT r.at, t.group_id FROM unnest($1::text[], $2::text[], $3::text[]) AS t (pid, id, group_id) CROSS JOIN LATERAL (
      SELECT ctid AS at, pid, state, parcel_id FROM outbox WHERE id = t.id OFFSET 0) r
    WHERE r.pid = t.pid AND r.state = 'queued' AND coalesce(r.parcel_id, t.group_id) = t.group_id) m
  WHERE o.ctid = m.at
  RETURNING ${CLAIMED_COLUMNS}`;

/** Claims more alerts of locked contacts and assigns them to messages. */
export async function take(tx: Tx, alerts: readonly Grouped<RecentAlert>[], leaseEnd: Date) {
  if (alerts.length === 0) return [];
  const rows = alerts.map(({ message }) => message);
  await lock(tx, rows);
  const params = [...arraysOf(rows, 'pid', 'id'), ...arraysOf(alerts, 'groupId'), leaseEnd];
  return tx.query<ClaimedMessage>(TAKE, params);
}
