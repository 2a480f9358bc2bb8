import { hash } from 'node:crypto';
import { isSameText, signingKey, tryKeys } from '../stores/store.rules.ts';
import type { TokenStore } from '../stores/store.rules.ts';

// Identity is derived, not stored: the same input gives the same ids in every process, so first calls need no lock and
// sessions need no table.

const BLOCK = 64;
const DIGEST = 32;

/** The two blocks with which an HMAC begins, for a key of at most one block; the digest goes behind the outer one. */
const padsOf = new WeakMap<Uint8Array, { inner: Buffer; outer: Buffer }>();

function makePads(secret: Uint8Array) {
  const pads = { inner: Buffer.alloc(BLOCK, 0x36), outer: Buffer.alloc(BLOCK + DIGEST, 0x5c) };
  secret.forEach((byte, at) => {
    pads.inner[at]! ^= byte;
    pads.outer[at]! ^= byte;
  });
  padsOf.set(secret, pads);
  return pads;
}

/**
 * HMAC-SHA-256 by its definition. `createHmac` makes an object outside of the heap for each, which took 25 of the 268 µs of an
 * identification (four of them, and the garbage collection behind them).
 */
function mac(secret: Uint8Array, ...parts: string[]): string {
  const { inner, outer } = padsOf.get(secret) ?? makePads(secret);
  const text = Buffer.concat([inner, Buffer.from(JSON.stringify(parts))]);
  outer.write(hash('sha256', text, 'binary'), BLOCK, 'binary');
  return hash('sha256', outer, 'base64url');
}

// A guest has no row until it saves something, so its regid says itself that it is one of ours: 22 characters are derived, 20 check them, and
// the last one is the mark. Other regids never end in it: their last character holds four bits.
const GUEST_LENGTH = 22;
const REGID_LENGTH = 43;
export const GUEST_MARK = 'G';

function markGuest(secret: Uint8Array, derived: string): string {
  return (derived + mac(secret, 'guest check', derived)).slice(0, REGID_LENGTH - 1) + GUEST_MARK;
}

/**
 * The permanent token of an account that was made by its address (lower-case), or by its external id. The generation counts earlier accounts
 * that were made by the same one and have another by now.
 */
export function accountRegid(
  secret: Uint8Array,
  id: string,
  generation = 0,
  by: 'account' | 'external' = 'account',
): string {
  return mac(secret, by, id, ...(generation === 0 ? [] : [String(generation)]));
}

/** The permanent token of a guest (lower-case uuid), and its regid before regids had a mark; a guest with a row under that keeps it. */
export function guestRegids(secret: Uint8Array, uuid: string): [regid: string, former: string] {
  const former = mac(secret, 'guest', uuid);
  return [markGuest(secret, former.slice(0, GUEST_LENGTH)), former];
}

/** Whether the store's secret made this regid for a guest; takes the same time for every wrong one. */
export function isGuestRegid(secret: Uint8Array, regid: string): boolean {
  return regid.endsWith(GUEST_MARK) && isSameText(regid, markGuest(secret, regid.slice(0, GUEST_LENGTH)));
}

/** A public id that does not reveal the regid. */
export function publicIdOf(secret: Uint8Array, purpose: 'user' | 'device', regid: string): string {
  return mac(secret, purpose, regid).slice(0, 22);
}

const TAG_LENGTH = 8;
const MARK_LENGTH = 11;
const HEAD_LENGTH = TAG_LENGTH + MARK_LENGTH;

/** The part that all sessionids of one shopper and epoch share, whichever key signed them; merges are found by it. It proves nothing. */
export function sessionMarkOf(secret: Uint8Array, regid: string, epoch: string): string {
  return mac(secret, 'mark', regid, epoch).slice(0, MARK_LENGTH);
}

export function markIn(sessionid: string): string {
  return sessionid.slice(TAG_LENGTH, HEAD_LENGTH);
}

/** The sessionid for one kind of client: a short hash of its name, the shopper's mark, then the signature of both. */
export function sessionidOf(store: TokenStore, regid: string, useragenttype: string, epoch: string): string {
  const tag = hash('sha256', useragenttype, 'base64url').slice(0, TAG_LENGTH);
  const head = tag + sessionMarkOf(store.secret, regid, epoch);
  return head + mac(signingKey(store), 'session', regid, head, epoch);
}

/** Whether a sessionid was made for this regid and epoch; takes the same time for every wrong one. */
export function isSessionOf(store: TokenStore, sessionid: string, regid: string, epoch: string, now: Date) {
  const head = sessionid.slice(0, HEAD_LENGTH);
  const isSigned = (key: Uint8Array): true | null =>
    isSameText(sessionid, head + mac(key, 'session', regid, head, epoch)) || null;
  return tryKeys(store, now, isSigned) !== null;
}

/** A sessionid is valid for one epoch: incrementing the store's or the shopper's counter ends it. */
export function epochOf(store: { sessionEpoch: number }, shopper: { epoch: number }): string {
  return `${store.sessionEpoch}.${shopper.epoch}`;
}
