import type { Db, Raw, Tx } from '../../database/database.ts';
import type { SignupWindowModel } from '../../generated/prisma/models.ts';

/** How much may happen in a window of time. */
export type Limit = { points: number; windowMs: number };

/** SQL: a window that is over begins anew in the same statement, so that callers of one moment are all counted. */
const CONSUME = {
  name: 'consume_signup',
  text: `
    INSERT INTO signup_window AS w (pid, key, count, started_at) VALUES ($1, $2, $5, $3)
    ON CONFLICT (pid, key) DO UPDATE SET
      count = CASE WHEN w.started_at <= $4 THEN excluded.count ELSE w.count + excluded.count END,
      started_at = CASE WHEN w.started_at <= $4 THEN excluded.started_at ELSE w.started_at END
    RETURNING count, started_at AS "startedAt"`,
};

/**
 * Counts on, in all processes together. Answers null, or the moment from which it is allowed again; then the caller rolls back or
 * leaves the thing undone. The last thing that is allowed may be a large one: refused whole, it could never be done.
 */
export async function consume(
  tx: Tx,
  pid: string,
  key: Buffer,
  { points, windowMs }: Limit,
  now: Date,
  amount = 1,
): Promise<Date | null> {
  const [row] = await tx.query<Raw<Pick<SignupWindowModel, 'count' | 'startedAt'>>>(CONSUME, [
    pid,
    key,
    now,
    new Date(now.getTime() - windowMs),
    amount,
  ]);
  return row!.count - amount < points ? null : new Date(row!.startedAt.getTime() + windowMs);
}

/** Forgets windows that are over, a portion at a time; answers how many. */
export async function forgetWindows(db: Db, before: Date): Promise<number> {
  return (await db.prisma.signupWindow.deleteMany({ where: { startedAt: { lt: before } }, limit: 1_000 }))
    .count;
}
