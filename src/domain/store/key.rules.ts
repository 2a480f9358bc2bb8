import { createHash, timingSafeEqual } from 'node:crypto';

/** The only form in which an API key is kept. */
export function hashKey(apiKey: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(apiKey).digest();
}

/** Compares in constant time, whatever the lengths. */
export function isSameText(left: string, right: string): boolean {
  return timingSafeEqual(hashKey(left), hashKey(right));
}
