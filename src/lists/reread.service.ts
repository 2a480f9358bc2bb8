import { requireShopper } from '../context.ts';
import type { Context } from '../context.ts';
import { ANSWER_LIMITS, failTooMuch } from '../platform/budget.ts';
import type { Rereads } from '../platform/idempotency-results.ts';
import { getList } from './list-pages.service.ts';
import { saveForLater } from './list-graph.service.ts';
import type { ListView } from './list.view.ts';
import { findItems } from './item.repo.ts';
import type { ItemRow } from './item.columns.ts';
import { rowsInOrder } from '../stores/products/product.rules.ts';
import { outcomes } from './contents.service.ts';
import type { Added, Removed } from './save-for-later.service.ts';
import type { ContentsUpdate, ItemRef, Transfer, TransferReport } from './contents.service.ts';

type Lid = { lid: string };
type Epis = readonly string[] | null;

/** Items of a list of the caller's, as they are now. */
async function itemsOf(ctx: Context, lid: string, epis: readonly string[]): Promise<ItemRow[]> {
  if (epis.length === 0) return [];
  const found = await ctx.budget.within(ANSWER_LIMITS.bytes, async (maxBytes) => {
    const { items, bytes } = await findItems(ctx.db, requireShopper(ctx), lid, epis, maxBytes);
    return { value: items, bytes: items === null ? 0 : bytes };
  });
  return found ?? failTooMuch();
}

const episOf = (refs: readonly ItemRef[] | null | undefined): Epis =>
  refs ? refs.map(({ epi }) => epi ?? '') : null;

type Change = Lid & { u?: readonly ItemRef[] | null; d?: readonly ItemRef[] | null };

/** What a write of items left; what it removed is not there any more, and is reported like that. */
async function rereadContents(
  ctx: Context,
  { lid, u, d }: Change,
  { added }: { added: Epis },
): Promise<ContentsUpdate> {
  const [changed, removed] = [episOf(u), episOf(d)];
  const list = await getList(ctx, lid);
  const rows = await itemsOf(ctx, list.lid, [...(added ?? []), ...(changed ?? [])]);
  return {
    lid: list.lid,
    cnt: list.cnt,
    uts: new Date(list.uts),
    version: list.version,
    a: added && rowsInOrder(added, rows),
    u: changed && outcomes(changed, rows),
    d: removed && outcomes(removed, []),
    list,
  };
}

async function rereadTransfer(ctx: Context, { fromlid, tolid, epis }: Transfer): Promise<TransferReport> {
  const [from, to] = [await getList(ctx, fromlid), await getList(ctx, tolid)];
  return { from, to, items: rowsInOrder(epis, await itemsOf(ctx, to.lid, epis)) };
}

const changed = { reread: (ctx: Context, { lid }: Lid) => getList(ctx, lid) };
const transfer = { reread: rereadTransfer };

type Saved = Lid & { items?: readonly ItemRef[] | null };
type Failed = Pick<Added, 'itemsfailed'>;

/** How the answers of writes to lists and items are read anew, where they were too large to be kept. */
export const listRereads = {
  createList: {
    receiptOf: ({ lid }: ListView) => ({ lid }),
    reread: (ctx: Context, _args: unknown, { lid }: Lid) => getList(ctx, lid),
  },
  updateList: changed,
  setListPublic: changed,
  setListArchived: changed,
  emailList: {
    receiptOf: ({ msg }: { msg: string }) => ({ msg }),
    reread: async (ctx: Context, { lid }: Lid, { msg }: { msg: string }) => ({
      msg,
      listinfo: await getList(ctx, lid),
    }),
  },
  initSaveForLater: { reread: (ctx: Context) => saveForLater(ctx, {}) },
  updateListContents: {
    receiptOf: ({ a }: ContentsUpdate) => ({ added: episOf(a) }),
    reread: rereadContents,
  },
  moveItems: transfer,
  copyItems: transfer,
  addToSaveForLater: {
    receiptOf: ({ itemsadded, itemsfailed }: Added) => ({ added: episOf(itemsadded), itemsfailed }),
    reread: async (ctx: Context, { lid }: Lid, { added, itemsfailed }: Failed & { added: Epis }) => ({
      itemsadded: (await rereadContents(ctx, { lid }, { added })).a,
      itemsfailed,
    }),
  },
  updateSaveForLater: {
    reread: async (ctx: Context, { lid, items }: Saved) => ({
      itemsupdated: (await rereadContents(ctx, { lid, u: items }, { added: null })).u,
    }),
  },
  removeFromSaveForLater: {
    receiptOf: ({ itemsdeleted, itemsfailed }: Removed) => ({
      removed: itemsdeleted.map(({ epi }) => ({ epi })),
      itemsfailed,
    }),
    reread: async (
      ctx: Context,
      { lid }: Lid,
      { removed, itemsfailed }: Failed & { removed: ItemRef[] },
    ) => ({
      itemsdeleted: (await rereadContents(ctx, { lid, d: removed }, { added: null })).d,
      itemsfailed,
    }),
  },
  moveSaveForLaterToCart: {
    reread: async (ctx: Context, { lid, items }: Saved) => ({
      itemsmoved: [],
      itemsfailed: (await rereadContents(ctx, { lid, d: items }, { added: null })).d,
    }),
  },
} satisfies Rereads;
