import type { Database, Db } from '../../database/database.ts';
import { endRequests } from '../subscription/request.repo.ts';
import { createNameSearch } from './privacy.rules.ts';
import type { Subject } from './privacy.rules.ts';
import { BLANK_PROFILE } from './shopper.repo.ts';

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
export async function addAuditEntry(tx: Db, pid: string, entry: AuditRow): Promise<void> {
  await tx.query(
    'INSERT INTO audit_entry (pid, id, at, action, subject, key_id, detail) VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb)',
    [pid, entry.id, entry.at, entry.action, entry.subject, entry.keyId, JSON.stringify(entry.detail)],
  );
}

/** The newest entries. */
export async function listAuditEntries(db: Database, pid: string, first: number): Promise<AuditRow[]> {
  const rows = await db.prisma.auditEntry.findMany({ where: { pid }, orderBy: { at: 'desc' }, take: first });
  return rows.map((row) => ({ ...row, detail: row.detail as Record<string, unknown> }));
}

/** SQL condition: the row's contact is the person's, whose address and number are the parameters with these numbers. */
const isContact = (email: number, phone: number): string =>
  `((medium = 'email' AND value = $${email}) OR (medium = 'sms' AND value = $${phone}))`;
/** Also what others asked for on behalf of the person, and the person on behalf of others. */
const THEIR_REQUESTS = `pid = $1 AND (regid = $2 OR ${isContact(3, 4)})`;

/**
 * The messages that a person gets or that name it, such as an event for a webhook. Their texts are searched, which reads the
 * store's whole outbox: right for so rare a call. The database narrows them down, `createNameSearch` decides.
 */
async function findMessages(db: Db, subject: Subject): Promise<string[]> {
  const { pid, em, phone, names } = subject;
  const parts = names.map((name) => JSON.stringify(name).slice(1, -1).toLowerCase());
  const rows = await db.query<{ id: string; isTheirs: boolean; payload: unknown }>(
    `SELECT id, payload, recipient = ANY ($2::text[]) AS "isTheirs" FROM outbox
     WHERE pid = $1 AND (recipient = ANY ($2::text[])
       OR EXISTS (SELECT FROM unnest($3::text[]) part WHERE strpos(lower(payload::text), part) > 0))`,
    [pid, [em, phone].filter((contact) => contact !== null), parts],
  );
  const isNamedIn = createNameSearch(subject);
  return rows.filter(({ isTheirs, payload }) => isTheirs || isNamedIn(payload)).map(({ id }) => id);
}

/** Everything that is stored about a shopper. Of a list that somebody else made for the person, only what says so. */
export async function exportData(db: Db, subject: Subject): Promise<Record<string, unknown>> {
  const { pid, regid, em, phone } = subject;
  const [row] = await db.query<{ data: Record<string, unknown> }>(
    `SELECT json_build_object(
       'shopper', (SELECT to_jsonb(sh) - 'epoch' FROM shopper sh WHERE sh.pid = $1 AND sh.regid = $2),
       'lists', coalesce((
         SELECT json_agg(to_jsonb(l) || jsonb_build_object('items', coalesce((
           SELECT jsonb_agg(to_jsonb(i) ORDER BY i.seq) FROM item i WHERE i.pid = l.pid AND i.lid = l.lid), '[]')) ORDER BY l.seq)
         FROM list l WHERE l.pid = $1 AND l.regid = $2), '[]'),
       'listsMadeFor', coalesce((
         SELECT json_agg(json_build_object('lid', lid, 'lname', lname, 'cfor', cfor, 'cts', cts) ORDER BY seq)
         FROM list WHERE pid = $1 AND cfor = $3), '[]'),
       'subscriptions', coalesce((SELECT json_agg(to_jsonb(s) ORDER BY s.seq) FROM subscription s WHERE pid = $1 AND ${isContact(3, 4)}), '[]'),
       'subscriptionRequests', coalesce((
         SELECT json_agg(to_jsonb(q) - 'regid' - 'asker' ORDER BY q.seq) FROM subscription_request q WHERE ${THEIR_REQUESTS}), '[]'),
       'confirmations', coalesce((
         SELECT json_agg(to_jsonb(c) - 'regid' ORDER BY c.used_at) FROM contact_proof c WHERE ${THEIR_REQUESTS}), '[]'),
       'messages', coalesce((SELECT json_agg(to_jsonb(o) ORDER BY o.seq) FROM outbox o WHERE pid = $1 AND id = ANY ($5::text[])), '[]'),
       'alertsReceived', coalesce((
         SELECT json_agg(to_jsonb(a) ORDER BY a.sent_at) FROM alert_seen a WHERE pid = $1 AND ${isContact(3, 4)}), '[]'),
       'optOuts', coalesce((
         SELECT json_agg(to_jsonb(x) ORDER BY x.cts) FROM suppression x WHERE pid = $1 AND ${isContact(3, 4)}), '[]')
     ) AS data`,
    [pid, regid, em, phone, await findMessages(db, subject)],
  );
  return row!.data;
}

async function countOf(tx: Db, deletion: string, params: readonly unknown[]): Promise<number> {
  const [row] = await tx.query<{ n: number }>(
    `WITH gone AS (${deletion} RETURNING 1) SELECT count(*)::int AS n FROM gone`,
    params,
  );
  return row!.n;
}

/** What the person asked for on behalf of others ends, too, unless they or somebody else asked for it as well. */
async function eraseSubscriptions(tx: Db, { pid, regid, em, phone }: Subject): Promise<number> {
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
export async function eraseData(tx: Db, subject: Subject, now: Date): Promise<Record<string, number>> {
  const { pid, regid, em, phone } = subject;
  const counts = {
    lists: await countOf(tx, 'DELETE FROM list WHERE pid = $1 AND regid = $2', [pid, regid]),
    subscriptions: await eraseSubscriptions(tx, subject),
    messages: await countOf(tx, 'DELETE FROM outbox WHERE pid = $1 AND id = ANY ($2::text[])', [
      pid,
      await findMessages(tx, subject),
    ]),
  };
  for (const table of ['alert_seen', 'suppression'])
    await tx.query(`DELETE FROM ${table} WHERE pid = $1 AND ${isContact(2, 3)}`, [pid, em, phone]);
  await tx.query('UPDATE list SET cfor = NULL WHERE pid = $1 AND cfor = $2', [pid, em]);
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
