import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Viewer } from '../context.ts';
import type { StoreRow } from '../stores/store.repo.ts';
import { fail } from '../platform/errors.ts';

/** How long an answer is kept. */
export const KEPT_MS = 24 * 60 * 60 * 1000;

const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** An Idempotency-Key, or the failure `invalid-request`. */
export function checkIdempotencyKey(key: string): string {
  return PRINTABLE.test(key)
    ? key
    : fail('invalid-request', 'Idempotency-Key must have at most 255 printable ASCII characters');
}

const MB = 1_000_000;

/** Counts that many calls add to are split into as many rows, so that calls do not wait for each other. */
const SHARES = 16;

/**
 * What may be kept in a day: for one shopper, for a share of the calls with a key, and for a share of all calls of a store. Beyond
 * `answers` only the fact that a write was done is kept, beyond `keys` no new key is taken.
 */
export const KEPT_BYTES = {
  shopper: { answers: 4 * MB, keys: 8 * MB },
  key: { answers: 16 * MB, keys: 32 * MB },
  storeShare: 32 * MB,
};

/** Largest answer that is kept, and the largest that is worth packing for it. */
const MAX_KEPT_ANSWER = 256_000;
const MAX_PACKED = 2_000_000;
/** What the keys of a caller belong to. */
export type Tenant = Pick<StoreRow, 'pid' | 'secret'>;

/** The store for which a viewer may write, or the operator itself, which no pid names; null means that the call will be refused anyway. */
export function writerOf({ store, keyId, operatorId, shopper }: Viewer): Tenant | null {
  if (store === null && operatorId !== null) return { pid: '', secret: Buffer.from(operatorId) };
  return keyId !== null || shopper !== null ? store : null;
}

/**
 * Who calls, as far as keys are concerned. All keys of a store may do the same, so it makes no difference which of them it was; an operator or
 * a store key may do more than the shopper it acts for.
 */
function kindOf({ keyId, operatorId }: Viewer): string {
  if (operatorId !== null) return `operator ${operatorId}`;
  return keyId === null ? 'shopper' : 'store';
}

/** Where an answer is kept: each kind of caller has places of its own. */
export function placeOf(tenant: Tenant, viewer: Viewer, operation: string, key: string): Buffer<ArrayBuffer> {
  const { shopper } = viewer;
  // With the sessions of a shopper, what was answered in them is over, too.
  const caller = [kindOf(viewer), shopper?.regid ?? '', shopper?.epoch ?? 0];
  return hashOf(tenant, 'idempotency', ...caller, operation, key);
}

/** What a viewer's calls may keep in a day. */
export function limitsOf(viewer: Viewer): { answers: number; keys: number } {
  return KEPT_BYTES[kindOf(viewer) === 'shopper' ? 'shopper' : 'key'];
}

/** Who pays for what is kept at a place: the shopper who calls, or a share of the calls with a key. */
export function callerOf(tenant: Tenant, viewer: Viewer, place: Buffer): Buffer<ArrayBuffer> {
  return kindOf(viewer) === 'shopper'
    ? hashOf(tenant, 'usage', 'shopper', viewer.shopper?.regid ?? '')
    : hashOf(tenant, 'usage', 'key', place[0]! % SHARES);
}

/** The share of the whole store that pays, too. */
export function storeShareOf(tenant: Tenant, place: Buffer): Buffer<ArrayBuffer> {
  return hashOf(tenant, 'usage', 'store', place[0]! % SHARES);
}

function hashOf(tenant: Tenant, ...parts: (string | number)[]): Buffer<ArrayBuffer> {
  return createHmac('sha256', tenant.secret).update(JSON.stringify(parts)).digest();
}

/** What tells one request body from another. */
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

/** Stands in front of a packed answer; others begin with a brace. */
const PACKED = Buffer.from([0]);

/** The text of an answer as it is kept; null when it is too large for that. */
export function packAnswer(text: string): Buffer | null {
  if (text.length > MAX_PACKED) return null;
  const packed =
    text.length > 1_000 ? Buffer.concat([PACKED, deflateRawSync(text, { level: 1 })]) : Buffer.from(text);
  return packed.length > MAX_KEPT_ANSWER ? null : packed;
}

function unpackAnswer(packed: Buffer): unknown {
  const text = packed[0] === PACKED[0] ? inflateRawSync(packed.subarray(1)) : packed;
  return JSON.parse(text.toString('utf8')) as unknown;
}

/** Encrypts a packed answer so that only a caller who shows the same key again can have it read. */
export function sealAnswer(tenant: Tenant, place: Buffer, key: string, packed: Buffer): Buffer {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', cipherKey(tenant, place, key), iv);
  const sealed = Buffer.concat([cipher.update(packed), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Undoes `sealAnswer` and `packAnswer`. */
export function openAnswer(tenant: Tenant, place: Buffer, key: string, sealed: Buffer): unknown {
  const decipher = createDecipheriv(
    'aes-256-gcm',
    cipherKey(tenant, place, key),
    sealed.subarray(0, IV_BYTES),
  );
  decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return unpackAnswer(
    Buffer.concat([decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]),
  );
}
