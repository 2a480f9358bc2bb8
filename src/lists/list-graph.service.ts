import { requireShopper } from '../context.ts';
import type { Context } from '../context.ts';
import { fail } from '../platform/errors.ts';
import type { ItemRow } from './item.columns.ts';
import type { ProductRow } from '../stores/products/product.columns.ts';
import { readProduct } from '../stores/products/product.reads.ts';
import type { ShopperRow } from '../shoppers/shopper.repo.ts';
import { listContents } from './list-pages.service.ts';
import type { ListContents, Slice } from './list-pages.service.ts';
import { findSaveForLater } from './list.repo.ts';
import { PREVIEW_SIZE, checkLid } from './list.rules.ts';
import { ownView, viewPage } from './list.view.ts';
import type { ListView } from './list.view.ts';
import { readPage } from './list.reads.ts';
import { NEWEST_FIRST } from './page.repo.ts';

/** A list of this shopper; others', public or not, are not. */
export async function listOf(ctx: Context, shopper: ShopperRow, lid: string): Promise<ListView | null> {
  const { pid, regid } = shopper;
  const key = { pid, regid, lid: checkLid(lid), limit: PREVIEW_SIZE, offset: 0, after: null, hasList: true };
  const { list, owner, items } = await readPage(ctx, NEWEST_FIRST, key);
  return list === null || owner !== null ? null : ownView(shopper, list, items);
}

/** The save-for-later list of this shopper with its items; null when there is none. */
export async function saveForLaterOf(
  ctx: Context,
  shopper: ShopperRow,
  slice: Slice,
): Promise<ListContents | null> {
  const { pid, regid } = shopper;
  const lid = await findSaveForLater(ctx.db, shopper);
  return lid === null ? null : listContents(ctx, lid, slice, { pid, regid, shopper });
}

/** The caller's own, or the failure where there is none. */
export async function saveForLater(ctx: Context, slice: Slice): Promise<ListContents> {
  return (
    (await saveForLaterOf(ctx, requireShopper(ctx), slice)) ??
    fail('list-not-found', 'There is no save-for-later list yet; create it first')
  );
}

/** The list that an item is in, as the caller may see it; items of one list share one look-up. */
export async function listOfItem(
  ctx: Context,
  item: ItemRow & { home?: ListView },
): Promise<ListView | null> {
  const { shopper } = ctx.viewer;
  if (item.home || shopper === null) return item.home ?? null;
  const { pid, lid } = item;
  const key = { pid, regid: shopper.regid, lid, limit: 0, offset: 0, after: null, hasList: true };
  return viewPage(shopper, await readPage(ctx, NEWEST_FIRST, key))?.list ?? null;
}

/** The catalogue's record of an item's variant. */
export function productOfItem(ctx: Context, { pid, epi, lity }: ItemRow): Promise<ProductRow | null> | null {
  return lity === null ? readProduct(ctx, { pid, epi }) : null;
}
