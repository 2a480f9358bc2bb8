import { readEmail } from '../platform/email.ts';
import { fail } from '../platform/errors.ts';
import { codePoints, hasControlCharacters, isStorable } from '../platform/text.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Clients send the whole User-Agent of a browser. */
const MAX_USER_AGENT = 2_048;

/** A version 4 UUID in lower case, or the failure `invalid-uuid`. */
export function checkUuid(text: string): string {
  const uuid = text.trim().toLowerCase();
  return UUID_V4.test(uuid) ? uuid : fail('invalid-uuid', 'uuid must be a version 4 UUID (RFC 4122)');
}

/** An e-mail address, trimmed and in lower case, or the failure `invalid-useremail`, which names the field. */
export function checkEmail(text: string | null | undefined, field = 'useremail'): string {
  return readEmail(text ?? '') ?? fail('invalid-useremail', `${field} must be an e-mail address`);
}

/** The name of a kind of client, or the failure `invalid-useragenttype`. */
export function checkUserAgentType(text: string | null | undefined): string {
  const name = (text ?? '').trim();
  const isShort = name !== '' && codePoints(name) <= MAX_USER_AGENT;
  return isShort && !hasControlCharacters(name) && isStorable(name)
    ? name
    : fail('invalid-useragenttype', 'useragenttype must have 1 to 2,048 printable characters');
}

/** A single line of at most `max` characters, or the failure `invalid-request` that names the field. */
export function checkLine(field: string, text: string, max: number): string {
  const isFine = codePoints(text) <= max && !hasControlCharacters(text) && isStorable(text);
  return isFine
    ? text.trim()
    : fail('invalid-request', `${field} must be one line of at most ${max} characters`);
}
