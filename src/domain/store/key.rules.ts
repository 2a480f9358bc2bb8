import { createHash, timingSafeEqual } from 'node:crypto';

/** The only form in which an API key is kept. */
export function hashKey(apiKey: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(apiKey).digest();
}

/** Compares without telling how far two texts agree; their lengths are no secret. */
export function isSameText(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
