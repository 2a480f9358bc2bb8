import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import { fail } from '../../shared/errors.ts';
import { isStorable } from '../../shared/text.ts';
import { epochOf, sessionidOf } from '../shopper/identity.rules.ts';
import { findShopper, touchShopper } from '../shopper/shopper.repo.ts';
import type { ShopperRow } from '../shopper/shopper.repo.ts';
import { checkEmail, checkUserAgentType, checkUuid } from '../shopper/shopper.rules.ts';
import { newShopper } from '../shopper/shopper.service.ts';
import type { StoreRow } from '../store/store.repo.ts';
import { mergeGuest } from './merge.service.ts';
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

/** Merges a guest, named by its regid, into an account and answers the account's identity. */
export async function syncGuest(
  ctx: Context,
  { regid, ...claim }: { regid: string; useremail?: string | null; useragenttype?: string | null },
): Promise<Identity & { merged: MergeReport }> {
  const store = requireStore(ctx);
  const account = newShopper(store, 'account', checkEmail(claim.useremail));
  const useragenttype = checkUserAgentType(claim.useragenttype);
  if (!isStorable(regid)) fail('sw-badregid');
  const guest = (await findShopper(ctx.db, { pid: store.pid, regid })) ?? fail('sw-badregid');
  if (!guest.isGuest) fail('forbidden', "regid must be a guest's; this one is an account's");
  const merge = await ctx.db.transaction((tx) => mergeGuest(tx, store, guest.regid, account, ctx.now()));
  return {
    ...identityOf(store, merge.account, useragenttype, 'The guest was merged into the account'),
    merged: merge.merged,
  };
}

function identityOf(store: StoreRow, shopper: ShopperRow, useragenttype: string, message: string): Identity {
  const sessionid = sessionidOf(store.secret, shopper.regid, useragenttype, epochOf(store, shopper));
  return { message, regid: shopper.regid, sessionid };
}
