import { connect } from 'node:net';
import { LRUCache } from 'lru-cache';
import { createTransport } from 'nodemailer';
import type { SendMailOptions } from 'nodemailer';
import { codedError } from '../../platform/errors.ts';
import { isPrivateLiteral, lookupPublic, notPublic } from '../../platform/public-address.ts';
import { MINUTE_MS } from '../../platform/time.ts';
import { connectionOptions, keepConnections } from './smtp.ts';
import type { Connection, Smtp, SmtpLimits } from './smtp.ts';

/** Implicit TLS, or STARTTLS before any other command; unencrypted connections are not supported. */
export type MailSecurity = 'tls' | 'starttls';

export type StoreServer = {
  host: string;
  port: number;
  security: MailSecurity;
  user: string;
  password: string;
};

/** Shorter than for the service's own server, because each unknown server occupies a slot that others wait for. */
const STORE_LIMITS: SmtpLimits = { setupMs: 15_000, silenceMs: 2 * MINUTE_MS, messageMs: 5 * MINUTE_MS };

export const STORE_CONNECTIONS = 4;
/** Nodemailer closes a connection that is idle for this long. */
const IDLE_MS = 30_000;
/** Beyond this number of stores, the least recently used one opens new connections for its next mail. */
const MAX_STORES = 100;

/** Connects only to a checked address. The name is resolved once, here, and TLS verifies the certificate against that name. */
function openSocket(host: string, port: number, allowPrivate: boolean, setupMs: number) {
  return (_options: object, callback: (error: Error | null, found?: object) => void): void => {
    if (!allowPrivate && isPrivateLiteral(host)) return void setImmediate(() => callback(notPublic()));
    const socket = connect({ host, port, ...(!allowPrivate && { lookup: lookupPublic }) });
    const late = codedError('ETIMEDOUT', 'the connection timed out');
    const limit = setTimeout(() => socket.destroy(late), setupMs);
    const done = (error: Error | null): void => {
      clearTimeout(limit);
      socket.off('error', done);
      callback(error, { connection: socket });
    };
    socket.once('error', done);
    socket.once('connect', () => done(null));
  };
}

export function openStoreSmtp(
  { host, port, security, user, password }: StoreServer,
  allowPrivate: boolean,
  limits: SmtpLimits,
  connections = STORE_CONNECTIONS,
): Smtp {
  const connect = () =>
    createTransport({
      ...connectionOptions(limits),
      maxRequeues: 1,
      idleTimeout: IDLE_MS,
      host,
      port,
      secure: security === 'tls',
      requireTLS: security === 'starttls',
      auth: { user, pass: password },
      tls: { minVersion: 'TLSv1.2' },
      getSocket: openSocket(host, port, allowPrivate, limits.setupMs),
    } as Parameters<typeof createTransport>[0]) as Connection;
  return keepConnections(connections, connect, limits.messageMs);
}

/** `version` changes with the settings, so that connections opened with older settings are not reused. */
export type ServerKey = { pid: string; version: string };

export function openStoreSmtps(allowPrivate: boolean) {
  const smtps = new LRUCache<string, Smtp>({ max: MAX_STORES });
  return {
    send({ pid, version }: ServerKey, server: StoreServer, mail: SendMailOptions): Promise<void> {
      const key = `${pid} ${version}`;
      const smtp = smtps.get(key) ?? openStoreSmtp(server, allowPrivate, STORE_LIMITS);
      smtps.set(key, smtp);
      return smtp.send(mail);
    },
    close(): void {
      for (const smtp of smtps.values()) smtp.close();
    },
  };
}
