import { CALLING, LOGIN, SAVING } from './guides-start.ts';
import { ALERTS, HOOKS } from './guides-alerts.ts';
import { FAILING, LIMITS, RETRYING } from './guides-rules.ts';
import { quoted } from './literal.ts';
import type { Credentials } from './request.ts';

/**
 * A page that explains. Its text has paragraphs, lists and blocks of code; `bash` blocks run one after another in one shell, `js`
 * blocks in a browser, and tests do both. A block in another language is not run.
 */
export type Guide = { id: string; title: string; text: string };

/** In the order in which a storefront needs them. */
export const GUIDES: Guide[] = [CALLING, SAVING, LOGIN, ALERTS, HOOKS, FAILING, LIMITS, RETRYING];

/** A part of a guide. */
export type Block =
  | { kind: 'heading'; text: string }
  | { kind: 'text'; text: string }
  | { kind: 'code'; language: string; text: string };

/** The shell variables that `bash` blocks use. */
export const variables = (address: string, { pid, apiKey, regid, sessionid }: Credentials): string =>
  [
    `BASE=${quoted(address)}`,
    `PID=${quoted(pid || 'your pid')}`,
    `STORE=${quoted(encodeURIComponent(pid || 'your pid'))}`,
    `KEY=${quoted(apiKey || 'your API key')}`,
    `REGID=${quoted(regid || 'the regid of a shopper')}`,
    `SESSIONID=${quoted(sessionid || 'its sessionid')}`,
  ].join('\n');

/** The parts of a guide, with this service's address and the credentials of this page in its code. */
export function blocksOf({ text }: Guide, address: string, credentials: Credentials): Block[] {
  const { pid, regid, sessionid } = credentials;
  const known: Record<string, string> = {
    address,
    pid: pid || 'YOUR_PID',
    regid: regid || 'THE_REGID',
    sessionid: sessionid || 'ITS_SESSIONID',
  };
  const filled = text.trim().replace(/\{\{(\w+)\}\}/g, (whole, name: string) => known[name] ?? whole);
  return filled.split(/^(~~~\w+\n[\s\S]*?\n~~~$)/m).flatMap((part): Block[] => {
    const code = /^~~~(\w+)\n([\s\S]*?)\n~~~$/.exec(part);
    if (code) return [{ kind: 'code', language: code[1]!, text: code[2]! }];
    return part
      .split(/\n\n+/)
      .map((paragraph) => paragraph.trim())
      .filter(Boolean)
      .map((paragraph): Block =>
        paragraph.startsWith('## ')
          ? { kind: 'heading', text: paragraph.slice(3) }
          : { kind: 'text', text: paragraph },
      );
  });
}
