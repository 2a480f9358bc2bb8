import { keepsDeleted } from './list.rules.ts';
import type { Context, Services } from '../context.ts';
import type { Tx } from '../platform/database/database.ts';
import * as trash from './trash.repo.ts';
import type { Moved, TrashOwner } from './trash.repo.ts';

type Keeper = TrashOwner & { store: { restoreDays: number } };

/** Keeps a locked list that is about to be deleted, where its store keeps any. */
export async function keepList(
  { config, now }: Context,
  tx: Tx,
  owner: Keeper,
  list: { pid: string; lid: string },
): Promise<void> {
  if (!keepsDeleted(owner)) return;
  await trash.keepList(tx, list, now());
  await trash.trimLists(tx, owner, config.maxShopperBytes);
}

/** Gives what a guest deleted to the account that it logged in to, where it can be brought back. */
export async function mergeTrash(
  tx: Tx,
  guest: TrashOwner,
  account: TrashOwner,
  joined: readonly Moved[],
): Promise<void> {
  await trash.moveDeletedItems(tx, guest.pid, joined);
  await trash.moveTrash(tx, guest, account);
}

/** Forgets a portion of what can no longer be brought back; answers how much. */
export function forgetTrash({ db }: Services, now: Date): Promise<number> {
  return trash.forgetTrash(db, now);
}
