import type { Db } from '../../platform/database/database.ts';

/** Rows removed by one statement. */
const FORGOTTEN_AT_ONCE = 5_000;

/** SQL: two tables in one statement, so that no mark stays behind its variant. */
const FORGET = `
  WITH gone AS (
    DELETE FROM removed_product WHERE (pid, epi) IN (
      SELECT pid, epi FROM removed_product WHERE at < $1 LIMIT ${FORGOTTEN_AT_ONCE}) RETURNING pid, epi
  ), marks AS (
    DELETE FROM price_mark m USING gone g WHERE m.pid = g.pid AND m.epi = g.epi
  )
  SELECT count(*)::int AS count FROM gone`;

/** Removes one portion of what is remembered of variants that were removed before; answers how many. */
export async function removeRemoved(db: Db, before: Date): Promise<number> {
  const [row] = await db.query<{ count: number }>(FORGET, [before]);
  return row!.count;
}
