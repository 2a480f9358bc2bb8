import { escapeHtml } from '../template/template.rules.ts';
import type { Contact, Medium } from '../contact/contact.rules.ts';

/** How long a confirmation link works. */
export const LINK_LIFETIME_MS = 7 * 24 * 3_600_000;

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

/** The mail that asks a contact to confirm. It names the store, never what a stranger typed. */
export function confirmMail(storeName: string, url: string): { subject: string; html: string; text: string } {
  const ask = `Somebody, hopefully you, asked ${storeName} to send alerts about products to this address.`;
  const otherwise = 'If it was not you, do nothing: no alerts are sent without your confirmation.';
  const html = `<!doctype html>
<html lang="en"><body style="font-family:sans-serif;line-height:1.5">
<p>${escapeHtml(ask)}</p>
<p><a href="${escapeHtml(url)}">Confirm the alerts</a></p>
<p>${escapeHtml(otherwise)}</p>
</body></html>`;
  return {
    subject: `Please confirm your alerts from ${storeName}`,
    html,
    text: `${ask}\n\nConfirm the alerts: ${url}\n\n${otherwise}\n`,
  };
}

/** The same as a text message. */
export function confirmSms(storeName: string, url: string): { text: string } {
  return { text: `${storeName}: confirm your product alerts at ${url} - not you? Do nothing.` };
}
