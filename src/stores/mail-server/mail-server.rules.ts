import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import type { MailServerInput } from '../../generated/resolvers.ts';
import { fail } from '../../platform/errors.ts';
import { escapeHtml, hasControlCharacters, isStorable } from '../../platform/text.ts';
import { MINUTE_MS } from '../../platform/time.ts';

const PORTS = [25, 465, 587, 2525];
const MAX_HOST = 253;
const MAX_USER = 320;
const MAX_PASSWORD = 1_000;
const HOST_NAME = /^[a-z0-9]([a-z0-9-]{0,62})?(\.[a-z0-9]([a-z0-9-]{0,62})?)*\.?$/;

const isText = (text: string, most: number): boolean =>
  text.length >= 1 && text.length <= most && !hasControlCharacters(text) && isStorable(text);

/** `anyPort` is for operators who let stores connect to their private network: only they know which ports are in use there. */
export function checkServer(input: MailServerInput, anyPort: boolean) {
  const host = input.host.trim().toLowerCase();
  const { port, security, password } = input;
  const login = input.user.trim();
  if (host.length > MAX_HOST || (isIP(host) === 0 && !HOST_NAME.test(host)))
    fail('invalid-request', 'host must be the host name of a server, such as smtp.shop.example');
  if (!PORTS.includes(port) && !(anyPort && Number.isInteger(port) && port > 0 && port < 65_536))
    fail('invalid-request', `port must be one of ${PORTS.join(', ')}`);
  if (!isText(login, MAX_USER))
    fail('invalid-request', `user must have 1 to ${MAX_USER} characters, on one line`);
  if (password !== undefined && !isText(password ?? '', MAX_PASSWORD))
    fail('invalid-request', `password must have 1 to ${MAX_PASSWORD} characters, on one line`);
  return { host, port, security, login, password: password ?? null };
}

/**
 * The additional authenticated data of an encrypted password: an attacker who can write to the table, or change the host without
 * knowing the password, cannot have the password sent elsewhere.
 */
export function contextOf({ pid, host, port, login }: Login): string {
  return JSON.stringify(['mail-server', pid, host, port, login]);
}

type Login = { pid: string; host: string; port: number; login: string };

/** Limited, because each test connects to a host that the store chooses. */
export const TEST_LIMIT = { points: 10, windowMs: 10 * MINUTE_MS };

export const TEST_KEY = createHash('sha256').update('mail-server test').digest();

export function testMail(storeName: string) {
  const text = `This is a test email from the mail server of ${storeName}. It works: alerts will be sent the same way.`;
  const page = `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Mail server test</title></head><body><p>${escapeHtml(text)}</p></body></html>`;
  return { subject: `Test of the mail server of ${storeName}`, html: page, text: `${text}\n`, headers: {} };
}
