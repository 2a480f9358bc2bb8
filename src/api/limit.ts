import { isIPv6 } from 'node:net';
import type { Request, Response } from 'express';
import ipaddr from 'ipaddr.js';
import type { Services, Viewer } from '../context.ts';
import { fail } from '../platform/errors.ts';
import { countAll } from '../platform/limiter.ts';
import type { Account } from '../platform/limiter.ts';
import { METRICS } from '../platform/metrics.ts';
import { DEFAULT_LIMITS } from '../stores/store.rules.ts';

/** An IPv6 household has a /64 of addresses, which count as one. */
export function addressGroup(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const groups = ipaddr.IPv6.parse(address).parts.slice(0, 4);
  return groups.map((group) => group.toString(16)).join(':');
}

type Kind = keyof typeof DEFAULT_LIMITS;

function accountsOf(address: string, { store, keyId, shopper }: Viewer): (Account & { kind: Kind })[] {
  const account = (kind: Kind, key: string, own = store?.rateLimits[kind]) => ({
    kind,
    key,
    limit: own ?? DEFAULT_LIMITS[kind],
  });
  // A store's back end calls for all its shoppers from one address, so a valid key replaces the address limit.
  if (keyId !== null) return [account('key', keyId)];
  const inStore = store ? [account('address', `${store.pid} ${address}`)] : [];
  if (shopper) return [...inStore, account('shopper', `${shopper.pid} ${shopper.regid}`)];
  // Anybody can name any store, so an address without credentials has one limit across all stores.
  return [account('address', address, DEFAULT_LIMITS.address), ...inStore];
}

/** 429 beyond the limits. */
export async function checkRate(
  { config, limiter }: Services,
  req: Request,
  res: Response,
  viewer: Viewer,
): Promise<void> {
  if (!config.rateLimits) return;
  const standing = await countAll(limiter, accountsOf(addressGroup(req.ip ?? ''), viewer));
  if (standing === null) return;
  res.setHeader('RateLimit-Limit', String(standing.limit));
  res.setHeader('RateLimit-Remaining', String(standing.remaining));
  res.setHeader('RateLimit-Reset', String(standing.resetSeconds));
  if (standing.isWithin) return;
  METRICS.rateLimited.inc({ kind: standing.kind });
  fail('too-many-requests', undefined, { 'Retry-After': String(standing.resetSeconds) });
}
