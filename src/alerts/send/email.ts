import { createHash } from 'node:crypto';
import { createTransport } from 'nodemailer';
import type { SendMailOptions } from 'nodemailer';
import { z } from 'zod';
import { readEmail } from '../../platform/email.ts';
import { maskEmail } from '../../platform/mask.ts';
import { toLine } from '../../platform/text.ts';
import type { Channel, Outgoing, Payload } from './channel.ts';
import { confirmMail } from './confirm.ts';
import type { FileOutbox } from './file.ts';
import { htmlWithFooter, textWithFooter } from './footer.ts';
import { SENT, outcomeOfError } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { together } from './settings.ts';
import { openSmtp } from './smtp.ts';
import type { MailSettings, SmtpLimits } from './smtp.ts';
import { STANDARD_MAIL } from './standard-mail.ts';
import type { FieldName } from './standard-mail.ts';

/** An email in the outbox; without `headers` it has no unsubscribe link yet. */
export type MailPayload = Payload & {
  subject: string;
  html: string;
  text: string;
  headers?: Record<string, string>;
};

const FILE_FROM = 'no-reply@wishgate.invalid';
const FILE_CONCURRENCY = 32;
/** Errors about this message rather than about the connection or the login. */
const MESSAGE_ERRORS = new Set(['EENVELOPE', 'EMESSAGE']);

const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });

/** The List-Id (RFC 2919) identifies a store's messages among those of one sender, so that email clients can sort them. */
function listIdOf(pid: string, domain: string): string {
  return `<alerts.${createHash('sha256').update(pid).digest('hex').slice(0, 16)}.${domain}>`;
}

/** The message id becomes Message-ID and X-Alert-Id, so that receivers can recognize a duplicate. */
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
      // Suppresses out-of-office replies.
      'Auto-Submitted': 'auto-generated',
      'X-Alert-Id': id,
    },
  };
}

export type SmtpError = Error & { code?: string; command?: string; response?: string; responseCode?: number };

/** Enhanced status codes (RFC 3463) for a missing mailbox or domain. Other 5.1 codes are about the sender. */
const NO_MAILBOX = new Set(['5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10']);
/** Phrases in rejections without an enhanced code that are about us or temporary, not about the mailbox. */
const ABOUT_US =
  /relay|sender|auth|spam|block|black|listed|rbl|polic|denied|reputation|spf|dkim|dmarc|banned|quota|full|size|rate|limit|try|later/i;

/** False in doubt, because a failed login, a denied relay or a blocklist must not end a subscription. */
function isMailboxGone({ command, response = '', responseCode }: SmtpError): boolean {
  if (command !== 'RCPT TO' || responseCode === undefined || responseCode < 500) return false;
  const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  return enhanced === undefined ? responseCode === 550 && !ABOUT_US.test(response) : NO_MAILBOX.has(enhanced);
}

/** Retries temporary errors; a permanent rejection of this email is final. */
export function outcomeOfSmtpError(error: SmtpError): Outcome {
  const status = error.responseCode;
  const isFinal = MESSAGE_ERRORS.has(error.code ?? '') && (status === undefined || status >= 500);
  if (!isFinal) return outcomeOfError(error);
  return { kind: 'failed', reason: error.message, isContactGone: isMailboxGone(error) };
}

/** Headers for one-click unsubscribe (RFC 8058). */
function oneClickHeaders(url: string): Record<string, string> {
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

function readSettings(env: Record<string, unknown>): MailSettings | null {
  const smtp = together(env, 'SMTP_URL', 'MAIL_FROM');
  const dkim = together(env, 'DKIM_DOMAIN', 'DKIM_SELECTOR', 'DKIM_PRIVATE_KEY');
  if (smtp === null && dkim !== null)
    throw new Error('SMTP_URL is missing: the DKIM variables need it (see .env.example)');
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

/** Sends by SMTP if it is configured; otherwise, and for the demo store, it writes `.eml` files. */
export const email = {
  label: 'Email',
  messages: 'emails',
  contact: {
    label: 'Email address',
    sample: 'you@shop.example',
    rule: () => 'an email address',
    read: readEmail,
    mask: maskEmail,
    of: ({ em }) => em,
    isAccount: true,
  },
  parts: {
    subject: { label: 'Subject', form: 'line', rows: 1, standard: STANDARD_MAIL.subject },
    preheader: { label: 'Preheader', form: 'field', rows: 1, standard: STANDARD_MAIL.preheader },
    headline: { label: 'Headline', form: 'field', rows: 1, standard: STANDARD_MAIL.headline },
    intro: { label: 'Introduction', form: 'field', rows: 3, standard: STANDARD_MAIL.intro },
    button: { label: 'Button', form: 'field', rows: 1, standard: STANDARD_MAIL.button },
    footer: { label: 'Footer', form: 'field', rows: 2, standard: () => '' },
    html: { label: 'HTML', form: 'html', rows: 14, standard: STANDARD_MAIL.html },
    text: { label: 'Plain text', form: 'text', rows: 6, standard: STANDARD_MAIL.text },
  },
  compose: ({ subject, html, text }, oneClickUrl): MailPayload => ({
    subject,
    html,
    text,
    headers: oneClickHeaders(oneClickUrl),
  }),
  confirm: confirmMail,
  withFooter(payload, footer): MailPayload {
    const { subject, html, text, headers = oneClickHeaders(footer.url) } = payload as MailPayload;
    if ('headers' in payload) return { subject, html, text, headers };
    return { subject, html: htmlWithFooter(html, footer), text: textWithFooter(text, footer), headers };
  },
  settings: {
    variables: {
      SMTP_URL: z
        .url({
          protocol: /^smtps?$/,
          error: 'write smtp://user:password@host:port, or smtps:// for TLS from the start',
        })
        .optional(),
      MAIL_FROM: z.email('it must be an email address').optional(),
      MAIL_CONNECTIONS: z.coerce.number().int().min(1).max(100).default(5),
      DKIM_DOMAIN: z.string().optional(),
      DKIM_SELECTOR: z.string().optional(),
      DKIM_PRIVATE_KEY: z.string().optional(),
    },
    read: readSettings,
  },
  provider: {
    name: 'SMTP',
    hint: 'Set SMTP_URL and MAIL_FROM to send emails.',
    describe({ smtpUrl, from, dkim }) {
      const signed = dkim ? `, signed by DKIM for ${dkim.domainName}` : '';
      // `host` omits the credentials in the URL.
      return `Sends from ${from} via ${new URL(smtpUrl).host}${signed}.`;
    },
  },
  hasOwnServers: true,
  together: 20,
  // Twice the connections: while one message is being sent, another is being recorded.
  concurrency: (settings) => (settings ? settings.connections * 2 : FILE_CONCURRENCY),
  open(settings: MailSettings | null, files: FileOutbox, limits?: SmtpLimits) {
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
          await files.write(`${message.id}.eml`, composed.message as Buffer, message.isDemo);
          return SENT;
        } catch (error) {
          return outcomeOfSmtpError(error as SmtpError);
        }
      },
      close: () => smtp?.close(),
    };
  },
} satisfies Channel<'subject' | FieldName | 'html' | 'text', MailSettings>;
