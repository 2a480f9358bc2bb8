import { requireStore } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import { checkLimit } from '../../platform/page.ts';
import { DAY_MS } from '../../platform/time.ts';
import { deleteStockChanges, listStockChanges } from '../products/product.repo.ts';
import type { StockChangeRow } from '../products/product.repo.ts';

/** Includes the history of a removed variant. */
export function getStockChanges(ctx: Context, epi: string, first?: number | null): Promise<StockChangeRow[]> {
  const { pid } = requireStore(ctx);
  return listStockChanges(ctx.db, pid, epi, checkLimit('first', first, 20, 100));
}

const KEEP_MS = 90 * DAY_MS;

export function forgetStockChanges({ db }: Services, now: Date): Promise<number> {
  return deleteStockChanges(db, new Date(now.getTime() - KEEP_MS));
}
