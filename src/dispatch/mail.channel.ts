import { createTransport } from 'nodemailer';
import type { SendMailOptions } from 'nodemailer';
import type { Config, MailConfig } from '../config.ts';
import { toLine } from '../shared/text.ts';
import type { FileChannel } from './file.channel.ts';
import { SENT, outcomeOfError } from './outcome.ts';
import type { Outcome } from './outcome.ts';

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

/** RFC 8058 wants both headers of the one-click link signed; the library's own choice leaves the second out. */
const SIGNED_HEADERS = `From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:\
In-Reply-To:References:List-Id:List-Unsubscribe:List-Unsubscribe-Post:X-Alert-Id`;

type SmtpError = Error & { code?: string; responseCode?: number };

function outcomeOfSmtpError(error: SmtpError): Outcome {
  const status = error.responseCode;
  const isFinal = MESSAGE_ERRORS.has(error.code ?? '') && (status === undefined || status >= 500);
  return isFinal ? { kind: 'failed', reason: error.message } : outcomeOfError(error);
}

function openSmtp({ smtpUrl, connections, dkim }: MailConfig, leaseMs: number) {
  // A server that says nothing is left well before the lease ends; one that is only slow has its lease renewed.
  return createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: connections,
    maxMessages: 1_000,
    connectionTimeout: leaseMs / 6,
    greetingTimeout: leaseMs / 6,
    socketTimeout: leaseMs / 3,
    ...(dkim && { dkim: { ...dkim, headerFieldNames: SIGNED_HEADERS } }),
  });
}

/** Mails leave by SMTP where it is configured; else, and for the demo store, they become `.eml` files. */
export function createMailChannel(
  { mail: settings, dispatchLeaseMs }: Config,
  files: FileChannel,
): MailChannel {
  const smtp = settings && openSmtp(settings, dispatchLeaseMs);
  const composer = createTransport({ streamTransport: true, buffer: true });
  return {
    async send(mail) {
      try {
        if (smtp && settings && !mail.isDemo) {
          await smtp.sendMail(compose(mail, settings.from));
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
