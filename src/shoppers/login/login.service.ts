import { moveRequests } from '../../alerts/subscriptions/request.repo.ts';
import { requireStore } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import type { MutationGenerateRegidArgs, MutationSyncGuestArgs } from '../../generated/resolvers.ts';
import { NOTHING_MERGED, mergeLists } from '../../lists/merge.service.ts';
import { createBatchLoader, oncePerDatabase } from '../../platform/batch.ts';
import type { Tx } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors.ts';
import { readLanguage } from '../../platform/messages.ts';
import { isStorable } from '../../platform/text.ts';
import { moveTracking } from '../../stores/revenue/click.repo.ts';
import type { StoreRow } from '../../stores/store.repo.ts';
import { lookUpAccount } from '../account.service.ts';
import { moveConsents } from '../contacts/consent.repo.ts';
import { epochOf, sessionMarkOf, sessionidOf } from '../identity.rules.ts';
import { unseenGuest } from '../new-shopper.rules.ts';
import type { AccountName } from '../new-shopper.rules.ts';
import { BLANK_PROFILE, fillProfile, isBlankProfile } from '../profile.rules.ts';
import * as shoppers from '../shopper.repo.ts';
import type { IdentityKey, ShopperRow } from '../shopper.repo.ts';
import { checkEmail, checkExternalId, checkUserAgentType, checkUuid } from '../shopper.rules.ts';
import { guestOf } from '../shopper.service.ts';
import { accountOf, isDue, logInto } from './account.service.ts';

/** Concurrent identifications share a statement. */
const finder = oncePerDatabase(({ db }: Pick<Services, 'db'>) =>
  createBatchLoader((choices: readonly IdentityKey[][]) => shoppers.findShoppers(db, choices), {
    maxInFlight: 2,
  }),
);

type Named = { useremail?: string | null; externalid?: string | null };

/** The account that a call names; null if it names none. */
function accountIn({ useremail, externalid }: Named): AccountName | null {
  const email = useremail ? checkEmail(useremail) : null;
  const externalId = externalid ? checkExternalId(externalid) : null;
  return email === null && externalId === null ? null : { email, externalId };
}

const namesIn = ({ email, externalId }: AccountName): string =>
  [...(email === null ? [] : ['useremail']), ...(externalId === null ? [] : ['externalid'])].join(' and ');

/** The regid and sessionid of a guest or an account; with both given, the guest logs in and is merged. */
export async function generateRegid(ctx: Context, { uuid, ...input }: MutationGenerateRegidArgs) {
  const store = requireStore(ctx);
  const guestUuid = uuid ? checkUuid(uuid) : null;
  const who = accountIn(input);
  if (guestUuid === null && who === null)
    fail(
      'invalid-uuid',
      'Send uuid (a version 4 UUID, for a guest) or useremail or externalid (for an account)',
    );
  const useragenttype = checkUserAgentType(input.useragenttype);
  const language = readLanguage(input.language);
  const guest = guestUuid === null ? null : await guestOf(store, guestUuid, finder(ctx));
  if (guest && who) {
    const merge = await ctx.db.transaction((tx) => mergeGuest(tx, store, guest, who, ctx.now(), language));
    const message = `Regid generated using ${namesIn(who)}; the guest was merged into the account`;
    return identityOf(store, merge.account, useragenttype, message);
  }
  const shopper = who ? await accountOf(ctx, store, who, language) : await greet(ctx, guest!, language);
  return identityOf(store, shopper, useragenttype, `Regid generated using ${who ? namesIn(who) : 'uuid'}`);
}

/** Records the visit of a guest who has a row. The others get one when they save something. */
async function greet(ctx: Context, { regid, row }: Guest, language: string | null): Promise<Identity> {
  if (row === null) return { regid, epoch: 0 };
  const isKnown = row.mergedInto !== null || row.lastlogin !== null;
  return isKnown && isDue(row, language, ctx.now())
    ? shoppers.touchShopper(ctx.db, row, ctx.now(), language)
    : row;
}

type Guest = Awaited<ReturnType<typeof guestOf>>;
type Identity = Pick<ShopperRow, 'regid' | 'epoch'>;

/**
 * Merges a guest, named by its regid, into an account and returns the account's identity. Clients repeat the call at every page load with the regid
 * that they have by then: the account's own is a success, another account's is refused.
 */
export async function syncGuest(ctx: Context, { regid, ...input }: MutationSyncGuestArgs) {
  const store = requireStore(ctx);
  const who = accountIn(input) ?? fail('invalid-useremail', 'Send useremail or externalid (of the account)');
  const useragenttype = checkUserAgentType(input.useragenttype);
  if (!isStorable(regid)) fail('sw-badregid');
  const known = await shoppers.findShopper(ctx.db, { pid: store.pid, regid });
  const shopper = known ?? unseenGuest(store, regid) ?? fail('sw-badregid');
  if (!shopper.isGuest && (await lookUpAccount(ctx.db, store, who))?.regid !== regid)
    fail('forbidden', `regid belongs to an account with a different ${namesIn(who)}`);
  const merge = shopper.isGuest
    ? await ctx.db.transaction((tx) => mergeGuest(tx, store, shopper, who, ctx.now()))
    : { account: await accountOf(ctx, store, who), merged: NOTHING_MERGED };
  const message = shopper.isGuest ? 'The guest was merged into the account' : 'There was nothing to merge';
  return { ...identityOf(store, merge.account, useragenttype, message), merged: merge.merged };
}

export function identityOf(store: StoreRow, shopper: Identity, useragenttype: string, message: string) {
  const sessionid = sessionidOf(store, shopper.regid, useragenttype, epochOf(store, shopper));
  return { message, regid: shopper.regid, sessionid };
}

/** Of concurrent merges of one guest, the row lock lets the first do the work; the others find it empty and report zeros. */
export async function mergeGuest(
  tx: Tx,
  store: StoreRow,
  { regid }: IdentityKey,
  who: AccountName,
  now: Date,
  language: string | null = null,
) {
  const { pid } = store;
  // A guest without a row may have sessions, which end here like those of others.
  const known = await shoppers.lockShopper(tx, { pid, regid });
  const guest = known ?? (await shoppers.enterShopper(tx, unseenGuest(store, regid)!, now));
  const account = await logInto(tx, store, who, now, language);
  // A store key can write for a guest that was merged before: its data follows, its sessions have ended already.
  const merged = await mergeLists(tx, guest, account, now);
  await moveRequests(tx, pid, guest.regid, account.regid);
  await moveConsents(tx, pid, guest.regid, account.regid);
  await moveTracking(tx, pid, guest.regid, account.regid, now);
  // The next visitor with the guest's uuid must find nothing of the person who logged in.
  if (!isBlankProfile(guest)) {
    await shoppers.updateShopper(tx, account, fillProfile(account, guest), now);
    await shoppers.updateShopper(tx, guest, BLANK_PROFILE, now);
  }
  if (guest.mergedInto !== null) return { account, merged };
  const guestEpoch = epochOf(store, guest);
  const mark = sessionMarkOf(store.secret, guest.regid, guestEpoch);
  const regids = { accountRegid: account.regid, guestRegid: guest.regid };
  const link = { pid, ...regids, guestEpoch, accountEpoch: epochOf(store, account), mark };
  await shoppers.linkGuest(tx, link, now);
  return { account, merged };
}
