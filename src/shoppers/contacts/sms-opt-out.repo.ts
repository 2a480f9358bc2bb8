import type { Db, Tx } from '../../platform/database/database.ts';

/** A contact, in all stores. */
type AnyStoreContact = { medium: string; value: string };

/** Those of some contacts that want nothing more by this medium. */
export async function findStopped(db: Db, medium: string, values: readonly string[]): Promise<string[]> {
  const rows = await db.prisma.stop.findMany({
    where: { medium, value: { in: [...new Set(values)] }, isStopped: true },
    select: { value: true },
  });
  return rows.map(({ value }) => value);
}

/** The ids of the last answers with one more, for a row called `s`. */
const ANSWERS = `CASE WHEN $3 = '' THEN s.answers ELSE (array_prepend($3, s.answers))[1:10] END`;

/** SQL: says in one statement whether the answer is new, however often and in whatever order it is told. */
const STOP = `
  INSERT INTO stop AS s (medium, value, is_stopped, answers, uts) VALUES ($1, $2, true, array_remove(ARRAY[$3], ''), $4)
  ON CONFLICT (medium, value) DO UPDATE SET is_stopped = true, answers = ${ANSWERS}, uts = excluded.uts
  WHERE NOT $3 = ANY (s.answers)`;

/** Records a STOP; a repeat of one that was answered by a START since changes nothing. */
export async function saveStop(
  tx: Tx,
  { medium, value }: AnyStoreContact,
  id: string,
  now: Date,
): Promise<void> {
  await tx.query(STOP, [medium, value, id, now]);
}

/** SQL: the same for a START; a contact that never stopped leaves no trace. */
const START = `
  UPDATE stop s SET is_stopped = false, answers = ${ANSWERS}, uts = $4
  WHERE medium = $1 AND value = $2 AND NOT $3 = ANY (s.answers)`;

/** Records a START; a repeat of one that was answered by a STOP since changes nothing. */
export async function saveStart(
  tx: Tx,
  { medium, value }: AnyStoreContact,
  id: string,
  now: Date,
): Promise<void> {
  await tx.query(START, [medium, value, id, now]);
}

/** The stores whose mailing list a contact is on. */
export async function findAccepting(tx: Tx, { medium, value }: AnyStoreContact): Promise<string[]> {
  const rows = await tx.prisma.mailingAnswer.findMany({
    where: { medium, value, acceptmarketing: true },
    select: { pid: true },
    orderBy: { pid: 'asc' },
  });
  return rows.map(({ pid }) => pid);
}

/** Removes a portion of the contacts that let messages come again before; answers how many. */
export async function removeStarted(db: Db, before: Date): Promise<number> {
  const where = { isStopped: false, uts: { lt: before } };
  return (await db.prisma.stop.deleteMany({ where, limit: 1_000 })).count;
}
