import { createHmac } from 'node:crypto';
import type { FieldsWith } from '../platform/database/columns.ts';
import { failUntil } from '../platform/errors.ts';
import { DAY_MS, HOUR_MS } from '../platform/time.ts';

/**
 * Limits that all processes count together, because they protect other people: mailboxes, money spent on SMS, and figures. A guest costs a caller
 * nothing, so whatever guests do also counts by IP address, which a whole office may share, and by recipient.
 */
export const USAGE_LIMITS = {
  'signup contact': { points: 120, windowMs: HOUR_MS, what: 'subscriptions for this contact' },
  'signup address': { points: 120, windowMs: HOUR_MS, what: 'subscriptions from this IP address' },
  'signup confirm': { points: 3, windowMs: DAY_MS },
  // For one shopper who may be a stranger; lower, so that one guest cannot exhaust the messages that another needs.
  'signup confirmGuest': { points: 2, windowMs: DAY_MS },
  'signup textGuest': { points: 5, windowMs: HOUR_MS, what: 'SMS requested by this shopper' },
  'signup textAddress': { points: 20, windowMs: HOUR_MS, what: 'SMS requested from this IP address' },
  'signup textRange': { points: 10, windowMs: HOUR_MS, what: 'SMS to similar phone numbers' },
  'signup textStore': { points: 200, windowMs: HOUR_MS, what: 'SMS for this store' },
  'share shopper': { points: 20, windowMs: HOUR_MS, what: 'lists emailed by this shopper' },
  'share address': { points: 100, windowMs: HOUR_MS, what: 'lists emailed from this IP address' },
  'share recipient': { points: 5, windowMs: DAY_MS, what: 'lists emailed to this recipient' },
  'share report': { points: 300, windowMs: HOUR_MS, what: 'shares recorded from this IP address' },
  // Each can add one to the number of shoppers who want a product.
  'guest address': { points: 1_000, windowMs: DAY_MS, what: 'new guests from this IP address' },
} as const;

export type UsageKind = keyof typeof USAGE_LIMITS;

/** A keyed hash, so that the table of counts contains no contacts and no addresses. */
export function usageKey(secret: Uint8Array, kind: UsageKind, subject: string): Buffer {
  return createHmac('sha256', secret).update(`${kind} ${subject}`).digest();
}

export type RefusingKind = FieldsWith<typeof USAGE_LIMITS, { what: string }>;

export function failTooMany(kind: RefusingKind, until: Date, now: Date): never {
  const { points, windowMs, what } = USAGE_LIMITS[kind];
  const period = windowMs === HOUR_MS ? 'hour' : 'day';
  return failUntil(until, now, `Too many ${what}: the limit is ${points} per ${period}; retry later`, points);
}
