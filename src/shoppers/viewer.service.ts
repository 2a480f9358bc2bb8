import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Denial, Services, Viewer } from '../context.ts';
import { createBatchLoader } from '../platform/batch.ts';
import { isStorable } from '../platform/text.ts';
import { noteOperatorUse } from '../stores/operator.service.ts';
import { createKeyUses, createUseNotes } from '../stores/key-use.service.ts';
import { hashKey } from '../stores/key.rules.ts';
import type { StoreKeyRow, StoreRow } from '../stores/store.repo.ts';
import { isServed } from '../stores/store.rules.ts';
import { epochOf, isSessionOf, markIn } from './identity.rules.ts';
import { loadIdentities } from './identity.repo.ts';
import type { IdentityClaim, IdentityRow, Versioned } from './identity.repo.ts';
import { linksOf } from './shopper.repo.ts';
import type { IdentityKey, ShopperRow } from './shopper.repo.ts';

/** Who a call says it comes from: a store by its key, or a shopper by a session; an empty text is no claim. */
export type Claim = IdentityKey & {
  /** By what the caller is the store; null for a shopper, or for nobody. */
  proof: Proof | null;
  sessionid: string;
  /** Slices of the catalogue whose revisions are wanted along. */
  slices: readonly number[];
  /** A shopper that is known already; it may be another than the claim names. */
  knownShopper: Versioned<ShopperRow> | null;
};

/** A key as it was sent, empty where it could not be read; the key that a dashboard signed in with, null where its session is over; an operator. */
export type Proof =
  | { kind: 'key'; apiKey: string }
  | { kind: 'session'; keyId: string | null }
  | { kind: 'operator'; operatorId: string };

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

/** Id of the key that makes the caller the store; null where it is wrong or was revoked. */
function provenKey(proof: Proof, keys: StoreKeyRow[]): string | null {
  if (proof.kind === 'operator') return proof.operatorId;
  const key = proof.kind === 'key' ? findKey(keys, proof.apiKey) : keys.find(({ id }) => id === proof.keyId);
  return key?.id ?? null;
}

/** What is answered to whoever is no store: what is missing, or wrong. */
function refusalOf(pid: string, proof: Proof | null): Denial {
  if (proof?.kind === 'session') return DENIALS.endedSession;
  if (pid !== '' || proof?.kind === 'key') return DENIALS.badStore;
  return proof === null ? DENIALS.noStore : DENIALS.noActing;
}

const DENIALS = {
  noStore: { type: 'unauthorised' },
  badStore: { type: 'unauthorised', msg: 'The store id or API key is wrong' },
  endedSession: { type: 'unauthorised', msg: 'The session has ended: sign in again' },
  noActing: { type: 'unauthorised', msg: 'An operator names the store that it acts for in the header x-pid' },
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
export function createIdentification(
  services: Pick<Services, 'db' | 'config' | 'now' | 'log'>,
): (claim: Claim) => Promise<Identified> {
  const { db, config } = services;
  const noteUse = createKeyUses(services);
  const noteOperator = createUseNotes(services, (at, since, id: string) =>
    noteOperatorUse(services, id, at, since),
  );
  const stores = new LRUCache<string, Versioned<StoreRow>>({ max: MAX_STORES });
  db.onLost(() => stores.clear());
  const load = createBatchLoader<IdentityClaim, IdentityRow>(
    (claims) => loadIdentities(db, claims),
    IDENTITIES,
  );

  return async ({ pid, regid, proof, sessionid, slices, ...known }) => {
    const knownStore = stores.get(pid) ?? null;
    // Rows of one transaction have one version, so it says nothing about another shopper.
    const isKnown = known.knownShopper?.row.pid === pid && known.knownShopper.row.regid === regid;
    const knownShopper = isKnown ? known.knownShopper : null;
    const hasKey = proof !== null && proof.kind !== 'operator';
    const found = await load({ pid, regid, hasKey, slices, knownStore, knownShopper });
    const { isServiceDown, keys, revision, catalog, era } = found;
    // What was read before a connection was lost may be of another server.
    if (found.store !== null && found.store !== knownStore && era === db.era()) stores.set(pid, found.store);
    const store = found.store?.row ?? null;
    const shopper = found.shopper?.row ?? null;
    const keyId = proof === null ? null : provenKey(proof, keys);
    const operatorId = proof?.kind === 'operator' ? proof.operatorId : null;
    if (operatorId !== null) noteOperator(operatorId);
    else if (keyId !== null) noteUse(pid, keyId);
    const nobody = {
      store: null,
      keyId: null,
      operatorId,
      shopper: null,
      state: null,
      isShopperNamed: regid !== '',
      denial: refusalOf(pid, proof),
      isServiceDown,
    };
    if (store === null || !isServed(config, store) || (proof !== null && keyId === null)) return nobody;
    const denial = await denialOf(services, store, regid, shopper, keyId === null ? sessionid : null);
    return {
      ...nobody,
      store,
      keyId,
      shopper: denial === null ? { ...shopper!, store } : null,
      state:
        denial === null ? { store: found.store!, shopper: found.shopper!, revision, catalog, era } : null,
      denial: denial ?? DENIALS.badRegid,
    };
  };
}

/** Null when the session is good, else why not. A store key (null) speaks for any shopper of its store. */
async function denialOf(
  { db, now }: Pick<Services, 'db' | 'now'>,
  store: StoreRow,
  regid: string,
  shopper: ShopperRow | null,
  sessionid: string | null,
): Promise<Denial | null> {
  if (shopper === null) return regid === '' ? DENIALS.noRegid : DENIALS.badRegid;
  const epoch = epochOf(store, shopper);
  if (sessionid === null || isSessionOf(store, sessionid, shopper.regid, epoch, now())) return null;
  if (sessionid === '') return DENIALS.noSession;
  const mark = markIn(sessionid);
  const links = isStorable(mark) ? await linksOf(db, shopper, mark) : [];
  const link = links.find(({ guestRegid, guestEpoch }) =>
    isSessionOf(store, sessionid, guestRegid, guestEpoch, now()),
  );
  if (link === undefined) return DENIALS.badSession;
  // The session was real when its guest was merged: with the guest's own regid it is retired, with the account's it opens.
  if (link.guestRegid === shopper.regid) return DENIALS.badRegid;
  return store.mergedSessions && link.accountEpoch === epoch ? null : DENIALS.badSession;
}
