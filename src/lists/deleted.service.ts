import { requireShopper } from '../context.ts';
import type { Context } from '../context.ts';
import { RESPONSE_LIMITS, failTooMuch, readWithin } from '../platform/budget.ts';
import { fail } from '../platform/errors.ts';
import { checkLimit, checkOffset, decodeSeq, encodeCursor, toConnection } from '../platform/page.ts';
import type { Connection } from '../platform/page.ts';
import type { ItemRow } from './item.columns.ts';
import { findOwnList } from './list.repo.ts';
import { checkLid, restorableSince, restorableUntil } from './list.rules.ts';
import { ownView } from './list.view.ts';
import type { ListView } from './list.view.ts';
import { countDeletedLists, findDeletedItems, findDeletedLists } from './deleted.repo.ts';
import type { DeletedListRow } from './deleted.repo.ts';

type Slice = { limit?: number | null; offset?: number | null };
type Place = { afterSeq: number | null; limit: number; offset: number };

const LISTS_LIMIT = { standard: 20, max: 100 };
const ITEMS_LIMIT = { standard: 500, max: 1_000 };

/** A deleted list as its owner sees it. */
type DeletedView = ListView & Pick<DeletedListRow, 'deletedSeq' | 'deletedAt'>;

async function readLists(ctx: Context, place: Place): Promise<DeletedView[]> {
  const owner = requireShopper(ctx);
  const { pid, regid, uid } = owner;
  const key = { pid, regid, uid, since: restorableSince(owner.store, ctx.now()), ...place };
  const lists = await readWithin(ctx.budget, RESPONSE_LIMITS.bytes, async (maxBytes) => {
    const found = await findDeletedLists(ctx.db, key, maxBytes);
    return { value: found.lists, bytes: found.lists === null ? 0 : found.bytes };
  });
  if (lists === null) return failTooMuch();
  return lists.map(({ contents, ...list }) =>
    Object.assign(ownView(owner, list), { contents, deletedSeq: list.deletedSeq, deletedAt: list.deletedAt }),
  );
}

type Deletion = { deletedAt: Date; restorableUntil: Date };
type DeletedConnection = Connection<ListView> & {
  edges: (Connection<ListView>['edges'][number] & Deletion)[];
  totalCount: number;
};

/** The shopper's deleted lists that can be brought back, page by page. */
export async function deletedLists(
  ctx: Context,
  { first, after }: { first?: number | null; after?: string | null },
): Promise<DeletedConnection> {
  const owner = requireShopper(ctx);
  const limit = checkLimit('first', first, LISTS_LIMIT.standard, LISTS_LIMIT.max);
  const place = { afterSeq: decodeSeq('after', after, 'deleted'), limit: limit + 1, offset: 0 };
  const views = await readLists(ctx, place);
  const page = toConnection(views, limit, ({ deletedSeq }) => encodeCursor('deleted', deletedSeq), after);
  const edges = page.edges.map((edge) => {
    const deletedAt = new Date(edge.node.deletedAt);
    return { ...edge, deletedAt, restorableUntil: restorableUntil(owner.store, deletedAt) };
  });
  const since = restorableSince(owner.store, ctx.now());
  return { ...page, edges, totalCount: await countDeletedLists(ctx.db, owner, since) };
}

/** The same by offset. */
export async function allDeletedLists(ctx: Context, { limit, offset }: Slice): Promise<ListView[]> {
  requireShopper(ctx);
  const place = {
    afterSeq: null,
    limit: checkLimit('limit', limit, LISTS_LIMIT.standard, LISTS_LIMIT.max),
    offset: checkOffset(offset),
  };
  return readLists(ctx, place);
}

/** Items that can be brought back into a list of the shopper's. */
export async function deletedItems(ctx: Context, lid: string, { limit, offset }: Slice): Promise<ItemRow[]> {
  const owner = requireShopper(ctx);
  const wanted = checkLid(lid);
  const slice = {
    since: restorableSince(owner.store, ctx.now()),
    limit: checkLimit('limit', limit, ITEMS_LIMIT.standard, ITEMS_LIMIT.max),
    offset: checkOffset(offset),
  };
  const list = (await findOwnList(ctx.db, owner, wanted)) ?? fail('list-not-found');
  const items = await readWithin(ctx.budget, RESPONSE_LIMITS.bytes, async (maxBytes) => {
    const found = await findDeletedItems(ctx.db, list, slice, maxBytes);
    return { value: found.items, bytes: found.items === null ? 0 : found.bytes };
  });
  return items ?? failTooMuch();
}
