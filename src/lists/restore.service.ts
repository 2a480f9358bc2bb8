import { requireShopper } from '../context.ts';
import type { Context } from '../context.ts';
import type {
  ListDeletedItemsArgs,
  MutationRestoreItemsArgs,
  QueryDeletedListsArgs,
} from '../generated/resolvers.ts';
import { RESPONSE_LIMITS, failTooMuch, readWithin } from '../platform/budget.ts';
import type { Tx } from '../platform/database/database.ts';
import { fail } from '../platform/errors.ts';
import { checkLimit, checkSlice, decodeSeq, encodeCursor, toConnection } from '../platform/page.ts';
import type { Slice } from '../platform/page.ts';
import { enter } from '../shoppers/shopper.service.ts';
import { queueEvents } from '../stores/webhooks/event.repo.ts';
import { checkItemCount } from './contents.writes.ts';
import type { ItemRow } from './item.columns.ts';
import { checkVariants } from './item.rules.ts';
import type { ListRow } from './list.columns.ts';
import { SHARED_BYTES, USUAL_ITEM_BYTES, createSizedLoader } from './list.reads.ts';
import { addAliases, changeList, findOwnList, findSaveForLater, lockLists, usedBytes } from './list.repo.ts';
import type { LockedList } from './list.repo.ts';
import {
  checkBytes,
  checkLid,
  eventsOfItems,
  readLid,
  restorableSince,
  restorableUntil,
} from './list.rules.ts';
import { checkListCount, failMissing, withOwnList } from './list.service.ts';
import type { Owner } from './list.service.ts';
import { isOwn, ownView } from './list.view.ts';
import type { ListView } from './list.view.ts';
import * as repo from './restore.repo.ts';
import { moveDeletedItems } from './trash.repo.ts';

export { forgetTrash } from './trash.repo.ts';

/** Restores a deleted list with its items. A list that is not deleted is returned unchanged, so that the call can be retried. */
export async function restoreList(ctx: Context, lid: string): Promise<ListView> {
  const owner = requireShopper(ctx);
  const checked = checkLid(lid);
  const row = await ctx.db.transaction(async (tx) => {
    // Creating and merging lists take this lock first, too: all of them count the shopper's lists.
    await enter(tx, ctx, owner);
    const present = await findOwnList(tx, owner, checked);
    if (present !== null) return present;
    const since = restorableSince(owner.store, ctx.now());
    const deleted = (await repo.findDeletedList(tx, owner, checked, since)) ?? fail('list-not-found');
    const current = deleted.isSaveForLater ? await findSaveForLater(tx, owner) : null;
    return current === null
      ? restoreRow(ctx, tx, owner, deleted.lid)
      : joinSaveForLater(ctx, tx, owner, deleted, current);
  });
  return ownView(owner, row);
}

async function restoreRow(ctx: Context, tx: Tx, owner: Owner, lid: string): Promise<ListRow> {
  await checkListCount(ctx, tx, owner);
  if (!(await repo.insertDeletedList(tx, owner, lid, ctx.now()))) fail('list-not-found');
  await repo.insertDeletedContents(tx, owner, { from: lid, to: lid }, ctx.now());
  checkBytes(ctx, await usedBytes(tx, owner));
  return (await findOwnList(tx, owner, lid))!;
}

/** A shopper has one save-for-later list, and clients recreate it at once: the deleted items join the current one. */
async function joinSaveForLater(ctx: Context, tx: Tx, owner: Owner, deleted: repo.DeletedList, to: string) {
  const { lid: from, aliases } = deleted;
  const [target] = await lockLists(tx, owner, [to]);
  if (target === undefined) return failMissing(tx, owner);
  const added = await repo.insertDeletedContents(tx, owner, { from, to }, ctx.now());
  await moveDeletedItems(tx, owner.pid, [{ from, to }]);
  await repo.dropDeletedList(tx, owner, from);
  await addAliases(tx, target, aliases);
  return recordAdded(ctx, tx, owner, target, added);
}

async function recordAdded(ctx: Context, tx: Tx, owner: Owner, target: LockedList, added: number) {
  const { used, ...list } = await changeList(tx, target, {}, { uby: owner.em, now: ctx.now() });
  checkBytes(ctx, used);
  await checkItemCount(ctx, tx, list, added);
  return list;
}

/** Restores all of the deleted items or none; items that the list has again stay unchanged. */
export async function restoreItems(ctx: Context, { lid, epis, ...version }: MutationRestoreItemsArgs) {
  requireShopper(ctx);
  const checked = checkVariants(epis);
  if (checked.length === 0) fail('invalid-items', 'epis must contain at least one variant id');
  return withOwnList(ctx, lid, { ...version, isLarge: true }, async (tx, list, owner) => {
    const now = ctx.now();
    const since = restorableSince(owner.store, now);
    const [unknown] = await repo.findUnknown(tx, list, checked, since);
    if (unknown !== undefined) fail('item-not-found', `The list has no deleted item ${unknown}`);
    const restored = await repo.insertDeletedItems(tx, list, checked, since);
    if (restored.length === 0) return ownView(owner, list);
    await queueEvents(tx, eventsOfItems(owner, 'list.item.added', restored, now));
    return ownView(owner, await recordAdded(ctx, tx, owner, list, restored.length));
  });
}

type DeletedPage = Pick<repo.DeletedKey, 'afterSeq' | 'limit' | 'offset'>;

async function readDeletedLists(ctx: Context, page: DeletedPage) {
  const owner = requireShopper(ctx);
  const { pid, regid, uid } = owner;
  const key = { pid, regid, uid, since: restorableSince(owner.store, ctx.now()), ...page };
  const lists = await readWithin(ctx.budget, RESPONSE_LIMITS.bytes, async (maxBytes) => {
    const { found, bytes } = await repo.findDeletedLists(ctx.db, key, maxBytes);
    return { value: found ?? failTooMuch(), bytes };
  });
  return lists.map(({ contents, ...list }) =>
    Object.assign(ownView(owner, list), { contents, deletedSeq: list.deletedSeq, deletedAt: list.deletedAt }),
  );
}

export async function deletedLists(ctx: Context, { first, after }: QueryDeletedListsArgs) {
  const owner = requireShopper(ctx);
  const limit = checkLimit('first', first, 20, 100);
  const afterSeq = decodeSeq('after', after, 'deleted');
  const views = await readDeletedLists(ctx, { afterSeq, limit: limit + 1, offset: 0 });
  const page = toConnection(views, limit, ({ deletedSeq }) => encodeCursor('deleted', deletedSeq), after);
  const edges = page.edges.map((edge) => {
    const deletedAt = new Date(edge.node.deletedAt);
    return { ...edge, deletedAt, restorableUntil: restorableUntil(owner.store, deletedAt) };
  });
  const since = restorableSince(owner.store, ctx.now());
  return { ...page, edges, totalCount: await repo.countDeletedLists(ctx.db, owner, since) };
}

export async function allDeletedLists(ctx: Context, slice: Slice): Promise<ListView[]> {
  requireShopper(ctx);
  return readDeletedLists(ctx, { afterSeq: null, ...checkSlice(slice, 20, 100) });
}

/** Lists of one request share a statement. */
const loadDeletedItems = createSizedLoader(repo.findDeletedItems);

function readDeletedItems(ctx: Context, { store }: Owner, { pid, regid, lid }: ListRow, page: DeletedPage) {
  const key = { pid, regid, lid, since: restorableSince(store, ctx.now()), ...page };
  return loadDeletedItems(ctx, key, Math.min(page.limit * USUAL_ITEM_BYTES, SHARED_BYTES));
}

export async function deletedItems(ctx: Context, lid: string, page: Slice): Promise<ItemRow[] | null> {
  const owner = requireShopper(ctx);
  const named = readLid(lid);
  const slice = { afterSeq: null, ...checkSlice(page, 500, 1_000) };
  const list = named && (await findOwnList(ctx.db, owner, named));
  return list ? (await readDeletedItems(ctx, owner, list, slice)).items : null;
}

const DELETED_ITEMS = 'deleteditems';

/** Null for a list of another shopper. */
export async function deletedItemsOf(ctx: Context, list: ListView, { first, after }: ListDeletedItemsArgs) {
  const owner = ctx.viewer.shopper;
  if (owner === null || !isOwn(ctx, list.owner)) return null;
  // They expire, which no revision shows.
  ctx.dependencies.isCacheable = false;
  const limit = checkLimit('first', first, 50, 100);
  const page = { afterSeq: decodeSeq('after', after, DELETED_ITEMS), limit: limit + 1, offset: 0 };
  const { items, total } = await readDeletedItems(ctx, owner, list, page);
  const cursorOf = ({ deletedSeq }: repo.DeletedItemRow): string => encodeCursor(DELETED_ITEMS, deletedSeq);
  return { ...toConnection(items, limit, cursorOf, after), totalCount: total };
}
