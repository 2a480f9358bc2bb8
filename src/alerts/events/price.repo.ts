import type { Tx } from '../../platform/database/database.ts';
import type { Mark } from './event.rules.ts';

/** The marks of some variants. */
export async function findMarks(tx: Tx, pid: string, epis: readonly string[]): Promise<Mark[]> {
  return tx.prisma.priceMark.findMany({
    where: { pid, epi: { in: [...epis] } },
    select: { topic: true, epi: true, pr: true },
  });
}

/** SQL: set-wise, some are written and others end. */
const SAVE = `
  WITH given AS (SELECT * FROM jsonb_to_recordset($2::jsonb) AS m (topic text, epi text, pr double precision)), ended AS (
    DELETE FROM price_mark m USING given g WHERE g.pr IS NULL AND m.pid = $1 AND m.epi = g.epi AND m.topic = g.topic
  )
  INSERT INTO price_mark (pid, epi, topic, pr) SELECT $1, epi, topic, pr FROM given WHERE pr IS NOT NULL
  ON CONFLICT (pid, epi, topic) DO UPDATE SET pr = excluded.pr`;

/** Keeps marks, and ends those that have done their work; the rows of the variants are locked by the write that changed their price. */
export async function saveMarks(tx: Tx, pid: string, marks: readonly Mark[]): Promise<void> {
  if (marks.length > 0) await tx.query(SAVE, [pid, JSON.stringify(marks)]);
}
