import type { QueryRevenueArgs } from '../../generated/resolvers.ts';
import { fail } from '../../platform/errors.ts';
import { DAY_MS } from '../../platform/time.ts';
import { sumOf, writeAmount } from './attribution.rules.ts';
import type { DayCountRow, RevenueSumRow } from './revenue.repo.ts';

const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

function checkDay(field: string, text: string): number {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // JavaScript parses 2026-02-30 as a day in March.
  return !Number.isNaN(time) && dayOf(time) === text
    ? time
    : fail('invalid-request', `${field} must be a day such as 2026-01-31`);
}

export function checkRange({ from, to }: QueryRevenueArgs, now: Date): string[] {
  const last = to ? checkDay('to', to) : Date.parse(dayOf(now.getTime()));
  const first = from ? checkDay('from', from) : last - (DEFAULT_DAYS - 1) * DAY_MS;
  const count = (last - first) / DAY_MS + 1;
  if (count < 1) fail('invalid-request', 'from must not be after to');
  if (count > MAX_DAYS) fail('invalid-request', `from must be at most ${MAX_DAYS} days before to`);
  return Array.from({ length: count }, (_, index) => dayOf(first + index * DAY_MS));
}

/** Sorted by key. */
function groupBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return new Map([...groups].sort(([left], [right]) => (left < right ? -1 : 1)));
}

const countOf = (rows: readonly DayCountRow[] = []): number =>
  rows.reduce((sum, { count }) => sum + count, 0);
const addUp = (rows: readonly RevenueSumRow[]): { orders: number; amount: string } => ({
  orders: rows.reduce((sum, { orders }) => sum + orders, 0),
  amount: writeAmount(sumOf(rows.map(({ amount }) => amount))),
});

const byCurrency = (rows: readonly RevenueSumRow[] = []) => [...groupBy(rows, ({ currency }) => currency)];

function totalsOf(rows?: readonly RevenueSumRow[]) {
  return byCurrency(rows).map(([currency, sums]) => {
    const of = (kind: string) => addUp(sums.filter((sum) => sum.kind === kind));
    const { orders: alertOrders, amount: fromAlerts } = of('alert');
    const { orders: listOrders, amount: fromLists } = of('list');
    return { currency, ...of('order'), alertOrders, fromAlerts, listOrders, fromLists };
  });
}

function topicsIn(sums: readonly RevenueSumRow[], clicks: readonly DayCountRow[]) {
  const ofTopics = sums.filter(({ kind }) => kind === 'topic');
  const byTopic = groupBy(ofTopics, ({ topic }) => topic);
  const clicksByTopic = groupBy(clicks, ({ topic }) => topic);
  const names = [...new Set([...byTopic.keys(), ...clicksByTopic.keys()])].sort();
  return names.map((topic) => ({
    topic,
    clicked: countOf(clicksByTopic.get(topic)),
    totals: byCurrency(byTopic.get(topic)).map(([currency, rows]) => ({ currency, ...addUp(rows) })),
  }));
}

export function revenueOf(
  days: readonly string[],
  sums: readonly RevenueSumRow[],
  sent: readonly DayCountRow[],
  clicks: readonly DayCountRow[],
) {
  const sumsByDay = groupBy(sums, ({ day }) => day);
  const sentByDay = groupBy(sent, ({ day }) => day);
  const clicksByDay = groupBy(clicks, ({ day }) => day);
  return {
    from: days[0]!,
    to: days.at(-1)!,
    sent: countOf(sent),
    clicked: countOf(clicks),
    ordered: addUp(sums.filter(({ kind }) => kind === 'alert')).orders,
    totals: totalsOf(sums),
    topics: topicsIn(sums, clicks),
    days: days.map((day) => ({
      day,
      sent: countOf(sentByDay.get(day)),
      clicked: countOf(clicksByDay.get(day)),
      totals: totalsOf(sumsByDay.get(day)),
    })),
  };
}

export type RevenueReport = ReturnType<typeof revenueOf>;
