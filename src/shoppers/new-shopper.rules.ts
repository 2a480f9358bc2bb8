import { accountRegid, guestRegids, isGuestRegid, publicIdOf } from './identity.rules.ts';
import { BLANK_PROFILE } from './profile.rules.ts';
import type { NewShopper, ShopperRow } from './shopper.repo.ts';

/** Identities derive from its secret. */
export type KeyedStore = { pid: string; secret: Uint8Array };

type NewName = Pick<NewShopper, 'isGuest' | 'em' | 'externalId'>;

/** The row of a shopper that may not exist yet. */
function newShopper({ pid, secret }: KeyedStore, regid: string, name: NewName): NewShopper {
  const [uid, di] = [publicIdOf(secret, 'user', regid), publicIdOf(secret, 'device', regid)];
  return { pid, regid, ...name, uid, di };
}

/** At least one is given; the address is in lower case. */
export type AccountName = { email: string | null; externalId: string | null };

/** An external id makes the regid where there is one, because an address can change. */
export function newAccount(
  store: KeyedStore,
  { email, externalId }: AccountName,
  generation = 0,
): NewShopper {
  const regid =
    externalId === null
      ? accountRegid(store.secret, email!, generation)
      : accountRegid(store.secret, externalId, generation, 'external');
  return newShopper(store, regid, { isGuest: false, em: email, externalId });
}

const GUEST: NewName = { isGuest: true, em: null, externalId: null };

export const newGuest = (store: KeyedStore, uuid: string): NewShopper =>
  newShopper(store, guestRegids(store.secret, uuid)[0], GUEST);

const NEVER = new Date(0);

/** The guest with this regid as long as it has no row; null if the store has not made the regid for a guest. */
export function unseenGuest(store: KeyedStore, regid: string): ShopperRow | null {
  if (!isGuestRegid(store.secret, regid)) return null;
  const row = { mergedInto: null, epoch: 0, lastlogin: null, cts: NEVER, uts: NEVER };
  return { ...BLANK_PROFILE, ...newShopper(store, regid, GUEST), ...row };
}
