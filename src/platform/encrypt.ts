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
export function seal(key: Buffer, text: string, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${keyIdOf(key)}.${sealed.toString('base64url')}`;
}

/** Decrypts with the first matching key; null if no key matches or the text was changed. */
export function unseal(keys: readonly Buffer[], sealed: string, context: string): string | null {
  const [keyId, body = ''] = sealed.split('.');
  const key = keys.find((one) => keyIdOf(one) === keyId);
  const bytes = Buffer.from(body, 'base64url');
  if (key === undefined || bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(end));
  try {
    return decipher.update(bytes.subarray(NONCE_BYTES, end), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
}
