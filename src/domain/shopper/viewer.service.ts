import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Services, Viewer } from '../../context.ts';
import type { Database } from '../../database/database.ts';
import { createBatchLoader } from '../../shared/batch.ts';
import type { ErrorType } from '../../shared/errors.ts';
import { isStorable } from '../../shared/text.ts';
import { hashKey } from '../store/key.rules.ts';
import { reviveStore } from '../store/store.repo.ts';
import type { StoreKeyRow, StoreRow } from '../store/store.repo.ts';
import { isServed } from '../store/store.rules.ts';
import { epochOf, isSessionOf, markIn } from './identity.rules.ts';
import { linksOf, loadIdentities } from './shopper.repo.ts';
import type { IdentityClaim, IdentityKey, IdentityRow, ShopperRow } from './shopper.repo.ts';

/** Who a call says it comes from: a store by its key, or a shopper by a session; an empty text is no claim. */
export type Claim = IdentityKey & {
  /** Null without a key; empty for one that could not be read. */
  apiKey: string | null;
  sessionid: string;
  /** Slices of the catalogue whose revisions are wanted along. */
  slices: readonly number[];
};

/** The viewer, and whether the whole service is closed. */
export type Identified = Viewer & { isServiceDown: boolean };

/** Stores whose rows are kept, so that they are parsed only when they changed. */
const MAX_STORES = 1_000;

/** Gives the same row for a store as long as its text is the same. */
function createStoreReader(): (pid: string, text: string) => StoreRow {
  const stores = new LRUCache<string, { text: string; row: StoreRow }>({ max: MAX_STORES });
  return (pid, text) => {
    const known = stores.get(pid);
    if (known?.text === text) return known.row;
    const row = reviveStore(text);
    stores.set(pid, { text, row });
    return row;
  };
}

function findKey(keys: StoreKeyRow[], apiKey: string): StoreKeyRow | null {
  const hash = hashKey(apiKey);
  return keys.filter((key) => timingSafeEqual(key.hash, hash))[0] ?? null;
}

/** Makes the one place that decides who is calling. Wrong credentials never throw. */
export function createIdentification({
  db,
  config,
}: Pick<Services, 'db' | 'config'>): (claim: Claim) => Promise<Identified> {
  const storeOf = createStoreReader();
  const load = createBatchLoader<IdentityClaim, IdentityRow>((claims) => loadIdentities(db, claims, storeOf));

  return async ({ pid, regid, apiKey, sessionid, slices }) => {
    const { isServiceDown, store, keys, shopper, state } = await load({
      pid,
      regid,
      hasKey: apiKey !== null,
      slices,
    });
    const key = apiKey === null ? null : findKey(keys, apiKey);
    const nobody = {
      store: null,
      keyId: null,
      shopper: null,
      state: null,
      isShopperNamed: regid !== '',
      denial: 'unauthorised' as ErrorType,
      isServiceDown,
    };
    if (store === null || !isServed(config, store) || (apiKey !== null && key === null)) return nobody;
    const denial =
      shopper === null ? 'sw-badregid' : await checkSession(db, store, shopper, key ? null : sessionid);
    return {
      ...nobody,
      store,
      keyId: key?.id ?? null,
      shopper: denial === null ? Object.assign(shopper!, { store }) : null,
      state: denial === null ? state : null,
      denial: denial ?? 'sw-badregid',
    };
  };
}

/** Null when the session is good, else why not. A store key (null) speaks for any shopper of its store. */
async function checkSession(
  db: Database,
  store: StoreRow,
  shopper: ShopperRow,
  sessionid: string | null,
): Promise<ErrorType | null> {
  const epoch = epochOf(store, shopper);
  if (sessionid === null || isSessionOf(store.secret, sessionid, shopper.regid, epoch)) return null;
  const mark = markIn(sessionid);
  const links = isStorable(mark) ? await linksOf(db, shopper, mark) : [];
  const link = links.find(({ guestRegid, guestEpoch }) =>
    isSessionOf(store.secret, sessionid, guestRegid, guestEpoch),
  );
  if (link === undefined) return 'bad-sessionid';
  // The session was real when its guest was merged: with the guest's own regid it is retired, with the account's it opens.
  if (link.guestRegid === shopper.regid) return 'sw-badregid';
  return store.mergedSessions && link.accountEpoch === epoch ? null : 'bad-sessionid';
}
