import { checkBytes, isLarge, checkLid, checkListVersion } from './list.rules.ts';
import { requireReader, requireShopper } from '../context.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../platform/database/database.ts';
import { fail } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { isProductId, rowsInOrder } from '../stores/products/product.rules.ts';
import { NEWEST_FIRST, readPages } from './page.repo.ts';
import { findByLid, findByLids } from './list-alias.repo.ts';
import { changeList, lockLists } from './list.repo.ts';
import type { ListRow } from './list.columns.ts';
import type { LockedList } from './list.repo.ts';
import { failMissing, withOwnList } from './list.service.ts';
import type { Owner } from './list.service.ts';
import { ownView, viewPage } from './list.view.ts';
import type { ListView } from './list.view.ts';
import { tellOfItems } from './item-events.service.ts';
import { socialCount as countShoppers } from '../stores/reports/report.service.ts';
import * as items from './item.repo.ts';
import type { ItemRow } from './item.columns.ts';
import { checkAdded, checkChanged, checkRefs, checkVariants } from './item.rules.ts';
import type { CheckedItem } from './item.rules.ts';
import type { ItemInput } from '../generated/resolvers.ts';
import { changeContents, chargeItems, checkItemRoom } from './contents.writes.ts';

/** Names an item to remove. */
export type ItemRef = { epi?: string | null };

/** What became of one item that was to be changed or removed. */
export type ItemChange = { epi: string; hasError: boolean; msg: string | null; item: ItemRow | null };

/** What a write of items did; null where nothing was asked for. */
export type ContentsUpdate = {
  lid: string;
  cnt: number;
  uts: Date;
  version: number;
  a: ItemRow[] | null;
  u: ItemChange[] | null;
  d: ItemChange[] | null;
  list: ListView;
};

/** What to do with the items of a list. */
export type ContentsChange = {
  lid: string;
  a?: readonly ItemInput[] | null;
  u?: readonly ItemInput[] | null;
  d?: readonly ItemRef[] | null;
  expectedVersion?: number | null;
};

/** How an array is called where the caller sent it, and whether only the save-for-later list will do. */
export type ContentsOptions = {
  a: string;
  u: string;
  d: string;
  isSaveForLater: boolean;
  /** Whether what is removed has gone elsewhere. */
  isMove?: boolean;
};

/** More than an empty array takes. */
const NO_ITEMS_BYTES = 100;

const OPTIONS: ContentsOptions = { a: 'a', u: 'u', d: 'd', isSaveForLater: false };

/** Removes, changes and adds items, in this order, together or not at all. */
export async function updateListContents(
  ctx: Context,
  change: ContentsChange,
  options = OPTIONS,
): Promise<ContentsUpdate> {
  const owner = requireShopper(ctx);
  const lid = checkLid(change.lid);
  if (!change.a && !change.u && !change.d) {
    fail('invalid-items', `Send ${options.isSaveForLater ? 'items' : 'a, u or d'}: a JSON array of items`);
  }
  const removed = change.d && checkRefs(options.d, change.d);
  const changed = change.u && checkChanged(options.u, change.u);
  const added = change.a && checkAdded(options.a, change.a, { hasCustomItems: owner.store.customItems });
  const done = await changeContents({
    ctx,
    owner,
    lid,
    expectedVersion: change.expectedVersion,
    isSaveForLater: options.isSaveForLater,
    isMove: options.isMove ?? false,
    isLarge: isLarge([change.a, change.u]),
    removed: removed ?? [],
    changed: changed ?? [],
    added: added ?? [],
    now: ctx.now(),
  });
  return {
    lid: done.list.lid,
    cnt: done.list.cnt,
    uts: new Date(done.list.uts),
    version: done.list.version,
    a: added ? rowsInOrder(episOf(added), done.added) : null,
    u: changed ? outcomes(episOf(changed), done.changed) : null,
    d: removed ? outcomes(removed, done.gone) : null,
    list: ownView(owner, done.list),
  };
}

/** Items that go from one list to another. */
export type Transfer = {
  fromlid: string;
  tolid: string;
  epis: readonly string[];
  expectedVersion?: number | null;
};

/** What a transfer did. */
export type TransferReport = { from: ListView; to: ListView; items: ItemRow[] };

/** Moves items between two lists of the shopper. */
export async function moveItems(ctx: Context, transfer: Transfer): Promise<TransferReport> {
  const owner = requireShopper(ctx);
  const { fromlid, tolid, epis } = checkTransfer(transfer);
  const move = async (tx: Tx, lids: readonly string[]): Promise<TransferReport | null> => {
    const locked = await lockLists(tx, owner, lids);
    const [from, to] = lids.map((lid) => locked.find((list) => list.lid === lid));
    if (!from || !to) return null;
    checkListVersion(to.version, transfer.expectedVersion);
    const { moved, list } = await carryOver(ctx, tx, owner, { from, to, epis, isMove: true });
    const idsBefore = await items.takeItems(tx, from, epis);
    const removed = moved.map((item) => ({ ...item, lid: from.lid, id: idsBefore.get(item.epi)! }));
    await tellOfItems(tx, owner, 'list.item.removed', removed, ctx.now());
    const left = await changeList(tx, from, {}, { uby: owner.em, now: ctx.now() });
    return { from: ownView(owner, left), to: ownView(owner, list), items: moved };
  };
  // Aliases are resolved between two transactions: in one, lists would be locked in the order in which they are found.
  const report = await findByLids(ctx.db, owner.pid, [fromlid, tolid], (lids) =>
    ctx.db.transaction((tx) => move(tx, lids)),
  );
  return report ?? failMissing(ctx.db, owner);
}

/** Copies items of a list that the shopper may read into one of its own. */
export async function copyItems(ctx: Context, transfer: Transfer): Promise<TransferReport> {
  const { fromlid, tolid, epis } = checkTransfer(transfer);
  const copy = async (tx: Tx, to: LockedList, owner: Owner): Promise<TransferReport> => {
    const from = await readSource(tx, owner, fromlid);
    const { moved, list } = await carryOver(ctx, tx, owner, { from, to, epis, isMove: false });
    return { from, to: ownView(owner, list), items: moved };
  };
  return withOwnList(ctx, tolid, transfer, copy, true);
}

/** In which active lists of the shopper these variants are. */
export async function isInLists(
  ctx: Context,
  epis: readonly string[],
  owner: Pick<Owner, 'pid' | 'regid'> = requireShopper(ctx),
): Promise<{ epi: string; isInList: boolean; lids: string[] }[]> {
  const wanted = checkVariants(epis);
  const lids = new Map<string, string[]>(wanted.map((epi) => [epi, []]));
  for (const { epi, lid } of await items.findMemberships(ctx.db, owner, wanted)) lids.get(epi)!.push(lid);
  return wanted.map((epi) => ({ epi, isInList: lids.get(epi)!.length > 0, lids: lids.get(epi)! }));
}

/** How many shoppers have a product in an active list; product pages ask before they know their visitor. */
export async function socialCount(
  ctx: Context,
  empi: string | null | undefined,
): Promise<{ count: number; empi: string }> {
  const { pid } = requireReader(ctx);
  if (!empi) return fail('invalid-request', 'empi is missing');
  if (!isProductId(empi)) fail('invalid-request', 'empi must have 1 to 255 printable characters');
  return { count: await countShoppers(ctx, { pid, empi }), empi };
}

const episOf = (items: readonly CheckedItem[]): string[] => items.map(({ epi }) => epi);

/** What became of the variants that were to be changed or removed, given those that were there. */
export function outcomes(epis: readonly string[], rows: readonly ItemRow[]): ItemChange[] {
  const byVariant = new Map(rows.map((row) => [row.epi, row]));
  return epis.map((epi) => {
    const item = byVariant.get(epi) ?? null;
    return { epi, hasError: item === null, msg: item ? null : 'There is no such item in this list', item };
  });
}

function checkTwo(from: string, to: string): void {
  if (from === to) fail('invalid-lid', 'fromlid and tolid must be two lists');
}

function checkTransfer({ fromlid, tolid, epis }: Transfer): {
  fromlid: string;
  tolid: string;
  epis: string[];
} {
  const checked = {
    fromlid: checkLid(fromlid, 'fromlid'),
    tolid: checkLid(tolid, 'tolid'),
    epis: checkVariants(epis),
  };
  checkTwo(checked.fromlid, checked.tolid);
  return checked.epis.length > 0 ? checked : fail('invalid-items', 'epis must name at least one variant');
}

type Lists = { from: ListRow; to: LockedList; epis: string[]; isMove: boolean };

async function carryOver(
  ctx: Context,
  tx: Tx,
  owner: Owner,
  { from, to, epis, isMove }: Lists,
): Promise<{ moved: ItemRow[]; list: ListRow }> {
  checkTwo(from.lid, to.lid);
  const scope = { pid: to.pid, lid: to.lid, di: owner.di, uby: owner.em, now: ctx.now() };
  const moved = await items.transferItems(tx, scope, {
    fromLid: from.lid,
    epis,
    ids: epis.map(() => newId()),
    isMove,
  });
  chargeItems(ctx, moved);
  const missing = epis.find((epi) => !moved.some((item) => item.epi === epi));
  if (missing !== undefined) fail('item-not-found', `There is no item ${missing} in this list`);
  const fresh = moved.filter(({ isNew }) => isNew);
  await tellOfItems(tx, owner, 'list.item.added', fresh, scope.now);
  const { used, ...list } = await changeList(tx, to, {}, scope);
  // What moves takes no more room than it leaves.
  if (!isMove) checkBytes(ctx, used);
  await checkItemRoom(ctx, tx, list, fresh.length);
  return { moved: rowsInOrder(epis, moved), list };
}

/** The list to copy from, as the shopper may see it; its items are read when they are asked for. */
async function readSource(tx: Tx, owner: Owner, lid: string): Promise<ListView> {
  const { pid, regid } = owner;
  const read = async (one: string): Promise<ListView | null> => {
    const key = { pid, regid, lid: one, limit: 0, offset: 0, after: null, hasList: true };
    const [page] = await readPages(tx, NEWEST_FIRST, [{ key, maxBytes: NO_ITEMS_BYTES }]);
    return viewPage(owner, page!.row!)?.list ?? null;
  };
  return (await findByLid(tx, pid, lid, read)) ?? fail('list-not-found');
}
