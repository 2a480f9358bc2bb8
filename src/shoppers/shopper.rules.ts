import { readEmail } from '../platform/email.ts';
import { fail, failField } from '../platform/errors.ts';
import { isLine } from '../platform/text.ts';

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const MAX_EXTERNAL_ID = 255;

/** Clients send the whole User-Agent of a browser. */
const MAX_USER_AGENT = 2_048;

/** A version 4 UUID in lower case. */
export function checkUuid(text: string): string {
  const uuid = text.trim().toLowerCase();
  return UUID_V4.test(uuid) ? uuid : fail('invalid-uuid', 'uuid must be a version 4 UUID (RFC 4122)');
}

/** An email address, trimmed and in lower case. */
export function checkEmail(text: string | null | undefined, field = 'useremail'): string {
  return readEmail(text ?? '') ?? failField('invalid-useremail', field, 'must be an email address', text);
}

/** The store's own id of a customer, trimmed. */
export function checkExternalId(text: string | null, field = 'externalid'): string {
  const id = (text ?? '').trim();
  return id !== '' && isLine(id, MAX_EXTERNAL_ID)
    ? id
    : failField('invalid-externalid', field, 'must have 1 to 255 printable characters', text);
}

export function checkUserAgentType(text: string | null | undefined): string {
  const name = (text ?? '').trim();
  return name !== '' && isLine(name, MAX_USER_AGENT)
    ? name
    : failField('invalid-useragenttype', 'useragenttype', 'must have 1 to 2,048 printable characters', text);
}

/** The name of a client for its sessionid, where only the header `User-Agent` says it. */
export function clientNameOf(userAgent: string): string {
  const name = userAgent.slice(0, MAX_USER_AGENT).trim();
  return name !== '' && isLine(name, MAX_USER_AGENT) ? name : 'browser';
}

export function checkLine(field: string, text: string, max: number): string {
  return isLine(text, max)
    ? text.trim()
    : fail('invalid-request', `${field} must be one line of at most ${max} characters`);
}
