import { LRUCache } from 'lru-cache';
import type { CacheDependencies, Credentials, Viewer } from '../context.ts';
import { METRICS, measure } from '../platform/metrics.ts';
import type { KnownState } from '../shoppers/authenticate.service.ts';
import type { IdentityState } from '../shoppers/identity.repo.ts';
import { ownBytes } from './send.ts';
import type { CallResponse } from './send.ts';

/** The catalogue shards that a response depends on and, usually from the second call on, the response. */
export type CacheEntry = {
  shards: readonly number[];
  made: { state: IdentityState; response: CallResponse } | null;
};

export type ResponseCache = LRUCache<string, CacheEntry>;

/** Longer keys are rare, and each is stored whole. */
const MAX_KEY = 4_000;
/** Approximate size of an entry besides its texts. */
const ENTRY_BYTES = 500;
const MAX_SHARE = 1 / 16;

/** Null, which caches nothing, for 0 bytes. */
export function createResponseCache(maxBytes: number): ResponseCache | null {
  if (maxBytes === 0) return null;
  const cache: ResponseCache = new LRUCache({
    maxSize: maxBytes,
    maxEntrySize: maxBytes * MAX_SHARE,
    sizeCalculation: ({ made, shards }, key) =>
      ENTRY_BYTES +
      key.length * 2 +
      shards.length * 8 +
      (made ? made.response.body.plain.length * 2 + made.state.shopper.bytes : 0),
  });
  measure(METRICS.keptBytes, () => cache.calculatedSize);
  return cache;
}

/** The same call in the same role about the same shopper has the same key. Null where its response cannot be cached. */
export function cacheKey(
  endpoint: string,
  { authorization, session, pid, regid }: Credentials,
  input: readonly string[] | null,
): string | null {
  if (input === null) return null;
  const length = input.reduce((sum, text) => sum + text.length, 0);
  const hasKey = authorization !== '' || session !== '';
  return length > MAX_KEY ? null : JSON.stringify([endpoint, hasKey, pid, regid, ...input]);
}

/** The state that is read together with the caller, to check the entry against. */
export function knownOf(entry: CacheEntry | undefined): KnownState | undefined {
  return entry && { shards: entry.shards, knownShopper: entry.made?.state.shopper ?? null };
}

export function freshResponse(entry: CacheEntry | undefined, { state }: Viewer): CallResponse | null {
  const made = entry?.made;
  if (!made || !state) return null;
  const isSame =
    made.state.revision === state.revision &&
    made.state.catalog === state.catalog &&
    made.state.store === state.store &&
    made.state.shopper === state.shopper &&
    made.state.generation === state.generation;
  return isSame ? made.response : null;
}

/** Caches a response without errors; `entry` is what was known when the caller was authenticated. */
export function cacheResponse(
  cache: ResponseCache | null,
  key: string | null,
  entry: CacheEntry | undefined,
  { state }: Viewer,
  { isCacheable, shards }: CacheDependencies,
  response: CallResponse,
): void {
  if (!cache || key === null || state === null || !isCacheable) return;
  const known = new Set(entry?.shards);
  // The state holds the revisions of the requested shards; where the response needs others, the next call requests them.
  const isCovered = [...shards].every((shard) => known.has(shard));
  if (isCovered) response.body.plain = ownBytes(response.body.plain);
  cache.set(
    key,
    isCovered
      ? { shards: entry?.shards ?? [], made: { state, response } }
      : { shards: [...shards], made: null },
  );
}
