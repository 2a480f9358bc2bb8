import { lookup } from 'node:dns';
import { lookup as lookUp } from 'node:dns/promises';
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

/** Resolves a name and hands the socket only addresses that were checked: what the name says a moment later does not matter. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, []);
    if (!found.every(({ address }) => isPublicAddress(address))) return callback(notPublic(), []);
    if (options.all) callback(null, found);
    else callback(null, found[0]!.address, found[0]!.family);
  });
};

/** What a host leads to now, for the person who types it; what counts is the same check at each connection. */
export async function whereLeads(host: string): Promise<'public' | 'private' | 'nowhere'> {
  const found = await lookUp(host, { all: true }).catch(() => []);
  if (found.length === 0) return 'nowhere';
  return found.every(({ address }) => isPublicAddress(address)) ? 'public' : 'private';
}
