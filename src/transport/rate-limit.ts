import { isIPv6 } from 'node:net';
import type { Request, Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Viewer } from '../context.ts';
import type { RateLimits } from '../domain/store/store.service.ts';
import { fail } from '../shared/errors.ts';
import { METRICS } from '../shared/metrics.ts';

/** The published limits: requests a minute in one process. A store can have its own. */
export const DEFAULT_LIMITS: Required<RateLimits> = { key: 12_000, shopper: 1_200, address: 3_000 };

const WINDOW_SECONDS = 60;

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

function setHeaders(res: Response, limit: number, state: RateLimiterRes): Record<string, string> {
  const headers = {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(state.remainingPoints),
    'RateLimit-Reset': String(Math.ceil(state.msBeforeNext / 1000)),
  };
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  return headers;
}

/** Makes the limiter; `isOn` false lets everything pass. */
export function createRateLimiter(isOn: boolean): RateLimiter {
  const limiters = new Map<string, RateLimiterMemory>();
  const limiterFor = (kind: keyof RateLimits, points: number): RateLimiterMemory => {
    const name = `${kind}:${points}`;
    const limiter =
      limiters.get(name) ?? new RateLimiterMemory({ keyPrefix: name, points, duration: WINDOW_SECONDS });
    limiters.set(name, limiter);
    return limiter;
  };
  const consume = async (
    res: Response,
    kind: keyof RateLimits,
    key: string,
    limits: RateLimits,
  ): Promise<void> => {
    const points = limits[kind] ?? DEFAULT_LIMITS[kind];
    try {
      setHeaders(res, points, await limiterFor(kind, points).consume(key));
    } catch (state) {
      if (!(state instanceof RateLimiterRes)) throw state;
      const headers = setHeaders(res, points, state);
      METRICS.rateLimited.inc({ kind });
      fail('too-many-requests', undefined, { 'Retry-After': headers['RateLimit-Reset']! });
    }
  };
  return {
    async check(req, res, { store, keyId, shopper }) {
      if (!isOn) return;
      const limits = store?.rateLimits ?? {};
      // A store's back end calls for all its shoppers from one address, so a valid key replaces the address limit.
      if (keyId !== null) await consume(res, 'key', keyId, limits);
      else await consume(res, 'address', `${store?.pid ?? ''} ${addressGroup(req.ip ?? '')}`, limits);
      if (shopper !== null && keyId === null)
        await consume(res, 'shopper', `${shopper.pid} ${shopper.regid}`, limits);
    },
  };
}
