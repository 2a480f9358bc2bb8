import type { SignupWindowModel } from '../generated/prisma/models.ts';
import { arraysOf, unnestKeys } from '../platform/database/columns.ts';
import type { Db, Raw, Tx } from '../platform/database/database.ts';
import { IN_SERVICE } from '../platform/database/in-service.ts';
import { DAY_MS } from '../platform/time.ts';

export type Limit = { points: number; windowMs: number };

/** SQL: resets an expired window in the same statement, so that all concurrent callers count; ordered to avoid deadlocks. */
const CONSUME = {
  name: 'consume_signup',
  text: `
    INSERT INTO signup_window AS w (pid, key, count, started_at)
    SELECT u.pid, u.key, u.amount, u.now FROM ${unnestKeys('u', { pid: 'text', key: 'bytea', amount: 'int', now: 'timestamptz' })}
    ORDER BY u.pid, u.key
    ON CONFLICT (pid, key) DO UPDATE SET
      count = CASE WHEN w.started_at <= excluded.started_at - $5 * interval '1 ms' THEN excluded.count ELSE w.count + excluded.count END,
      started_at = CASE WHEN w.started_at <= excluded.started_at - $5 * interval '1 ms' THEN excluded.started_at ELSE w.started_at END
    RETURNING pid, key, count, started_at AS "startedAt"`,
};

export type Use = { pid: string; key: Buffer; now: Date; amount: number };

type Counted = Raw<Pick<SignupWindowModel, 'pid' | 'key' | 'count' | 'startedAt'>>;

/**
 * Counts across all processes. Returns for each use null, or when it is allowed again; then the caller must not proceed. The last
 * allowed use may exceed the limit, or a large one could never succeed. Keys must be distinct.
 */
export async function consumeAll(tx: Tx, { points, windowMs }: Limit, uses: readonly Use[]) {
  if (uses.length === 0) return [];
  const params = [...arraysOf(uses, 'pid', 'key', 'amount', 'now'), windowMs];
  const rows = await tx.query<Counted>(CONSUME, params);
  return uses.map(({ pid, key, amount }) => {
    const { count, startedAt } = rows.find((row) => row.pid === pid && row.key.equals(key))!;
    return count - amount < points ? null : new Date(startedAt.getTime() + windowMs);
  });
}

export async function consume(tx: Tx, pid: string, key: Buffer, limit: Limit, now: Date, amount = 1) {
  return (await consumeAll(tx, limit, [{ pid, key, now, amount }]))[0]!;
}

/** No limit has a window of more than a day. */
export async function forgetWindows({ db }: { db: Db }, now: Date): Promise<number> {
  const where = { ...IN_SERVICE, startedAt: { lt: new Date(now.getTime() - DAY_MS) } };
  return (await db.prisma.signupWindow.deleteMany({ where, limit: 1_000 })).count;
}
