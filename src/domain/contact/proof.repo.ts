import type { Db, Tx } from '../../database/database.ts';
import type { Contact } from './contact.rules.ts';

/** Records that a contact confirmed what these shoppers (or the store: empty) had asked for. */
export async function addProofs(
  tx: Tx,
  pid: string,
  { medium, value }: Contact,
  regids: readonly string[],
  now: Date,
): Promise<void> {
  await tx.query(
    `INSERT INTO contact_proof (pid, medium, value, regid, used_at)
     SELECT DISTINCT $1, $2, $3, regid, $5::timestamptz FROM unnest($4::text[]) AS regid ORDER BY regid
     ON CONFLICT (pid, medium, value, regid) DO UPDATE SET used_at = excluded.used_at`,
    [pid, medium, value, regids, now],
  );
}

/** Whether a contact has confirmed a request of this shopper, or with null of anybody; it then counts as used. */
export async function useProof(
  tx: Tx,
  pid: string,
  { medium, value }: Contact,
  regid: string | null,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(
    `UPDATE contact_proof SET used_at = $5
     WHERE pid = $1 AND medium = $2 AND value = $3 AND ($4::text IS NULL OR regid = $4) RETURNING 1`,
    [pid, medium, value, regid, now],
  );
  return rows.length > 0;
}

/** Hands a guest's proofs to the account it was merged into: the device's next visitor is somebody else. */
export async function moveProofs(tx: Tx, pid: string, fromRegid: string, toRegid: string): Promise<void> {
  await tx.query(
    `WITH moved AS (DELETE FROM contact_proof WHERE pid = $1 AND regid = $2 RETURNING medium, value, used_at)
     INSERT INTO contact_proof AS p (pid, medium, value, regid, used_at) SELECT $1, medium, value, $3, used_at FROM moved
     ON CONFLICT (pid, medium, value, regid) DO UPDATE SET used_at = greatest(p.used_at, excluded.used_at)`,
    [pid, fromRegid, toRegid],
  );
}

/** Forgets proofs that have not been used for long; answers how many. */
export async function forgetProofs(db: Db, before: Date): Promise<number> {
  const rows = await db.query(
    `DELETE FROM contact_proof WHERE (pid, medium, value, regid) IN (
       SELECT pid, medium, value, regid FROM contact_proof WHERE used_at < $1 LIMIT 1000) RETURNING 1`,
    [before],
  );
  return rows.length;
}
