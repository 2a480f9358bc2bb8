import { requireShopper, requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import { fail } from '../../shared/errors.ts';
import { objectFault } from '../../shared/json.ts';
import { isStorable } from '../../shared/text.ts';
import type { StoreRow } from '../store/store.repo.ts';
import { epochOf, publicIdOf, regidOf, sessionidOf } from './identity.rules.ts';
import { mergeGuest } from './merge.service.ts';
import type { MergeReport } from './merge.service.ts';
import * as shoppers from './shopper.repo.ts';
import type { NewShopper, ShopperChanges, ShopperRow } from './shopper.repo.ts';
import { checkEmail, checkLine, checkUserAgentType, checkUuid } from './shopper.rules.ts';

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
  const shopper = await shoppers.touchShopper(ctx.db, (guest ?? account)!, ctx.now());
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
  const guest = (await shoppers.findShopper(ctx.db, { pid: store.pid, regid })) ?? fail('sw-badregid');
  if (!guest.isGuest) fail('forbidden', "regid must be a guest's; this one is an account's");
  const merge = await ctx.db.transaction((tx) => mergeGuest(tx, store, guest.regid, account, ctx.now()));
  return {
    ...identityOf(store, merge.account, useragenttype, 'The guest was merged into the account'),
    merged: merge.merged,
  };
}

/** Changes what the store knows of the shopper it names. */
export async function updateShopper(ctx: Context, changes: ShopperInput): Promise<ShopperRow> {
  requireStore(ctx);
  const shopper = requireShopper(ctx);
  await shoppers.updateShopper(ctx.db, shopper, checkChanges(changes), ctx.now());
  return (await shoppers.findShopper(ctx.db, shopper)) ?? fail('sw-badregid');
}

type ShopperInput = { [Field in keyof ShopperChanges]?: ShopperChanges[Field] | null };

const TEXT_FIELDS = ['fname', 'lname', 'm', 'sw_mkt', 'ut'] as const;
const CLEARABLE = ['m', 'sw_mkt', 'ut'] as const;
const MAX_TAGS = 100;
const MAX_TEXT = 100;

/** Whether a field can be empty; an empty text counts as null. */
function isClearable(field: string): field is (typeof CLEARABLE)[number] {
  return CLEARABLE.some((name) => name === field);
}

function checkChanges(input: ShopperInput): ShopperChanges {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const blank = given.find(([field, value]) => value === null && !isClearable(field));
  if (blank) fail('invalid-request', `${blank[0]} must not be null`);
  const changes = Object.fromEntries(given) as ShopperChanges;
  for (const field of TEXT_FIELDS) {
    const text = changes[field];
    if (typeof text !== 'string') continue;
    const line = checkLine(field, text, MAX_TEXT);
    if (isClearable(field)) changes[field] = line || null;
    else changes[field] = line;
  }
  if ((changes.extags?.length ?? 0) > MAX_TAGS)
    fail('invalid-request', `extags must have at most ${MAX_TAGS} entries`);
  if (changes.extags) changes.extags = changes.extags.map((tag) => checkLine('extags', tag, MAX_TEXT));
  for (const field of ['prefs', 'pd'] as const) {
    const fault = changes[field] === undefined ? null : objectFault(changes[field]);
    if (fault !== null) fail('invalid-request', `${field} ${fault}`);
  }
  return changes;
}

/** The row of a guest or an account that may not exist yet. */
export function newShopper(store: StoreRow, kind: 'guest' | 'account', identity: string): NewShopper {
  const regid = regidOf(store.secret, kind, identity);
  return {
    pid: store.pid,
    regid,
    isGuest: kind === 'guest',
    uid: publicIdOf(store.secret, 'user', regid),
    di: publicIdOf(store.secret, 'device', regid),
    em: kind === 'account' ? identity : null,
  };
}

function identityOf(store: StoreRow, shopper: ShopperRow, useragenttype: string, message: string): Identity {
  const sessionid = sessionidOf(store.secret, shopper.regid, useragenttype, epochOf(store, shopper));
  return { message, regid: shopper.regid, sessionid };
}
