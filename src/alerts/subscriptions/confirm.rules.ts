import type { Contact, Medium } from '../../shoppers/contacts/contact.rules.ts';
import { DAY_MS } from '../../platform/time.ts';

export const LINK_LIFETIME_MS = 7 * DAY_MS;

/**
 * What a confirmation link stands for: what somebody asked for on behalf of a contact. `asker` is empty for the store, and null in
 * a link from the time when links named nobody.
 */
export type ConfirmClaim = { contact: Contact; issuedAt: Date; asker: string | null };

/** The claim as it is sealed into a link. */
export function toClaim({ medium, value }: Contact, issuedAt: Date, asker = ''): string[] {
  return [medium, value, String(issuedAt.getTime()), asker];
}

/** The claim of an opened link; null when the link is too old. */
export function fromClaim(claim: readonly string[], now: Date): ConfirmClaim | null {
  const [medium = '', value = '', issued = '', asker = null] = claim;
  const issuedAt = new Date(Number(issued));
  const isAlive = now.getTime() - issuedAt.getTime() <= LINK_LIFETIME_MS;
  return isAlive ? { contact: { medium: medium as Medium, value }, issuedAt, asker } : null;
}
