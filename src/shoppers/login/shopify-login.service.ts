import type { Context } from '../../context.ts';
import type { MutationLoginWithShopifyArgs } from '../../generated/resolvers.ts';
import { NOTHING_MERGED } from '../../lists/merge.service.ts';
import { fail } from '../../platform/errors.ts';
import { findSecret } from '../../stores/catalogue/shopify.repo.ts';
import type { StoreRow } from '../../stores/store.repo.ts';
import { newGuestIdentity } from './guest-login.service.ts';
import { countOpenCall } from './open-call.service.ts';
import { customerOf, isProxySigned } from './shopify-proxy.rules.ts';
import { findShown, logIn } from './token-login.service.ts';

async function readCustomer({ db, now }: Context, store: StoreRow, query: string): Promise<string> {
  const { pid, shopifyDomain } = store;
  if (shopifyDomain === null)
    fail('forbidden', 'The login by Shopify is off: the store setting shopifyDomain is empty');
  const secret =
    (await findSecret(db, pid)) ??
    fail('forbidden', "The login by Shopify is off: the app's client secret is missing (setShopifySecret)");
  if (!isProxySigned(secret, query)) fail('unauthorised', "The query does not have Shopify's signature");
  return customerOf(query, shopifyDomain, now());
}

export async function loginWithShopify(ctx: Context, { query, ...sent }: MutationLoginWithShopifyArgs) {
  const store = ctx.viewer.store!;
  const customer = await readCustomer(ctx, store, query);
  // The address is Shopify's, so customers have a limit each, and guests that of the store.
  await countOpenCall(ctx, 'login', customer === '' ? null : `Shopify customer ${customer}`);
  const shown = await findShown(ctx, store, sent);
  const guest = { isGuest: true, uuid: null, merged: NOTHING_MERGED };
  if (customer !== '') {
    const account = await logIn(ctx, store, { email: null, externalId: customer }, shown);
    return { ...guest, ...account, isGuest: false };
  }
  // Nobody is logged in any more: an account, or a guest that went into one, is not this browser's.
  if (!shown?.isGuest || shown.mergedInto !== null) return { ...guest, ...newGuestIdentity(ctx, store) };
  return { ...guest, message: 'No customer is logged in', regid: shown.regid, sessionid: sent.sessionid! };
}
