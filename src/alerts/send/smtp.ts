import { createTransport } from 'nodemailer';
import type { SendMailOptions } from 'nodemailer';
import { MINUTE_MS } from '../../platform/time.ts';

/** How mails leave. */
export type MailSettings = {
  smtpUrl: string;
  from: string;
  connections: number;
  dkim: { domainName: string; keySelector: string; privateKey: string } | null;
};

/** How long a mail server is waited for. */
export type SmtpLimits = {
  /** To be connected and greeted. */
  setupMs: number;
  /** For the next byte. */
  silenceMs: number;
  /** For a whole message, however many bytes drip in meanwhile. */
  messageMs: number;
};

/**
 * What RFC 5321 (4.5.3.2) asks for: five minutes for the greeting, ten for the answer to a whole message. Whoever gives up earlier sends
 * again what a slow server has taken. A message has five minutes more, for all that comes before its end.
 */
export const SMTP_LIMITS: SmtpLimits = {
  setupMs: 5 * MINUTE_MS,
  silenceMs: 10 * MINUTE_MS,
  messageMs: 15 * MINUTE_MS,
};

/** Connections to a mail server. */
export type Smtp = {
  /** Sends on the next free connection; fails with what the server said, or when it does not come to an end. */
  send(mail: SendMailOptions): Promise<void>;
  /** Lets what is on its way finish; what waits for a connection fails. */
  close(): void;
};

/** RFC 8058 wants both headers of the one-click link signed; the library's own choice leaves the second out. */
const SIGNED_HEADERS = `From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:\
In-Reply-To:References:List-Id:List-Unsubscribe:List-Unsubscribe-Post:X-Alert-Id`;

function connect({ smtpUrl, dkim }: MailSettings, { setupMs, silenceMs }: SmtpLimits) {
  return createTransport({
    url: smtpUrl,
    pool: true,
    maxConnections: 1,
    maxMessages: 1_000,
    connectionTimeout: setupMs,
    greetingTimeout: setupMs,
    socketTimeout: silenceMs,
    ...(dkim && { dkim: { ...dkim, headerFieldNames: SIGNED_HEADERS } }),
  });
}

/** A pool of the library with one connection, which it makes when there is something to send. */
export type Connection = {
  sendMail(mail: SendMailOptions): Promise<unknown>;
  close(options?: { force: boolean }): void;
};

/** Connections to the mail server of the service. */
export function openSmtp(settings: MailSettings, limits: SmtpLimits): Smtp {
  return keepConnections(settings.connections, () => connect(settings, limits), limits.messageMs);
}

/**
 * Keeps so many connections, each in a pool of its own: the library can end a delivery that never ends only by closing the pool that it
 * is in.
 */
export function keepConnections(count: number, open: () => Connection, messageMs: number): Smtp {
  const all = new Set(Array.from({ length: count }, open));
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
    const fresh = open();
    all.add(fresh);
    return fresh;
  };

  return {
    async send(mail) {
      let connection = await take();
      let limit: NodeJS.Timeout | undefined;
      const endless = new Promise<never>((_resolve, reject) => {
        limit = setTimeout(() => {
          connection = replace(connection);
          const error = new Error(`the mail server did not come to an end within ${messageMs / 1_000} s`);
          reject(Object.assign(error, { code: 'ETIMEDOUT' }));
        }, messageMs);
      });
      try {
        await Promise.race([connection.sendMail(mail), endless]);
      } finally {
        clearTimeout(limit);
        giveBack(connection);
      }
    },
    close() {
      for (const connection of all) connection.close();
      for (const { fail } of waiting.splice(0)) fail(new Error('the mail channel was closed'));
    },
  };
}
