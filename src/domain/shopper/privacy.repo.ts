import type { Database, Db } from '../../database/database.ts';
import type { IdentityKey } from './shopper.repo.ts';

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

/** Who is meant, and by which contacts messages reach that person. */
export type Subject = IdentityKey & { em: string | null; m: string | null };

const THEIR_SUBSCRIPTIONS = `s.pid = $1 AND (s.regid = $2 OR (s.medium = 'email' AND s.value = $3) OR (s.medium = 'sms' AND s.value = $4))`;

/** Everything that is stored about a shopper, in one consistent read. */
export async function exportData(db: Db, { pid, regid, em, m }: Subject): Promise<Record<string, unknown>> {
  const [row] = await db.query<{ data: Record<string, unknown> }>(
    `SELECT json_build_object(
       'shopper', (SELECT to_jsonb(sh) - 'epoch' FROM shopper sh WHERE sh.pid = $1 AND sh.regid = $2),
       'lists', coalesce((
         SELECT json_agg(to_jsonb(l) || jsonb_build_object('items', coalesce((
           SELECT jsonb_agg(to_jsonb(i) ORDER BY i.seq) FROM item i WHERE i.pid = l.pid AND i.lid = l.lid), '[]')) ORDER BY l.seq)
         FROM list l WHERE l.pid = $1 AND l.regid = $2), '[]'),
       'subscriptions', coalesce((SELECT json_agg(to_jsonb(s) ORDER BY s.seq) FROM subscription s WHERE ${THEIR_SUBSCRIPTIONS}), '[]'),
       'messages', coalesce((SELECT json_agg(to_jsonb(o) ORDER BY o.seq) FROM outbox o WHERE o.pid = $1 AND o.recipient IN ($3, $4)), '[]')
     ) AS data`,
    [pid, regid, em, m],
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

/**
 * Deletes what a shopper owns and blanks its row. The row itself stays, nameless, with its session counter moved on:
 * otherwise an old sessionid would work again when the person comes back. Messages are searched by their text, because an
 * event for a webhook can name the person too; that reads the store's whole outbox, which is right for so rare a call.
 */
export async function eraseData(
  tx: Db,
  { pid, regid, em, m }: Subject,
  now: Date,
): Promise<Record<string, number>> {
  const contacts = [em, m].filter((contact) => contact !== null);
  const counts = {
    lists: await countOf(tx, 'DELETE FROM list WHERE pid = $1 AND regid = $2', [pid, regid]),
    subscriptions: await countOf(tx, `DELETE FROM subscription s WHERE ${THEIR_SUBSCRIPTIONS}`, [
      pid,
      regid,
      em,
      m,
    ]),
    messages: await countOf(
      tx,
      `DELETE FROM outbox WHERE pid = $1 AND (recipient = ANY ($2::text[])
         OR EXISTS (SELECT FROM unnest($2::text[]) contact WHERE strpos(payload::text, contact) > 0))`,
      [pid, contacts],
    ),
  };
  await tx.query('DELETE FROM alert_seen WHERE pid = $1 AND value = ANY ($2::text[])', [pid, contacts]);
  await tx.query('DELETE FROM suppression WHERE pid = $1 AND value = ANY ($2::text[])', [pid, contacts]);
  await tx.query('UPDATE list SET cfor = NULL WHERE pid = $1 AND cfor = $2', [pid, em]);
  await tx.query('DELETE FROM guest_link WHERE pid = $1 AND (account_regid = $2 OR guest_regid = $2)', [
    pid,
    regid,
  ]);
  await tx.query(
    `UPDATE shopper SET em = NULL, fname = '', lname = '', m = NULL, sw_mkt = NULL, ut = NULL, acc_mkt = false, extags = '{}',
       prefs = '{}', pd = '{}', epoch = epoch + 1, merged_into = NULL, lastlogin = $3, uts = $3
     WHERE pid = $1 AND regid = $2`,
    [pid, regid, now],
  );
  return counts;
}
