import type { Prisma } from '../../generated/prisma/client.ts';
import type { Database, Db, Tx } from '../../database/database.ts';
import { endRequests } from '../subscription/request.repo.ts';
import { createNameSearch } from './privacy.rules.ts';
import type { Subject } from './privacy.rules.ts';
import { BLANK_PROFILE } from '../shopper/shopper.repo.ts';

/** One export or erasure. */
export type AuditRow = {
  id: string;
  at: Date;
  action: string;
  subject: string;
  keyId: string;
  detail: Record<string, unknown>;
};

/** Records what was done to a person's data. */
export async function addAuditEntry(db: Db, pid: string, entry: AuditRow): Promise<void> {
  await db.prisma.auditEntry.create({
    data: { pid, ...entry, detail: entry.detail as Prisma.InputJsonObject },
  });
}

/** The newest entries. */
export async function listAuditEntries(db: Database, pid: string, first: number): Promise<AuditRow[]> {
  const rows = await db.prisma.auditEntry.findMany({ where: { pid }, orderBy: { at: 'desc' }, take: first });
  return rows.map((row) => ({ ...row, detail: row.detail as Record<string, unknown> }));
}

/** SQL condition: the row's contact is the person's, whose address and number are the parameters with these numbers. */
export const isContact = (email: number, phone: number): string =>
  `((medium = 'email' AND value = $${email}) OR (medium = 'sms' AND value = $${phone}))`;

/** Also what others asked for on behalf of the person, and the person on behalf of others. */
const THEIR_REQUESTS = `pid = $1 AND (regid = $2 OR ${isContact(3, 4)})`;

/** Messages that are looked at together; a mail can have 100 kB. */
const MESSAGES_AT_ONCE = 50;

/** A message as JSON text. */
export type MessageRow = { id: string; seq: number; json: string };

/**
 * The messages that a person gets or that name it, such as an event for a webhook, portion by portion. Their texts are searched, which
 * reads the store's whole outbox: right for so rare a call. The database narrows them down, `createNameSearch` decides.
 */
export async function* findMessages(db: Db, subject: Subject): AsyncGenerator<MessageRow[]> {
  const { pid, em, phone, names } = subject;
  const parts = names.map((name) => JSON.stringify(name).slice(1, -1).toLowerCase());
  const contacts = [em, phone].filter((contact) => contact !== null);
  const isNamedIn = createNameSearch(subject);
  for (let seq = -1; ;) {
    const rows = await db.query<MessageRow & { isTheirs: boolean }>(
      `SELECT id, seq, to_jsonb(o)::text AS json, recipient = ANY ($2::text[]) AS "isTheirs" FROM outbox o
       WHERE pid = $1 AND seq > $4 AND (recipient = ANY ($2::text[])
         OR EXISTS (SELECT FROM unnest($3::text[]) part WHERE strpos(lower(payload::text), part) > 0))
       ORDER BY seq LIMIT $5`,
      [pid, contacts, parts, seq, MESSAGES_AT_ONCE],
    );
    const found = rows.filter(
      ({ isTheirs, json }) => isTheirs || isNamedIn((JSON.parse(json) as { payload: unknown }).payload),
    );
    if (found.length > 0) yield found;
    if (rows.length < MESSAGES_AT_ONCE) return;
    seq = rows.at(-1)!.seq;
  }
}

async function countOf(tx: Tx, deletion: string, params: readonly unknown[]): Promise<number> {
  const [row] = await tx.query<{ n: number }>(
    `WITH gone AS (${deletion} RETURNING 1) SELECT count(*)::int AS n FROM gone`,
    params,
  );
  return row!.n;
}

async function deleteMessages(tx: Tx, subject: Subject): Promise<number> {
  let count = 0;
  for await (const messages of findMessages(tx, subject)) {
    const ids = messages.map(({ id }) => id);
    count += await countOf(tx, 'DELETE FROM outbox WHERE pid = $1 AND id = ANY ($2::text[])', [
      subject.pid,
      ids,
    ]);
  }
  return count;
}

/** What the person asked for on behalf of others ends, too, unless they or somebody else asked for it as well. */
async function eraseSubscriptions(tx: Tx, { pid, regid, em, phone }: Subject): Promise<number> {
  const own = await countOf(tx, `DELETE FROM subscription WHERE pid = $1 AND ${isContact(2, 3)}`, [
    pid,
    em,
    phone,
  ]);
  const { gone } = await endRequests(tx, { pid, regid }, { topic: null });
  for (const table of ['subscription_request', 'contact_proof'])
    await tx.query(`DELETE FROM ${table} WHERE ${THEIR_REQUESTS}`, [pid, regid, em, phone]);
  return own + gone.length;
}

/**
 * Deletes what a shopper owns and blanks its row. The row itself stays, nameless, with its session counter moved on:
 * otherwise an old sessionid would work again when the person comes back.
 */
export async function eraseData(tx: Tx, subject: Subject, now: Date): Promise<Record<string, number>> {
  const { pid, regid, em, phone } = subject;
  const counts = {
    lists: await countOf(tx, 'DELETE FROM list WHERE pid = $1 AND regid = $2', [pid, regid]),
    subscriptions: await eraseSubscriptions(tx, subject),
    messages: await deleteMessages(tx, subject),
  };
  for (const table of ['alert_seen', 'suppression'])
    await tx.query(`DELETE FROM ${table} WHERE pid = $1 AND ${isContact(2, 3)}`, [pid, em, phone]);
  await tx.query('UPDATE list SET cfor = NULL WHERE pid = $1 AND cfor = $2', [pid, em]);
  await tx.query(
    `DELETE FROM idempotent_write WHERE pid = $1 AND (regid = $2
       OR regid IN (SELECT guest_regid FROM guest_link WHERE pid = $1 AND account_regid = $2))`,
    [pid, regid],
  );
  await tx.query('DELETE FROM guest_link WHERE pid = $1 AND (account_regid = $2 OR guest_regid = $2)', [
    pid,
    regid,
  ]);
  await tx.query(
    `UPDATE shopper SET em = NULL, ${BLANK_PROFILE}, epoch = epoch + 1, merged_into = NULL, lastlogin = $3, uts = $3
     WHERE pid = $1 AND regid = $2`,
    [pid, regid, now],
  );
  return counts;
}
