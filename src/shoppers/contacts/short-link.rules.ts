import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { MEDIA, UNNAMED_IN_LINKS } from '../../alerts/send/channels.ts';
import { signingKey, tryKeys } from '../../stores/token-key.rules.ts';
import type { Contact, Medium } from './contact.rules.ts';
import type { LinkPurpose, LinkStore } from './link.rules.ts';

// A text message has 160 characters for its news and two links, and a link of `link.rules.ts` takes 150. These take 30: the store is named by its
// number, a phone number is packed, and the check of the bytes is at once what they are hidden with (a synthetic IV), so that nothing else is needed.
// The medium takes no characters: the check is over it, too, and who opens a link finds the one that fits.

/** The store of a short link. */
export type ShortStore = LinkStore & { linkNo: number };

const CIPHER = 'aes-256-ctr';
const CHECK_BYTES = 8;
const IV_BYTES = 16;
const PHONE_BYTES = 7;
const SEQ_BYTES = 5;
const TIME_BYTES = 6;
const ASKER_BYTES = 6;
const TOKEN = /^([\w-]{20,60})\.([\da-z]{1,6})$/;
const PHONE = /^\+([1-9]\d{0,14})$/;

const keyOf = (tokenKey: Uint8Array, use: string): Buffer =>
  createHmac('sha256', tokenKey).update(`short link ${use}`).digest();

/** What a link is for, and by which medium it is sent. */
type Use = { purpose: LinkPurpose; medium: Medium };

function checkOf(key: Uint8Array, pid: string, { purpose, medium }: Use, bytes: Uint8Array): Buffer {
  const named = medium === UNNAMED_IN_LINKS ? [] : [medium];
  const mac = createHmac('sha256', keyOf(key, 'check')).update(JSON.stringify([purpose, pid, ...named]));
  return mac.update(bytes).digest().subarray(0, CHECK_BYTES);
}

function seal(store: ShortStore, use: Use, bytes: Uint8Array): string {
  const key = signingKey(store);
  const check = checkOf(key, store.pid, use, bytes);
  const cipher = createCipheriv(CIPHER, keyOf(key, 'hide'), Buffer.concat([check], IV_BYTES));
  const sealed = Buffer.concat([check, cipher.update(bytes), cipher.final()]);
  return `${sealed.toString('base64url')}.${store.linkNo.toString(36)}`;
}

/** A link that this store made. */
type Opened = { medium: Medium; bytes: Buffer };

function open(store: ShortStore, purpose: LinkPurpose, token: string, now: Date): Opened | null {
  const sealed = Buffer.from(token.slice(0, token.indexOf('.')), 'base64url');
  const check = sealed.subarray(0, CHECK_BYTES);
  return tryKeys(store, now, (key) => {
    const decipher = createDecipheriv(CIPHER, keyOf(key, 'hide'), Buffer.concat([check], IV_BYTES));
    const bytes = Buffer.concat([decipher.update(sealed.subarray(CHECK_BYTES)), decipher.final()]);
    const medium = MEDIA.find((one) =>
      timingSafeEqual(check, checkOf(key, store.pid, { purpose, medium: one }, bytes)),
    );
    return medium === undefined ? null : { medium, bytes };
  });
}

/** The number of the store that a short token names, before anything is proven; null for what cannot be one. */
export function storeNoOf(token: string): number | null {
  const [, , no] = TOKEN.exec(token) ?? [];
  const linkNo = no === undefined ? NaN : parseInt(no, 36);
  return linkNo <= 0x7fff_ffff ? linkNo : null;
}

/** A number in so many bytes. */
function numberBytes(value: number, size: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes.subarray(8 - size);
}

const numberIn = (bytes: Uint8Array): number => Number(`0x${Buffer.from(bytes).toString('hex')}`);

/** A phone number packed; null for another contact. */
function packPhone(value: string): Buffer | null {
  const [, digits] = PHONE.exec(value) ?? [];
  return digits === undefined ? null : numberBytes(Number(digits), PHONE_BYTES);
}

const unpackPhone = (bytes: Uint8Array): string => `+${numberIn(bytes.subarray(0, PHONE_BYTES))}`;

/** A token by which a phone number leaves what an alert was about; null where it cannot be short. */
export function shortUnsubscribe(store: ShortStore, { medium, value }: Contact, seq: number): string | null {
  const phone = packPhone(value);
  if (phone === null || seq >= 2 ** (8 * SEQ_BYTES)) return null;
  const use: Use = { purpose: 'unsubscribe', medium };
  return seal(store, use, Buffer.concat([phone, numberBytes(seq, SEQ_BYTES)]));
}

/** The phone number and the alert of such a token; null when this store did not make it. */
export function readShortUnsubscribe(
  store: ShortStore,
  token: string,
  now: Date,
): { contact: Contact; seq: number } | null {
  const opened = open(store, 'unsubscribe', token, now);
  if (opened?.bytes.length !== PHONE_BYTES + SEQ_BYTES) return null;
  const { medium, bytes } = opened;
  return { contact: { medium, value: unpackPhone(bytes) }, seq: numberIn(bytes.subarray(PHONE_BYTES)) };
}

/** Stands for who asked; all zeros for the store. What seals it is the proof, so it stays with the secret. */
function askerTag({ secret }: LinkStore, asker: string): Buffer {
  if (asker === '') return Buffer.alloc(ASKER_BYTES);
  return createHmac('sha256', keyOf(secret, 'asker')).update(asker).digest().subarray(0, ASKER_BYTES);
}

/** A token by which a phone number confirms what somebody asked for; null where it cannot be short. */
export function shortConfirm(
  store: ShortStore,
  claim: { contact: Contact; issuedAt: Date; asker: string },
): string | null {
  const { medium, value } = claim.contact;
  const phone = packPhone(value);
  if (phone === null) return null;
  const issued = numberBytes(claim.issuedAt.getTime(), TIME_BYTES);
  const use: Use = { purpose: 'confirm', medium };
  return seal(store, use, Buffer.concat([phone, issued, askerTag(store, claim.asker)]));
}

/** What such a token says; `isAsker` recognises who asked. Null when this store did not make it. */
export function readShortConfirm(
  store: ShortStore,
  token: string,
  now: Date,
): { contact: Contact; issuedAt: Date; isAsker: (asker: string) => boolean } | null {
  const opened = open(store, 'confirm', token, now);
  if (opened?.bytes.length !== PHONE_BYTES + TIME_BYTES + ASKER_BYTES) return null;
  const { medium, bytes } = opened;
  const tag = bytes.subarray(PHONE_BYTES + TIME_BYTES);
  return {
    contact: { medium, value: unpackPhone(bytes) },
    issuedAt: new Date(numberIn(bytes.subarray(PHONE_BYTES, PHONE_BYTES + TIME_BYTES))),
    isAsker: (asker) => tag.equals(askerTag(store, asker)),
  };
}
