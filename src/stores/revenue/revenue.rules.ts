import { sumOf, writeAmount } from '../../platform/money.ts';
import type { DayCountRow, RevenueSumRow } from './revenue.repo.ts';

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

/** The report of these days (without gaps); rows of other days are left out. */
export function revenueOf(
  days: readonly string[],
  allSums: readonly RevenueSumRow[],
  allSent: readonly DayCountRow[],
  allClicks: readonly DayCountRow[],
) {
  const within = <Row extends { day: string }>(rows: readonly Row[]): Row[] =>
    rows.filter(({ day }) => day >= days[0]! && day <= days.at(-1)!);
  const [sums, sent, clicks] = [within(allSums), within(allSent), within(allClicks)];
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
