import { requireReader, requireShopper } from '../context.ts';
import type { Context } from '../context.ts';
import type {
  MutationAddToSaveForLaterArgs,
  MutationMoveItemsArgs,
  MutationRemoveFromSaveForLaterArgs,
} from '../generated/resolvers.ts';
import { createBatchLoader, oncePerRequest } from '../platform/batch.ts';
import { charge } from '../platform/budget.ts';
import type { Tx } from '../platform/database/database.ts';
import { fail } from '../platform/errors.ts';
import { membershipId } from '../platform/node-id.ts';
import type { ShopperRow } from '../shoppers/shopper.repo.ts';
import { isProductId, rowsInOrder } from '../stores/products/product.rules.ts';
import { socialCount as countShoppers } from '../stores/reports/report.service.ts';
import { queueEvents } from '../stores/webhooks/event.repo.ts';
import { updateListContents } from './contents.service.ts';
import { checkItemCount } from './contents.writes.ts';
import type { ItemRow } from './item.columns.ts';
import { findListMemberships, findMemberships, transferItems } from './item.repo.ts';
import { checkAddedIn, checkRef, checkVariants, partitionItems } from './item.rules.ts';
import type { ListRow } from './list.columns.ts';
import { changeList, findByLid, findByLids, lockLists } from './list.repo.ts';
import type { LockedList } from './list.repo.ts';
import { chargeItems, checkBytes, checkLid, checkListVersion, eventsOfItems } from './list.rules.ts';
import { failMissing, withOwnList } from './list.service.ts';
import type { Owner } from './list.service.ts';
import { isOwn, ownView, viewPage } from './list.view.ts';
import type { ListView } from './list.view.ts';
import { readPages } from './page.repo.ts';
import { NEWEST_FIRST } from './page.rules.ts';

/** The result of a write, with the variants whose memberships it may have changed. */
export type Touched = { touched: string[] };

type TransferReport = Touched & { from: ListView; to: ListView; items: ItemRow[] };

/** Enough for an empty JSON array. */
const NO_ITEMS_BYTES = 100;

export async function moveItems(ctx: Context, transfer: MutationMoveItemsArgs): Promise<TransferReport> {
  const owner = requireShopper(ctx);
  const { fromlid, tolid, epis } = checkTransfer(transfer);
  const move = async (tx: Tx, lids: readonly string[]): Promise<TransferReport | null> => {
    const locked = await lockLists(tx, owner, lids);
    const [from, to] = lids.map((lid) => locked.find((list) => list.lid === lid));
    if (!from || !to) return null;
    checkListVersion(to.version, transfer.expectedVersion);
    const { moved, list } = await transferTo(ctx, tx, owner, { from, to, epis, isMove: true });
    const removed = moved.map((item) => ({ ...item, lid: from.lid, id: item.sourceId }));
    await queueEvents(tx, eventsOfItems(owner, 'list.item.removed', removed, ctx.now()));
    const left = await changeList(tx, from, {}, { uby: owner.em, now: ctx.now() });
    return { from: ownView(owner, left), to: ownView(owner, list), items: moved, touched: epis };
  };
  // Each attempt is a transaction of its own, because one transaction has to lock all its lists in the order of their ids.
  const report = await findByLids(ctx.db, owner.pid, [fromlid, tolid], (lids) =>
    ctx.db.transaction((tx) => move(tx, lids)),
  );
  return report ?? failMissing(ctx.db, owner);
}

export async function copyItems(ctx: Context, transfer: MutationMoveItemsArgs): Promise<TransferReport> {
  const { fromlid, tolid, epis } = checkTransfer(transfer);
  return withOwnList(ctx, tolid, { ...transfer, isLarge: true }, async (tx, to, owner) => {
    const from = await readSource(tx, owner, fromlid);
    const { moved, list } = await transferTo(ctx, tx, owner, { from, to, epis, isMove: false });
    return { from, to: ownView(owner, list), items: moved, touched: epis };
  });
}

function checkTransfer({ fromlid, tolid, epis }: MutationMoveItemsArgs) {
  const checked = {
    fromlid: checkLid(fromlid, 'fromlid'),
    tolid: checkLid(tolid, 'tolid'),
    epis: checkVariants(epis),
  };
  checkDistinct(checked.fromlid, checked.tolid);
  return checked.epis.length > 0
    ? checked
    : fail('invalid-items', 'epis must contain at least one variant id');
}

function checkDistinct(from: string, to: string): void {
  if (from === to) fail('invalid-lid', 'fromlid and tolid must be different lists');
}

async function transferTo(
  ctx: Context,
  tx: Tx,
  owner: Owner,
  { from, to, epis, isMove }: { from: ListRow; to: LockedList; epis: string[]; isMove: boolean },
) {
  checkDistinct(from.lid, to.lid);
  const scope = { pid: to.pid, lid: to.lid, di: owner.di, uby: owner.em, now: ctx.now() };
  const moved = await transferItems(tx, scope, { fromLid: from.lid, epis, isMove });
  chargeItems(ctx, moved);
  const missing = epis.find((epi) => !moved.some((item) => item.epi === epi));
  if (missing !== undefined) fail('item-not-found', `The list does not contain the item ${missing}`);
  const added = moved.filter(({ isNew }) => isNew);
  await queueEvents(tx, eventsOfItems(owner, 'list.item.added', added, scope.now));
  const { used, ...list } = await changeList(tx, to, {}, scope);
  // A move frees as many bytes in the other list.
  if (!isMove) checkBytes(ctx, used);
  await checkItemCount(ctx, tx, list, added.length);
  return { moved: rowsInOrder(epis, moved), list };
}

/** Reads the list to copy from without its items. */
async function readSource(tx: Tx, owner: Owner, lid: string): Promise<ListView> {
  const { pid, regid } = owner;
  const read = async (one: string): Promise<ListView | null> => {
    const key = { pid, regid, lid: one, limit: 0 };
    const [page] = await readPages(tx, NEWEST_FIRST, [{ key, maxBytes: NO_ITEMS_BYTES }]);
    return viewPage(owner, page!.row!)?.list ?? null;
  };
  return (await findByLid(tx, pid, lid, read)) ?? fail('list-not-found');
}

/** Finds the active lists of the shopper that contain these variants. */
export async function isInLists(ctx: Context, epis: readonly string[], shopper?: ShopperRow) {
  const owner = shopper ?? requireShopper(ctx);
  return membershipsOf(ctx, checkVariants(epis), owner);
}

const toMembership = ({ uid }: ShopperRow, epi: string, lids: string[]) => ({
  id: membershipId(uid, epi),
  epi,
  isInList: lids.length > 0,
  lids,
});

/** `epis` were checked. */
export async function membershipsOf(
  ctx: Context,
  epis: readonly string[],
  owner: ShopperRow = requireShopper(ctx),
): Promise<Membership[]> {
  if (epis.length === 0) return [];
  const lids = new Map<string, string[]>(epis.map((epi) => [epi, []]));
  for (const { epi, lid } of await findMemberships(ctx.db, owner, epis)) lids.get(epi)!.push(lid);
  return [...lids].map(([epi, found]) => toMembership(owner, epi, found));
}

type Membership = ReturnType<typeof toMembership>;

/** Approximate size of a list id in a response, and of the rest of a membership. */
const BYTES = { lid: 25, rest: 100 };

async function readMemberships(ctx: Context, wanted: readonly string[]): Promise<Membership[][]> {
  const owner = requireShopper(ctx);
  const { variants, lids } = await findListMemberships(ctx.db, owner, [...new Set(wanted)]);
  return wanted.map((lid) =>
    (variants.get(lid) ?? []).map((epi) => {
      const membership = toMembership(owner, epi, lids.get(epi) ?? []);
      // Lists with the same variants repeat their memberships.
      charge(ctx.budget, BYTES.rest + BYTES.lid * membership.lids.length);
      return membership;
    }),
  );
}

const loaderOf = oncePerRequest((ctx: Context) =>
  createBatchLoader((lids: readonly string[]) => readMemberships(ctx, lids)),
);

/** Memberships of the variants in a list of the caller. */
export function membershipsOfList(ctx: Context, list: ListView): Promise<Membership[]> | Membership[] {
  if (!isOwn(ctx, list.owner)) return [];
  return list.variants ? membershipsOf(ctx, list.variants, list.owner) : loaderOf(ctx)(list.lid);
}

/** Counts the shoppers with a product in an active list. Product pages call it without a shopper, too. */
export async function socialCount(ctx: Context, empi: string | null | undefined) {
  const { pid } = requireReader(ctx);
  if (!empi) return fail('invalid-request', 'empi is missing');
  if (!isProductId(empi)) fail('invalid-request', 'empi must have 1 to 255 printable characters');
  return { count: await countShoppers(ctx, { pid, empi }), empi };
}

const SAVE_FOR_LATER = { isSaveForLater: true };

export async function addToSaveForLater(ctx: Context, { items, ...list }: MutationAddToSaveForLaterArgs) {
  const { store } = requireShopper(ctx);
  const { valid, failed } = partitionItems('items', items ?? [], checkAddedIn(store));
  const { a, touched } = await updateListContents(ctx, { ...list, a: items && valid }, SAVE_FOR_LATER);
  return { itemsadded: a!, itemsfailed: failed, touched };
}

export async function removeFromSaveForLater(
  ctx: Context,
  { items, ...list }: MutationRemoveFromSaveForLaterArgs,
) {
  requireShopper(ctx);
  const { valid, failed } = partitionItems('items', items ?? [], checkRef);
  const { d, touched } = await updateListContents(ctx, { ...list, d: items && valid }, SAVE_FOR_LATER);
  const missing = d!.flatMap(({ item, epi, msg }) => (item ? [] : [{ epi, hasError: true, msg: msg! }]));
  return { itemsdeleted: d!.filter(({ item }) => item), itemsfailed: [...failed, ...missing], touched };
}

export async function updateSaveForLater(ctx: Context, { items, ...list }: MutationAddToSaveForLaterArgs) {
  const { u } = await updateListContents(ctx, { ...list, u: items }, SAVE_FOR_LATER);
  return { itemsupdated: u!, touched: u!.map(({ epi }) => epi) };
}

export async function moveSaveForLaterToCart(
  ctx: Context,
  { items, ...list }: MutationRemoveFromSaveForLaterArgs,
) {
  const options = { ...SAVE_FOR_LATER, isMove: true };
  const { d, touched } = await updateListContents(ctx, { ...list, d: items }, options);
  return {
    touched,
    itemsmoved: d!.flatMap(({ item }) => (item ? [item] : [])),
    itemsfailed: d!.filter(({ hasError }) => hasError),
  };
}
