import { fail } from '../../platform/errors.ts';
import { sumOf, writeAmount } from './amount.rules.ts';
import type { CountRow, SumRow } from './revenue.repo.ts';
import { DAY_MS } from '../../platform/time.ts';

/** Sums of one currency. */
export type RevenueTotal = {
  currency: string;
  orders: number;
  amount: string;
  alertOrders: number;
  fromAlerts: string;
  listOrders: number;
  fromLists: string;
};

const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

function checkDay(field: string, text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // 2026-02-30 is read as a day in March.
  return !Number.isNaN(time) && dayOf(time) === text
    ? time
    : fail('invalid-request', `${field} must be a day such as 2026-01-31`);
}

/** The days of a report, oldest first, or the failure that names what is wrong with them. */
export function checkDays(
  from: string | null | undefined,
  to: string | null | undefined,
  now: Date,
): string[] {
  const last = to ? checkDay('to', to) : Date.parse(dayOf(now.getTime()));
  const first = from ? checkDay('from', from) : last - (DEFAULT_DAYS - 1) * DAY_MS;
  const count = (last - first) / DAY_MS + 1;
  if (count < 1) fail('invalid-request', 'from must not be after to');
  if (count > MAX_DAYS) fail('invalid-request', `from must be at most ${MAX_DAYS} days before to`);
  return Array.from({ length: count }, (_, index) => dayOf(first + index * DAY_MS));
}

function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row)) ?? [];
    group.push(row);
    groups.set(keyOf(row), group);
  }
  return new Map([...groups].sort(([left], [right]) => (left < right ? -1 : 1)));
}

const countOf = (rows: readonly CountRow[] = []): number => rows.reduce((sum, { count }) => sum + count, 0);

const ordersOf = (rows: readonly SumRow[]): number => rows.reduce((sum, { orders }) => sum + orders, 0);
const amountIn = (rows: readonly SumRow[]): string => writeAmount(sumOf(rows.map(({ amount }) => amount)));

/** Sums by currency, the currencies in order. */
function totalsOf(rows: readonly SumRow[] = []): RevenueTotal[] {
  return [...groupBy(rows, ({ currency }) => currency)].map(([currency, sums]) => {
    const of = (kind: string): SumRow[] => sums.filter((sum) => sum.kind === kind);
    return {
      currency,
      orders: ordersOf(of('order')),
      amount: amountIn(of('order')),
      alertOrders: ordersOf(of('alert')),
      fromAlerts: amountIn(of('alert')),
      listOrders: ordersOf(of('list')),
      fromLists: amountIn(of('list')),
    };
  });
}

function topicsOf(sums: readonly SumRow[], clicks: readonly CountRow[]) {
  const byTopic = groupBy(
    sums.filter(({ kind }) => kind === 'topic'),
    ({ topic }) => topic,
  );
  const clicksByTopic = groupBy(clicks, ({ topic }) => topic);
  const names = [...new Set([...byTopic.keys(), ...clicksByTopic.keys()])].sort();
  return names.map((topic) => ({
    topic,
    clicked: countOf(clicksByTopic.get(topic)),
    totals: [...groupBy(byTopic.get(topic) ?? [], ({ currency }) => currency)].map(([currency, rows]) => ({
      currency,
      orders: ordersOf(rows),
      amount: amountIn(rows),
    })),
  }));
}

/** The figures of these days as merchants read them. */
export function revenueOf(
  days: readonly string[],
  { sums, sent, clicks }: { sums: readonly SumRow[]; sent: readonly CountRow[]; clicks: readonly CountRow[] },
) {
  const [sumsByDay, sentByDay, clicksByDay] = [
    groupBy(sums, ({ day }) => day),
    groupBy(sent, ({ day }) => day),
    groupBy(clicks, ({ day }) => day),
  ];
  return {
    from: days[0]!,
    to: days.at(-1)!,
    sent: countOf(sent),
    clicked: countOf(clicks),
    ordered: ordersOf(sums.filter(({ kind }) => kind === 'alert')),
    totals: totalsOf(sums),
    topics: topicsOf(sums, clicks),
    days: days.map((day) => ({
      day,
      sent: countOf(sentByDay.get(day)),
      clicked: countOf(clicksByDay.get(day)),
      totals: totalsOf(sumsByDay.get(day)),
    })),
  };
}

/** The figures of some days. */
export type RevenueReport = ReturnType<typeof revenueOf>;
