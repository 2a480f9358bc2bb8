import type { Context } from '../../context.ts';
import { createBatchLoader, oncePerDatabase, oncePerRequest, shareUnderWay } from '../../platform/batch.ts';
import { charge } from '../../platform/budget.ts';
import type { ProductRow } from './product.columns.ts';
import { findEachProduct } from './product.repo.ts';
import type { VariantKey } from './product.repo.ts';

const loaderOf = oncePerDatabase(({ db }: Pick<Context, 'db'>) =>
  createBatchLoader<VariantKey, ProductRow | null>((keys) => findEachProduct(db, keys)),
);

/** Items of one request often ask for the same product at once. */
const readsUnderWay = oncePerRequest((_ctx: Pick<Context, 'budget'>) => shareUnderWay<ProductRow | null>());

/** About what a product takes in memory. */
const bytesOf = ({ bt, dt, sku, du, uri, iu, vi, tags, images }: ProductRow): number =>
  [bt, dt, sku, du, uri, iu, vi, ...tags, ...images].reduce((sum, text) => sum + (text?.length ?? 0), 200);

/** The catalogue's record of a variant; null when there is none. */
export function readProduct(ctx: Pick<Context, 'db' | 'budget'>, key: VariantKey) {
  return readsUnderWay(ctx)(key.epi, async () => {
    const row = await loaderOf(ctx)(key);
    if (row) charge(ctx.budget, bytesOf(row));
    return row;
  });
}
