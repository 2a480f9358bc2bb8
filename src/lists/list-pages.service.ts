import { requireReader, requireShopper } from '../context.ts';
import type { Context, Reader } from '../context.ts';
import type { ListItemsArgs, QueryListPageArgs, QueryListsArgs } from '../generated/resolvers.ts';
import { readOrLess } from '../platform/budget.ts';
import {
  checkLimit,
  checkSlice,
  checkWindow,
  decodeSeq,
  encodeCursor,
  toConnection,
} from '../platform/page.ts';
import type { Slice } from '../platform/page.ts';
import type { ShopperRow } from '../shoppers/shopper.repo.ts';
import type { ProductRow } from '../stores/products/product.columns.ts';
import { readProduct } from '../stores/products/product.reads.ts';
import type { ItemRow } from './item.columns.ts';
import { readListRows, readNodeRows, readPage } from './list.reads.ts';
import { findSaveForLater } from './list.repo.ts';
import { MAX_PREVIEW, PREVIEW_SIZE, checkListFilter, readLid } from './list.rules.ts';
import { isOwn, maskItem, ownView, ownerInfo, viewPage } from './list.view.ts';
import type { ListView } from './list.view.ts';
import type { ListsKey, PageKey } from './page.repo.ts';
import { NEWEST_FIRST, checkOrder, decodePosition, encodePosition, nameOrder } from './page.rules.ts';
import type { PageOrder } from './page.rules.ts';

type PageSlice = Pick<PageKey, 'limit' | 'offset' | 'after'>;

/** Reads a list of the shopper, or a public one of the store. */
export async function getList(ctx: Context, lid: string): Promise<ListView | null> {
  const page = await readListPage(ctx, lid, { limit: PREVIEW_SIZE });
  return page && { ...page.list, preview: page.items };
}

/** Each list has its `shown` newest items, or fewer when all of them would exceed the response limit. */
async function readLists(
  ctx: Context,
  { lty, st, lids }: ReturnType<typeof checkListFilter>,
  page: Pick<ListsKey, 'afterSeq' | 'limit' | 'isBackward'>,
  shown: number,
  shopper: ShopperRow = requireShopper(ctx),
) {
  const { pid, regid } = shopper;
  const key = { pid, regid, lty, st, lids, ...page };
  const max = Math.min(shown, MAX_PREVIEW);
  // A few items can be too large for one response, too.
  const { lists, total } = await readOrLess(
    (limit) => readListRows(ctx, { ...key, shown: limit }),
    max,
    PREVIEW_SIZE,
  );
  const views = lists.map((list) =>
    ownView(shopper, list, list.preview, list.shown < max ? PREVIEW_SIZE : MAX_PREVIEW),
  );
  return { views, total };
}

/** Newest first. */
export async function allLists(ctx: Context, args: QueryListsArgs, shown: number): Promise<ListView[]> {
  const all = { afterSeq: null, limit: null, isBackward: false };
  return (await readLists(ctx, checkListFilter(args), all, shown)).views;
}

export async function listConnection(
  ctx: Context,
  args: QueryListsArgs,
  shown: number,
  shopper?: ShopperRow,
) {
  const { limit, field, cursor, isBackward } = checkWindow(args, 20);
  const page = { afterSeq: decodeSeq(field, cursor, 'lists'), limit: limit + 1, isBackward };
  const { views, total } = await readLists(ctx, checkListFilter(args), page, shown, shopper);
  const cursorOf = ({ seq }: ListView): string => encodeCursor('lists', seq);
  return { ...toConnection(views, limit, cursorOf, cursor, isBackward), totalCount: total };
}

export async function listContents(ctx: Context, lid: string, wanted: Slice, reader?: Reader) {
  const slice = checkSlice(wanted, 500, 1_000);
  const page = await readListPage(ctx, lid, slice, NEWEST_FIRST, reader);
  if (page === null) return null;
  const { list, items, total } = page;
  const end = slice.offset + items.length;
  const hasPreview = slice.offset === 0 && (items.length >= PREVIEW_SIZE || items.length === total);
  return {
    list: hasPreview ? { ...list, preview: items.slice(0, PREVIEW_SIZE) } : list,
    items,
    userinfo: ownerInfo(list),
    pagination: {
      totalcount: total,
      next: items.length > 0 && end < total ? String(end) : null,
      limit: slice.limit,
    },
  };
}

/** The cursor stays valid while the list changes. */
export async function listPage(ctx: Context, { lid, ...args }: QueryListPageArgs) {
  const limit = checkLimit('itemslimit', args.itemslimit, 50, 100);
  const order = checkOrder({ sort: args.sortby, order: args.sortorder, filter: args.filterby });
  const after = args.next ? decodePosition('next', args.next, order) : null;
  const page = await readListPage(ctx, lid, { limit: limit + 1, after }, order);
  if (page === null) return null;
  const { list, items, total } = page;
  const shown = items.slice(0, limit);
  const isStart =
    after === null &&
    nameOrder(order) === nameOrder(NEWEST_FIRST) &&
    (limit >= PREVIEW_SIZE || items.length <= limit);
  return {
    list: isStart ? { ...list, preview: shown.slice(0, PREVIEW_SIZE) } : list,
    items: shown,
    pagination: {
      totalcount: total,
      next: limit > 0 && items.length > limit ? encodePosition(order, shown.at(-1)!) : null,
      limit,
    },
  };
}

export async function itemConnection(ctx: Context, list: ListView, args: ListItemsArgs) {
  const { limit, field, cursor, isBackward } = checkWindow(args, 50);
  const order = { ...(list.contents === null ? checkOrder(args) : NEWEST_FIRST), isBackward };
  const after = cursor ? decodePosition(field, cursor, order) : null;
  const cursorOf = (item: ItemRow): string => encodePosition(order, item);
  if (list.contents !== null) {
    const isWanted = ({ seq }: ItemRow): boolean =>
      !after || (isBackward ? seq > after.seq : seq < after.seq);
    const rows = list.contents.filter(isWanted);
    return { ...toConnection(rows, limit, cursorOf, cursor, isBackward), totalCount: list.contents.length };
  }
  const { items, total } = await readItems(ctx, list, { limit: limit + 1, after }, order);
  return { ...toConnection(items, limit, cursorOf, cursor, isBackward), totalCount: total };
}

export async function previewOf(ctx: Context, list: ListView, slice: Slice): Promise<ItemRow[]> {
  if (list.contents !== null) return list.contents;
  const { limit, offset } = checkSlice(slice, PREVIEW_SIZE, list.maxPreview);
  const read = list.preview?.length ?? 0;
  if (list.preview !== null && offset === 0 && (limit <= read || read === list.cnt))
    return withParent(ctx, list, list.preview.slice(0, limit));
  if (list.cnt === 0 || limit === 0) return [];
  return (await readItems(ctx, list, { limit, offset })).items;
}

/** The caller may read the list already; `regid` is empty for a masked owner, which suffices for a public list. */
async function readItems(ctx: Context, list: ListView, slice: PageSlice, order = NEWEST_FIRST) {
  const { pid, lid, owner } = list;
  const key = { pid, lid, regid: owner.regid, ...slice, isWithoutList: true } as const;
  const { items, total } = await readPage(ctx, order, key);
  return { items: withParent(ctx, list, list.isMasked ? items.map(maskItem) : items), total };
}

/** Attaches the list to items of another owner, because an anonymous caller could not look it up. */
function withParent<Row extends ItemRow>(ctx: Context, list: ListView, items: Row[]): Row[] {
  return isOwn(ctx, list.owner) ? items : items.map((item) => ({ ...item, parent: list }));
}

async function readListPage(
  ctx: Context,
  lid: string,
  slice: PageSlice,
  order: PageOrder = NEWEST_FIRST,
  { pid, regid, shopper }: Reader = requireReader(ctx),
) {
  const named = readLid(lid);
  const page = named && (await readPage(ctx, order, { pid, regid, lid: named, ...slice }));
  const view = page && viewPage(shopper, page);
  if (view) return { ...view, items: withParent(ctx, view.list, view.items), total: page.total };
  // Another shopper can make the list public, which the caller's revision does not cover.
  ctx.dependencies.isCacheable = false;
  return null;
}

/** Unlike `getList`, finds only lists of this shopper. */
export async function listOf(ctx: Context, shopper: ShopperRow, lid: string): Promise<ListView | null> {
  const { pid, regid } = shopper;
  const named = readLid(lid);
  if (named === null) return null;
  const key = { pid, regid, lid: named, limit: PREVIEW_SIZE };
  const { list, owner, items } = await readPage(ctx, NEWEST_FIRST, key);
  return list === null || owner !== null ? null : ownView(shopper, list, items);
}

export async function saveForLaterList(ctx: Context, shopper: ShopperRow): Promise<ListView | null> {
  const lid = await findSaveForLater(ctx.db, shopper);
  return lid === null ? null : listOf(ctx, shopper, lid);
}

export async function saveForLaterOf(ctx: Context, shopper: ShopperRow, slice: Slice) {
  const { pid, regid } = shopper;
  const lid = await findSaveForLater(ctx.db, shopper);
  return lid === null ? null : listContents(ctx, lid, slice, { pid, regid, shopper });
}

/** Items of one list share one lookup. */
export async function listOfItem(ctx: Context, item: ItemRow & { parent?: ListView }) {
  const { shopper } = ctx.viewer;
  if (item.parent || shopper === null) return item.parent ?? null;
  const key = { pid: item.pid, regid: shopper.regid, lid: item.lid, limit: 0 };
  return viewPage(shopper, await readPage(ctx, NEWEST_FIRST, key))?.list ?? null;
}

const RANDOM_ID = /^[\w-]{1,100}$/;

/** Finds lists, also by the id of a merged one, and items that the caller may read. */
export async function findContents(ctx: Context, ids: readonly string[]) {
  const { pid, regid, shopper } = requireReader(ctx);
  const pages = await readNodeRows(ctx, { pid, regid, ids: ids.filter((id) => RANDOM_ID.test(id)) });
  return pages.map(({ id, ...page }) => {
    const { list, items } = viewPage(shopper, { ...page, total: 0 })!;
    return { id, list, item: items[0] && { ...items[0], parent: list } };
  });
}

export function productOfItem(ctx: Context, { pid, epi, lity }: ItemRow): Promise<ProductRow | null> | null {
  return lity === null ? readProduct(ctx, { pid, epi }) : null;
}
