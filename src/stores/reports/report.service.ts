import { requireStore } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import { createBatchLoader, oncePerDatabase } from '../../platform/batch.ts';
import type { Db } from '../../platform/database/database.ts';
import { checkLimit } from '../../platform/page.ts';
import { checkPeriod } from './period.rules.ts';
import type { PeriodInput } from './period.rules.ts';
import * as reports from './report.repo.ts';

const MAX_ROWS = 100;

const totalsOf = (days: Awaited<ReturnType<typeof reports.activity>>) => ({
  from: days[0]!.day,
  to: days.at(-1)!.day,
  adds: days.reduce((sum, { adds }) => sum + adds, 0),
  subscriptions: days.reduce((sum, { subscriptions }) => sum + subscriptions, 0),
  alerts: days.reduce((sum, { alerts }) => sum + alerts, 0),
});

export async function getActivity(ctx: Context, input: PeriodInput) {
  const store = requireStore(ctx);
  const { days, before, timeZone } = checkPeriod(store, input, ctx.now());
  const figures = await reports.activity(ctx.db, store.pid, [...before, ...days]);
  const current = figures.slice(before.length);
  return {
    ...totalsOf(current),
    timeZone,
    days: current,
    previous: totalsOf(figures.slice(0, before.length)),
  };
}

export function getMostWishlisted(ctx: Context, first?: number | null) {
  return reports.mostWishlisted(ctx.db, requireStore(ctx).pid, checkLimit('first', first, 10, MAX_ROWS));
}

export function getWaitingDemand(ctx: Context, first?: number | null) {
  return reports.waitingDemand(ctx.db, requireStore(ctx).pid, checkLimit('first', first, 10, MAX_ROWS));
}

export function getSetup(ctx: Context) {
  return reports.setup(ctx.db, requireStore(ctx).pid);
}

export function getAlertEvents(ctx: Context, epi: string, first?: number | null) {
  return reports.alertEvents(ctx.db, requireStore(ctx).pid, epi, checkLimit('first', first, 20, MAX_ROWS));
}

type HasDb = Pick<Context, 'db'>;

function figureBy<Key>(count: (db: Db, keys: readonly Key[]) => Promise<number[]>, maxInFlight?: number) {
  const loaderOf = oncePerDatabase(({ db }: HasDb) =>
    createBatchLoader<Key, number>((keys) => count(db, keys), { maxInFlight }),
  );
  return (ctx: HasDb, key: Key): Promise<number> => loaderOf(ctx)(key);
}

/** Number of confirmed subscriptions to a variant. */
export const getWaiting = figureBy(reports.countSubscribers);
/** How often a product is in lists. */
export const getInLists = figureBy(reports.countInLists);
// Counting 50,000 shoppers took 110 ms on a busy two-core machine, and every visitor of the product asks: two at a time.
/** Number of shoppers who have a product in an active list. */
export const socialCount = figureBy(reports.countShoppers, 2);

/** A background task that updates the figures; returns whether there may be more to do. */
export async function foldReports({ db }: Services): Promise<boolean> {
  return (await reports.foldTallies(db)) > 0;
}
