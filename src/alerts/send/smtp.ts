import { createTransport } from 'nodemailer';
import type { SendMailOptions } from 'nodemailer';
import { codedError } from '../../platform/errors.ts';
import { MINUTE_MS } from '../../platform/time.ts';

export type MailSettings = {
  smtpUrl: string;
  from: string;
  connections: number;
  dkim: { domainName: string; keySelector: string; privateKey: string } | null;
};

/** RFC 5321 (4.5.3.2) asks for this patience: a client that gives up earlier sends an email twice that a slow server has accepted. */
const SMTP_LIMITS = {
  /** Until the connection is open and the greeting has arrived. */
  setupMs: 5 * MINUTE_MS,
  /** Until the next byte. */
  silenceMs: 10 * MINUTE_MS,
  /** For a whole message, even if the server keeps sending single bytes. */
  messageMs: 15 * MINUTE_MS,
};

export type SmtpLimits = typeof SMTP_LIMITS;

export type Smtp = ReturnType<typeof keepConnections>;

/** RFC 8058 requires signatures on both one-click headers; Nodemailer's default omits the second one. */
const SIGNED_HEADERS = `From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:\
In-Reply-To:References:List-Id:List-Unsubscribe:List-Unsubscribe-Post:X-Alert-Id`;

/** A Nodemailer pool with one connection, which it opens for the first email. */
export type Connection = {
  sendMail(mail: SendMailOptions): Promise<unknown>;
  close(options?: { force: boolean }): void;
};

export const connectionOptions = ({ setupMs, silenceMs }: SmtpLimits) =>
  ({
    pool: true,
    maxConnections: 1,
    maxMessages: 1_000,
    connectionTimeout: setupMs,
    greetingTimeout: setupMs,
    socketTimeout: silenceMs,
  }) as const;

export function openSmtp({ smtpUrl, connections, dkim }: MailSettings, limits = SMTP_LIMITS) {
  const signing = dkim && { dkim: { ...dkim, headerFieldNames: SIGNED_HEADERS } };
  const connect = () => createTransport({ url: smtpUrl, ...connectionOptions(limits), ...signing });
  return keepConnections(connections, connect, limits.messageMs);
}

/** Keeps `count` connections, each in its own pool, because Nodemailer can abort a hanging delivery only by closing its pool. */
export function keepConnections(count: number, connect: () => Connection, messageMs: number) {
  const all = new Set(Array.from({ length: count }, connect));
  const idle = [...all];
  const waiting: { take: (connection: Connection) => void; fail: (error: Error) => void }[] = [];

  const take = (): Promise<Connection> => {
    const connection = idle.pop();
    if (connection !== undefined) return Promise.resolve(connection);
    return new Promise((resolve, reject) => waiting.push({ take: resolve, fail: reject }));
  };
  const giveBack = (connection: Connection): void => {
    const next = waiting.shift();
    if (next) next.take(connection);
    else idle.push(connection);
  };
  const replace = (connection: Connection): Connection => {
    connection.close({ force: true });
    all.delete(connection);
    const fresh = connect();
    all.add(fresh);
    return fresh;
  };

  return {
    /** Sends on the next free connection; rejects with the server's error or after the timeout. */
    async send(mail: SendMailOptions): Promise<void> {
      let connection = await take();
      let limit: NodeJS.Timeout | undefined;
      const endless = new Promise<never>((_resolve, reject) => {
        limit = setTimeout(() => {
          connection = replace(connection);
          reject(codedError('ETIMEDOUT', `the mail server did not finish within ${messageMs / 1_000} s`));
        }, messageMs);
      });
      try {
        await Promise.race([connection.sendMail(mail), endless]);
      } finally {
        clearTimeout(limit);
        giveBack(connection);
      }
    },
    /** Deliveries in progress finish; emails that wait for a connection are rejected. */
    close(): void {
      for (const connection of all) connection.close();
      for (const { fail } of waiting.splice(0)) fail(new Error('the email channel was closed'));
    },
  };
}
