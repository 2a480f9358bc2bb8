import { createHmac } from 'node:crypto';
import type { LinkStore } from '../../shoppers/contacts/link.rules.ts';
import type { ShortStore } from '../../shoppers/contacts/short-link.rules.ts';
import { isSameText } from '../key.rules.ts';
import { signingKey, tryKeys } from '../token-key.rules.ts';
import { DAY_MS } from '../../platform/time.ts';

// A link in an alert leads to the product through us. Where it leads is signed, or looked up by the alert that is: nobody makes one that
// leads elsewhere.

/** What a link of ours says before anything is proven. A short one has neither store nor target, and a brief one no target: its alert knows it. */
export type ClickLink =
  | { kind: 'brief'; linkNo: number; seq: number; mac: string }
  | { kind: 'short'; alertId: string; mac: string }
  | { kind: 'long'; pid: string; alertId: string; day: number; target: string; mac: string };

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const SHORT = /^([\w-]{22})([\w-]{16})$/;
const BRIEF = /^([\w-]{11})([\da-z]{1,6})\.([\da-z]{1,9})$/;
const LONG = /^([\w-]{1,300})\.([\w-]{22})\.(\d{1,6})\.([\w-]{1,6000})\.([\w-]{16})$/;
const MAC_BYTES = 12;
const BRIEF_MAC_BYTES = 8;
/** A mail that is older leads nowhere. */
const VALID_DAYS = 400;
/** The parameter that tells the store which click a visitor came by. */
export const CLICK_PARAMETER = 'wg';

/** Whether an alert can be named by a link. */
export const isLinkable = (alertId: string): boolean => UUID.test(alertId);

const pack = (alertId: string): string =>
  Buffer.from(alertId.replaceAll('-', ''), 'hex').toString('base64url');

function unpack(packed: string): string {
  const hex = Buffer.from(packed, 'base64url').toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** What a link says that is signed, and how long its signature is. */
type Signed = { parts: readonly (string | number)[]; size: number };

function macOf(tokenKey: Uint8Array, pid: string, { parts, size }: Signed): string {
  const key = createHmac('sha256', tokenKey).update('click').digest();
  const mac = createHmac('sha256', key).update(JSON.stringify([pid, ...parts]));
  return mac.digest().subarray(0, size).toString('base64url');
}

const sign = (store: LinkStore, signed: Signed): string => macOf(signingKey(store), store.pid, signed);

const fromText = (text: string): string => Buffer.from(text).toString('base64url');
const toText = (packed: string): string => Buffer.from(packed, 'base64url').toString('utf8');

const briefOf = (seq: number): Signed => ({ parts: ['seq', seq], size: BRIEF_MAC_BYTES });
const shortOf = (alertId: string): Signed => ({ parts: [alertId], size: MAC_BYTES });
const longOf = (alertId: string, day: number, target: string): Signed => ({
  parts: [alertId, day, target],
  size: MAC_BYTES,
});

/** Names an alert by its number in some 18 characters, for text messages. */
export function briefToken(store: ShortStore, seq: number): string {
  return `${sign(store, briefOf(seq))}${store.linkNo.toString(36)}.${seq.toString(36)}`;
}

/** Names an alert in 38 characters, for the store's own reports. */
export function shortToken(store: LinkStore, alertId: string): string {
  return pack(alertId) + sign(store, shortOf(alertId));
}

/** Names an alert and where its link leads, so that following it needs no database. */
export function longToken(store: LinkStore, alertId: string, target: string, now: Date): string {
  const day = Math.floor(now.getTime() / DAY_MS);
  const mac = sign(store, longOf(alertId, day, target));
  return [fromText(store.pid), pack(alertId), day, fromText(target), mac].join('.');
}

/** What a text claims to be a link of; null for what cannot be one. */
export function readToken(token: string): ClickLink | null {
  const [, id, shortMac] = SHORT.exec(token) ?? [];
  if (id !== undefined) return { kind: 'short', alertId: unpack(id), mac: shortMac! };
  const [, briefMac, no, seq] = BRIEF.exec(token) ?? [];
  if (no !== undefined)
    return { kind: 'brief', linkNo: parseInt(no, 36), seq: parseInt(seq!, 36), mac: briefMac! };
  const [, store, alert, day, target, mac] = LONG.exec(token) ?? [];
  if (store === undefined) return null;
  const pid = toText(store);
  if (pid.includes('\u0000')) return null;
  return { kind: 'long', pid, alertId: unpack(alert!), day: Number(day), target: toText(target!), mac: mac! };
}

function signedIn(link: ClickLink): Signed {
  if (link.kind === 'brief') return briefOf(link.seq);
  return link.kind === 'short' ? shortOf(link.alertId) : longOf(link.alertId, link.day, link.target);
}

/** Whether the store made this link, not too long ago. */
export function isOurs(store: LinkStore, link: ClickLink, now: Date): boolean {
  const signed = signedIn(link);
  const isSigned = tryKeys(store, now, (key) => isSameText(macOf(key, store.pid, signed), link.mac) || null);
  if (isSigned === null) return false;
  return link.kind !== 'long' || now.getTime() / DAY_MS - link.day <= VALID_DAYS;
}

/**
 * Where a visitor is sent: the product's address as it is, with what a template put behind the link and, where the click was
 * counted, its token. Null for what no browser should follow.
 */
export function destinationOf(target: string, query: string, click: string | null): string | null {
  if (!URL.canParse(target)) return null;
  const url = new URL(target);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null;
  const added = [query, ...(click === null ? [] : [`${CLICK_PARAMETER}=${click}`])].filter(Boolean);
  // Not by searchParams, which would write the shop's own parameters anew.
  url.search = [url.search.slice(1), ...added].filter(Boolean).join('&');
  return url.href;
}
