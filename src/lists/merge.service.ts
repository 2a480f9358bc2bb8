import type { Tx } from '../platform/database/database.ts';
import type { ShopperRow } from '../shoppers/shopper.repo.ts';
import { tellOfLists } from './item-events.service.ts';
import { finishCopies } from './item-copy.service.ts';
import { mergeTrash } from './trash.service.ts';
import { joinAliases } from './list-alias.repo.ts';
import type { Joining } from './list-alias.repo.ts';
import * as merges from './merge.repo.ts';
import { planMerge } from './merge.rules.ts';

/** What a merge did: lists moved or joined, items that the account gained, items that it already had. */
export type MergeReport = { lists: number; items: number; duplicates: number };

/**
 * Gives a guest's lists to an account inside the caller's transaction, which holds both shoppers' row locks: nobody can create a
 * list for either meanwhile. Size limits do not apply: a login never fails because of them.
 */
export async function mergeLists(
  tx: Tx,
  guest: ShopperRow,
  account: ShopperRow,
  now: Date,
): Promise<MergeReport> {
  if (!(await merges.hasLists(tx, guest))) {
    await mergeTrash(tx, guest, account, []);
    return { lists: 0, items: 0, duplicates: 0 };
  }
  const lists = await merges.lockAllLists(tx, guest.pid, [guest.regid, account.regid]);
  const { moving, rounds } = planMerge(
    lists.filter(({ regid }) => regid === guest.regid),
    lists.filter(({ regid }) => regid === account.regid),
  );
  const leaving = lists.filter(({ regid }) => regid === guest.regid).map(({ lid }) => lid);
  await tellOfLists(tx, guest, 'list.item.removed', leaving, now);
  // A list that is still being copied has no place to be copied into once it has joined another.
  const joining = rounds.flat().map(({ from }) => from);
  const unfinished = lists
    .filter(({ lid, isCopying }) => isCopying && joining.includes(lid))
    .map(({ lid }) => lid);
  if (unfinished.length > 0) await finishCopies(tx, guest.pid, unfinished, now);

  const report = { lists: moving.length + joining.length, items: 0, duplicates: 0 };
  if (moving.length > 0) report.items += await merges.moveLists(tx, account, moving, now);
  await tellOfLists(tx, account, 'list.item.added', moving, now);
  for (const pairs of rounds) {
    const { items, duplicates } = await joinLists(tx, account, pairs, now);
    report.items += items;
    report.duplicates += duplicates;
  }
  await mergeTrash(tx, guest, account, rounds.flat());
  return report;
}

async function joinLists(
  tx: Tx,
  account: ShopperRow,
  pairs: readonly Joining[],
  now: Date,
): Promise<{ items: number; duplicates: number }> {
  const duplicates = await merges.joinDuplicates(tx, account.pid, pairs);
  const items = await merges.moveMissingItems(tx, account, pairs, now);
  await joinAliases(tx, account.pid, pairs);
  await merges.closeJoinedLists(tx, account, pairs, now);
  return { items, duplicates };
}
