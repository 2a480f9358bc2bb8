import { createHmac } from 'node:crypto';
import { DAY_MS } from '../../platform/time.ts';
import type { LinkStore, ShortLinkStore } from '../../shoppers/contacts/link.rules.ts';
import { isSameText, signingKey, tryKeys } from '../store.rules.ts';

// A link in an alert leads to the product through us. Its target is signed, or read from the catalogue by the signed alert, so that nobody
// can make one that leads elsewhere.

/** An unverified link. Only a long one contains its target. */
export type ClickLink = { mac: string } & (
  | { kind: 'short'; linkNo: number; seq: number }
  | { kind: 'alert'; alertId: string }
  | { kind: 'long'; pid: string; alertId: string; day: number; target: string }
);

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ALERT = /^([\w-]{22})([\w-]{16})$/;
const SHORT = /^([\w-]{11})([\da-z]{1,6})\.([\da-z]{1,9})$/;
const LONG = /^([\w-]{1,300})\.([\w-]{22})\.(\d{1,6})\.([\w-]{1,6000})\.([\w-]{16})$/;
const MAC_BYTES = 12;
const SHORT_MAC_BYTES = 8;
const VALID_DAYS = 400;
/** The query parameter with the click token that the store reports with an order. */
export const CLICK_PARAMETER = 'wg';

export const isLinkable = (alertId: string): boolean => UUID.test(alertId);

const pack = (alertId: string): string =>
  Buffer.from(alertId.replaceAll('-', ''), 'hex').toString('base64url');

function unpack(packed: string): string {
  const hex = Buffer.from(packed, 'base64url').toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** What the MAC of a link covers. */
type SignedLink =
  | { kind: 'short'; seq: number }
  | { kind: 'alert'; alertId: string }
  | { kind: 'long'; alertId: string; day: number; target: string };

function partsOf(link: SignedLink): (string | number)[] {
  if (link.kind === 'short') return ['seq', link.seq];
  return link.kind === 'alert' ? [link.alertId] : [link.alertId, link.day, link.target];
}

function macOf(tokenKey: Uint8Array, pid: string, link: SignedLink): string {
  const key = createHmac('sha256', tokenKey).update('click').digest();
  const mac = createHmac('sha256', key).update(JSON.stringify([pid, ...partsOf(link)]));
  const size = link.kind === 'short' ? SHORT_MAC_BYTES : MAC_BYTES;
  return mac.digest().subarray(0, size).toString('base64url');
}

const sign = (store: LinkStore, link: SignedLink): string => macOf(signingKey(store), store.pid, link);

const fromText = (text: string): string => Buffer.from(text).toString('base64url');
const toText = (packed: string): string => Buffer.from(packed, 'base64url').toString('utf8');

/** Names an alert by its number in about 18 characters, for SMS. */
export function shortToken(store: ShortLinkStore, seq: number): string {
  return `${sign(store, { kind: 'short', seq })}${store.linkNo.toString(36)}.${seq.toString(36)}`;
}

/** Names an alert in 38 characters, for the orders that stores report. */
export function alertToken(store: LinkStore, alertId: string): string {
  return pack(alertId) + sign(store, { kind: 'alert', alertId });
}

/** Names an alert and the target, so that following the link needs no database. */
export function longToken(store: LinkStore, alertId: string, target: string, now: Date): string {
  const day = Math.floor(now.getTime() / DAY_MS);
  const mac = sign(store, { kind: 'long', alertId, day, target });
  return [fromText(store.pid), pack(alertId), day, fromText(target), mac].join('.');
}

export function readToken(token: string): ClickLink | null {
  const [, id, alertMac] = ALERT.exec(token) ?? [];
  if (id !== undefined) return { kind: 'alert', alertId: unpack(id), mac: alertMac! };
  const [, shortMac, no, seq] = SHORT.exec(token) ?? [];
  if (no !== undefined)
    return { kind: 'short', linkNo: parseInt(no, 36), seq: parseInt(seq!, 36), mac: shortMac! };
  const [, store, alert, day, target, mac] = LONG.exec(token) ?? [];
  if (store === undefined) return null;
  const pid = toText(store);
  if (pid.includes('\u0000')) return null;
  return { kind: 'long', pid, alertId: unpack(alert!), day: Number(day), target: toText(target!), mac: mac! };
}

/** Whether the store made the link, which may have expired. */
export function isSigned(store: LinkStore, link: ClickLink, now: Date): boolean {
  return tryKeys(store, now, (key) => isSameText(macOf(key, store.pid, link), link.mac) || null) !== null;
}

export function isOurs(store: LinkStore, link: ClickLink, now: Date): boolean {
  const isOld = link.kind === 'long' && now.getTime() / DAY_MS - link.day > VALID_DAYS;
  return !isOld && isSigned(store, link, now);
}

/** The product's address with the query that a template added and, for a tracked click, its token; null for an unsafe address. */
export function destinationOf(target: string, query: string, click: string | null): string | null {
  if (!URL.canParse(target)) return null;
  const url = new URL(target);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  const added = [query, ...(click === null ? [] : [`${CLICK_PARAMETER}=${click}`])].filter(Boolean);
  // Not by searchParams, which would rewrite the shop's own parameters.
  url.search = [url.search.slice(1), ...added].filter(Boolean).join('&');
  return url.href;
}
