import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export const KEY_BYTES = 32;

/** Identifies a key without revealing anything about it. */
export function keyIdOf(key: Buffer): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

/** Encrypts a text; decryption needs the same key and the same `context`. */
export function encrypt(key: Buffer, text: string, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
  const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString('base64url');
}

/** Null if it is another key or context, or the text was changed. */
export function decrypt(key: Buffer, encrypted: string, context: string): string | null {
  const bytes = Buffer.from(encrypted, 'base64url');
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

/** The same with the id of the key, so that keys can be replaced. */
export function seal(key: Buffer, text: string, context: string): string {
  return `${keyIdOf(key)}.${encrypt(key, text, context)}`;
}

/** Decrypts with the first matching key; null if no key matches or the text was changed. */
export function unseal(keys: readonly Buffer[], sealed: string, context: string): string | null {
  const [keyId, body = ''] = sealed.split('.');
  const key = keys.find((one) => keyIdOf(one) === keyId);
  return key === undefined ? null : decrypt(key, body, context);
}
