import type { Db } from '../platform/database/database.ts';

/** What the owner of the written list `l` stores in all lists; the statement that writes `l` sees its new row and the others' old ones. */
export const USED_BYTES = `l.bytes + coalesce((
  SELECT sum(o.bytes) FROM list o WHERE o.pid = l.pid AND o.regid = l.regid AND o.lid <> l.lid), 0)::bigint`;

/** What a shopper stores in all lists. */
export async function usedBytes(db: Db, { pid, regid }: { pid: string; regid: string }): Promise<number> {
  const { _sum } = await db.prisma.list.aggregate({ where: { pid, regid }, _sum: { bytes: true } });
  return Number(_sum.bytes ?? 0);
}
