import { requireStore } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import { checkLimit } from '../../platform/page.ts';
import { DAY_MS } from '../../platform/time.ts';
import { listStockChanges, deleteStockChanges } from '../products/product.repo.ts';
import type { StockChangeRow } from '../products/product.repo.ts';

/** The last changes of the stock of a variant of the calling store, also of one that was removed. */
export function getStockChanges(ctx: Context, epi: string, first?: number | null): Promise<StockChangeRow[]> {
  const { pid } = requireStore(ctx);
  return listStockChanges(ctx.db, pid, epi, checkLimit('first', first, 20, 100));
}

/** How long a change of stock is kept. */
const KEEP_MS = 90 * DAY_MS;

/** Forgets a portion of the changes of stock that are old; answers how many. */
export function forgetStockChanges({ db }: Services, now: Date): Promise<number> {
  return deleteStockChanges(db, new Date(now.getTime() - KEEP_MS));
}
