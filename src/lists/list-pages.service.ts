import { requireReader, requireShopper } from '../context.ts';
import type { Context, Reader } from '../context.ts';
import { readOrLess } from '../platform/budget.ts';
import { fail } from '../platform/errors.ts';
import {
  checkLimit,
  checkOffset,
  decodeCursor,
  decodeSeq,
  encodeCursor,
  failCursor,
  toConnection,
} from '../platform/page.ts';
import type { Connection } from '../platform/page.ts';
import { isStorable } from '../platform/text.ts';
import type { ItemRow } from './item.columns.ts';
import type { ShopperRow } from '../shoppers/shopper.repo.ts';
import { readListRows, readPage } from './list.reads.ts';
import { NEWEST_FIRST, nameOrder } from './page.repo.ts';
import type { PageKey, PageOrder, Place, PlacedItemRow } from './page.repo.ts';
import { MAX_PREVIEW, PREVIEW_SIZE, checkLid, checkLids, checkState, checkTypeFilter } from './list.rules.ts';
import { maskItem, isOwn, ownView, ownerInfo, viewPage } from './list.view.ts';
import type { ListView } from './list.view.ts';

/** Where a page is, in the record's words. */
export type Pagination = { totalcount: number; next: string | null; limit: number };

/** A list with its items. */
export type ListContents = {
  list: ListView;
  items: ItemRow[];
  userinfo: ShopperRow | null;
  pagination: Pagination;
};

type Filter = { lty?: string | null; st?: number | null; lids?: readonly string[] | null };
/** Which of the items of a list, by their place. */
export type Slice = { limit?: number | null; offset?: number | null };
type Sorting = {
  sort?: PageOrder['sort'] | null;
  order?: PageOrder['order'] | null;
  filter?: PageOrder['filter'] | null;
};

const CONTENTS_LIMIT = { standard: 500, max: 1_000 };
const PAGE_LIMIT = { standard: 50, max: 100 };
const LISTS_LIMIT = { standard: 20, max: 100 };

/** A list of the shopper, or a public one of the store. */
export async function getList(ctx: Context, lid: string): Promise<ListView> {
  const { list, items } = await readListPage(ctx, lid, { limit: PREVIEW_SIZE, offset: 0 });
  return { ...list, preview: items };
}

type ListsPage = { afterSeq: number | null; limit: number | null };

/** Lists of the shopper, each with as many of its newest items as asked for, unless they are too many in all. */
async function readLists(
  ctx: Context,
  filter: Filter,
  page: ListsPage,
  shown: number,
  shopper: ShopperRow = requireShopper(ctx),
): Promise<{ views: ListView[]; total: number }> {
  const { pid, regid } = shopper;
  const { lty, st, lids } = filter;
  const chosen = { lty: checkTypeFilter(lty), st: checkState(st), lids: checkLids(lids) };
  const wanted = { pid, regid, ...chosen, ...page };
  const most = Math.min(shown, MAX_PREVIEW);
  // Items can be few and yet too large for one answer.
  const { lists, total } = await readOrLess(
    (limit) => readListRows(ctx, { ...wanted, shown: limit }),
    most,
    PREVIEW_SIZE,
  );
  const views = lists.map((list) =>
    ownView(shopper, list, list.preview, list.shown < most ? PREVIEW_SIZE : MAX_PREVIEW),
  );
  return { views, total };
}

/** All lists of the shopper, newest first. */
export async function allLists(ctx: Context, filter: Filter, shown: number): Promise<ListView[]> {
  return (await readLists(ctx, filter, { afterSeq: null, limit: null }, shown)).views;
}

/** The shopper's lists, page by page. */
export async function listConnection(
  ctx: Context,
  { first, after, ...filter }: Filter & { first?: number | null; after?: string | null },
  shown: number,
  shopper?: ShopperRow,
): Promise<Connection<ListView> & { totalCount: number }> {
  const limit = checkLimit('first', first, LISTS_LIMIT.standard, LISTS_LIMIT.max);
  const page = { afterSeq: decodeSeq('after', after, 'lists'), limit: limit + 1 };
  const { views, total } = await readLists(ctx, filter, page, shown, shopper);
  return { ...toConnection(views, limit, ({ seq }) => encodeCursor('lists', seq), after), totalCount: total };
}

/** A readable list with its items by offset. */
export async function listContents(
  ctx: Context,
  lid: string,
  { limit, offset }: Slice,
  reader?: Reader,
): Promise<ListContents> {
  const slice = {
    limit: checkLimit('limit', limit, CONTENTS_LIMIT.standard, CONTENTS_LIMIT.max),
    offset: checkOffset(offset),
  };
  const { list, items, total } = await readListPage(ctx, lid, slice, NEWEST_FIRST, reader);
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

type PageArgs = {
  next?: string | null;
  itemslimit?: number | null;
  sortby?: PageOrder['sort'] | null;
  sortorder?: PageOrder['order'] | null;
  filterby?: PageOrder['filter'] | null;
};

/** A readable list with one page of its items, sorted and filtered; the cursor stays good while others write. */
export async function listPage(
  ctx: Context,
  lid: string,
  args: PageArgs,
): Promise<Omit<ListContents, 'userinfo'>> {
  const limit = checkLimit('itemslimit', args.itemslimit, PAGE_LIMIT.standard, PAGE_LIMIT.max);
  const order = checkOrder({ sort: args.sortby, order: args.sortorder, filter: args.filterby });
  const after = args.next ? decodePlace('next', args.next, order) : null;
  const { list, items, total } = await readListPage(ctx, lid, { limit: limit + 1, offset: 0, after }, order);
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
      next: limit > 0 && items.length > limit ? encodePlace(order, shown.at(-1)!) : null,
      limit,
    },
  };
}

/** All items of a list that the caller has read, page by page. */
export async function itemConnection(
  ctx: Context,
  list: ListView,
  { first, after, ...sorting }: Sorting & { first?: number | null; after?: string | null },
): Promise<Connection<ItemRow> & { totalCount: number }> {
  const limit = checkLimit('first', first, PAGE_LIMIT.standard, PAGE_LIMIT.max);
  const order = checkOrder(sorting);
  const place = after ? decodePlace('after', after, order) : null;
  const key = { ...readerOf(list), limit: limit + 1, offset: 0, after: place, hasList: false };
  const { items, total } = await readPage(ctx, order, key);
  const shown = showItems(ctx, list, items);
  return { ...toConnection(shown, limit, (item) => encodePlace(order, item), after), totalCount: total };
}

/** The newest items of a list that the caller has read. */
export async function previewOf(ctx: Context, list: ListView, slice: Slice): Promise<ItemRow[]> {
  if (list.contents !== null) return list.contents;
  const limit = checkLimit('limit', slice.limit, PREVIEW_SIZE, list.most);
  const offset = checkOffset(slice.offset);
  const read = list.preview?.length ?? 0;
  if (list.preview !== null && offset === 0 && (limit <= read || read === list.cnt))
    return withHome(ctx, list, list.preview.slice(0, limit));
  if (list.cnt === 0 || limit === 0) return [];
  const key = { ...readerOf(list), limit, offset, after: null, hasList: false };
  const { items } = await readPage(ctx, NEWEST_FIRST, key);
  return showItems(ctx, list, items);
}

/** Whose eyes read the items of a list that was read already; a public one can be read with nobody's. */
function readerOf({ pid, lid, owner }: ListView): Pick<PageKey, 'pid' | 'lid' | 'regid'> {
  return { pid, lid, regid: owner.regid };
}

/** Items that are not the caller's know their list, because the caller could not always look it up by itself. */
function withHome<Row extends ItemRow>(ctx: Context, list: ListView, items: Row[]): Row[] {
  return isOwn(ctx, list.owner) ? items : items.map((item) => ({ ...item, home: list }));
}

/** Items of a list as its reader may see them. */
function showItems<Row extends ItemRow>(ctx: Context, list: ListView, items: Row[]): Row[] {
  return withHome(ctx, list, list.isMasked ? items.map(maskItem) : items);
}

async function readListPage(
  ctx: Context,
  lid: string,
  slice: { limit: number; offset: number; after?: Place | null },
  order: PageOrder = NEWEST_FIRST,
  { pid, regid, shopper }: Reader = requireReader(ctx),
): Promise<{ list: ListView; items: PlacedItemRow[]; total: number }> {
  const page = await readPage(ctx, order, {
    pid,
    regid,
    lid: checkLid(lid),
    after: null,
    hasList: true,
    ...slice,
  });
  const { list, items } = viewPage(shopper, page) ?? fail('list-not-found');
  return { list, items: withHome(ctx, list, items), total: page.total };
}

function checkOrder({ sort, order, filter }: Sorting): PageOrder {
  const by = sort ?? 'added';
  return { sort: by, order: order ?? (by === 'added' ? 'desc' : 'asc'), filter: filter ?? null };
}

function encodePlace(order: PageOrder, { sortkey, seq }: PlacedItemRow): string {
  return encodeCursor(nameOrder(order), sortkey === undefined ? null : String(sortkey), seq);
}

function decodePlace(field: string, cursor: string, order: PageOrder): Place {
  const [key, seq] = decodeCursor(field, cursor, nameOrder(order));
  const isKeyFine = order.sort === 'added' ? key === null : typeof key === 'string' && isStorable(key);
  const isNumberFine = order.sort !== 'price' || (key === String(Number(key)) && key !== 'NaN');
  const isFine = isKeyFine && isNumberFine && Number.isSafeInteger(seq);
  return isFine ? { key: key as string | null, seq: seq as number } : failCursor(field);
}
