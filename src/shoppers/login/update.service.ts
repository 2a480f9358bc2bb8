import { requireShopper, requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { UpdateShopperInput } from '../../generated/resolvers.ts';
import { fail } from '../../platform/errors.ts';
import { objectFault } from '../../platform/json.ts';
import { readLanguage } from '../../platform/messages.ts';
import type { AccountNames } from '../account.repo.ts';
import { BLANK_PROFILE, profileFault, withoutEmpty } from '../profile.rules.ts';
import * as shoppers from '../shopper.repo.ts';
import type { ShopperChanges, ShopperRow } from '../shopper.repo.ts';
import { checkEmail, checkExternalId, checkLine } from '../shopper.rules.ts';
import { enter } from '../shopper.service.ts';
import { rename } from './account.service.ts';

/** Changes the profile of the shopper that the calling store names, or the names of the account. */
export async function updateShopper(
  ctx: Context,
  { email, externalId, ...changes }: UpdateShopperInput,
): Promise<ShopperRow> {
  requireStore(ctx);
  const shopper = requireShopper(ctx);
  const checked = checkChanges(changes);
  return ctx.db.transaction(async (tx) => {
    const account = await enter(tx, ctx, shopper);
    const isRenamed = email !== undefined || externalId !== undefined;
    if (isRenamed) await rename(tx, account, checkNames(account, { email, externalId }), ctx.now());
    await shoppers.updateShopper(tx, shopper, checked, ctx.now());
    return (await shoppers.findShopper(tx, shopper))!;
  });
}

/** Null removes the external id of an account that has an address. */
function checkNames(account: ShopperRow, { email, externalId }: UpdateShopperInput): AccountNames {
  if (account.isGuest)
    fail('login-required', 'email and externalId are for accounts; log the guest in first');
  const em = email === undefined ? account.em : checkEmail(email, 'email');
  if (externalId === undefined) return { em, externalId: account.externalId };
  const isRemoved = externalId === null && em !== null;
  return { em, externalId: isRemoved ? null : checkExternalId(externalId, 'externalId') };
}

const TEXT_FIELDS = ['fname', 'lname', 'm', 'sw_mkt', 'ut'] as const;
const MAX_TAGS = 100;
const MAX_TEXT = 100;

type ProfileInput = Omit<UpdateShopperInput, 'email' | 'externalId'>;

/** Null stores what a new shopper has, and so does an empty text. */
function checkChanges(input: ProfileInput): ShopperChanges {
  if (input.acc_mkt === null) fail('invalid-request', 'acc_mkt must not be null');
  const given = Object.entries<unknown>(input)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => [field, value ?? BLANK_PROFILE[field as keyof typeof BLANK_PROFILE]]);
  const changes = Object.fromEntries(given) as ShopperChanges;
  if (typeof changes.language === 'string') changes.language = readLanguage(changes.language) ?? undefined;
  for (const field of TEXT_FIELDS)
    if (typeof changes[field] === 'string')
      Object.assign(changes, { [field]: checkLine(field, changes[field], MAX_TEXT) || BLANK_PROFILE[field] });
  if ((changes.extags?.length ?? 0) > MAX_TAGS)
    fail('invalid-request', `extags must have at most ${MAX_TAGS} entries`);
  if (changes.extags) changes.extags = changes.extags.map((tag) => checkLine('extags', tag, MAX_TEXT));
  for (const field of ['prefs', 'pd'] as const) {
    if (changes[field] === undefined) continue;
    changes[field] = withoutEmpty(field, changes[field]) as ShopperChanges[typeof field];
    const fault = objectFault(changes[field]);
    const wrong = fault === null ? profileFault(field, changes[field]) : `${field} ${fault}`;
    if (wrong !== null) fail('invalid-request', wrong.slice(0, 500));
  }
  return changes;
}
