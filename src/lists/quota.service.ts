import type { Context } from '../context.ts';
import type { Tx } from '../platform/database/database.ts';
import { fail } from '../platform/errors.ts';
import { countLists, usedBytes } from './list.repo.ts';
import type { ListOwner } from './list.repo.ts';

/** What a shopper stores, and how much that may be. */
export type Storage = { used: number; allowed: number };

/** What a shopper's lists take of the room there is. */
export async function storageOf({ db, config }: Context, shopper: ListOwner): Promise<Storage> {
  return { used: await usedBytes(db, shopper), allowed: config.maxShopperBytes };
}

/** Refuses one more list of a shopper whose row is locked, where it has as many as it may. */
export async function checkListCount({ config }: Context, tx: Tx, owner: ListOwner): Promise<void> {
  if ((await countLists(tx, owner)) >= config.maxLists)
    fail('limit-reached', `A shopper can have at most ${config.maxLists} lists`);
}
