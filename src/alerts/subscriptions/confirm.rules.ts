import { DAY_MS } from '../../platform/time.ts';
import type { Contact, Medium } from '../../shoppers/contacts/contact.rules.ts';

export const LINK_LIFETIME_MS = 7 * DAY_MS;

/** What a confirmation link confirms. `asker` is empty for the store, and null in old links, which did not name the asker. */
export type ConfirmClaim = { contact: Contact; issuedAt: Date; asker: string | null };

export function toClaim({ medium, value }: Contact, issuedAt: Date, asker = ''): string[] {
  return [medium, value, String(issuedAt.getTime()), asker];
}

export function fromClaim(claim: readonly string[], now: Date): ConfirmClaim | null {
  const [medium = '', value = '', issued = '', asker = null] = claim;
  const issuedAt = new Date(Number(issued));
  const isAlive = now.getTime() - issuedAt.getTime() <= LINK_LIFETIME_MS;
  return isAlive ? { contact: { medium: medium as Medium, value }, issuedAt, asker } : null;
}
