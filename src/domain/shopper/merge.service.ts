import type { Db } from '../../database/database.ts';
import type { StoreRow } from '../store/store.repo.ts';
import { epochOf } from './identity.rules.ts';
import * as shoppers from './shopper.repo.ts';
import type { NewShopper, ShopperRow } from './shopper.repo.ts';

/** What a merge moved. */
export type MergeReport = { lists: number; items: number; duplicates: number };

const NOTHING: MergeReport = { lists: 0, items: 0, duplicates: 0 };

/**
 * Joins a guest to an account inside the caller's transaction. The guest's row lock makes concurrent merges of one guest
 * one merge: those that come later find it empty and report zeros.
 */
export async function mergeGuest(
  tx: Db,
  store: StoreRow,
  guestRegid: string,
  newAccount: NewShopper,
  now: Date,
): Promise<{ account: ShopperRow; merged: MergeReport }> {
  const guest = await shoppers.lockShopper(tx, { pid: store.pid, regid: guestRegid });
  const account = await shoppers.touchShopper(tx, newAccount, now);
  if (guest === null) return { account, merged: NOTHING };
  const merged = NOTHING;
  if (guest.mergedInto !== null) return { account, merged };
  await shoppers.linkGuest(
    tx,
    {
      pid: store.pid,
      accountRegid: account.regid,
      guestRegid: guest.regid,
      guestEpoch: epochOf(store, guest),
      accountEpoch: epochOf(store, account),
    },
    now,
  );
  return { account, merged };
}
