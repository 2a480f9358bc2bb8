import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export const KEY_BYTES = 32;

/** Identifies a key without revealing anything about it. */
export function keyIdOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

/** Decryption needs the same key and the same `context`. */
export function encrypt(key: Buffer, text: string, context = ''): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** Null if the key or the context is another one, or the bytes were changed. */
export function decrypt(key: Buffer, bytes: Buffer, context = ''): string | null {
  const end = bytes.length - TAG_BYTES;
  if (end < NONCE_BYTES) return null;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(end));
  try {
    return decipher.update(bytes.subarray(NONCE_BYTES, end), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
}

/** Encrypts a text for storage, with the id of its key. */
export function seal(key: Buffer, text: string, context: string): string {
  return `${keyIdOf(key)}.${encrypt(key, text, context).toString('base64url')}`;
}

/** Decrypts with the first matching key; null if no key matches or the text was changed. */
export function unseal(keys: readonly Buffer[], sealed: string, context: string): string | null {
  const [keyId, body = ''] = sealed.split('.');
  const key = keys.find((one) => keyIdOf(one) === keyId);
  return key ? decrypt(key, Buffer.from(body, 'base64url'), context) : null;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares in constant time, without revealing the lengths. */
export const isSameSecret = (left: string, right: string): boolean =>
  timingSafeEqual(digest(left), digest(right));
