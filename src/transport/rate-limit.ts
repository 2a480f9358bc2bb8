import { isIPv6 } from 'node:net';
import type { Request, Response } from 'express';
import type { Viewer } from '../context.ts';
import type { RateLimits } from '../domain/store/store.service.ts';
import { fail } from '../shared/errors.ts';
import type { Limiter, Standing } from '../shared/limiter.ts';
import { METRICS } from '../shared/metrics.ts';

/** The published limits: requests a minute. A store can have its own. */
export const DEFAULT_LIMITS: Required<Omit<RateLimits, 'cost'>> = {
  key: 12_000,
  shopper: 1_200,
  address: 3_000,
};

/** Counts a request against the limits that concern it, and refuses it with 429 beyond them. */
export type RateLimiter = { check(req: Request, res: Response, viewer: Viewer): Promise<void> };

/** An IPv6 household has a /64 of addresses; they count as one. */
export function addressGroup(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head === '' ? [] : head.split(':');
  // `::` stands for as many zero groups as are missing.
  const rest = tail ? tail.split(':') : [];
  if (tail !== undefined) groups.push(...Array<string>(8 - groups.length - rest.length).fill('0'), ...rest);
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

/** Tells a caller how it stands, and refuses it beyond its limit. */
function answerTo(
  res: Response,
  kind: keyof RateLimits,
  { isWithin, limit, remaining, resetSeconds }: Standing,
): void {
  res.setHeader('RateLimit-Limit', String(limit));
  res.setHeader('RateLimit-Remaining', String(remaining));
  res.setHeader('RateLimit-Reset', String(resetSeconds));
  if (isWithin) return;
  METRICS.rateLimited.inc({ kind });
  fail('too-many-requests', undefined, { 'Retry-After': String(resetSeconds) });
}

const salts = new WeakMap<object, string>();

/** The secret of a store as text, made once for as long as the store is known to the process. */
function saltOf({ secret }: { secret: Uint8Array }): string {
  const salt = salts.get(secret) ?? Buffer.from(secret).toString('base64');
  salts.set(secret, salt);
  return salt;
}

/** Makes the limiter of requests; `isOn` false lets everything pass. */
export function createRateLimiter(isOn: boolean, limiter: Limiter): RateLimiter {
  return {
    async check(req, res, { store, keyId, shopper }) {
      if (!isOn) return;
      const consume = async (kind: keyof typeof DEFAULT_LIMITS, key: string): Promise<void> => {
        const limit = store?.rateLimits[kind] ?? DEFAULT_LIMITS[kind];
        answerTo(res, kind, await limiter.count(kind, key, limit));
      };
      // A store's back end calls for all its shoppers from one address, so a valid key replaces the address limit.
      if (keyId !== null) return consume('key', keyId);
      // The secret hides the address from who sees the counts, and tries all addresses to find the one.
      const place = store === null ? '' : `${store.pid} ${saltOf(store)}`;
      await consume('address', `${place} ${addressGroup(req.ip ?? '')}`);
      if (shopper !== null) await consume('shopper', `${shopper.pid} ${shopper.regid}`);
    },
  };
}
