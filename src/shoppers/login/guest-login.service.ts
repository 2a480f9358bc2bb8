import { randomUUID } from 'node:crypto';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { makesGuests } from '../../stores/store.rules.ts';
import type { StoreRow } from '../../stores/store.repo.ts';
import { epochOf, guestRegids, sessionidOf } from '../identity.rules.ts';
import { clientNameOf } from '../shopper.rules.ts';
import { countOpenCall } from './open-call.service.ts';

/** A page elsewhere could make guests at its visitors' cost, so the store names its pages; the demo store has those of this service. */
function checkOrigin({ browser }: Context, store: StoreRow): void {
  const { origin, isOwnPage } = browser;
  if (store.allowedOrigins.includes(origin) || (store.isDemo && isOwnPage)) return;
  if (!makesGuests(store))
    fail(
      'forbidden',
      "Guests without a back end are off: name the origins of the shop's pages, such as https://shop.example, in the store setting allowedOrigins",
    );
  fail(
    'forbidden',
    origin === ''
      ? 'Only a browser may make this call: the request has no Origin header. A back end calls generate-regid (over GraphQL, generateRegid)'
      : 'The store does not allow calls from this origin; add it to the store setting allowedOrigins',
  );
}

/** A new guest, whose UUID the service makes, so that nobody can claim another's. */
export async function identifyGuest(ctx: Context) {
  const store = ctx.viewer.store!;
  checkOrigin(ctx, store);
  await countOpenCall(ctx, 'identify', ctx.address);
  return newGuestIdentity(ctx, store);
}

export function newGuestIdentity({ browser }: Context, store: StoreRow) {
  const uuid = randomUUID();
  const [regid] = guestRegids(store.secret, uuid);
  const sessionid = sessionidOf(store, regid, clientNameOf(browser.userAgent), epochOf(store, { epoch: 0 }));
  return { message: 'Guest created; nothing is stored until it saves something', regid, sessionid, uuid };
}
