import { createHmac } from 'node:crypto';
import { plainMail } from '../alerts/send/mail-page.ts';
import type { Branded } from '../alerts/send/mail-page.ts';
import { readEmail } from '../platform/email.ts';
import { fail } from '../platform/errors.ts';
import { codePoints, hasControlCharacters, isStorable, shorten } from '../platform/text.ts';
import { DAY_MS, HOUR_MS } from '../platform/time.ts';

const MAX_NAME = 100;
const MAX_NOTE = 1_000;
const MAX_MEDIUM = 50;

/** Limits for each sender and, across senders, for each recipient. */
export const SHARE_LIMITS = {
  shopper: { points: 20, windowMs: HOUR_MS },
  recipient: { points: 5, windowMs: DAY_MS },
} as const;

/** A keyed hash, so that the table of counters contains no addresses. */
export function shareKey(secret: Uint8Array, kind: keyof typeof SHARE_LIMITS, subject: string): Buffer {
  return createHmac('sha256', secret).update(`share ${kind} ${subject}`).digest();
}

export function failTooManyMails(kind: keyof typeof SHARE_LIMITS, until: Date, now: Date): never {
  const seconds = String(Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000)));
  return fail('too-many-requests', 'Too many lists were emailed; retry later', {
    'Retry-After': seconds,
    'RateLimit-Limit': String(SHARE_LIMITS[kind].points),
    'RateLimit-Remaining': '0',
    'RateLimit-Reset': seconds,
  });
}

export function checkRecipient(text: string | null | undefined): string {
  return readEmail(text ?? '') ?? fail('invalid-useremail', 'toemail must be one email address');
}

/** A line break could inject an email header. */
export function checkFromName(text: string | null | undefined): string {
  const name = (text ?? '').trim();
  const isFine = !hasControlCharacters(name) && isStorable(name) && codePoints(name) <= MAX_NAME;
  return isFine
    ? name
    : fail('invalid-request', `fromname must be one line of at most ${MAX_NAME} characters`);
}

export function checkShareNote(text: string | null | undefined): string {
  const note = (text ?? '').trim();
  const isFine = isStorable(note) && codePoints(note) <= MAX_NOTE;
  return isFine ? note : fail('invalid-request', `note must have at most ${MAX_NOTE} characters`);
}

export function checkShareMedium(text: string | null | undefined): string {
  const medium = (text ?? '').trim();
  const isFine =
    medium !== '' && !hasControlCharacters(medium) && isStorable(medium) && codePoints(medium) <= MAX_MEDIUM;
  return isFine ? medium : fail('invalid-medium', `medium must have 1 to ${MAX_MEDIUM} printable characters`);
}

/** Links to the store's own page, or else to the page of this service. */
export function shareLink(
  store: { pid: string; shareUrl: string | null; isDemo: boolean },
  publicUrl: string,
  lid: string,
): string {
  if (store.shareUrl === null && store.isDemo) return `${publicUrl}/demo#/shared/${lid}`;
  if (store.shareUrl === null) return `${publicUrl}/shared/${lid}?pid=${encodeURIComponent(store.pid)}`;
  if (store.shareUrl.includes('{lid}')) return store.shareUrl.replaceAll('{lid}', lid);
  const url = new URL(store.shareUrl);
  url.searchParams.set('lid', lid);
  return url.href;
}

export type SharedListMail = {
  store: Branded;
  fromname: string;
  lname: string;
  cnt: number;
  note: string;
  url: string;
};

/** `plainMail` escapes what people typed. */
export function shareMail({ store, fromname, lname, cnt, note, url }: SharedListMail): {
  subject: string;
  html: string;
  text: string;
} {
  const sender = fromname === '' ? 'Somebody' : fromname;
  const line = `${sender} shares the list “${lname}” (${cnt} ${cnt === 1 ? 'item' : 'items'}) from ${store.name} with you.`;
  const subject = `${sender} shares the list “${shorten(lname, 60)}” with you`;
  const words = 'Open the list';
  const html = plainMail(store, {
    title: subject,
    preview: note || line,
    texts: [line, ...(note === '' ? [] : [`“${note}”`])],
    button: { url, words },
  });
  const text = [line, ...(note === '' ? [] : [note]), `${words}: ${url}`].join('\n\n');
  return { subject, html, text: `${text}\n` };
}
