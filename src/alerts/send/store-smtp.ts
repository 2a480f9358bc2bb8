import { connect } from 'node:net';
import { createTransport } from 'nodemailer';
import type { SendMailOptions } from 'nodemailer';
import { isPrivateLiteral, lookupPublic, notPublic } from '../../platform/public-address.ts';
import { MINUTE_MS } from '../../platform/time.ts';
import { keepConnections } from './smtp.ts';
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

/**
 * Shorter than for the service's own server, because each unknown server occupies a slot that others wait for. A mail that a
 * server accepts after two silent minutes can arrive twice.
 */
export const STORE_LIMITS: SmtpLimits = {
  setupMs: 15_000,
  silenceMs: 2 * MINUTE_MS,
  messageMs: 5 * MINUTE_MS,
};

export const STORE_CONNECTIONS = 4;
const IDLE_MS = 30_000;
/** The maximum number of stores with idle connections; beyond it the least recently used ones are closed. */
const MAX_KEPT = 100;

type SocketCallback = (error: Error | null, found?: object) => void;

/** Connects only to a checked address. The name is resolved once, here, and TLS verifies the certificate against that name. */
function openSocket(host: string, port: number, allowPrivate: boolean, setupMs: number) {
  return (_options: object, callback: SocketCallback): void => {
    if (!allowPrivate && isPrivateLiteral(host)) return void setImmediate(() => callback(notPublic()));
    const socket = connect({ host, port, ...(!allowPrivate && { lookup: lookupPublic }) });
    const limit = setTimeout(
      () => socket.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })),
      setupMs,
    );
    const done = (error: Error | null): void => {
      clearTimeout(limit);
      socket.off('error', done);
      callback(error, { connection: socket });
    };
    socket.once('error', done);
    socket.once('connect', () => done(null));
  };
}

function connectTo(server: StoreServer, allowPrivate: boolean, { setupMs, silenceMs }: SmtpLimits) {
  const { host, port, security, user, password } = server;
  const isImplicit = security === 'tls';
  return createTransport({
    pool: true,
    maxConnections: 1,
    maxMessages: 1_000,
    maxRequeues: 1,
    idleTimeout: IDLE_MS,
    host,
    port,
    secure: isImplicit,
    requireTLS: !isImplicit,
    auth: { user, pass: password },
    tls: { minVersion: 'TLSv1.2' },
    getSocket: openSocket(host, port, allowPrivate, setupMs),
    connectionTimeout: setupMs,
    greetingTimeout: setupMs,
    socketTimeout: silenceMs,
  } as Parameters<typeof createTransport>[0]) as Connection;
}

export function openStoreSmtp(
  server: StoreServer,
  allowPrivate: boolean,
  limits: SmtpLimits,
  connections = STORE_CONNECTIONS,
): Smtp {
  return keepConnections(connections, () => connectTo(server, allowPrivate, limits), limits.messageMs);
}

/** `version` changes with the settings, so that connections opened with older settings are not reused. */
export type ServerKey = { pid: string; version: string };

export type StoreSmtps = {
  send(key: ServerKey, server: StoreServer, mail: SendMailOptions): Promise<void>;
  close(): void;
};

type Kept = { version: string; smtp: Smtp; users: number; timer?: NodeJS.Timeout };

/** Keeps a store's connections open while they are used and for 30 idle seconds. */
export function openStoreSmtps(allowPrivate: boolean, limits: SmtpLimits = STORE_LIMITS): StoreSmtps {
  const kept = new Map<string, Kept>();

  /** A retired connection gets no new mails; its last user closes it. */
  const retire = (pid: string, one: Kept): void => {
    clearTimeout(one.timer);
    if (kept.get(pid) === one) kept.delete(pid);
    if (one.users === 0) one.smtp.close();
  };
  const take = ({ pid, version }: ServerKey, server: StoreServer): Kept => {
    const known = kept.get(pid);
    if (known && known.version !== version) retire(pid, known);
    const one = kept.get(pid) ?? { version, smtp: openStoreSmtp(server, allowPrivate, limits), users: 0 };
    clearTimeout(one.timer);
    // Moves the store to the end of the map, which is ordered by last use.
    kept.delete(pid);
    kept.set(pid, one);
    one.users += 1;
    return one;
  };
  const giveBack = (pid: string, one: Kept): void => {
    one.users -= 1;
    if (one.users > 0) return;
    if (kept.get(pid) !== one) return one.smtp.close();
    one.timer = setTimeout(() => retire(pid, one), IDLE_MS).unref();
    if (kept.size <= MAX_KEPT) return;
    const oldest = [...kept].find(([, { users }]) => users === 0)!;
    retire(...oldest);
  };

  return {
    async send(key, server, mail) {
      const one = take(key, server);
      try {
        await one.smtp.send(mail);
      } finally {
        giveBack(key.pid, one);
      }
    },
    close() {
      for (const { smtp, timer } of kept.values()) {
        clearTimeout(timer);
        smtp.close();
      }
      kept.clear();
    },
  };
}
