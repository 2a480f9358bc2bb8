import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { onPrimary } from '../context.ts';
import type { Context, Credentials, Denial, Services, Viewer } from '../context.ts';
import { createBatchLoader, oncePerApp } from '../platform/batch.ts';
import { fail } from '../platform/errors.ts';
import { isStorable } from '../platform/text.ts';
import { HOUR_MS } from '../platform/time.ts';
import { noteKeyUse } from '../stores/operator.repo.ts';
import { OPERATOR_USER, findOperator } from '../stores/operator.service.ts';
import { findSession } from '../stores/session.service.ts';
import type { Signed } from '../stores/session.service.ts';
import type { StoreKeyRow, StoreRow } from '../stores/store.repo.ts';
import { failWhenMoving, hashKey, isServed } from '../stores/store.rules.ts';
import { createVisitNotes, versionUnseen } from './guest.service.ts';
import { loadIdentities } from './identity.repo.ts';
import type { IdentityClaim, IdentityRow, Versioned } from './identity.repo.ts';
import { epochOf, isSessionOf, markIn } from './identity.rules.ts';
import { linksOf } from './shopper.repo.ts';
import type { IdentityKey, ShopperRow } from './shopper.repo.ts';

/** Of a request that shows nothing. */
export const NO_CREDENTIALS: Credentials = Object.freeze({
  authorization: '',
  session: '',
  pid: '',
  actsFor: '',
  regid: '',
  sessionid: '',
});

/** What a cached response is checked against; it is read together with the caller. */
export type KnownState = Pick<CallerClaim, 'shards' | 'knownShopper'>;
const NOTHING_KNOWN: KnownState = { shards: [], knownShopper: null };

/** Seconds after which a client may call a service that is closed for maintenance again. */
export const MAINTENANCE_RETRY_SECONDS = '120';

const MAX_CREDENTIAL_LENGTH = 512;

/** Reads a Basic header; a malformed one counts as a wrong key. */
function parseBasic(header: string): { user: string; apiKey: string } {
  const [, encoded = ''] = /^basic\s+([a-z0-9+/_-]+=*)\s*$/i.exec(header) ?? [];
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const end = text.indexOf(':');
  return end > 0 ? { user: text.slice(0, end), apiKey: text.slice(end + 1) } : { user: '', apiKey: '' };
}

/** No store and no shopper has this name. */
const NOBODY = '?';

/** Cuts what cannot be a credential, so that the database never sees it; a lost `+` comes back. */
function clean(text: string): string {
  return text.length > MAX_CREDENTIAL_LENGTH || text.includes('\u0000') ? NOBODY : text.replaceAll(' ', '+');
}

function claimOfSession(signed: Signed | null, actsFor: string): Pick<CallerClaim, 'pid' | 'proof'> {
  if (signed === null) return { pid: '', proof: { kind: 'session', keyId: null } };
  if ('keyId' in signed) return { pid: signed.pid, proof: { kind: 'session', keyId: signed.keyId } };
  return { pid: clean(actsFor), proof: { kind: 'operator', operatorId: signed.operatorId } };
}

/** Finds who calls. Wrong credentials never throw. */
export async function authenticate(
  services: Services,
  { authorization, session, pid, actsFor, regid, sessionid }: Credentials,
  known: KnownState = NOTHING_KNOWN,
): Promise<Identified> {
  const identify = identifierOf(services);
  // Every property from the start: a copy that adds some takes 5 µs.
  const shown: CallerClaim = { pid: '', proof: null, regid: clean(regid), sessionid, ...known };
  if (authorization === '') {
    if (session === '') return identify({ ...shown, pid: clean(pid) });
    return identify({ ...shown, ...claimOfSession(await findSession(services, session), actsFor) });
  }
  const { user, apiKey } = parseBasic(authorization);
  if (user === OPERATOR_USER) {
    const operatorId = await findOperator(services, apiKey);
    if (operatorId !== null) return identify({ ...shown, ...claimOfSession({ operatorId }, actsFor) });
  }
  return identify({ ...shown, pid: clean(user), proof: { kind: 'key', apiKey } });
}

/** Fails while the service or the caller's store is closed for maintenance. */
export function failWhenClosed({ isServiceDown, store }: Identified): void {
  if (store) failWhenMoving(store);
  if (isServiceDown || store?.maintenance)
    fail('maintenance', undefined, { 'Retry-After': MAINTENANCE_RETRY_SECONDS });
}

/** Finds who calls once more, for a call that goes on; fails while the service is closed. */
export async function identifyAgain(ctx: Context): Promise<Viewer> {
  const viewer = await authenticate(onPrimary(ctx), ctx.connection.credentials);
  failWhenClosed(viewer);
  ctx.connection.viewer = viewer;
  return viewer;
}

/** Who a call claims to be: a store by its key, or a shopper by a session; an empty text is no claim. */
type CallerClaim = IdentityKey & {
  /** What authenticates the caller as the store; null for a shopper, or for nobody. */
  proof: Proof | null;
  sessionid: string;
  /** Catalogue shards whose revisions are wanted along. */
  shards: readonly number[];
  /** A cached shopper, perhaps another than the claim names. */
  knownShopper: Versioned<ShopperRow> | null;
};

/** A key as it was sent, empty where it was unreadable; the key of a dashboard session, null where it has ended; an operator. */
type Proof =
  | { kind: 'key'; apiKey: string }
  | { kind: 'session'; keyId: string | null }
  | { kind: 'operator'; operatorId: string };

/** The viewer, and whether the whole service is closed. */
export type Identified = Viewer & { isServiceDown: boolean };

/**
 * The statement costs nearly the same for one caller and for twenty: with at most two in flight, 8 % more requests are served than with four,
 * and with a start at ten 12 % more than when it waits for the whole event-loop turn.
 */
const BATCH = { maxInFlight: 2, startAt: 10 };

const MAX_CACHED_STORES = 1_000;

/** Id of the key that authenticates the caller as the store; null where it is wrong or revoked. */
function verifiedKey(proof: Proof, keys: StoreKeyRow[]): string | null {
  if (proof.kind === 'operator') return proof.operatorId;
  if (proof.kind === 'session') return keys.find(({ id }) => id === proof.keyId)?.id ?? null;
  const hash = hashKey(proof.apiKey);
  return keys.filter((key) => timingSafeEqual(key.hash, hash))[0]?.id ?? null;
}

/** The error for a caller that is no store. */
function storeDenial(pid: string, proof: Proof | null): Denial {
  if (proof?.kind === 'session') return DENIALS.endedSession;
  if (proof === null) return pid === '' ? DENIALS.noStore : DENIALS.badPid;
  return pid !== '' || proof.kind === 'key' ? DENIALS.badStore : DENIALS.noActing;
}

const DENIALS = {
  noStore: { type: 'unauthorised' },
  badStore: { type: 'unauthorised', msg: 'The store id or API key is wrong' },
  badPid: { type: 'unauthorised', msg: 'No store has this pid. In a URL, encode its +, / and =' },
  endedSession: { type: 'unauthorised', msg: 'The session has ended; sign in again' },
  noActing: { type: 'unauthorised', msg: 'An operator must name the store in the header x-pid' },
  noRegid: {
    type: 'sw-badregid',
    msg: 'sw-badregid: regid is missing. POST /storeadmin/v3/user/generate-regid (over GraphQL, generateRegid) returns a regid and a sessionid. Send both as form fields (over GraphQL, as the headers x-regid and x-sessionid)',
  },
  badRegid: { type: 'sw-badregid' },
  noSession: {
    type: 'bad-sessionid',
    msg: 'sessionid is missing. Send the one that was returned with the regid as a form field (over GraphQL, as the header x-sessionid)',
  },
  badSession: { type: 'bad-sessionid' },
} as const satisfies Record<string, Denial>;

/** Keys in memory; an evicted key costs a statement that changes nothing. */
const MAX_NOTED_KEYS = 10_000;

/** Records the use of a key, an operator's where `pid` is null, at most once an hour and in the background: a record that fails is lost. */
function createUseNotes({ db, now, log }: Pick<Services, 'db' | 'now' | 'log'>) {
  const noted = new LRUCache<string, number>({ max: MAX_NOTED_KEYS });
  return (pid: string | null, id: string): void => {
    const at = now();
    const name = `${pid} ${id}`;
    if (at.getTime() - (noted.get(name) ?? -Infinity) < HOUR_MS) return;
    noted.set(name, at.getTime());
    noteKeyUse(db, pid, id, at, new Date(at.getTime() - HOUR_MS)).catch((error: unknown) =>
      log.debug({ err: error }, 'Could not save the last use of a key'),
    );
  };
}

const identifierOf = oncePerApp((services: Services) => {
  const { db, config } = services;
  const noteUse = createUseNotes(services);
  const noteGuest = createVisitNotes(services);
  const stores = new LRUCache<string, Versioned<StoreRow>>({ max: MAX_CACHED_STORES });
  db.onLost(() => stores.clear());
  const load = createBatchLoader<IdentityClaim, IdentityRow>((claims) => loadIdentities(db, claims), BATCH);

  return async (claim: CallerClaim): Promise<Identified> => {
    const { pid, regid, proof, sessionid, shards, knownShopper: cached } = claim;
    const knownStore = stores.get(pid) ?? null;
    // Rows of one transaction share a version, so it says nothing about another shopper.
    const isKnown = cached?.row.pid === pid && cached.row.regid === regid;
    const knownShopper = isKnown ? cached : null;
    const hasKey = proof !== null && proof.kind !== 'operator';
    const found = await load({ pid, regid, hasKey, shards, knownStore, knownShopper });
    const { isServiceDown, keys, revision, catalog, generation } = found;
    // Rows that were read before a connection was lost may be another server's.
    if (found.store !== null && found.store !== knownStore && generation === db.generation())
      stores.set(pid, found.store);
    const store = found.store?.row ?? null;
    const shown = found.shopper ?? (store && regid !== '' ? versionUnseen(store, regid, knownShopper) : null);
    const shopper = shown?.row ?? null;
    const keyId = proof === null ? null : verifiedKey(proof, keys);
    const operatorId = proof?.kind === 'operator' ? proof.operatorId : null;
    if (keyId !== null) noteUse(operatorId === null ? pid : null, keyId);
    const nobody = {
      store: null,
      keyId: null,
      operatorId,
      shopper: null,
      state: null,
      isShopperNamed: regid !== '',
      denial: storeDenial(pid, proof),
      isServiceDown,
    };
    if (store === null || !isServed(config, store) || (proof !== null && keyId === null)) return nobody;
    const denial = await shopperDenial(services, store, regid, shopper, keyId === null ? sessionid : null);
    if (denial !== null) return { ...nobody, store, keyId, denial };
    noteGuest(shopper!);
    return {
      ...nobody,
      store,
      keyId,
      shopper: { store, ...shopper! },
      state: { store: found.store!, shopper: shown!, revision, catalog, generation },
      denial: DENIALS.badRegid,
    };
  };
});

/** Null when the session is valid, else why not. A store key (null) may act for any shopper of its store. */
async function shopperDenial(
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
  // The session was valid when its guest was merged: it has ended for the guest's own regid, and may open the account's.
  if (link.guestRegid === shopper.regid) return DENIALS.badRegid;
  return store.mergedSessions && link.accountEpoch === epoch ? null : DENIALS.badSession;
}
