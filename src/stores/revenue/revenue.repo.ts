import type { Db } from '../../platform/database/database.ts';
import { amountOf } from './amount.rules.ts';
import type { Amount } from './amount.rules.ts';

/** What orders of a day, kind, topic and currency came to. */
export type SumRow = {
  day: string;
  kind: string;
  topic: string;
  currency: string;
  orders: number;
  amount: Amount;
};

/** The sums of a store between two days. */
export async function loadSums(db: Db, pid: string, from: string, to: string): Promise<SumRow[]> {
  const rows = await db.prisma.revenueSum.findMany({
    where: { pid, day: { gte: from, lte: to } },
    omit: { pid: true },
    orderBy: [{ day: 'asc' }, { currency: 'asc' }],
  });
  return rows.map((row) => ({ ...row, amount: amountOf(row.amount) }));
}

/** How often something happened on a day; clicks have a topic. */
export type CountRow = { day: string; topic: string; count: number };

const DAY_LENGTH = 10;

/** Alerts that were delivered, or clicked, between two days. */
export async function loadCounts(
  db: Db,
  pid: string,
  kind: 'alert' | 'click',
  from: string,
  to: string,
): Promise<CountRow[]> {
  const rows = await db.prisma.tally.findMany({
    // Behind the day a topic may stand; a colon sorts behind the space between them.
    where: { pid, kind, key: { gte: from, lt: `${to}:` } },
    orderBy: { key: 'asc' },
  });
  return rows.map(({ key, n }) => ({
    day: key.slice(0, DAY_LENGTH),
    topic: key.slice(DAY_LENGTH + 1),
    count: n,
  }));
}
