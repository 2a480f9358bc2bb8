import type { Tx } from '../platform/database/database.ts';
import type { ShopperRow } from '../shoppers/shopper.repo.ts';
import { finishCopies } from './item-copy.repo.ts';
import { queueListEvents } from './item.repo.ts';
import { hasLists, joinAliases } from './list.repo.ts';
import type { Joining } from './list.repo.ts';
import * as merges from './merge.repo.ts';
import { moveDeletedItems, moveTrash } from './trash.repo.ts';

/** `items` are new to the account, `duplicates` are not. */
export const NOTHING_MERGED = { lists: 0, items: 0, duplicates: 0 };

/** The caller's transaction has locked both shoppers. Quotas do not apply, because a login must not fail because of them. */
export async function mergeLists(tx: Tx, guest: ShopperRow, account: ShopperRow, now: Date) {
  if (!(await hasLists(tx, guest))) {
    await moveTrash(tx, guest, account);
    return NOTHING_MERGED;
  }
  const lists = await merges.lockAllLists(tx, guest.pid, [guest.regid, account.regid]);
  const guestLists = lists.filter(({ regid }) => regid === guest.regid);
  const accountLists = lists.filter(({ regid }) => regid === account.regid);
  const { moving, rounds } = planMerge(guestLists, accountLists);
  const leaving = guestLists.map(({ lid }) => lid);
  await queueListEvents(tx, guest, 'list.item.removed', leaving, now);
  // Portions of a list that joins another one would have no target list any more.
  const joining = rounds.flat().map(({ from }) => from);
  const unfinished = lists
    .filter(({ lid, isCopying }) => isCopying && joining.includes(lid))
    .map(({ lid }) => lid);
  if (unfinished.length > 0) await finishCopies(tx, guest.pid, unfinished, now);

  const report = { lists: moving.length + joining.length, items: 0, duplicates: 0 };
  if (moving.length > 0) report.items += await merges.moveLists(tx, account, moving, now);
  await queueListEvents(tx, account, 'list.item.added', moving, now);
  for (const pairs of rounds) {
    report.duplicates += await merges.joinDuplicates(tx, account.pid, pairs);
    report.items += await merges.moveMissingItems(tx, account, pairs, now);
    await joinAliases(tx, account.pid, pairs);
    await merges.closeJoinedLists(tx, account, pairs, now);
  }
  await moveDeletedItems(tx, guest.pid, rounds.flat());
  await moveTrash(tx, guest, account);
  return report;
}

function kindOf({ lname, lty, isSfl }: merges.MergeListRow): string {
  return isSfl ? 'sfl' : JSON.stringify([lty ?? 'wl', lname]);
}

/** A guest's list joins the account's oldest active list of the same type and name, or its save-for-later list; others are moved. */
function planMerge(guestLists: readonly merges.MergeListRow[], accountLists: readonly merges.MergeListRow[]) {
  const bySeq = (left: merges.MergeListRow, right: merges.MergeListRow): number => left.seq - right.seq;
  const targets = new Map<string, string>();
  for (const list of [...accountLists].sort(bySeq)) {
    const kind = kindOf(list);
    if ((list.isActive || list.isSfl) && !targets.has(kind)) targets.set(kind, list.lid);
  }
  // Each target occurs once in a round.
  const plan: { moving: string[]; rounds: Joining[][] } = { moving: [], rounds: [] };
  const joined = new Map<string, number>();
  for (const list of [...guestLists].sort(bySeq)) {
    const to = targets.get(kindOf(list));
    if (to === undefined) {
      plan.moving.push(list.lid);
      continue;
    }
    const round = joined.get(to) ?? 0;
    joined.set(to, round + 1);
    (plan.rounds[round] ??= []).push({ from: list.lid, to });
  }
  return plan;
}
