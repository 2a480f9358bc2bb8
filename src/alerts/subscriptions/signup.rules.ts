import { DAY_MS } from '../../platform/time.ts';
import type { Contact, Medium } from '../../shoppers/contacts/contact.rules.ts';

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
