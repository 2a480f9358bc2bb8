import { createHash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { SendMailOptions } from 'nodemailer';
import { z } from 'zod';
import { readEmail } from '../../platform/email.ts';
import { maskEmail } from '../../platform/mask.ts';
import { toLine } from '../../platform/text.ts';
import type { Channel, Outgoing } from './channel.ts';
import type { FileOutbox } from './file.ts';
import { htmlWithFooter, textWithFooter } from './footer.ts';
import { SENT, outcomeOfError } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { together } from './settings.ts';
import { STANDARD_MAIL, confirmMail } from './standard-mail.ts';
import { SMTP_LIMITS, openSmtp } from './smtp.ts';
import type { MailSettings, SmtpLimits } from './smtp.ts';

/** A mail as it waits to be sent; without `headers` it has no way out yet. */
export type MailPayload = { subject: string; html: string; text: string; headers?: Record<string, string> };

/** Sender of mails that only become files. */
const FILE_FROM = 'no-reply@wishgate.invalid';
/** Files that are written at a time. */
const FILE_CONCURRENCY = 32;
/** Errors that speak of this message, not of the connection or of our login. */
const MESSAGE_ERRORS = new Set(['EENVELOPE', 'EMESSAGE']);

/** Composes mails without sending them. */
const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });

/** Names a store's messages among those of one sender (RFC 2919), so that a mail program can sort them. */
function listIdOf(pid: string, domain: string): string {
  return `<alerts.${createHash('sha256').update(pid).digest('hex').slice(0, 16)}.${domain}>`;
}

/** The message for the mail library; its id is the Message-ID and X-Alert-Id, so that a repeat can be recognised. */
export function toMail(message: Outgoing, from: string): SendMailOptions {
  const { id, pid, storeName, senderName, senderAddress, to } = message;
  const { subject, html, text, headers } = message.payload as MailPayload;
  const domain = from.slice(from.indexOf('@') + 1);
  return {
    from: { name: toLine(senderName ?? storeName), address: from },
    replyTo: { name: '', address: senderAddress ?? from },
    to: { name: '', address: to },
    disableFileAccess: true,
    disableUrlAccess: true,
    subject: toLine(subject),
    html,
    text,
    messageId: `<${id}@${domain}>`,
    headers: {
      ...headers,
      'List-Id': listIdOf(pid, domain),
      // No machine that is out of office answers.
      'Auto-Submitted': 'auto-generated',
      'X-Alert-Id': id,
    },
  };
}

/** What the mail library fails with. */
export type SmtpError = Error & { code?: string; command?: string; response?: string; responseCode?: number };

/** Enhanced codes (RFC 3463) that say: there is no such mailbox or domain. Others of 5.1 speak of the sender. */
const NO_MAILBOX = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10']);
/** What servers without enhanced codes say in a refusal that is about us or about this moment, not about the mailbox. */
const ABOUT_US =
  /relay|sender|auth|spam|block|black|listed|rbl|polic|denied|reputation|spf|dkim|dmarc|banned|quota|full|size|rate|limit|try|later/i;

/**
 * Whether the server refused the recipient because there is no such mailbox. A login that fails, a relay that is not ours or a list that we
 * are on must not end anybody's subscription, so that everything in doubt is not it.
 */
function isMailboxGone({ command, response = '', responseCode }: SmtpError): boolean {
  if (command !== 'RCPT TO' || responseCode === undefined || responseCode < 500) return false;
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  return enhanced === undefined ? responseCode === 550 && !ABOUT_US.test(response) : NO_MAILBOX.has(enhanced);
}

/** What becomes of a mail after a failure: later where it may pass, never where the server said so of this mail. */
export function outcomeOfSmtpError(error: SmtpError): Outcome {
  const status = error.responseCode;
  const isFinal = MESSAGE_ERRORS.has(error.code ?? '') && (status === undefined || status >= 500);
  if (!isFinal) return outcomeOfError(error);
  return { kind: 'failed', reason: error.message, isContactGone: isMailboxGone(error) };
}

/** Headers that let a mail program unsubscribe with one click (RFC 8058). */
function oneClickHeaders(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

function readSettings(env: Record<string, unknown>): MailSettings | null {
  const smtp = together(env, 'SMTP_URL', 'MAIL_FROM');
  const dkim = together(env, 'DKIM_DOMAIN', 'DKIM_SELECTOR', 'DKIM_PRIVATE_KEY');
  if (smtp === null && dkim !== null)
    throw new Error(
      'SMTP_URL is missing: DKIM_DOMAIN and the like sign the mails it sends (see .env.example)',
    );
  if (smtp === null) return null;
  return {
    smtpUrl: smtp.SMTP_URL,
    from: smtp.MAIL_FROM,
    connections: env['MAIL_CONNECTIONS'] as number,
    dkim: dkim && {
      domainName: dkim.DKIM_DOMAIN,
      keySelector: dkim.DKIM_SELECTOR,
      privateKey: dkim.DKIM_PRIVATE_KEY.replaceAll('\\n', '\n'),
    },
  };
}

/** Mails leave by SMTP where it is configured; else, and for the demo store, they become `.eml` files. */
export const email = {
  label: 'E-mail',
  messages: 'e-mails',
  contact: {
    label: 'E-mail address',
    sample: 'you@shop.example',
    rule: () => 'an e-mail address',
    read: readEmail,
    mask: maskEmail,
    of: ({ em }) => em,
    isAccount: true,
  },
  parts: {
    subject: { label: 'Subject', form: 'line', rows: 1, standard: STANDARD_MAIL.subject },
    html: { label: 'HTML', form: 'html', rows: 14, standard: STANDARD_MAIL.html },
    text: { label: 'Plain text', form: 'text', rows: 6, standard: STANDARD_MAIL.text },
  },
  compose: ({ subject, html, text }, { oneClickUrl, isTest }): MailPayload => ({
    subject: isTest ? `[Test] ${subject}` : subject,
    html,
    text,
    headers: oneClickHeaders(oneClickUrl),
  }),
  confirm: confirmMail,
  withWayOut(payload, wayOut): MailPayload {
    const { html, text, headers, ...mail } = payload as MailPayload;
    if (headers) return payload as MailPayload;
    return {
      ...mail,
      html: htmlWithFooter(html, wayOut),
      text: textWithFooter(text, wayOut),
      headers: oneClickHeaders(wayOut.url),
    };
  },
  settings: {
    variables: {
      SMTP_URL: z
        .url({
          protocol: /^smtps?$/,
          error: 'write smtp://user:password@host:port, or smtps:// for TLS from the start',
        })
        .optional(),
      MAIL_FROM: z.email('it must be an e-mail address').optional(),
      MAIL_CONNECTIONS: z.coerce.number().int().min(1).max(100).default(5),
      DKIM_DOMAIN: z.string().optional(),
      DKIM_SELECTOR: z.string().optional(),
      DKIM_PRIVATE_KEY: z.string().optional(),
    },
    read: readSettings,
  },
  provider: {
    name: 'SMTP',
    hint: 'Set SMTP_URL and MAIL_FROM to send e-mails.',
    describe({ smtpUrl, from, dkim }) {
      const signed = dkim ? `, signed by DKIM for ${dkim.domainName}` : '';
      // `host` leaves out the login that the address holds.
      return `Sends from ${from} by ${new URL(smtpUrl).host}${signed}.`;
    },
  },
  hasOwnServers: true,
  together: 20,
  // Twice the connections: while one message is on the wire, another is being recorded.
  concurrency: (settings) => (settings ? settings.connections * 2 : FILE_CONCURRENCY),
  open(settings: MailSettings | null, files: FileOutbox, limits: SmtpLimits = SMTP_LIMITS) {
    const smtp = settings && openSmtp(settings, limits);
    return {
      async send(message, now) {
        try {
          if (smtp && !message.isDemo) {
            await smtp.send(toMail(message, settings.from));
            return SENT;
          }
          const mail = toMail(message, settings?.from ?? FILE_FROM);
          const composed = await composer.sendMail({ ...mail, date: now });
          await files.write(`${message.id}.eml`, composed.message as Buffer);
          return SENT;
        } catch (error) {
          return outcomeOfSmtpError(error as SmtpError);
        }
      },
      close: () => smtp?.close(),
    };
  },
} satisfies Channel<'subject' | 'html' | 'text', MailSettings>;
