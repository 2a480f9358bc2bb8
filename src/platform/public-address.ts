import { getServers } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The code of the error that a guarded connection fails with. */
export const NOT_PUBLIC = 'ENOTPUBLIC';

/** All of IPv6 that is routed on the internet; what lies outside is old, local or translated. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Whether an address is on the public internet: everything reserved, private, local or translated is not. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(PUBLIC_IPV6);
}

/** Whether a host is written as an address that is not public. Such a host is never looked up. */
export function isPrivateLiteral(host: string): boolean {
  return isIP(host) !== 0 && !isPublicAddress(host);
}

/** What a guarded connection fails with. */
export function notPublic(): Error {
  return Object.assign(new Error('the address is not public'), { code: NOT_PUBLIC });
}

/** A name server that takes longer is not waited for. */
const LOOKUP_LIMIT_MS = 3_000;
/** RFC 6761: never asked of a name server. */
const LOOPBACK_NAME = /(^|\.)localhost\.?$/i;

/** A name as name servers know it; 2130706433 and 0x7f.1 are ways to write an address. */
function normalise(host: string): string {
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname : host;
}

/**
 * The addresses of a host. Asked of the name servers directly: the system's own look-up takes one of four threads for as long as it lasts, and four slow names would
 * stop everything else that needs one, such as packing responses.
 */
async function addressesOf(given: string): Promise<LookupAddress[]> {
  const host = isIP(given) !== 0 ? given : normalise(given);
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  if (LOOPBACK_NAME.test(host)) return [{ address: '127.0.0.1', family: 4 }];
  const resolver = new Resolver({ timeout: LOOKUP_LIMIT_MS / 3, tries: 2 });
  // Those of this process, which may have been set.
  resolver.setServers(getServers());
  const limit = setTimeout(() => resolver.cancel(), LOOKUP_LIMIT_MS);
  try {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return found.flatMap((result, index) =>
      result.status === 'rejected'
        ? []
        : result.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })),
    );
  } finally {
    clearTimeout(limit);
  }
}

/** Resolves a name and hands the socket only addresses that were checked: what the name says a moment later does not matter. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  void addressesOf(hostname).then((found) => {
    const [first] = found;
    if (!first)
      return callback(Object.assign(new Error('the host was not found'), { code: 'ENOTFOUND' }), []);
    if (!found.every(({ address }) => isPublicAddress(address))) return callback(notPublic(), []);
    if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  });
};

/** What a host leads to now, for the person who types it; what counts is the same check at each connection. */
export async function whereLeads(host: string): Promise<'public' | 'private' | 'nowhere'> {
  const found = await addressesOf(host);
  if (found.length === 0) return 'nowhere';
  return found.every(({ address }) => isPublicAddress(address)) ? 'public' : 'private';
}
