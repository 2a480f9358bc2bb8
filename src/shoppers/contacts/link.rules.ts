import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { signingKey, tryKeys } from '../../stores/token-key.rules.ts';
import type { TokenStore } from '../../stores/token-key.rules.ts';

// Links in messages work without a login, so their token is the proof. It is sealed, not only signed: addresses end up in
// histories and logs, and the contact must not.

/** What a link is for; a token made for one purpose opens nothing else. */
export type LinkPurpose = 'unsubscribe' | 'confirm';

/** The store whose token keys seal a link. */
export type LinkStore = TokenStore & { pid: string };

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

function keyOf(tokenKey: Uint8Array): Buffer {
  return createHmac('sha256', tokenKey).update('link').digest();
}

/** A URL-safe token that carries `claim` unreadably and cannot be made without the store's token key. */
export function sealLink(store: LinkStore, purpose: LinkPurpose, claim: readonly string[]): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(signingKey(store)), iv);
  cipher.setAAD(Buffer.from(`${purpose} ${store.pid}`));
  const sealed = Buffer.concat([
    iv,
    cipher.update(JSON.stringify(claim), 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
  return `${Buffer.from(store.pid).toString('base64url')}.${sealed.toString('base64url')}`;
}

/** The store that a token names, before anything is proven; null for what cannot be a token. */
export function pidOfLink(token: string): string | null {
  const [, name] = /^([\w-]{1,300})\.[\w-]{40,4000}$/.exec(token) ?? [];
  const pid = name === undefined ? '' : Buffer.from(name, 'base64url').toString('utf8');
  return pid === '' || pid.includes('\u0000') ? null : pid;
}

/** The claim in a token, or null when it was not made by this store for this purpose. */
export function openLink(store: LinkStore, purpose: LinkPurpose, token: string, now: Date): string[] | null {
  const sealed = Buffer.from(token.slice(token.indexOf('.') + 1), 'base64url');
  if (sealed.length < IV_BYTES + TAG_BYTES) return null;
  const context = Buffer.from(`${purpose} ${store.pid}`);
  return tryKeys(store, now, (key) => unseal(keyOf(key), context, sealed));
}

function unseal(key: Buffer, context: Buffer, sealed: Buffer): string[] | null {
  try {
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES));
    decipher.setAAD(context);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const text = Buffer.concat([
      decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]).toString('utf8');
    return JSON.parse(text) as string[];
  } catch {
    return null;
  }
}
