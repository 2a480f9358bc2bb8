import type { Context } from '../../context.ts';
import type { MutationLoginWithTokenArgs } from '../../generated/resolvers.ts';
import { NOTHING_MERGED } from '../../lists/merge.service.ts';
import type { Tx } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors.ts';
import { isStorable } from '../../platform/text.ts';
import type { StoreRow } from '../../stores/store.repo.ts';
import { lookUpAccount } from '../account.service.ts';
import { NO_CREDENTIALS, authenticate } from '../authenticate.service.ts';
import { isSessionOf, markIn } from '../identity.rules.ts';
import type { AccountName } from '../new-shopper.rules.ts';
import * as shoppers from '../shopper.repo.ts';
import type { ShopperRow } from '../shopper.repo.ts';
import { clientNameOf } from '../shopper.rules.ts';
import { accountOf } from './account.service.ts';
import { identityOf, mergeGuest } from './login.service.ts';
import { countOpenCall } from './open-call.service.ts';
import { keysOf } from './provider-keys.service.ts';
import { providerOf, readToken } from './token.rules.ts';

/** The regid and session that a browser has so far. */
type Shown = { regid?: string | null; sessionid?: string | null };

export async function loginWithToken(ctx: Context, { token, ...shown }: MutationLoginWithTokenArgs) {
  const store = ctx.viewer.store!;
  if (token.trim() === '') fail('unauthorised', 'token is missing');
  const provider = providerOf(store);
  await countOpenCall(ctx, 'login', ctx.address);
  const who = await readToken(token, provider, keysOf(ctx, provider.jwksUri), ctx.now());
  return logIn(ctx, store, who, await findShown(ctx, store, shown));
}

/** A guest that was merged, by the session that it had then: a page repeats its login until it has stored the response. */
async function findMerged({ db, now }: Context, store: StoreRow, regid: string, sessionid: string) {
  const mark = markIn(sessionid);
  if (!isStorable(regid + mark)) return null;
  const guest = await shoppers.findShopper(db, { pid: store.pid, regid });
  if (guest === null || guest.mergedInto === null) return null;
  const links = await shoppers.linksOf(db, guest, mark);
  return links.some((link) => isSessionOf(store, sessionid, regid, link.guestEpoch, now())) ? guest : null;
}

/** The shopper that a browser shows, null for none; 401 where regid or session is wrong. */
export async function findShown(ctx: Context, store: StoreRow, shown: Shown): Promise<ShopperRow | null> {
  const [regid, sessionid] = [shown.regid ?? '', shown.sessionid ?? ''];
  if (regid === '' && sessionid === '') return null;
  const viewer = await authenticate(ctx, { ...NO_CREDENTIALS, pid: store.pid, regid, sessionid });
  const merged = viewer.shopper === null ? await findMerged(ctx, store, regid, sessionid) : null;
  return viewer.shopper ?? merged ?? fail(viewer.denial.type, viewer.denial.msg);
}

/** Returns the account's identity, after merging the guest that the browser shows. */
export async function logIn(ctx: Context, store: StoreRow, who: AccountName, shown: ShopperRow | null) {
  const { account, merged } = shown?.isGuest
    ? await ctx.db.transaction((tx) => mergeShown(tx, store, shown, who, ctx.now()))
    : { account: await enter(ctx, store, who, shown), merged: NOTHING_MERGED };
  const message = `Logged in; ${merged === NOTHING_MERGED ? 'there was nothing to merge' : 'the guest was merged into the account'}`;
  return { ...identityOf(store, account, clientNameOf(ctx.browser.userAgent), message), merged };
}

async function enter(ctx: Context, store: StoreRow, who: AccountName, shown: ShopperRow | null) {
  if (shown !== null && (await lookUpAccount(ctx.db, store, who))?.regid !== shown.regid)
    fail('forbidden', 'regid belongs to a different account');
  return accountOf(ctx, store, who);
}

/** A page repeats its login until it has stored the response, so a guest that this account has merged before is no error. */
async function mergeShown(tx: Tx, store: StoreRow, shown: ShopperRow, who: AccountName, now: Date) {
  const guest = (await shoppers.lockShopper(tx, shown)) ?? shown;
  if (guest.mergedInto === null && guest.epoch === shown.epoch) return mergeGuest(tx, store, guest, who, now);
  // Its session has ended since: another visitor of the device may use the uuid by now.
  const account = await lookUpAccount(tx, store, who);
  if (account === null || account.regid !== guest.mergedInto) fail('sw-badregid');
  return { account, merged: NOTHING_MERGED };
}
