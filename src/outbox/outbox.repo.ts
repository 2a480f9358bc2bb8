import { randomUUID } from 'node:crypto';
import type { Db, Tx } from '../database/database.ts';

/** Which loop of the dispatcher sends a message; a slow lane never holds up another. */
export type Lane = 'alert-email' | 'alert-sms' | 'mail' | 'sms' | 'webhook';

/** `failed` is a dead letter; `withheld` was not sent because its reason went away. */
export type MessageState = 'queued' | 'sent' | 'failed' | 'withheld';

/** A message to be queued. */
export type NewMessage = {
  pid: string;
  lane: Lane;
  /** What it is for, in one word. */
  kind: string;
  recipient: string;
  payload: object;
  /** A second message with the same key is dropped. */
  dedupeKey?: string | null;
  /** When to send; at once when left out. */
  dueAt?: Date;
};

/** The content of a mail that is rendered when it is queued. */
export type MailPayload = { subject: string; html: string; text: string; headers?: Record<string, string> };

/** The content of a text message. */
export type SmsPayload = { text: string };

/** A message as a dispatcher claimed it. */
export type ClaimedMessage = {
  pid: string;
  id: string;
  lane: Lane;
  kind: string;
  recipient: string;
  payload: unknown;
  restockId: string | null;
  subscriptionId: string | null;
  topic: string | null;
  epi: string | null;
  /** Which try this is. */
  attempts: number;
  /** Number of this claim, which no other one of the message ever has: proves that it still holds. */
  claim: number;
  cts: Date;
};

const ENQUEUE = {
  name: 'enqueue_messages',
  text: `
    INSERT INTO outbox (pid, id, lane, kind, recipient, payload, dedupe_key, due_at, cts)
    SELECT m.pid, m.id, m.lane, m.kind, m.recipient, m.payload, m.dedupe_key, coalesce(m.due_at, $2), $2
    FROM jsonb_to_recordset($1::jsonb) AS m(pid text, id text, lane text, kind text, recipient text, payload jsonb, dedupe_key text, due_at timestamptz)
    ON CONFLICT DO NOTHING RETURNING id`,
};

/** Queues messages in the caller's transaction; they leave after its commit. Answers the ids of those that were new. */
export async function enqueueMessages(tx: Tx, messages: readonly NewMessage[], now: Date): Promise<string[]> {
  if (messages.length === 0) return [];
  const rows = messages.map(({ dedupeKey, dueAt, ...message }) => ({
    ...message,
    id: randomUUID(),
    dedupe_key: dedupeKey ?? null,
    due_at: dueAt ?? null,
  }));
  tx.afterCommit(tx.wake);
  return (await tx.query<{ id: string }>(ENQUEUE, [JSON.stringify(rows), now])).map(({ id }) => id);
}

/** A mail that is ready to go. `kind` says what it is for (`list-share`, `confirm` …). */
export type NewMail = MailPayload & { pid: string; kind: string; to: string; dedupeKey?: string | null };

/** Queues one mail in the caller's transaction. Answers its id, or null when its `dedupeKey` was there already. */
export async function enqueueMail(tx: Tx, mail: NewMail, now: Date): Promise<string | null> {
  const { pid, kind, to, dedupeKey, ...payload } = mail;
  const [id] = await enqueueMessages(
    tx,
    [{ pid, lane: 'mail', kind, recipient: to, payload, dedupeKey }],
    now,
  );
  return id ?? null;
}

/** A text message that is ready to go; `to` is in E.164 form. */
export type NewSms = SmsPayload & { pid: string; kind: string; to: string; dedupeKey?: string | null };

/** Queues one text message in the caller's transaction. Answers its id, or null when its `dedupeKey` was there already. */
export async function enqueueSms(tx: Tx, sms: NewSms, now: Date): Promise<string | null> {
  const { pid, kind, to, dedupeKey, ...payload } = sms;
  const [id] = await enqueueMessages(
    tx,
    [{ pid, lane: 'sms', kind, recipient: to, payload, dedupeKey }],
    now,
  );
  return id ?? null;
}

// Statements without a name are planned at each call: a plan made while the table was empty reads all of it once 100,000 alerts
// are there (12 messages/s instead of several hundred), until statistics are gathered a minute later.

/** What takes turns in a lane: a store or, where each message goes to a receiver of its own, one webhook of a store. */
export type Line = { pid: string; recipient: string };

/** One look at the index a store, and one alone while nothing is due. */
const DUE_STORES = `
  WITH RECURSIVE waiting AS (
    (SELECT pid, due_at FROM outbox WHERE state = 'queued' AND lane = $1
       AND EXISTS (SELECT FROM outbox WHERE state = 'queued' AND lane = $1 AND due_at <= $2)
     ORDER BY pid, due_at LIMIT 1)
    UNION ALL
    SELECT next.pid, next.due_at FROM waiting w CROSS JOIN LATERAL (
      SELECT pid, due_at FROM outbox WHERE state = 'queued' AND lane = $1 AND pid > w.pid ORDER BY pid, due_at LIMIT 1) next
  )
  SELECT pid, '' AS recipient FROM waiting WHERE due_at <= $2 ORDER BY random()`;

/** The same for webhooks, by an index of their own. */
const DUE_WEBHOOKS = `
  WITH RECURSIVE waiting AS (
    (SELECT pid, recipient, due_at FROM outbox WHERE state = 'queued' AND lane = 'webhook'
       AND EXISTS (SELECT FROM outbox WHERE state = 'queued' AND lane = $1 AND due_at <= $2)
     ORDER BY pid, recipient, due_at LIMIT 1)
    UNION ALL
    SELECT next.pid, next.recipient, next.due_at FROM waiting w CROSS JOIN LATERAL (
      SELECT pid, recipient, due_at FROM outbox WHERE state = 'queued' AND lane = 'webhook' AND (pid, recipient) > (w.pid, w.recipient)
      ORDER BY pid, recipient, due_at LIMIT 1) next
  )
  SELECT pid, recipient FROM waiting WHERE due_at <= $2 ORDER BY random()`;

/** The lines that have messages due in a lane, in any order. */
export function findDueLines(db: Db, lane: Lane, now: Date): Promise<Line[]> {
  return db.query<Line>(lane === 'webhook' ? DUE_WEBHOOKS : DUE_STORES, [lane, now]);
}

const claimWhere = (isDue: string): string => `
  WITH due AS (
    SELECT oldest.pid, oldest.id FROM unnest($4::text[], $5::text[], $6::int[]) AS turn (pid, recipient, most) CROSS JOIN LATERAL (
      SELECT pid, id FROM outbox WHERE state = 'queued' AND ${isDue} AND pid = turn.pid AND due_at <= $2
      ORDER BY due_at LIMIT turn.most FOR UPDATE SKIP LOCKED) oldest
  )
  UPDATE outbox o SET attempts = o.attempts + 1, claim = o.claim + 1, due_at = $3
  FROM due WHERE o.pid = due.pid AND o.id = due.id AND o.lane = $1
  RETURNING o.pid, o.id, o.lane, o.kind, o.recipient, o.payload, o.restock_id AS "restockId", o.subscription_id AS "subscriptionId",
    o.topic, o.epi, o.attempts, o.claim, o.cts`;

const CLAIM_OF_STORES = claimWhere('lane = $1');
const CLAIM_OF_WEBHOOKS = claimWhere(`lane = 'webhook' AND recipient = turn.recipient`);

/** How much of a line is taken at most. */
export type Turn = { line: Line; most: number };

/** What a dispatcher takes: the oldest messages of some lines, at most so many of each. */
export type Claim = { lane: Lane; turns: readonly Turn[]; leaseMs: number };

/** Takes due messages for the time of the lease. Dispatchers never take the same one. */
export function claimMessages(db: Db, { lane, turns, leaseMs }: Claim, now: Date): Promise<ClaimedMessage[]> {
  const leaseEnd = new Date(now.getTime() + leaseMs);
  const pids = turns.map(({ line }) => line.pid);
  const recipients = turns.map(({ line }) => line.recipient);
  const most = turns.map((turn) => turn.most);
  const statement = lane === 'webhook' ? CLAIM_OF_WEBHOOKS : CLAIM_OF_STORES;
  return db.query<ClaimedMessage>(statement, [lane, now, leaseEnd, pids, recipients, most]);
}

const RENEW = `
  UPDATE outbox o SET due_at = $4 FROM unnest($1::text[], $2::text[], $3::int[]) AS m (pid, id, claim)
  WHERE o.pid = m.pid AND o.id = m.id AND o.state = 'queued' AND o.claim = m.claim`;

/** Lengthens the leases of messages that are still under way. */
export async function renewLeases(
  db: Db,
  messages: readonly ClaimedMessage[],
  leaseEnd: Date,
): Promise<void> {
  const [pids, ids] = [messages.map(({ pid }) => pid), messages.map(({ id }) => id)];
  await db.query(RENEW, [pids, ids, messages.map(({ claim }) => claim), leaseEnd]);
}
