import { requireStore } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import { CSV_PORTION, streamCsv } from '../../platform/csv.ts';
import type { CsvColumn } from '../../platform/csv.ts';
import { forgetOrders, forgetPeople, windowsInUse } from './click-tracking.repo.ts';
import { checkDays, revenueOf } from './report.rules.ts';
import type { RevenueReport } from './report.rules.ts';
import { loadCounts, loadSums } from './revenue.repo.ts';
import { DAY_MS } from '../../platform/time.ts';

/** What alerts and lists brought the calling store between two days. */
export async function getRevenue(
  ctx: Context,
  { from, to }: { from?: string | null; to?: string | null },
): Promise<RevenueReport> {
  const { pid } = requireStore(ctx);
  const days = checkDays(from, to, ctx.now());
  const range = [days[0]!, days.at(-1)!] as const;
  const [sums, sent, clicks] = await Promise.all([
    loadSums(ctx.db, pid, ...range),
    loadCounts(ctx.db, pid, 'alert', ...range),
    loadCounts(ctx.db, pid, 'click', ...range),
  ]);
  return revenueOf(days, { sums, sent, clicks });
}

type FileRow = Omit<RevenueReport['days'][number], 'totals'> & Partial<RevenueReport['totals'][number]>;

const COLUMNS: CsvColumn<FileRow>[] = [
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
export async function streamRevenue(
  ctx: Context,
  range: { from?: string | null; to?: string | null },
): Promise<AsyncGenerator<string>> {
  const { days } = await getRevenue(ctx, range);
  const rows = days.flatMap<FileRow>(({ totals, ...day }) =>
    totals.length === 0 ? [day] : totals.map((total) => ({ ...day, ...total })),
  );
  return streamCsv(COLUMNS, (last) => {
    const start = last === null ? 0 : rows.indexOf(last) + 1;
    return Promise.resolve(rows.slice(start, start + CSV_PORTION));
  });
}

/** People are known for so long after their clicks can count: orders come late, and a store looks something up. */
const KEPT_DAYS = 30;
/** Orders that are older than a year cannot be reported, so a repeat of one need not be known. */
const ORDER_DAYS = 400;

/** Forgets a portion of who clicked and ordered long ago; the sums stay. Answers how many. */
export async function forgetBuyers({ db }: Services, now: Date): Promise<number> {
  const ago = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
  let count = await forgetOrders(db, ago(ORDER_DAYS));
  for (const days of await windowsInUse(db)) count += await forgetPeople(db, days, ago(days + KEPT_DAYS));
  return count;
}
