import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Viewer } from '../context.ts';
import type { StoreRow } from '../domain/store/store.repo.ts';
import { fail } from '../shared/errors.ts';

/** How long an answer is kept. */
export const KEPT_MS = 24 * 60 * 60 * 1000;

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** An Idempotency-Key, or the failure `invalid-request`. */
export function checkIdempotencyKey(key: string): string {
  return PRINTABLE.test(key)
    ? key
    : fail('invalid-request', 'Idempotency-Key must have at most 255 printable ASCII characters');
}

/** The store for which a viewer may write at all; null means that the call will be refused anyway. */
export function writerOf({ store, keyId, shopper }: Viewer): StoreRow | null {
  return keyId !== null || shopper !== null ? store : null;
}

/**
 * Where an answer is kept. A call with a store key has a place of its own, because it may do more than the shopper it acts for;
 * which of the store's keys it was makes no difference.
 */
export function placeOf(store: StoreRow, { keyId, shopper }: Viewer, operation: string, key: string): Buffer {
  const viewer = [keyId === null ? 'shopper' : 'store', shopper?.regid ?? ''];
  return createHmac('sha256', store.secret)
    .update(JSON.stringify(['idempotency', ...viewer, operation, key]))
    .digest();
}

/** What tells one request body from another. */
export function fingerprintOf(body: readonly unknown[]): Buffer {
  try {
    return createHash('sha256').update(JSON.stringify(body)).digest();
  } catch (error) {
    if (error instanceof RangeError) fail('invalid-request', 'The input is nested too deeply');
    throw error;
  }
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

function cipherKey(store: StoreRow, place: Buffer, key: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, store.secret, place, 32));
}

/** Encrypts an answer so that only a caller who shows the same key again can have it read. */
export function sealAnswer(store: StoreRow, place: Buffer, key: string, answer: unknown): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', cipherKey(store, place, key), iv);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(answer), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Undoes `sealAnswer`. */
export function openAnswer(store: StoreRow, place: Buffer, key: string, sealed: Buffer): unknown {
  const decipher = createDecipheriv(
    'aes-256-gcm',
    cipherKey(store, place, key),
    sealed.subarray(0, IV_BYTES),
  );
  decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(text.toString('utf8')) as unknown;
}
