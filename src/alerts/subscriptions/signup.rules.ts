import { createHmac } from 'node:crypto';
import { fail } from '../../platform/errors.ts';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';

/**
 * The limits that keep a stranger from filling somebody's mailbox, or from spending a store's money on text messages. Only
 * subscriptions that were not there yet are counted.
 */
export const SIGNUP_LIMITS = {
  contact: { points: 120, windowMs: HOUR_MS },
  address: { points: 120, windowMs: HOUR_MS },
  confirm: { points: 3, windowMs: DAY_MS },
  // Of one shopper who may be a stranger; below the limit of the contact, so that one guest cannot use up the messages that another one needs.
  confirmGuest: { points: 2, windowMs: DAY_MS },
  textGuest: { points: 5, windowMs: HOUR_MS },
  textAddress: { points: 20, windowMs: HOUR_MS },
  textRange: { points: 10, windowMs: HOUR_MS },
  textStore: { points: 200, windowMs: HOUR_MS },
} as const satisfies Record<string, { points: number; windowMs: number }>;

/** What is counted: subscriptions, messages that ask to confirm, and those among them that cost money. */
export type SignupKind = keyof typeof SIGNUP_LIMITS;

const WORDS = {
  contact: 'subscriptions for this contact',
  address: 'subscriptions from this address',
  textGuest: 'text messages asked for by this shopper',
  textAddress: 'text messages asked for from this address',
  textRange: 'text messages to numbers like this one',
  textStore: 'text messages for this store',
} as const;

/** Under which something is counted; the table of counts names nobody. */
export function signupKey(secret: Uint8Array, kind: SignupKind, subject: string): Buffer {
  return createHmac('sha256', secret).update(`signup ${kind} ${subject}`).digest();
}

/** Refuses a sign-up that would go beyond the limit, until the window is over. */
export function failTooMany(kind: keyof typeof WORDS, until: Date, now: Date): never {
  const seconds = String(Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)));
  const { points } = SIGNUP_LIMITS[kind];
  return fail('too-many-requests', `Too many ${WORDS[kind]}: ${points} an hour at most; retry later`, {
    'Retry-After': seconds,
    'RateLimit-Limit': String(points),
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': seconds,
  });
}
