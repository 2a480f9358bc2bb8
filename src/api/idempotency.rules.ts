import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Viewer } from '../context.ts';
import { fail } from '../platform/errors.ts';
import type { StoreRow } from '../stores/store.repo.ts';

export const KEPT_MS = 24 * 60 * 60 * 1000;

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** Throws `invalid-request` unless the key is valid. */
export function checkIdempotencyKey(key: string): string {
  return PRINTABLE.test(key)
    ? key
    : fail('invalid-request', 'Idempotency-Key must have at most 255 printable ASCII characters');
}

const MB = 1_000_000;

/** Counters that many calls increment are split into this many rows, so that calls do not wait for each other's row locks. */
const SHARES = 16;

/**
 * Bytes stored a day: for a shopper, for a share of the calls with a key, and for a share of all calls of a store. Beyond
 * `results` only the fact that a write was done is stored; beyond `keys` no new key is accepted.
 */
export const KEPT_BYTES = {
  shopper: { results: 4 * MB, keys: 8 * MB },
  key: { results: 16 * MB, keys: 32 * MB },
  storeShare: 32 * MB,
};

/** Of a larger response, only the fact that the write was done is stored. */
export const MAX_KEPT_RESPONSE = 64_000;

export type Tenant = Pick<StoreRow, 'pid' | 'secret'>;

/** The store for which a viewer may write, or the operator, which has no pid; null where the call will be rejected anyway. */
export function writerOf({ store, keyId, operatorId, shopper }: Viewer): Tenant | null {
  if (store === null && operatorId !== null) return { pid: '', secret: Buffer.from(operatorId) };
  return keyId !== null || shopper !== null ? store : null;
}

/** All keys of a store have the same rights; an operator or a store key may do more than the shopper it acts for. */
function kindOf({ keyId, operatorId }: Viewer): string {
  if (operatorId !== null) return `operator ${operatorId}`;
  return keyId === null ? 'shopper' : 'store';
}

/** Each kind of caller has its own row. */
export function placeOf(tenant: Tenant, viewer: Viewer, operation: string, key: string): Buffer<ArrayBuffer> {
  const { shopper } = viewer;
  // The epoch changes when a shopper's sessions end, so that earlier results are no longer returned.
  const caller = [kindOf(viewer), shopper?.regid ?? '', shopper?.epoch ?? 0];
  return hashOf(tenant, 'idempotency', ...caller, operation, key);
}

export function limitsOf(viewer: Viewer): { results: number; keys: number } {
  return KEPT_BYTES[kindOf(viewer) === 'shopper' ? 'shopper' : 'key'];
}

/** Whose quota a result counts against: that of the calling shopper, or of a share of the calls with a key. */
export function callerOf(tenant: Tenant, viewer: Viewer, place: Buffer): Buffer<ArrayBuffer> {
  return kindOf(viewer) === 'shopper'
    ? hashOf(tenant, 'usage', 'shopper', viewer.shopper?.regid ?? '')
    : hashOf(tenant, 'usage', 'key', place[0]! % SHARES);
}

export function storeShareOf(tenant: Tenant, place: Buffer): Buffer<ArrayBuffer> {
  return hashOf(tenant, 'usage', 'store', place[0]! % SHARES);
}

function hashOf(tenant: Tenant, ...parts: (string | number)[]): Buffer<ArrayBuffer> {
  return createHmac('sha256', tenant.secret).update(JSON.stringify(parts)).digest();
}

export function fingerprintOf(body: readonly unknown[]): Buffer<ArrayBuffer> {
  try {
    return createHash('sha256').update(JSON.stringify(body)).digest();
  } catch (error) {
    if (error instanceof RangeError) fail('invalid-request', 'The input is nested too deeply');
    throw error;
  }
}

const IV_BYTES = 12;
const TAG_BYTES = 16;

function cipherKey(tenant: Tenant, place: Buffer, key: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, tenant.secret, place, 32));
}

/** The Idempotency-Key is part of the cipher key, so only a caller who sends it again can read the response. */
export function encryptResult(tenant: Tenant, place: Buffer, key: string, text: string): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', cipherKey(tenant, place, key), iv);
  const encrypted = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
}

export function decryptResult(tenant: Tenant, place: Buffer, key: string, encrypted: Buffer): unknown {
  const iv = encrypted.subarray(0, IV_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', cipherKey(tenant, place, key), iv);
  decipher.setAuthTag(encrypted.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = Buffer.concat([decipher.update(encrypted.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]);
  return JSON.parse(text.toString('utf8')) as unknown;
}
