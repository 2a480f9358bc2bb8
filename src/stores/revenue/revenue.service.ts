import { requireStore } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import { CSV_PORTION, streamCsv } from '../../platform/csv.ts';
import type { CsvColumn } from '../../platform/csv.ts';
import { DAY_MS } from '../../platform/time.ts';
import { anonymiseOld, deleteOldOrders, listAttributionDays } from './click.repo.ts';
import { loadCounts, loadSums } from './revenue.repo.ts';
import { checkRange, revenueOf } from './revenue.rules.ts';
import type { DayRange, RevenueReport } from './revenue.rules.ts';

/** The calling store's revenue from alerts and lists between two days. */
export async function getRevenue(ctx: Context, input: DayRange): Promise<RevenueReport> {
  const { pid } = requireStore(ctx);
  const days = checkRange(input, ctx.now());
  const range = [days[0]!, days.at(-1)!] as const;
  const [sums, sent, clicks] = await Promise.all([
    loadSums(ctx.db, pid, ...range),
    loadCounts(ctx.db, pid, 'alert', ...range),
    loadCounts(ctx.db, pid, 'click', ...range),
  ]);
  return revenueOf(days, sums, sent, clicks);
}

type RevenueCsvRow = Omit<RevenueReport['days'][number], 'totals'> & Partial<RevenueReport['totals'][number]>;

const COLUMNS: CsvColumn<RevenueCsvRow>[] = [
  ['day', ({ day }) => day],
  ['alertssent', ({ sent }) => sent],
  ['alertsclicked', ({ clicked }) => clicked],
  ['currency', ({ currency }) => currency ?? null],
  ['orders', ({ orders }) => orders ?? null],
  ['amount', ({ amount }) => amount ?? null],
  ['alertorders', ({ alertOrders }) => alertOrders ?? null],
  ['fromalerts', ({ fromAlerts }) => fromAlerts ?? null],
  ['listorders', ({ listOrders }) => listOrders ?? null],
  ['fromlists', ({ fromLists }) => fromLists ?? null],
];

/** The same as CSV: a line for each day and currency, and one for a day without orders. */
export async function streamRevenue(ctx: Context, input: DayRange): Promise<AsyncGenerator<string>> {
  const { days } = await getRevenue(ctx, input);
  const rows = days.flatMap<RevenueCsvRow>(({ totals, ...day }) =>
    totals.length === 0 ? [day] : totals.map((total) => ({ ...day, ...total })),
  );
  return streamCsv(COLUMNS, (last) => {
    const start = last === null ? 0 : rows.indexOf(last) + 1;
    return Promise.resolve(rows.slice(start, start + CSV_PORTION));
  });
}

/** Clicks and buyers are kept for this long after the attribution window, because orders are reported late. */
const GRACE_DAYS = 30;
/** Orders older than a year cannot be reported, so that a repeat need not be recognised. */
const ORDER_DAYS = 400;

/** Deletes a batch of old clicks and buyers; the sums stay. Returns how many. */
export async function forgetBuyers({ db }: Services, now: Date): Promise<number> {
  const ago = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
  let count = await deleteOldOrders(db, ago(ORDER_DAYS));
  for (const days of await listAttributionDays(db))
    count += await anonymiseOld(db, days, ago(days + GRACE_DAYS));
  return count;
}
