import { NOT_PUBLIC } from '../../platform/public-address.ts';
import type { SmtpError } from './email.ts';

/** Problems of a store's own mail server, in our words: the server's own response is never shown. */
export const MAIL_PROBLEMS = {
  refused: 'the mail server rejected the email',
  unreachable: 'the mail server could not be reached',
  tls: 'no encrypted connection to the mail server could be established',
  login: 'the mail server rejected the user name or password',
  sender: 'the mail server rejected the sender address',
  address: 'the IP address of the mail server is not public',
  timeout: 'the mail server did not respond in time',
  locked: 'the key to decrypt the mail server password is missing',
} as const;

export type MailProblem = keyof typeof MAIL_PROBLEMS;

type Failure = SmtpError & { originalCode?: string };

const UNREACHABLE = new Set(['EDNS', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN']);
/** SMTP codes that require or reject a login (RFC 4954). */
const LOGIN_CODES = new Set([530, 534, 535, 538]);

/** TLS error codes contain underscores, such as CERT_HAS_EXPIRED or ERR_SSL_WRONG_VERSION_NUMBER; system error codes do not. */
const isTls = (code: string): boolean =>
  code === 'ETLS' || code === 'EPROTO' || (code.includes('_') && !code.startsWith('EAI_'));

export function problemOf(error: Failure): MailProblem {
  const { responseCode, command } = error;
  const codes = [error.code, error.originalCode].filter((code) => code !== undefined);
  const has = (test: (code: string) => boolean): boolean => codes.some(test);
  if (has((code) => code === NOT_PUBLIC)) return 'address';
  if (has((code) => code === 'ETIMEDOUT')) return 'timeout';
  if (has(isTls)) return 'tls';
  if (has((code) => UNREACHABLE.has(code) || code.startsWith('EAI_'))) return 'unreachable';
  if (has((code) => code === 'EAUTH' || code === 'ENOAUTH')) return 'login';
  if (responseCode !== undefined && LOGIN_CODES.has(responseCode)) return 'login';
  return command === 'MAIL FROM' ? 'sender' : 'refused';
}

/** Whether the error is about this email or its recipient, so that other emails can still be sent. */
export function isAboutMail({ code, command }: Failure): boolean {
  return code === 'EMESSAGE' || (code === 'EENVELOPE' && command !== 'MAIL FROM');
}

export function describeProblem(problem: MailProblem, { responseCode }: Failure): string {
  return `${MAIL_PROBLEMS[problem]}${responseCode === undefined ? '' : ` (response ${responseCode})`}`;
}
