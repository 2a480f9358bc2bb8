import type { Tx } from '../../platform/database/database.ts';
import { mergeLists } from '../../lists/merge.service.ts';
import type { MergeReport } from '../../lists/merge.service.ts';
import type { StoreRow } from '../../stores/store.repo.ts';
import { moveAnswers } from '../contacts/mailing-list.repo.ts';
import { moveProofs } from '../contacts/double-opt-in.repo.ts';
import { moveMeasuring } from '../../stores/revenue/click-tracking.repo.ts';
import { moveRequests } from '../../alerts/subscriptions/request.repo.ts';
import { epochOf, sessionMarkOf } from '../identity.rules.ts';
import { fillProfile, isBlankProfile } from '../profile.rules.ts';
import * as shoppers from '../shopper.repo.ts';
import type { NewShopper, ShopperRow } from '../shopper.repo.ts';

export type { MergeReport } from '../../lists/merge.service.ts';

/** The report of a merge that found nothing to do. */
export const NOTHING_MERGED: MergeReport = { lists: 0, items: 0, duplicates: 0 };

/**
 * Joins a guest to an account inside the caller's transaction. The guest's row lock makes concurrent merges of one guest
 * one merge: those that come later find it empty and report zeros.
 */
export async function mergeGuest(
  tx: Tx,
  store: StoreRow,
  guestRegid: string,
  newAccount: NewShopper,
  now: Date,
): Promise<{ account: ShopperRow; merged: MergeReport }> {
  const guest = await shoppers.lockShopper(tx, { pid: store.pid, regid: guestRegid });
  const account = await shoppers.touchShopper(tx, newAccount, now);
  if (guest === null) return { account, merged: NOTHING_MERGED };
  // A store key can write for a guest that was merged before: what it has follows, its sessions have moved on already.
  const merged = await mergeLists(tx, guest, account, now);
  await moveRequests(tx, store.pid, guest.regid, account.regid);
  await moveProofs(tx, store.pid, guest.regid, account.regid);
  await moveAnswers(tx, store.pid, guest.regid, account.regid);
  await moveMeasuring(tx, store.pid, guest.regid, account.regid, now);
  // The next visitor with the guest's uuid must find nothing of the person who left with the account.
  if (!isBlankProfile(guest))
    await shoppers.moveProfile(tx, guest, account, fillProfile(account, guest), now);
  if (guest.mergedInto !== null) return { account, merged };
  const guestEpoch = epochOf(store, guest);
  await shoppers.linkGuest(
    tx,
    {
      pid: store.pid,
      accountRegid: account.regid,
      guestRegid: guest.regid,
      guestEpoch,
      accountEpoch: epochOf(store, account),
      mark: sessionMarkOf(store.secret, guest.regid, guestEpoch),
    },
    now,
  );
  return { account, merged };
}
