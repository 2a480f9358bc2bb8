import { requireStore } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import { createBatchLoader, oncePerDatabase } from '../../platform/batch.ts';
import { fail } from '../../platform/errors.ts';
import { checkLimit } from '../../platform/page.ts';
import * as reports from './report.repo.ts';

const MAX_DAYS = 366;
const MAX_ROWS = 100;

function checkDays(days: number | null | undefined): number {
  const value = days ?? 30;
  return value >= 1 && value <= MAX_DAYS
    ? value
    : fail('invalid-request', `days must be between 1 and ${MAX_DAYS}`);
}

export function getActivity(ctx: Context, days?: number | null): Promise<reports.DayRow[]> {
  const { pid } = requireStore(ctx);
  return reports.activity(ctx.db, pid, ctx.now().toISOString().slice(0, 10), checkDays(days));
}

export function getMostWishlisted(ctx: Context, first?: number | null): Promise<reports.ProductDemandRow[]> {
  const { pid } = requireStore(ctx);
  return reports.mostWishlisted(ctx.db, pid, checkLimit('first', first, 10, MAX_ROWS));
}

export function getWaitingDemand(ctx: Context, first?: number | null): Promise<reports.VariantDemandRow[]> {
  const { pid } = requireStore(ctx);
  return reports.waitingDemand(ctx.db, pid, checkLimit('first', first, 10, MAX_ROWS));
}

type Variant = { pid: string; epi: string; empi: string };

type Reader = Pick<Context, 'db'>;
type ProductKey = Pick<Variant, 'pid' | 'empi'>;

const waitingLoader = oncePerDatabase(({ db }: Reader) =>
  createBatchLoader<Pick<Variant, 'pid' | 'epi'>, number>((keys) => reports.countSubscribers(db, keys)),
);
const inListsLoader = oncePerDatabase(({ db }: Reader) =>
  createBatchLoader<ProductKey, number>((keys) => reports.countInLists(db, keys)),
);
// Counting 50,000 shoppers took 110 ms on a busy two-core machine, and every visitor of the product asks: two at a time.
const shoppersLoader = oncePerDatabase(({ db }: Reader) =>
  createBatchLoader<ProductKey, number>((keys) => reports.countShoppers(db, keys), { maxInFlight: 2 }),
);

/** Number of shoppers who have a product in an active list. */
export const socialCount = (ctx: Reader, { pid, empi }: ProductKey): Promise<number> =>
  shoppersLoader(ctx)({ pid, empi });

/** Number of confirmed subscriptions to a variant; null for everybody but its store. */
export function getWaiting(ctx: Context, { pid, epi }: Variant): Promise<number> | null {
  return ctx.viewer.keyId === null ? null : waitingLoader(ctx)({ pid, epi });
}

/** Number of shoppers who have a product in an active list; null for everybody but its store. */
export function getWishlisted(ctx: Context, variant: Variant): Promise<number> | null {
  return ctx.viewer.keyId === null ? null : socialCount(ctx, variant);
}

/** How often a product is in lists; null for everybody but its store. */
export function getInLists(ctx: Context, { pid, empi }: Variant): Promise<number> | null {
  return ctx.viewer.keyId === null ? null : inListsLoader(ctx)({ pid, empi });
}

export function getSetup(ctx: Context): Promise<reports.SetupRow> {
  return reports.setup(ctx.db, requireStore(ctx).pid);
}

export function getAlertEvents(
  ctx: Context,
  epi: string,
  first?: number | null,
): Promise<reports.AlertEventRow[]> {
  const { pid } = requireStore(ctx);
  return reports.alertEvents(ctx.db, pid, epi, checkLimit('first', first, 20, MAX_ROWS));
}

/** A background task that updates the figures; returns whether there may be more to do. */
export async function foldReports({ db }: Services): Promise<boolean> {
  return (await reports.foldTallies(db)) > 0;
}
