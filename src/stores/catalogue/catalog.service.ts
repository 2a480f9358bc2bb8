import { stockChanged } from '../../alerts/events/event.service.ts';
import type { ProductChange } from '../../alerts/events/event.rules.ts';
import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { AppError } from '../../platform/errors.ts';
import { checkLimit } from '../../platform/page.ts';
import type { ProductInput, ProductRow, ProductWrite } from '../products/product.columns.ts';
import * as catalog from '../products/product.repo.ts';
import type { ProductWriter, StepRow, Stock } from '../products/product.repo.ts';
import {
  MAX_PRODUCTS,
  checkEpis,
  checkProduct,
  checkProductCount,
  checkProductInput,
  isProductId,
  lastOfEach,
  rowsInOrder,
} from '../products/product.rules.ts';
import { getStore } from '../store.service.ts';

export { findProducts, forgetRemoved, forgetStockChanges } from '../products/product.repo.ts';

/** New variants that lack a required field; nothing of their call was stored. */
export class IncompleteProductsError extends AppError {
  readonly epis: string[];

  constructor(epis: string[], msg: string) {
    super('invalid-products', msg);
    this.epis = epis;
  }
}

/** Derives the changes for alerts. A removed variant that returns continues from its last state, and so does its stock history. */
async function changesOf(tx: Tx, pid: string, rows: readonly StepRow[], now: Date): Promise<ProductChange[]> {
  const fresh = rows.filter(({ isNew }) => isNew).map(({ epi }) => epi);
  const returned = fresh.length === 0 ? [] : await catalog.takeBackProducts(tx, pid, fresh);
  const earlier = new Map(returned.map((row) => [row.epi, row]));
  const back = rows.filter(({ epi }) => earlier.has(epi));
  const steps = back.map(({ epi, available }) => ({ epi, was: earlier.get(epi)!.available, is: available }));
  await catalog.addReturns(tx, pid, steps, now);
  return rows.map(({ epi, before, beforePr, beforeTags, available, pr, tags, isNew }) => {
    const gone = earlier.get(epi);
    return {
      epi,
      before: gone
        ? { stk: gone.available, pr: gone.pr, tags: gone.tags }
        : { stk: before, pr: beforePr, tags: beforeTags },
      after: { stk: available, pr, tags },
      isNew,
      goneSince: gone?.seq ?? null,
    };
  });
}

/** Fails for a new variant without a required field. */
function refuseIncomplete(products: readonly ProductWrite[], rows: readonly StepRow[]): void {
  const incomplete = rows.filter(({ isNew, empi, du }) => isNew && (empi === '' || du === ''));
  const epis = incomplete.map(({ epi }) => epi);
  if (epis.length === 0) return;
  const index = products.findIndex(({ epi }) => epi === epis[0]);
  const field = products[index]?.empi == null ? 'empi' : 'du';
  const msg = `products[${index}].${field} is required for a new variant`;
  throw new IncompleteProductsError(epis, msg);
}

const writeBy =
  <Row extends StepRow>(write: ProductWriter<Row>): ProductWriter<Row> =>
  async (tx, pid, products, now) => {
    const rows = await write(tx, pid, lastOfEach(products), now);
    refuseIncomplete(products, rows);
    await stockChanged(tx, pid, await changesOf(tx, pid, rows, now), now);
    return rows;
  };

export const writeProducts = writeBy(catalog.upsertProducts);

/** Like `writeProducts`, for imports, which do not need the rows back. */
export const mergeProducts = writeBy(catalog.mergeProducts);

export async function upsertProducts(ctx: Context, products: readonly ProductInput[]): Promise<ProductRow[]> {
  const { pid } = requireStore(ctx);
  checkProductCount('products', products.length);
  const checked = products.map((product, index) => checkProductInput(product, `products[${index}]`));
  const rows = await ctx.db.transaction((tx) => writeProducts(tx, pid, checked, ctx.now()));
  return rowsInOrder([...new Set(checked.map(({ epi }) => epi))], rows);
}

export async function writeStock(tx: Tx, pid: string, stocks: readonly Stock[], now: Date) {
  const rows = await catalog.setStock(tx, pid, stocks, now);
  await stockChanged(tx, pid, await changesOf(tx, pid, rows, now), now);
  return rows;
}

export async function setStock(ctx: Context, stocks: readonly Stock[]) {
  const { pid } = requireStore(ctx);
  checkProductCount('stocks', stocks.length);
  const checked = lastOfEach(stocks.map((stock, index) => checkProduct(stock, `stocks[${index}]`)));
  const rows = await ctx.db.transaction((tx) => writeStock(tx, pid, checked, ctx.now()));
  const epis = checked.map(({ epi }) => epi);
  const known = new Set(rows.map(({ epi }) => epi));
  return { products: rowsInOrder(epis, rows), unknown: epis.filter((epi) => !known.has(epi)) };
}

export async function dropProducts(tx: Tx, pid: string, epis: readonly string[], now: Date): Promise<number> {
  const rows = await catalog.removeProducts(tx, pid, epis, now);
  const changes = rows.map(({ epi, available, pr, tags }) => ({
    epi,
    before: { stk: available, pr, tags },
    after: { stk: null, pr: null, tags: [] },
    isNew: false,
    isGone: true,
    goneSince: null,
  }));
  await stockChanged(tx, pid, changes, now);
  return rows.length;
}

export async function removeProducts(ctx: Context, epis: readonly string[]) {
  const { pid } = requireStore(ctx);
  const named = checkEpis(epis, MAX_PRODUCTS);
  return { removed: await ctx.db.transaction((tx) => dropProducts(tx, pid, named, ctx.now())) };
}

export async function getProduct(ctx: Context, epi: string): Promise<ProductRow | null> {
  const { pid } = getStore(ctx);
  return isProductId(epi) ? catalog.findProduct(ctx.db, pid, epi) : null;
}

export function getStockChanges(ctx: Context, epi: string, first?: number | null) {
  return catalog.listStockChanges(ctx.db, requireStore(ctx).pid, epi, checkLimit('first', first, 20, 100));
}
