import { randomBytes } from 'node:crypto';

/** A URL-safe random id of 128 bits: nobody guesses a list or item by its id. */
export function newId(): string {
  return randomBytes(16).toString('base64url');
}

/** A store identifier: base64 text, so `+`, `/` and `=` occur and callers must encode it in a query. */
export function newPid(): string {
  return randomBytes(32).toString('base64');
}

/** An API key of 256 random bits, recognisable in a secret scanner by its prefix. */
export function newApiKey(): string {
  return `wg_${randomBytes(32).toString('base64url')}`;
}

/** A key of operators, as random and with a prefix of its own. */
export function newOperatorKey(): string {
  return `wgo_${randomBytes(32).toString('base64url')}`;
}

/** The secret part of a dashboard's cookie: 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}
