import { randomBytes } from 'node:crypto';

/** A URL-safe random id of 128 bits, so that nobody can guess a list or item. */
export function newId(): string {
  return randomBytes(16).toString('base64url');
}

/** A store identifier in base64: it contains `+`, `/` and `=`, so callers must encode it in a query. */
export function newPid(): string {
  return randomBytes(32).toString('base64');
}

/** An API key of 256 random bits, recognizable for secret scanners by its prefix. */
export function newApiKey(): string {
  return `wg_${randomBytes(32).toString('base64url')}`;
}

export function newOperatorKey(): string {
  return `wgo_${randomBytes(32).toString('base64url')}`;
}

/** The secret part of the dashboard's cookie: 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}
