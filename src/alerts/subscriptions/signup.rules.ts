import { createHmac } from 'node:crypto';
import type { FieldsWith } from '../../platform/database/columns.ts';
import { failUntil } from '../../platform/errors.ts';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import type { Contact, Medium } from '../../shoppers/contacts/contact.rules.ts';

/** These limits prevent a stranger from flooding a mailbox or spending a store's money on SMS. Only new subscriptions count. */
export const SIGNUP_LIMITS = {
  contact: { points: 120, windowMs: HOUR_MS, what: 'subscriptions for this contact' },
  address: { points: 120, windowMs: HOUR_MS, what: 'subscriptions from this IP address' },
  confirm: { points: 3, windowMs: DAY_MS },
  // For one shopper who may be a stranger; lower, so that one guest cannot exhaust the messages that another needs.
  confirmGuest: { points: 2, windowMs: DAY_MS },
  textGuest: { points: 5, windowMs: HOUR_MS, what: 'SMS requested by this shopper' },
  textAddress: { points: 20, windowMs: HOUR_MS, what: 'SMS requested from this IP address' },
  textRange: { points: 10, windowMs: HOUR_MS, what: 'SMS to similar phone numbers' },
  textStore: { points: 200, windowMs: HOUR_MS, what: 'SMS for this store' },
} as const;

/** Counts subscriptions, confirmation messages, and those confirmation messages that cost money. */
export type SignupKind = keyof typeof SIGNUP_LIMITS;

/** A keyed hash, so that the table of counts contains no contacts. */
export function signupKey(secret: Uint8Array, kind: SignupKind, subject: string): Buffer {
  return createHmac('sha256', secret).update(`signup ${kind} ${subject}`).digest();
}

type RefusingKind = FieldsWith<typeof SIGNUP_LIMITS, { what: string }>;

export function failTooMany(kind: RefusingKind, until: Date, now: Date): never {
  const { points, what } = SIGNUP_LIMITS[kind];
  return failUntil(until, now, `Too many ${what}: the limit is ${points} per hour; retry later`, points);
}

export const LINK_LIFETIME_MS = 7 * DAY_MS;

/** What a confirmation link confirms. `requester` is empty for the store, and null in old links, which did not name the requester. */
export type ConfirmClaim = { contact: Contact; issuedAt: Date; requester: string | null };

export function toClaim({ medium, value }: Contact, issuedAt: Date, requester = ''): string[] {
  return [medium, value, String(issuedAt.getTime()), requester];
}

export function fromClaim(claim: readonly string[], now: Date): ConfirmClaim | null {
  const [medium = '', value = '', issued = '', requester = null] = claim;
  const issuedAt = new Date(Number(issued));
  const isAlive = now.getTime() - issuedAt.getTime() <= LINK_LIFETIME_MS;
  return isAlive ? { contact: { medium: medium as Medium, value }, issuedAt, requester } : null;
}
