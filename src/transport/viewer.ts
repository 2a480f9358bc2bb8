import { timingSafeEqual } from 'node:crypto';
import type { Services, Viewer } from '../context.ts';
import type { Database } from '../database/database.ts';
import { epochOf, isSessionOf, markIn } from '../domain/shopper/identity.rules.ts';
import { hashKey } from '../domain/store/key.rules.ts';
import { linksOf, loadIdentities } from '../domain/shopper/shopper.repo.ts';
import type { IdentityKey, IdentityRow, ShopperRow } from '../domain/shopper/shopper.repo.ts';
import type { StoreKeyRow, StoreRow } from '../domain/store/store.repo.ts';
import { isServed } from '../domain/store/store.rules.ts';
import { createBatchLoader } from '../shared/batch.ts';
import type { ErrorType } from '../shared/errors.ts';
import { isStorable } from '../shared/text.ts';

/** What a request shows of itself, from whichever door; an empty text is nothing. */
export type Credentials = { authorization: string; pid: string; regid: string; sessionid: string };

/** Turns credentials into the viewer and the switches that concern it. Wrong credentials never throw. */
export type ResolveViewer = (credentials: Credentials) => Promise<Viewer & { isServiceDown: boolean }>;

type Basic = { pid: string; apiKey: string };

const MAX_CREDENTIAL_LENGTH = 512;

/** Reads a Basic header; a malformed one counts as a wrong key. */
function parseBasic(header: string): Basic | null {
  const [, encoded] = /^basic\s+([a-z0-9+/_-]+=*)\s*$/i.exec(header) ?? [];
  const text = encoded ? Buffer.from(encoded, 'base64').toString('utf8') : '';
  const end = text.indexOf(':');
  return end > 0 ? { pid: text.slice(0, end), apiKey: text.slice(end + 1) } : null;
}

/** Cuts what cannot be a credential, so that the database never sees it; a lost `+` comes back. */
function clean(text: string): string {
  return text.length > MAX_CREDENTIAL_LENGTH || text.includes('\u0000') ? '' : text.replaceAll(' ', '+');
}

function findKey(keys: StoreKeyRow[], apiKey: string): StoreKeyRow | null {
  const hash = hashKey(apiKey);
  return keys.filter((key) => timingSafeEqual(key.hash, hash))[0] ?? null;
}

/** Makes the one place that decides who is calling. */
export function createViewerResolver({ db, config }: Pick<Services, 'db' | 'config'>): ResolveViewer {
  const load = createBatchLoader<IdentityKey, IdentityRow>((claims) => loadIdentities(db, claims));

  return async ({ authorization, pid, regid, sessionid }) => {
    const basic = authorization === '' ? null : parseBasic(authorization);
    const claim = { pid: clean(authorization === '' ? pid : (basic?.pid ?? '')), regid: clean(regid) };
    const { isServiceDown, store, keys, shopper } = await load(claim);
    const key = basic && findKey(keys, basic.apiKey);
    const nobody = {
      store: null,
      keyId: null,
      shopper: null,
      isShopperNamed: regid !== '',
      denial: 'unauthorised' as ErrorType,
      isServiceDown,
    };
    if (store === null || !isServed(config, store) || (authorization !== '' && key === null)) return nobody;
    const denial =
      shopper === null ? 'sw-badregid' : await checkSession(db, store, shopper, key ? null : sessionid);
    return {
      store,
      keyId: key?.id ?? null,
      shopper: denial === null ? shopper : null,
      isShopperNamed: regid !== '',
      denial: denial ?? 'sw-badregid',
      isServiceDown,
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
