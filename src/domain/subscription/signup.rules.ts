import { createHmac } from 'node:crypto';
import { fail } from '../../shared/errors.ts';

/** What is counted: subscriptions of a contact, subscriptions made from an address, confirmation messages to a contact. */
export type SignupKind = 'contact' | 'address' | 'confirm';

const HOUR_MS = 3_600_000;

/** The limits that keep a stranger from filling somebody's mailbox. Only subscriptions that were not there yet are counted. */
export const SIGNUP_LIMITS = {
  contact: { points: 120, windowMs: HOUR_MS },
  address: { points: 120, windowMs: HOUR_MS },
  confirm: { points: 3, windowMs: 24 * HOUR_MS },
} as const satisfies Record<SignupKind, { points: number; windowMs: number }>;

/** The longest window; older counts mean nothing. */
export const LONGEST_WINDOW_MS = 24 * HOUR_MS;

/** Under which a contact or an address is counted; the table of counts names nobody. */
export function signupKey(secret: Buffer, kind: SignupKind, subject: string): Buffer {
  return createHmac('sha256', secret).update(`signup ${kind} ${subject}`).digest();
}

/** Refuses a sign-up that would go beyond the limit, until the window is over. */
export function failTooMany(kind: 'contact' | 'address', until: Date, now: Date): never {
  const seconds = String(Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)));
  const { points } = SIGNUP_LIMITS[kind];
  return fail(
    'too-many-requests',
    `Too many subscriptions ${kind === 'contact' ? 'for this contact' : 'from this address'}: ${points} an hour at most; retry later`,
    {
      'Retry-After': seconds,
      'RateLimit-Limit': String(points),
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': seconds,
    },
  );
}
