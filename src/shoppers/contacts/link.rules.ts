import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import { MEDIA, UNNAMED_IN_LINKS } from '../../alerts/send/channels.ts';
import { decrypt, encrypt } from '../../platform/encrypt.ts';
import { HOUR_MS } from '../../platform/time.ts';
import { signingKey, tryKeys } from '../../stores/store.rules.ts';
import type { TokenStore } from '../../stores/store.rules.ts';
import type { Contact, ContactKey, Medium } from './contact.rules.ts';

// Links in messages work without a login. Their tokens are encrypted, not only signed: addresses end up in histories and
// logs, and the contact must not.

/** A token made for one purpose is invalid for the others. */
type LinkPurpose = 'unsubscribe' | 'confirm' | 'undo';

export type LinkStore = TokenStore & { pid: string };

export type ShortLinkStore = LinkStore & { linkNo: number };

const deriveKey = (tokenKey: Uint8Array, use: string): Buffer =>
  createHmac('sha256', tokenKey).update(use).digest();

export function encryptLink(store: LinkStore, purpose: LinkPurpose, claim: readonly string[]): string {
  const key = deriveKey(signingKey(store), 'link');
  const encrypted = encrypt(key, JSON.stringify(claim), `${purpose} ${store.pid}`);
  return `${Buffer.from(store.pid).toString('base64url')}.${encrypted.toString('base64url')}`;
}

/** The store that a token names, not verified; null for a malformed token. */
export function pidOfLink(token: string): string | null {
  const [, name] = /^([\w-]{1,300})\.[\w-]{40,4000}$/.exec(token) ?? [];
  const pid = name === undefined ? '' : Buffer.from(name, 'base64url').toString('utf8');
  return pid === '' || pid.includes('\u0000') ? null : pid;
}

/** The claim in a token; null unless this store made it for this purpose. */
export function decryptLink(store: LinkStore, purpose: LinkPurpose, token: string, now: Date) {
  const bytes = Buffer.from(token.slice(token.indexOf('.') + 1), 'base64url');
  return tryKeys(store, now, (key) => {
    const text = decrypt(deriveKey(key, 'link'), bytes, `${purpose} ${store.pid}`);
    return text === null ? null : (JSON.parse(text) as string[]);
  });
}

// An SMS has 160 characters for its news and two links, and a link as above takes 150. Short ones take 30: the store is a
// number, the phone number is packed, and the MAC of the bytes is also their IV (a synthetic IV). The medium is part of the MAC only.

const SHORT_CIPHER = 'aes-256-ctr';
const SHORT_IV_BYTES = 16;
const MAC_BYTES = 8;
const PHONE_BYTES = 7;
const SEQ_BYTES = 5;
const TIME_BYTES = 6;
const REQUESTER_BYTES = 6;

function shortMac(key: Uint8Array, pid: string, purpose: LinkPurpose, medium: Medium, bytes: Uint8Array) {
  const signed = JSON.stringify([purpose, pid, ...(medium === UNNAMED_IN_LINKS ? [] : [medium])]);
  const mac = createHmac('sha256', deriveKey(key, 'short link check')).update(signed);
  return mac.update(bytes).digest().subarray(0, MAC_BYTES);
}

/** A token with a phone number and the bytes behind it; null for another contact. */
function encryptShort(
  store: ShortLinkStore,
  purpose: LinkPurpose,
  { medium, value }: Contact,
  ...rest: Uint8Array[]
): string | null {
  const [, digits] = /^\+([1-9]\d{0,14})$/.exec(value) ?? [];
  if (digits === undefined) return null;
  const key = signingKey(store);
  const bytes = Buffer.concat([numberBytes(Number(digits), PHONE_BYTES), ...rest]);
  const mac = shortMac(key, store.pid, purpose, medium, bytes);
  const iv = Buffer.concat([mac], SHORT_IV_BYTES);
  const cipher = createCipheriv(SHORT_CIPHER, deriveKey(key, 'short link hide'), iv);
  const encrypted = Buffer.concat([mac, cipher.update(bytes), cipher.final()]);
  return `${encrypted.toString('base64url')}.${store.linkNo.toString(36)}`;
}

/** The phone number and the `size` bytes behind it; null unless this store made the token for this purpose. */
function decryptShort(store: ShortLinkStore, purpose: LinkPurpose, size: number, token: string, now: Date) {
  const encrypted = Buffer.from(token.slice(0, token.indexOf('.')), 'base64url');
  const mac = encrypted.subarray(0, MAC_BYTES);
  if (encrypted.length !== MAC_BYTES + PHONE_BYTES + size) return null;
  return tryKeys(store, now, (key) => {
    const iv = Buffer.concat([mac], SHORT_IV_BYTES);
    const decipher = createDecipheriv(SHORT_CIPHER, deriveKey(key, 'short link hide'), iv);
    const bytes = Buffer.concat([decipher.update(encrypted.subarray(MAC_BYTES)), decipher.final()]);
    const medium = MEDIA.find((one) => timingSafeEqual(mac, shortMac(key, store.pid, purpose, one, bytes)));
    if (medium === undefined) return null;
    const value = `+${numberIn(bytes.subarray(0, PHONE_BYTES))}`;
    return { contact: { medium, value }, rest: bytes.subarray(PHONE_BYTES) };
  });
}

/** The store number that a short token names, not verified; null for a malformed token. */
export function storeNoOf(token: string): number | null {
  const [, no] = /^[\w-]{20,60}\.([\da-z]{1,6})$/.exec(token) ?? [];
  const linkNo = no === undefined ? NaN : parseInt(no, 36);
  return linkNo <= 0x7fff_ffff ? linkNo : null;
}

function numberBytes(value: number, size: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes.subarray(8 - size);
}

const numberIn = (bytes: Uint8Array): number => Number(`0x${Buffer.from(bytes).toString('hex')}`);

export function readShortUnsubscribe(store: ShortLinkStore, token: string, now: Date) {
  const content = decryptShort(store, 'unsubscribe', SEQ_BYTES, token, now);
  return content && { contact: content.contact, seq: numberIn(content.rest) };
}

/** A hash of who asked; all zeros for the store. It uses the secret, which does not rotate. */
function requesterTag({ secret }: LinkStore, requester: string): Buffer {
  if (requester === '') return Buffer.alloc(REQUESTER_BYTES);
  const mac = createHmac('sha256', deriveKey(secret, 'short link requester')).update(requester);
  return mac.digest().subarray(0, REQUESTER_BYTES);
}

/** A short token by which a phone number confirms what `requester` requested; null for another contact. */
export function shortConfirm(
  store: ShortLinkStore,
  { contact, issuedAt, requester }: { contact: Contact; issuedAt: Date; requester: string },
): string | null {
  const issued = numberBytes(issuedAt.getTime(), TIME_BYTES);
  return encryptShort(store, 'confirm', contact, issued, requesterTag(store, requester));
}

export function readShortConfirm(store: ShortLinkStore, token: string, now: Date) {
  const content = decryptShort(store, 'confirm', TIME_BYTES + REQUESTER_BYTES, token, now);
  if (content === null) return null;
  const issuedAt = new Date(numberIn(content.rest.subarray(0, TIME_BYTES)));
  const tag = content.rest.subarray(TIME_BYTES);
  const isRequester = (requester: string) => tag.equals(requesterTag(store, requester));
  return { contact: content.contact, issuedAt, isRequester };
}

/** What a contact unsubscribes from: alerts for one variant, a topic, or everything the store sends. */
export type Scope = 'product' | 'topic' | 'all';

/** What an unsubscribe link stands for. `scope` is what one click does; its page offers all three. */
export type UnsubscribeClaim = ContactKey & {
  scope: Scope;
  topic: string;
  epi: string;
  /** The other topics of a message about several. */
  moreTopics?: readonly string[];
};

export function isScope(text: string): text is Scope {
  return ['product', 'topic', 'all'].includes(text);
}

/** The language of the page that a link opens, as a query; a page without it looks the reader's language up. */
export const langQuery = (lang: string | null): string => (lang ? `?lang=${encodeURIComponent(lang)}` : '');

/** The URL of a contact's unsubscribe page; it works without a login, as long as the store keeps the token key. */
export function unsubscribeUrl(
  publicUrl: string,
  store: LinkStore,
  claim: UnsubscribeClaim,
  lang: string | null = null,
): string {
  const { scope, medium, value, topic, epi, moreTopics = [] } = claim;
  const token = encryptLink(store, 'unsubscribe', [scope, medium, value, topic, epi, ...moreTopics]);
  return `${publicUrl}/unsubscribe/${token}${langQuery(lang)}`;
}

/** The same in a few characters, for what alert `seq` to a phone number was about; null where it cannot be short. */
export function shortUnsubscribeUrl(
  publicUrl: string,
  store: ShortLinkStore,
  medium: Medium,
  { recipient: value, seq }: { recipient: string; seq: number },
): string | null {
  if (seq >= 2 ** (8 * SEQ_BYTES)) return null;
  const token = encryptShort(store, 'unsubscribe', { medium, value }, numberBytes(seq, SEQ_BYTES));
  return token && `${publicUrl}/u/${token}`;
}

/** The claim of a confirmation link, also of an expired one. */
export function readConfirm(store: LinkStore, token: string, now: Date): string[] | null {
  return decryptLink(store, 'confirm', token, now);
}

export function readUnsubscribe(store: LinkStore, token: string, now: Date): UnsubscribeClaim | null {
  const claim = decryptLink(store, 'unsubscribe', token, now);
  if (claim === null) return null;
  const [scope = '', medium = '', value = '', topic = '', epi = '', ...moreTopics] = claim;
  return isScope(scope) ? { scope, medium, value, topic, epi, moreTopics } : null;
}

/** Only the page after an unsubscribe has it: an encrypted record of what was removed. */
export function undoToken(store: LinkStore, { medium, value }: ContactKey, undo: object, now: Date): string {
  return encryptLink(store, 'undo', [medium, value, String(now.getTime()), JSON.stringify(undo)]);
}

/** The record as JSON; null unless the store made the token for this contact within the last hour. */
export function readUndo(store: LinkStore, contact: ContactKey, token: string, now: Date): string | null {
  const [medium, value, madeAt, undo] = decryptLink(store, 'undo', token, now) ?? [];
  const isOurs = medium === contact.medium && value === contact.value;
  return isOurs && now.getTime() - Number(madeAt) <= HOUR_MS ? undo! : null;
}
