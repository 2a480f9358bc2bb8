import { randomBytes } from 'node:crypto';

/** A URL-safe random id of 128 bits, so that nobody can guess a list or item. */
export function newId(): string {
  return randomBytes(16).toString('base64url');
}

/**
 * A store identifier in base64: it contains `+`, `/` and `=`, so callers must encode it in a query. None begins with `+`: sent as a space, it would be
 * lost at the start of a header.
 */
export function newPid(): string {
  const pid = randomBytes(32).toString('base64');
  return pid.startsWith('+') ? newPid() : pid;
}

/** A secret of 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}
