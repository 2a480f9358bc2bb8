import type { Db, Tx } from '../../database/database.ts';

/** How much may happen in a window of time. */
export type Limit = { points: number; windowMs: number };

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
  const [row] = await tx.query<{ count: number; startedAt: Date }>(CONSUME, [
    pid,
    key,
    now,
    new Date(now.getTime() - windowMs),
    amount,
  ]);
  return row!.count - amount < points ? null : new Date(row!.startedAt.getTime() + windowMs);
}

/** Forgets windows that are over; answers how many. */
export async function forgetWindows(db: Db, before: Date): Promise<number> {
  const rows = await db.query(
    'DELETE FROM signup_window WHERE (pid, key) IN (SELECT pid, key FROM signup_window WHERE started_at < $1 LIMIT 1000) RETURNING 1',
    [before],
  );
  return rows.length;
}
