import { createHash, timingSafeEqual } from 'node:crypto';
import { fail } from '../platform/errors.ts';
import { codePoints, hasControlCharacters, isStorable } from '../platform/text.ts';

const MAX_KEY_NAME = 60;

/** The name of a key as it will be stored, or the error that names the field; an empty one is no name. */
export function checkKeyName(name: string, field: string): string {
  const trimmed = name.trim();
  const isFine = codePoints(trimmed) <= MAX_KEY_NAME && !hasControlCharacters(trimmed) && isStorable(trimmed);
  return isFine
    ? trimmed
    : fail('invalid-request', `${field} must have at most ${MAX_KEY_NAME} printable characters`);
}

export function hashKey(apiKey: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(apiKey).digest();
}

/** Compares without telling how far two texts agree; their lengths are no secret. */
export function isSameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
