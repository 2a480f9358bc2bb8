import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

// Identity is derived, not allotted: the same input gives the same answer in every process, so first calls need no lock and
// sessions need no table.

function mac(secret: Buffer, ...parts: string[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(parts)).digest('base64url');
}

/** The lasting token of a guest (lower-case uuid) or an account (lower-case e-mail). */
export function regidOf(secret: Buffer, kind: 'guest' | 'account', identity: string): string {
  return mac(secret, kind, identity);
}

/** A public id that cannot be turned back into the regid. */
export function publicIdOf(secret: Buffer, purpose: 'user' | 'device', regid: string): string {
  return mac(secret, purpose, regid).slice(0, 22);
}

const TAG_LENGTH = 8;

/** The sessionid for one kind of client: a short hash of its name, then the proof. */
export function sessionidOf(secret: Buffer, regid: string, useragenttype: string, epoch: string): string {
  const tag = createHash('sha256').update(useragenttype).digest('base64url').slice(0, TAG_LENGTH);
  return tag + mac(secret, 'session', regid, tag, epoch);
}

/** Whether a sessionid was made for this regid and epoch; takes the same time for every wrong one. */
export function isSessionOf(secret: Buffer, sessionid: string, regid: string, epoch: string): boolean {
  const tag = sessionid.slice(0, TAG_LENGTH);
  return isSameText(sessionid, tag + mac(secret, 'session', regid, tag, epoch));
}

/** What a sessionid is bound to: moving the store's or the shopper's counter on ends it. */
export function epochOf(store: { sessionEpoch: number }, shopper: { epoch: number }): string {
  return `${store.sessionEpoch}.${shopper.epoch}`;
}

/** The only form in which an API key is kept. */
export function hashKey(apiKey: string): Buffer {
  return createHash('sha256').update(apiKey).digest();
}

/** Compares in constant time, whatever the lengths. */
export function isSameText(left: string, right: string): boolean {
  return timingSafeEqual(hashKey(left), hashKey(right));
}
