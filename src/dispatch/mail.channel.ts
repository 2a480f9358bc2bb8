import { createTransport } from 'nodemailer';
import type { SendMailOptions } from 'nodemailer';
import type { Config } from '../config.ts';
import { toLine } from '../shared/text.ts';
import type { FileChannel } from './file.channel.ts';
import { SENT, outcomeOfError } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import { SMTP_LIMITS, openSmtp } from './smtp.ts';
import type { SmtpLimits } from './smtp.ts';

/** A mail with everything but the sender's address. */
export type OutgoingMail = {
  /** Stays the same over every try. */
  id: string;
  isDemo: boolean;
  /** Shown as the sender's name. */
  storeName: string;
  to: string;
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
};

/** Sends mails. */
export type MailChannel = { send(mail: OutgoingMail): Promise<Outcome>; close(): void };

/** Sender of mails that only become files. */
const FILE_FROM = 'no-reply@wishgate.invalid';
/** Errors that speak of this message, not of the connection or of our login. */
const MESSAGE_ERRORS = new Set(['EENVELOPE', 'EMESSAGE']);

/** The message as nodemailer takes it; the id appears as Message-ID and X-Alert-Id, so a repeat can be recognised. */
function compose(mail: OutgoingMail, from: string): SendMailOptions {
  return {
    from: { name: toLine(mail.storeName), address: from },
    to: { name: '', address: mail.to },
    subject: toLine(mail.subject),
    html: mail.html,
    text: mail.text,
    messageId: `<${mail.id}@${from.slice(from.indexOf('@') + 1)}>`,
    headers: { ...mail.headers, 'X-Alert-Id': mail.id },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

type SmtpError = Error & { code?: string; command?: string; response?: string; responseCode?: number };

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

function outcomeOfSmtpError(error: SmtpError): Outcome {
  const status = error.responseCode;
  const isFinal = MESSAGE_ERRORS.has(error.code ?? '') && (status === undefined || status >= 500);
  if (!isFinal) return outcomeOfError(error);
  return { kind: 'failed', reason: error.message, isContactGone: isMailboxGone(error) };
}

/** Mails leave by SMTP where it is configured; else, and for the demo store, they become `.eml` files. */
export function createMailChannel(
  { mail: settings }: Config,
  files: FileChannel,
  limits: SmtpLimits = SMTP_LIMITS,
): MailChannel {
  const smtp = settings && openSmtp(settings, limits);
  const composer = createTransport({ streamTransport: true, buffer: true });
  return {
    async send(mail) {
      try {
        if (smtp && settings && !mail.isDemo) {
          await smtp.send(compose(mail, settings.from));
          return SENT;
        }
        const { message } = await composer.sendMail(compose(mail, settings?.from ?? FILE_FROM));
        await files.write(`${mail.id}.eml`, message as Buffer);
        return SENT;
      } catch (error) {
        return outcomeOfSmtpError(error as SmtpError);
      }
    },
    close: () => smtp?.close(),
  };
}
