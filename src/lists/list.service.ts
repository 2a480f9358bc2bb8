import {
  checkBytes,
  PREVIEW_SIZE,
  checkLid,
  checkListName,
  checkListNote,
  checkListType,
  checkDescription,
  checkProperties,
  checkListVersion,
} from './list.rules.ts';
import { requireShopper } from '../context.ts';
import type { Context } from '../context.ts';
import type { Db, Tx } from '../platform/database/database.ts';
import { RESPONSE_LIMITS, failTooMuch, readWithin } from '../platform/budget.ts';
import { fail } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { checkLimit, checkOffset } from '../platform/page.ts';
import { keepList } from './trash.service.ts';
import { findShopper, lockShopper } from '../shoppers/shopper.repo.ts';
import { checkEmail } from '../shoppers/shopper.rules.ts';
import type { StoreRow } from '../stores/store.repo.ts';
import { NEWEST_FIRST, readPages } from './page.repo.ts';
import { listContents } from './list-pages.service.ts';
import type { ListContents } from './list-pages.service.ts';
import { tellOfLists } from './item-events.service.ts';
import { copyList, finishCopies } from './item-copy.service.ts';
import * as lists from './list.repo.ts';
import type { ListChanges, ListRow, NewList } from './list.columns.ts';
import type { LockedList } from './list.repo.ts';
import { ownView } from './list.view.ts';
import type { ListView } from './list.view.ts';
import { usedBytes } from './list.repo.ts';
import { checkListCount } from './quota.service.ts';

/** The calling shopper with its store. */
export type Owner = ReturnType<typeof requireShopper>;

type ListFields = {
  lname?: string | null;
  lnote?: string | null;
  lprops?: unknown;
  cprops?: unknown;
  ldesc?: unknown;
};
type CreateInput = ListFields & { lty?: string | null; cfor?: string | null; fromlid?: string | null };
type Version = { expectedVersion?: number | null };

const SAVE_FOR_LATER_NAME = 'Save for later';
const DELETE_LIMIT = { standard: PREVIEW_SIZE, max: 1_000 };
/** Ten items with all that they can hold. */
const PREVIEW_BYTES = 2_000_000;

/** Creates a list. A shopper has one save-for-later list: asked for it again, this answers the one there is. */
export async function createList(ctx: Context, input: CreateInput): Promise<ListView> {
  const owner = requireShopper(ctx);
  const list = checkNewList(ctx, owner.store, input);
  const fromlid = input.fromlid ? checkLid(input.fromlid, 'fromlid') : null;
  const made = await ctx.db.transaction(async (tx) => {
    await lockOwner(tx, owner);
    const known = list.lty === 'sfl' ? await lists.findSaveForLater(tx, owner) : null;
    if (known !== null && fromlid)
      fail(
        'invalid-lty',
        'There is a save-for-later list already; nothing can be copied into it by creating it',
      );
    if (known !== null) return (await lists.findOwnList(tx, owner, known))!;
    if (await lists.isNameTaken(tx, owner, list.lname))
      fail('duplicate-lname', 'There is a list of this name already');
    await checkListCount(ctx, tx, owner);
    const { used, ...row } = await lists.insertList(tx, owner, list, ctx.now());
    checkBytes(ctx, used);
    return fromlid ? fillFrom(ctx, tx, owner, row, fromlid) : row;
  });
  return ownView(owner, made);
}

/** Changes what was sent of a list. */
export async function updateList(
  ctx: Context,
  lid: string,
  input: ListFields,
  version: Version,
): Promise<ListView> {
  requireShopper(ctx);
  const changes: ListChanges = {
    lname: input.lname == null ? undefined : checkListName(input.lname),
    lnote: checkListNote(input.lnote),
    lprops: checkProperties('lprops', input.lprops),
    cprops: checkProperties('cprops', input.cprops),
    ldesc: checkDescription(input.ldesc),
  };
  return changeOwnList(ctx, lid, changes, version);
}

/** Opens a list to everybody who knows its id, or closes it. */
export async function setListPublic(
  ctx: Context,
  lid: string,
  anonRead: boolean,
  version: Version,
): Promise<ListView> {
  requireShopper(ctx);
  return changeOwnList(ctx, lid, { anonRead }, version);
}

/** Puts a list away or brings it back. */
export async function setListArchived(
  ctx: Context,
  lid: string,
  isArchived: boolean,
  version: Version,
): Promise<ListView> {
  requireShopper(ctx);
  return changeOwnList(ctx, lid, { st: isArchived ? 0 : 1 }, version);
}

type DeleteArgs = Version & { limit?: number | null; offset?: number | null };

/** Deletes a list with its items; answers it as it was, with a slice of the items. It can be brought back for as long as the store says. */
export async function deleteList(
  ctx: Context,
  lid: string,
  { limit, offset, ...version }: DeleteArgs,
): Promise<ListView> {
  requireShopper(ctx);
  const slice = {
    limit: checkLimit('limit', limit, DELETE_LIMIT.standard, DELETE_LIMIT.max),
    offset: checkOffset(offset),
  };
  const bytes = slice.limit > PREVIEW_SIZE ? RESPONSE_LIMITS.bytes : PREVIEW_BYTES;
  // Room is made before the list is locked: a large answer may wait for its turn.
  return readWithin(ctx.budget, bytes, (maxBytes) =>
    withOwnList(ctx, lid, version, async (tx, list, owner) => {
      const { pid, regid } = owner;
      const key = { pid, regid, lid: list.lid, after: null, hasList: false, ...slice };
      const [page] = await readPages(tx, NEWEST_FIRST, [{ key, maxBytes }]);
      const { items } = page!.row ?? failTooMuch();
      await tellOfLists(tx, owner, 'list.item.removed', [list.lid], ctx.now());
      // What was still being copied into it comes back with it.
      if (list._cp) await finishCopies(tx, owner.pid, [list.lid], ctx.now());
      await keepList(ctx, tx, owner, list);
      await lists.deleteList(tx, list);
      return { value: { ...ownView(owner, list), contents: items }, bytes: page!.bytes };
    }),
  );
}

/** The shopper's save-for-later list; many first calls at once make one. */
export async function initSaveForLater(
  ctx: Context,
  lname: string | null | undefined,
): Promise<ListContents> {
  const owner = requireShopper(ctx);
  const list: NewList = {
    ...BLANK,
    lid: newId(),
    lname: lname ? checkListName(lname) : SAVE_FOR_LATER_NAME,
    lty: 'sfl',
  };
  const lid =
    (await lists.findSaveForLater(ctx.db, owner)) ??
    (await ctx.db.transaction(async (tx) => {
      await lockOwner(tx, owner);
      const known = await lists.findSaveForLater(tx, owner);
      if (known !== null) return known;
      await checkListCount(ctx, tx, owner);
      const { used, lid: made } = await lists.insertList(tx, owner, list, ctx.now());
      checkBytes(ctx, used);
      return made;
    }));
  return listContents(ctx, lid, {});
}

/** Runs `work` on a list of the caller's that stays locked until it ends; large works of one shopper wait for each other. */
export async function withOwnList<Result>(
  ctx: Context,
  lid: string,
  { expectedVersion }: Version,
  work: (tx: Tx, list: LockedList, owner: Owner) => Promise<Result>,
  isLarge = false,
): Promise<Result> {
  const owner = requireShopper(ctx);
  const wanted = checkLid(lid);
  return ctx.db.transaction(async (tx) => {
    // Before the list, as in a merge: whoever locks both takes the shopper first.
    if (isLarge) await lockOwner(tx, owner);
    const list = (await lists.lockList(tx, owner, wanted)) ?? (await failMissing(tx, owner));
    checkListVersion(list.version, expectedVersion);
    return work(tx, list, owner);
  });
}

/** Says why a list is not there: a guest that was merged since its request came in has to identify itself again. */
export async function failMissing(db: Db, owner: Owner): Promise<never> {
  const current = await findShopper(db, owner);
  return fail(current?.epoch === owner.epoch ? 'list-not-found' : 'sw-badregid');
}

function changeOwnList(ctx: Context, lid: string, changes: ListChanges, version: Version): Promise<ListView> {
  return withOwnList(ctx, lid, version, async (tx, list, owner) => {
    const { used, ...changed } = await lists.changeList(tx, list, changes, { uby: owner.em, now: ctx.now() });
    checkBytes(ctx, used);
    return ownView(owner, changed);
  });
}

/** Makes creations of one shopper wait for each other, and for a merge that takes the shopper's lists away. */
export async function lockOwner(tx: Tx, owner: Owner): Promise<void> {
  const current = await lockShopper(tx, owner);
  if (current?.epoch !== owner.epoch) fail('sw-badregid');
}

const BLANK = { lnote: null, lprops: {}, cprops: {}, ldesc: {}, cfor: null };

function checkNewList({ viewer }: Context, store: StoreRow, input: CreateInput): NewList {
  const isForSomebody = viewer.keyId !== null && Boolean(input.cfor);
  return {
    lid: newId(),
    lname: checkListName(input.lname),
    lty: checkListType(input.lty, store.listTypes),
    lnote: checkListNote(input.lnote) || null,
    lprops: checkProperties('lprops', input.lprops) ?? {},
    cprops: checkProperties('cprops', input.cprops) ?? {},
    ldesc: checkDescription(input.ldesc) ?? {},
    cfor: isForSomebody ? checkEmail(input.cfor, 'cfor') : null,
  };
}

async function fillFrom(
  ctx: Context,
  tx: Tx,
  owner: Owner,
  list: ListRow,
  fromlid: string,
): Promise<ListRow> {
  const sourceLid =
    (await lists.findReadable(tx, owner, fromlid)) ??
    fail('list-not-found', 'fromlid: there is no such list');
  const { pid, di, em } = owner;
  const now = ctx.now();
  await copyList(tx, { pid, sourceLid, targetLid: list.lid, di, uby: em, now });
  checkBytes(ctx, await usedBytes(tx, owner));
  await tellOfLists(tx, owner, 'list.item.added', [list.lid], now);
  return (await lists.findOwnList(tx, owner, list.lid))!;
}
