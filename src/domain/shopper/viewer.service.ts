import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Denial, Services, Viewer } from '../../context.ts';
import type { Database } from '../../database/database.ts';
import { createBatchLoader } from '../../shared/batch.ts';
import { isStorable } from '../../shared/text.ts';
import { hashKey } from '../store/key.rules.ts';
import type { StoreKeyRow, StoreRow } from '../store/store.repo.ts';
import { isServed } from '../store/store.rules.ts';
import { epochOf, isSessionOf, markIn } from './identity.rules.ts';
import { loadIdentities } from './identity.repo.ts';
import type { IdentityClaim, IdentityRow, Versioned } from './identity.repo.ts';
import { linksOf } from './shopper.repo.ts';
import type { IdentityKey, ShopperRow } from './shopper.repo.ts';

/** Who a call says it comes from: a store by its key, or a shopper by a session; an empty text is no claim. */
export type Claim = IdentityKey & {
  /** Null without a key; empty for one that could not be read. */
  apiKey: string | null;
  sessionid: string;
  /** Slices of the catalogue whose revisions are wanted along. */
  slices: readonly number[];
  /** A shopper that is known already; it may be another than the claim names. */
  knownShopper: Versioned<ShopperRow> | null;
};

/** The viewer, and whether the whole service is closed. */
export type Identified = Viewer & { isServiceDown: boolean };

/**
 * The statement costs nearly the same for one caller and for twenty, so two are under way at most (8 % more kept answers than with four); and it starts
 * as soon as ten wait (12 % more than when all that came in one moment are read first).
 */
const IDENTITIES = { maxInFlight: 2, startAt: 10 };

/** Stores whose rows are kept, so that they are told only when they changed. */
const MAX_STORES = 1_000;

function findKey(keys: StoreKeyRow[], apiKey: string): StoreKeyRow | null {
  const hash = hashKey(apiKey);
  return keys.filter((key) => timingSafeEqual(key.hash, hash))[0] ?? null;
}

const DENIALS = {
  noStore: { type: 'unauthorised' },
  badStore: { type: 'unauthorised', msg: 'The store id or API key is wrong' },
  noRegid: {
    type: 'sw-badregid',
    msg: 'sw-badregid: the regid is missing: the store identifies the shopper with generateRegid (v3/user/generate-regid), and shopper calls send the regid and sessionid that it answers (over GraphQL as the headers x-regid and x-sessionid)',
  },
  badRegid: { type: 'sw-badregid' },
  noSession: {
    type: 'bad-sessionid',
    msg: 'The sessionid is missing: send the one that generateRegid answered beside the regid (over GraphQL the header x-sessionid)',
  },
  badSession: { type: 'bad-sessionid' },
} as const satisfies Record<string, Denial>;

/** Makes the one place that decides who is calling. Wrong credentials never throw. */
export function createIdentification({
  db,
  config,
}: Pick<Services, 'db' | 'config'>): (claim: Claim) => Promise<Identified> {
  const stores = new LRUCache<string, Versioned<StoreRow>>({ max: MAX_STORES });
  db.onLost(() => stores.clear());
  const load = createBatchLoader<IdentityClaim, IdentityRow>(
    (claims) => loadIdentities(db, claims),
    IDENTITIES,
  );

  return async ({ pid, regid, apiKey, sessionid, slices, ...known }) => {
    const knownStore = stores.get(pid) ?? null;
    // Rows of one transaction have one version, so it says nothing about another shopper.
    const isKnown = known.knownShopper?.row.pid === pid && known.knownShopper.row.regid === regid;
    const knownShopper = isKnown ? known.knownShopper : null;
    const hasKey = apiKey !== null;
    const found = await load({ pid, regid, hasKey, slices, knownStore, knownShopper });
    const { isServiceDown, keys, revision, catalog } = found;
    if (found.store !== null && found.store !== knownStore) stores.set(pid, found.store);
    const store = found.store?.row ?? null;
    const shopper = found.shopper?.row ?? null;
    const key = apiKey === null ? null : findKey(keys, apiKey);
    const nobody = {
      store: null,
      keyId: null,
      shopper: null,
      state: null,
      isShopperNamed: regid !== '',
      denial: pid === '' && !hasKey ? DENIALS.noStore : DENIALS.badStore,
      isServiceDown,
    };
    if (store === null || !isServed(config, store) || (apiKey !== null && key === null)) return nobody;
    const denial = await denialOf(db, store, regid, shopper, key ? null : sessionid);
    return {
      ...nobody,
      store,
      keyId: key?.id ?? null,
      shopper: denial === null ? { ...shopper!, store } : null,
      state: denial === null ? { store: found.store!, shopper: found.shopper!, revision, catalog } : null,
      denial: denial ?? DENIALS.badRegid,
    };
  };
}

/** Null when the session is good, else why not. A store key (null) speaks for any shopper of its store. */
async function denialOf(
  db: Database,
  store: StoreRow,
  regid: string,
  shopper: ShopperRow | null,
  sessionid: string | null,
): Promise<Denial | null> {
  if (shopper === null) return regid === '' ? DENIALS.noRegid : DENIALS.badRegid;
  const epoch = epochOf(store, shopper);
  if (sessionid === null || isSessionOf(store.secret, sessionid, shopper.regid, epoch)) return null;
  if (sessionid === '') return DENIALS.noSession;
  const mark = markIn(sessionid);
  const links = isStorable(mark) ? await linksOf(db, shopper, mark) : [];
  const link = links.find(({ guestRegid, guestEpoch }) =>
    isSessionOf(store.secret, sessionid, guestRegid, guestEpoch),
  );
  if (link === undefined) return DENIALS.badSession;
  // The session was real when its guest was merged: with the guest's own regid it is retired, with the account's it opens.
  if (link.guestRegid === shopper.regid) return DENIALS.badRegid;
  return store.mergedSessions && link.accountEpoch === epoch ? null : DENIALS.badSession;
}
