import type { Context } from '../context.ts';
import type { Tx } from '../platform/database/database.ts';
import { fail } from '../platform/errors.ts';
import { countLists } from './list.repo.ts';
import type { ListOwner } from './list.repo.ts';
import { usedBytes } from './quota.repo.ts';

/** What a shopper stores, and how much that may be. */
export type Storage = { used: number; allowed: number };

/** What a shopper's lists take of the room there is. */
export async function storageOf({ db, config }: Context, shopper: ListOwner): Promise<Storage> {
  return { used: await usedBytes(db, shopper), allowed: config.maxShopperBytes };
}

/** Refuses a write that grew beyond the quota; null stands for one that did not grow, which is always allowed. */
export function checkBytes({ config }: Context, used: number | null): void {
  if (used === null || used <= config.maxShopperBytes) return;
  fail('limit-reached', `A shopper's lists can hold at most ${config.maxShopperBytes} bytes in all`);
}

/** Refuses one more list of a shopper whose row is locked, where it has as many as it may. */
export async function checkListCount({ config }: Context, tx: Tx, owner: ListOwner): Promise<void> {
  if ((await countLists(tx, owner)) >= config.maxLists)
    fail('limit-reached', `A shopper can have at most ${config.maxLists} lists`);
}

/** Beyond this size a write waits for the shopper's other large writes, so that many at once cannot all find the same room. */
const LARGE_BYTES = 65_536;

/** Whether what was sent is large enough to be counted exactly. */
export function isLarge(sent: unknown): boolean {
  return JSON.stringify(sent).length > LARGE_BYTES;
}
