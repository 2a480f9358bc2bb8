import { requireShopper } from '../context.ts';
import type { Context } from '../context.ts';
import { checkAddedIn, checkRef, siftItems } from './item.rules.ts';
import type { FailedItem } from './item.rules.ts';
import type { ItemRow } from './item.columns.ts';
import type { ItemInput } from '../generated/resolvers.ts';
import { updateListContents } from './contents.service.ts';
import type { ItemChange, ItemRef } from './contents.service.ts';

type Args<Item> = { lid: string; items?: readonly Item[] | null; expectedVersion?: number | null };

const OPTIONS = { a: 'items', u: 'items', d: 'items', isSaveForLater: true };

/** What was added, and what was wrong with the others. */
export type Added = { itemsadded: ItemRow[]; itemsfailed: FailedItem[] };

/** Adds items to the save-for-later list. */
export async function addToSaveForLater(ctx: Context, { items, ...list }: Args<ItemInput>): Promise<Added> {
  const { store } = requireShopper(ctx);
  const check = checkAddedIn({ hasCustomItems: store.customItems });
  const { fine, failed } = siftItems('items', items ?? [], check);
  const { a } = await updateListContents(ctx, { ...list, a: items && fine }, OPTIONS);
  return { itemsadded: a!, itemsfailed: failed };
}

/** What was removed, and what was wrong with the others. */
export type Removed = { itemsdeleted: ItemChange[]; itemsfailed: FailedItem[] };

/** Removes items from the save-for-later list. */
export async function removeFromSaveForLater(
  ctx: Context,
  { items, ...list }: Args<ItemRef>,
): Promise<Removed> {
  requireShopper(ctx);
  const { fine, failed } = siftItems('items', items ?? [], checkRef);
  const { d } = await updateListContents(ctx, { ...list, d: items && fine }, OPTIONS);
  const missing = d!.flatMap(({ item, epi, msg }) => (item ? [] : [{ epi, hasError: true, msg: msg! }]));
  return { itemsdeleted: d!.filter(({ item }) => item), itemsfailed: [...failed, ...missing] };
}

/** Changes items of the save-for-later list. */
export async function updateSaveForLater(
  ctx: Context,
  { items, ...list }: Args<ItemInput>,
): Promise<{ itemsupdated: ItemChange[] }> {
  const { u } = await updateListContents(ctx, { ...list, u: items }, OPTIONS);
  return { itemsupdated: u! };
}

/** Takes items that went into the cart off the save-for-later list. */
export async function moveSaveForLaterToCart(
  ctx: Context,
  { items, ...list }: Args<ItemRef>,
): Promise<{ itemsmoved: ItemRow[]; itemsfailed: ItemChange[] }> {
  const { d } = await updateListContents(ctx, { ...list, d: items }, { ...OPTIONS, isMove: true });
  return {
    itemsmoved: d!.flatMap(({ item }) => (item ? [item] : [])),
    itemsfailed: d!.filter(({ hasError }) => hasError),
  };
}
