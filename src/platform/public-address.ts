import { getServers } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { codedError } from './errors.ts';

export const NOT_PUBLIC = 'ENOTPUBLIC';

/** All of IPv6 that is routed on the internet; other addresses are deprecated, local or translated. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Reserved, private, local and translated addresses are not public. */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text);
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || (address as ipaddr.IPv6).match(PUBLIC_IPV6);
}

/** The host is an IP literal that is not public. Such a host is never resolved. */
export function isPrivateLiteral(host: string): boolean {
  return isIP(host) !== 0 && !isPublicAddress(host);
}

export const notPublic = (): Error => codedError(NOT_PUBLIC, 'the IP address is not public');

const LOOKUP_LIMIT_MS = 3_000;
/** RFC 6761: name servers are never asked for these. */
const LOOPBACK_NAME = /(^|\.)localhost\.?$/i;

/** Converts the host to its canonical form; 2130706433 and 0x7f.1 are notations of an address. */
function normalise(host: string): string {
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname : host;
}

/**
 * Asks the name servers directly, because the system's resolver occupies one of four threads: four slow names would block all
 * other work that needs one, such as compressing responses.
 */
async function addressesOf(given: string): Promise<LookupAddress[]> {
  const host = isIP(given) !== 0 ? given : normalise(given);
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family }];
  if (LOOPBACK_NAME.test(host)) return [{ address: '127.0.0.1', family: 4 }];
  const resolver = new Resolver({ timeout: LOOKUP_LIMIT_MS / 3, tries: 2 });
  // `dns.setServers` may have changed the servers of this process.
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

/** Gives the socket only checked addresses, so that a later change of the name has no effect. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  void addressesOf(hostname).then((found) => {
    const [first] = found;
    if (!first) return callback(codedError('ENOTFOUND', 'the host was not found'), []);
    if (!found.every(({ address }) => isPublicAddress(address))) return callback(notPublic(), []);
    if (options.all) callback(null, found);
    else callback(null, first.address, first.family);
  });
};

/** For the person who enters the host; the decisive check is the same one at each connection. */
export async function whereLeads(host: string): Promise<'public' | 'private' | 'nowhere'> {
  const found = await addressesOf(host);
  if (found.length === 0) return 'nowhere';
  return found.every(({ address }) => isPublicAddress(address)) ? 'public' : 'private';
}
