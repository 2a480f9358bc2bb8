import { checkBytes, checkLid, restorableSince } from './list.rules.ts';
import { requireShopper } from '../context.ts';
import type { Context } from '../context.ts';
import type { Tx } from '../platform/database/database.ts';
import { fail } from '../platform/errors.ts';
import { checkItemRoom } from './contents.writes.ts';
import { tellOfItems } from './item-events.service.ts';
import { checkVariants } from './item.rules.ts';
import { addAliases } from './list-alias.repo.ts';
import type { ListRow } from './list.columns.ts';
import { changeList, findOwnList, findSaveForLater, lockLists, usedBytes } from './list.repo.ts';
import { failMissing, lockOwner, withOwnList } from './list.service.ts';
import type { Owner } from './list.service.ts';
import { ownView } from './list.view.ts';
import type { ListView } from './list.view.ts';
import { checkListCount } from './quota.service.ts';
import { moveDeletedItems } from './trash.repo.ts';
import * as restores from './restore.repo.ts';

/** Brings a deleted list back with its items. One that is there is answered as it is, so that it can be asked for twice. */
export async function restoreList(ctx: Context, lid: string): Promise<ListView> {
  const owner = requireShopper(ctx);
  const wanted = checkLid(lid);
  const row = await ctx.db.transaction(async (tx) => {
    // Before anything else, as who creates and who merges does: all count the same lists.
    await lockOwner(tx, owner);
    const present = await findOwnList(tx, owner, wanted);
    if (present !== null) return present;
    const since = restorableSince(owner.store, ctx.now());
    const deleted = (await restores.findDeletedList(tx, owner, wanted, since)) ?? fail('list-not-found');
    const saved = deleted.isSaveForLater ? await findSaveForLater(tx, owner) : null;
    return saved === null ? putBack(ctx, tx, owner, deleted.lid) : joinSaved(ctx, tx, owner, deleted, saved);
  });
  return ownView(owner, row);
}

async function putBack(ctx: Context, tx: Tx, owner: Owner, lid: string): Promise<ListRow> {
  await checkListCount(ctx, tx, owner);
  if (!(await restores.putList(tx, owner, lid, ctx.now()))) fail('list-not-found');
  await restores.putContents(tx, owner, { from: lid, to: lid }, ctx.now());
  checkBytes(ctx, await usedBytes(tx, owner));
  return (await findOwnList(tx, owner, lid))!;
}

/** A shopper has one save-for-later list, and clients make it anew at once: what was in the deleted one goes into the present one. */
async function joinSaved(
  ctx: Context,
  tx: Tx,
  owner: Owner,
  { lid: from, aliases }: restores.DeletedList,
  to: string,
): Promise<ListRow> {
  const [target] = await lockLists(tx, owner, [to]);
  if (target === undefined) return failMissing(tx, owner);
  const added = await restores.putContents(tx, owner, { from, to }, ctx.now());
  await moveDeletedItems(tx, owner.pid, [{ from, to }]);
  await restores.dropDeletedList(tx, owner, from);
  await addAliases(tx, target, aliases);
  const { used, ...list } = await changeList(tx, target, {}, { uby: owner.em, now: ctx.now() });
  checkBytes(ctx, used);
  await checkItemRoom(ctx, tx, list, added);
  return list;
}

type ItemsArgs = { lid: string; epis: readonly string[]; expectedVersion?: number | null };

/** Brings deleted items back into their list, all or none. Those that the list has stay as they are there. */
export async function restoreItems(ctx: Context, { lid, epis, ...version }: ItemsArgs): Promise<ListView> {
  requireShopper(ctx);
  const wanted = checkVariants(epis);
  if (wanted.length === 0) fail('invalid-items', 'epis must name at least one variant');
  return withOwnList(
    ctx,
    lid,
    version,
    async (tx, list, owner) => {
      const now = ctx.now();
      const since = restorableSince(owner.store, now);
      const [unknown] = await restores.findUnknown(tx, list, wanted, since);
      if (unknown !== undefined) fail('item-not-found', `There is no deleted item ${unknown} of this list`);
      const put = await restores.putItems(tx, list, wanted, since);
      if (put.length === 0) return ownView(owner, list);
      await tellOfItems(tx, owner, 'list.item.added', put, now);
      const { used, ...changed } = await changeList(tx, list, {}, { uby: owner.em, now });
      checkBytes(ctx, used);
      await checkItemRoom(ctx, tx, changed, put.length);
      return ownView(owner, changed);
    },
    true,
  );
}
