import type { Services } from '../context.ts';
import type { Tx } from '../platform/database/database.ts';
import * as copies from './item-copy.repo.ts';
import type { Copy } from './item-copy.repo.ts';

/** Items that are copied inside a call; a longer list is copied in the background, this many at a time. */
export const PORTION_SIZE = 500;

/**
 * Copies a list's items as they are now into another list, inside the caller's transaction. The caller has checked that it may
 * read the one and write the other. Of a long list the rest follows in the background.
 */
export async function copyList(tx: Tx, copy: Copy): Promise<{ isDone: boolean }> {
  return { isDone: !(await copies.insertCopies(tx, copy, PORTION_SIZE)) };
}

/** More portions than a list can have. */
const ALL_PORTIONS = 1_000_000;

/** Adds all that these locked lists still wait for, without telling anybody of it: they are about to go. */
export function finishCopies(tx: Tx, pid: string, lids: readonly string[], now: Date): Promise<void> {
  return copies.addPortions(tx, { pid, uid: null }, lids, ALL_PORTIONS, now);
}

/**
 * Adds one portion to one list that waits for it; false when there was none. The portion is added and forgotten in one
 * transaction, so it is added once, however often a worker dies.
 */
export function copyNextPortion({ db, now }: Services): Promise<boolean> {
  return db.transaction(async (tx) => {
    const list = await copies.lockCopyingList(tx);
    if (list === null) return false;
    await copies.addPortions(tx, list, [list.lid], 1, now());
    return true;
  });
}
