import { requireShopper } from '../context.ts';
import type { Context, Services } from '../context.ts';
import type { CreateListInput, UpdateListInput } from '../generated/resolvers.ts';
import { RESPONSE_LIMITS, failTooMuch, readWithin } from '../platform/budget.ts';
import type { Db, Tx } from '../platform/database/database.ts';
import { fail } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { checkSlice } from '../platform/page.ts';
import type { Slice } from '../platform/page.ts';
import { findShopper } from '../shoppers/shopper.repo.ts';
import { checkEmail } from '../shoppers/shopper.rules.ts';
import { enter } from '../shoppers/shopper.service.ts';
import type { StoreRow } from '../stores/store.repo.ts';
import { addPortions, copyList, finishCopies, lockCopyingList } from './item-copy.repo.ts';
import { newestVariants, queueListEvents } from './item.repo.ts';
import { listContents } from './list-pages.service.ts';
import type { ListChanges, ListRow, NewList } from './list.columns.ts';
import * as lists from './list.repo.ts';
import type { ListOwner, LockedList } from './list.repo.ts';
import * as rules from './list.rules.ts';
import { ownView } from './list.view.ts';
import type { ListView } from './list.view.ts';
import { readPages } from './page.repo.ts';
import { NEWEST_FIRST } from './page.rules.ts';
import { storeDeletedList } from './trash.repo.ts';

export type Owner = ReturnType<typeof requireShopper>;

type Version = { expectedVersion?: number | null };

type Deletion = Version & Slice & { hasVariants: boolean };

/** Enough for ten items of the largest size. */
const PREVIEW_BYTES = 2_000_000;

/** A shopper has one save-for-later list: creating it again returns the existing one. */
export async function createList(ctx: Context, input: CreateListInput): Promise<ListView> {
  const owner = requireShopper(ctx);
  const list = checkNewList(ctx, owner.store, input);
  const fromlid = input.fromlid ? rules.checkLid(input.fromlid, 'fromlid') : null;
  const created = await ctx.db.transaction(async (tx) => {
    await enter(tx, ctx, owner);
    const existing = list.lty === 'sfl' ? await lists.findSaveForLater(tx, owner) : null;
    if (existing !== null && fromlid)
      fail(
        'invalid-lty',
        'The shopper already has a save-for-later list; add the items to it instead of sending fromlid',
      );
    if (existing !== null) return (await lists.findOwnList(tx, owner, existing))!;
    if (await lists.isNameTaken(tx, owner, list.lname))
      fail('duplicate-lname', 'The shopper already has a list with this name');
    await checkListCount(ctx, tx, owner);
    const { used, ...row } = await lists.insertList(tx, owner, list, ctx.now());
    rules.checkBytes(ctx, used);
    return fromlid ? fillFrom(ctx, tx, owner, row, fromlid) : row;
  });
  return ownView(owner, created);
}

export async function updateList(ctx: Context, lid: string, input: UpdateListInput, version: Version) {
  requireShopper(ctx);
  const changes: ListChanges = {
    lname: input.lname === undefined ? undefined : rules.checkListName(input.lname),
    lnote: rules.checkListNote(input.lnote),
    lprops: rules.checkProperties('lprops', input.lprops),
    cprops: rules.checkProperties('cprops', input.cprops),
    ldesc: rules.checkDescription(input.ldesc),
  };
  return changeList(ctx, lid, changes, version);
}

/** Returns the deleted list with a slice of its items and, if it `hasVariants`, the variants that it contained. */
export async function deleteList(ctx: Context, lid: string, deletion: Deletion) {
  const { limit, offset, hasVariants, ...version } = deletion;
  requireShopper(ctx);
  const slice = checkSlice({ limit, offset }, rules.PREVIEW_SIZE, 1_000);
  const bytes = slice.limit > rules.PREVIEW_SIZE ? RESPONSE_LIMITS.bytes : PREVIEW_BYTES;
  // The memory is reserved before the list is locked, because a large response may have to wait for it.
  return readWithin(ctx.budget, bytes, (maxBytes) =>
    withOwnList(ctx, lid, version, async (tx, list, owner) => {
      const { pid, regid } = owner;
      const key = { pid, regid, lid: list.lid, isWithoutList: true, ...slice } as const;
      const [page] = await readPages(tx, NEWEST_FIRST, [{ key, maxBytes }]);
      const { items } = page!.row ?? failTooMuch();
      await queueListEvents(tx, owner, 'list.item.removed', [list.lid], ctx.now());
      // A restore also restores the items that are still to be copied.
      if (list._cp) await finishCopies(tx, owner.pid, [list.lid], ctx.now());
      const variants = hasVariants ? await newestVariants(tx, list) : null;
      if (rules.isRestorable(owner)) await storeDeletedList(tx, list, ctx.config.maxShopperBytes, ctx.now());
      await lists.deleteList(tx, list);
      return { value: { ...ownView(owner, list), contents: items, variants }, bytes: page!.bytes };
    }),
  );
}

/** Concurrent first calls create one list. */
export async function initSaveForLater(ctx: Context, lname: string | null | undefined) {
  const owner = requireShopper(ctx);
  const list = checkNewList(ctx, owner.store, { lname: lname || 'Save for later', lty: 'sfl' });
  const lid =
    (await lists.findSaveForLater(ctx.db, owner)) ??
    (await ctx.db.transaction(async (tx) => {
      await enter(tx, ctx, owner);
      const existing = await lists.findSaveForLater(tx, owner);
      if (existing !== null) return existing;
      await checkListCount(ctx, tx, owner);
      const { used, lid: created } = await lists.insertList(tx, owner, list, ctx.now());
      rules.checkBytes(ctx, used);
      return created;
    }));
  return (await listContents(ctx, lid, {})) ?? fail('list-not-found');
}

/** Locks a list of the caller while `work` runs; `isLarge` also locks the shopper, so that the quota is exact. */
export async function withOwnList<Result>(
  ctx: Context,
  lid: string,
  { expectedVersion, isLarge }: Version & { isLarge?: boolean },
  work: (tx: Tx, list: LockedList, owner: Owner) => Promise<Result>,
): Promise<Result> {
  const owner = requireShopper(ctx);
  const checked = rules.checkLid(lid);
  return ctx.db.transaction(async (tx) => {
    // A merge locks the shopper before the list, too.
    if (isLarge) await enter(tx, ctx, owner);
    const list = (await lists.lockList(tx, owner, checked)) ?? (await failMissing(tx, owner));
    rules.checkListVersion(list.version, expectedVersion);
    return work(tx, list, owner);
  });
}

/** A guest that was merged while its request was running has to authenticate again; one without a row was not. */
export async function failMissing(db: Db, owner: Owner): Promise<never> {
  const current = await findShopper(db, owner);
  return fail((current?.epoch ?? 0) === owner.epoch ? 'list-not-found' : 'sw-badregid');
}

export function changeList(ctx: Context, lid: string, changes: ListChanges, version: Version) {
  return withOwnList(ctx, lid, version, async (tx, list, owner) => {
    const { used, ...changed } = await lists.changeList(tx, list, changes, { uby: owner.em, now: ctx.now() });
    rules.checkBytes(ctx, used);
    return ownView(owner, changed);
  });
}

function checkNewList({ viewer }: Context, store: StoreRow, input: CreateListInput): NewList {
  const isForSomebody = viewer.keyId !== null && Boolean(input.cfor);
  return {
    lid: newId(),
    lname: rules.checkListName(input.lname),
    lty: rules.checkListType(input.lty, store.listTypes),
    lnote: rules.checkListNote(input.lnote) || null,
    lprops: rules.checkProperties('lprops', input.lprops) ?? {},
    cprops: rules.checkProperties('cprops', input.cprops) ?? {},
    ldesc: rules.checkDescription(input.ldesc) ?? {},
    cfor: isForSomebody ? checkEmail(input.cfor, 'cfor') : null,
  };
}

async function fillFrom(ctx: Context, tx: Tx, owner: Owner, list: ListRow, fromlid: string) {
  const sourceLid =
    (await lists.findReadable(tx, owner, fromlid)) ?? fail('list-not-found', 'fromlid: list not found');
  const { pid, di, em } = owner;
  const now = ctx.now();
  await copyList(tx, { pid, lid: list.lid, di, uby: em, now }, sourceLid);
  rules.checkBytes(ctx, await lists.usedBytes(tx, owner));
  await queueListEvents(tx, owner, 'list.item.added', [list.lid], now);
  return (await lists.findOwnList(tx, owner, list.lid))!;
}

export async function storageOf({ db, config }: Context, shopper: ListOwner) {
  return { used: await lists.usedBytes(db, shopper), allowed: config.maxShopperBytes };
}

/** The caller holds the lock of the shopper's row. */
export async function checkListCount({ config }: Context, tx: Tx, owner: ListOwner): Promise<void> {
  if ((await lists.countLists(tx, owner)) >= config.maxLists)
    fail('limit-reached', `A shopper can have at most ${config.maxLists} lists`);
}

/** Copies one portion of one list; returns false when none is left. A portion is added exactly once, even if a worker crashes. */
export function copyNextPortion({ db, now }: Services): Promise<boolean> {
  return db.transaction(async (tx) => {
    const list = await lockCopyingList(tx);
    if (list === null) return false;
    await addPortions(tx, list, [list.lid], 1, now());
    return true;
  });
}
