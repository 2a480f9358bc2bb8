import { createLocalJWKSet, errors } from 'jose';
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import { oncePerApp, shareUnderWay } from '../../platform/batch.ts';
import { describeFailure, fail } from '../../platform/errors.ts';
import { goOutside } from '../../platform/in-flight.ts';
import { callOut } from '../../platform/outgoing.ts';
import { HOUR_MS } from '../../platform/time.ts';

/** Keys are read again after this time, or when a token names an unknown one. */
const FRESH_MS = 10 * 60_000;
/** While the provider is down, its last keys count this long. */
const USABLE_MS = 12 * HOUR_MS;
/** The provider is asked at most this often, and after each failure half as often. */
const COOL_DOWN_MS = 30_000;
const MAX_COOL_DOWN_MS = 5 * 60_000;
const LIMITS = { limitMs: 5_000, maxBytes: 65_536 };

type KeySet = { find: JWTVerifyGetKey | null; readAt: number; failures: number; nextAt: number };

const NONE: KeySet = { find: null, readAt: -Infinity, failures: 0, nextAt: -Infinity };

const keySetsOf = oncePerApp((_services: Pick<Context, 'config'>) => ({
  known: new LRUCache<string, KeySet>({ max: 500 }),
  share: shareUnderWay<void>(),
}));

async function fetchKeys(ctx: Context, url: string, before: KeySet): Promise<KeySet> {
  const now = ctx.now().getTime();
  try {
    const allowPrivate = ctx.config.webhookAllowPrivate;
    const headers = { accept: 'application/json' };
    const { status, body } = await callOut({ method: 'GET', url, headers, allowPrivate, ...LIMITS });
    if (status !== 200 || body === null) throw new Error(body === null ? 'too large' : `status ${status}`);
    const find = createLocalJWKSet(JSON.parse(body) as JSONWebKeySet);
    return { find, readAt: now, failures: 0, nextAt: now + COOL_DOWN_MS };
  } catch (error) {
    const { pid } = ctx.viewer.store!;
    ctx.log.warn({ store: pid, reason: describeFailure(error) }, "A login provider's keys could not be read");
    const nextAt = now + Math.min(COOL_DOWN_MS * 2 ** before.failures, MAX_COOL_DOWN_MS);
    return { ...before, failures: before.failures + 1, nextAt };
  }
}

function failUnavailable({ nextAt }: KeySet, now: Date): never {
  const seconds = String(Math.max(1, Math.ceil((nextAt - now.getTime()) / 1_000)));
  const text = 'The keys at identityJwksUri cannot be read at the moment; retry later';
  return fail('unavailable', text, { 'Retry-After': seconds });
}

/** Reads the keys once more, unless that was just done. */
async function renew(ctx: Context, url: string): Promise<KeySet> {
  const { known, share } = keySetsOf(ctx);
  const isJustRead = ({ nextAt } = known.get(url) ?? NONE): boolean => ctx.now().getTime() < nextAt;
  if (!isJustRead()) {
    await goOutside(ctx);
    await share(url, async () => {
      // Another request may have read them while this one waited.
      if (!isJustRead()) known.set(url, await fetchKeys(ctx, url, known.get(url) ?? NONE));
    });
  }
  return known.get(url) ?? NONE;
}

/** Finds a token's key among those of the store's login provider. */
export const keysOf =
  (ctx: Context, url: string): JWTVerifyGetKey =>
  async (header, token) => {
    const now = ctx.now();
    const cached = keySetsOf(ctx).known.get(url) ?? NONE;
    const isFresh = now.getTime() - cached.readAt < FRESH_MS;
    const { find, readAt, ...state } = isFresh ? cached : await renew(ctx, url);
    if (find === null || now.getTime() - readAt > USABLE_MS)
      return failUnavailable({ find, readAt, ...state }, now);
    try {
      return await find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const newer = await renew(ctx, url);
      if (newer.failures > 0) failUnavailable(newer, now);
      return newer.find!(header, token);
    }
  };
