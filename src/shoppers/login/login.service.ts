import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { isStorable } from '../../platform/text.ts';
import { epochOf, sessionidOf } from '../identity.rules.ts';
import { findShopper, touchShopper } from '../shopper.repo.ts';
import type { ShopperRow } from '../shopper.repo.ts';
import { checkEmail, checkUserAgentType, checkUuid } from '../shopper.rules.ts';
import { newShopper } from '../shopper.service.ts';
import type { StoreRow } from '../../stores/store.repo.ts';
import { NOTHING_MERGED, mergeGuest } from './merge.service.ts';
import type { MergeReport } from './merge.service.ts';

/** What a client gets to act as a shopper. */
export type Identity = { message: string; regid: string; sessionid: string };

type Claim = { uuid?: string | null; useremail?: string | null; useragenttype?: string | null };

/** The regid and sessionid of a guest or an account; with both given, the guest logs in and is merged. */
export async function generateRegid(ctx: Context, claim: Claim): Promise<Identity> {
  const store = requireStore(ctx);
  if (!claim.uuid && !claim.useremail)
    fail('invalid-uuid', 'Send uuid (a version 4 UUID, for a guest) or useremail (for an account)');
  const guest = claim.uuid ? newShopper(store, 'guest', checkUuid(claim.uuid)) : null;
  const account = claim.useremail ? newShopper(store, 'account', checkEmail(claim.useremail)) : null;
  const useragenttype = checkUserAgentType(claim.useragenttype);
  if (guest && account) {
    const merge = await ctx.db.transaction((tx) => mergeGuest(tx, store, guest.regid, account, ctx.now()));
    return identityOf(
      store,
      merge.account,
      useragenttype,
      'Regid generated using useremail; the guest was merged into the account',
    );
  }
  const shopper = await touchShopper(ctx.db, (guest ?? account)!, ctx.now());
  return identityOf(store, shopper, useragenttype, `Regid generated using ${guest ? 'uuid' : 'useremail'}`);
}

/**
 * Merges a guest, named by its regid, into an account and answers the account's identity. Clients repeat the call at every page load with the regid
 * that they have by then: the account's own is a success, another account's is refused.
 */
export async function syncGuest(
  ctx: Context,
  { regid, ...claim }: { regid: string; useremail?: string | null; useragenttype?: string | null },
): Promise<Identity & { merged: MergeReport }> {
  const store = requireStore(ctx);
  const account = newShopper(store, 'account', checkEmail(claim.useremail));
  const useragenttype = checkUserAgentType(claim.useragenttype);
  if (!isStorable(regid)) fail('sw-badregid');
  const shopper = (await findShopper(ctx.db, { pid: store.pid, regid })) ?? fail('sw-badregid');
  if (!shopper.isGuest && shopper.regid !== account.regid)
    fail('forbidden', 'regid is that of an account with another e-mail address');
  const merge = shopper.isGuest
    ? await ctx.db.transaction((tx) => mergeGuest(tx, store, shopper.regid, account, ctx.now()))
    : { account: await touchShopper(ctx.db, account, ctx.now()), merged: NOTHING_MERGED };
  const message = shopper.isGuest ? 'The guest was merged into the account' : 'There was nothing to merge';
  return { ...identityOf(store, merge.account, useragenttype, message), merged: merge.merged };
}

function identityOf(store: StoreRow, shopper: ShopperRow, useragenttype: string, message: string): Identity {
  const sessionid = sessionidOf(store, shopper.regid, useragenttype, epochOf(store, shopper));
  return { message, regid: shopper.regid, sessionid };
}
