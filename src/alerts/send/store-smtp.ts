import { connect } from 'node:net';
import { createTransport } from 'nodemailer';
import type { SendMailOptions } from 'nodemailer';
import { isPrivateLiteral, lookupPublic, notPublic } from '../../platform/public-address.ts';
import { MINUTE_MS } from '../../platform/time.ts';
import { keepConnections } from './smtp.ts';
import type { Connection, Smtp, SmtpLimits } from './smtp.ts';

/** TLS from the first byte, or by STARTTLS before anything else is said; there is no third. */
export type MailSecurity = 'tls' | 'starttls';

/** A mail server of a store's own, with the password as it is typed. */
export type StoreServer = {
  host: string;
  port: number;
  security: MailSecurity;
  user: string;
  password: string;
};

/**
 * Less patience than with the service's own server: nobody knows these, and each hangs on a slot that others wait for. What a server takes after
 * two silent minutes may come twice.
 */
export const STORE_LIMITS: SmtpLimits = {
  setupMs: 15_000,
  silenceMs: 2 * MINUTE_MS,
  messageMs: 5 * MINUTE_MS,
};

/** Connections to one store's server at a time. */
export const STORE_CONNECTIONS = 4;
const IDLE_MS = 30_000;
/** Stores whose connections are kept while nothing is under way; beyond it those that were used longest ago are closed. */
const MAX_KEPT = 100;

type SocketCallback = (error: Error | null, found?: object) => void;

/** Connects only to an address that was checked. The name is looked up once, here, and TLS asks for a certificate of that name. */
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

/** Connections to one store's server. */
export function openStoreSmtp(
  server: StoreServer,
  allowPrivate: boolean,
  limits: SmtpLimits,
  connections = STORE_CONNECTIONS,
): Smtp {
  return keepConnections(connections, () => connectTo(server, allowPrivate, limits), limits.messageMs);
}

/** Whose connections: `version` changes with the settings, so that what was opened with older ones is used no more. */
export type ServerKey = { pid: string; version: string };

/** The connections to all stores' own servers. */
export type StoreSmtps = {
  send(key: ServerKey, server: StoreServer, mail: SendMailOptions): Promise<void>;
  close(): void;
};

type Kept = { version: string; smtp: Smtp; users: number; timer?: NodeJS.Timeout };

/** Keeps connections by store while they are used, and for a moment after. */
export function openStoreSmtps(allowPrivate: boolean, limits: SmtpLimits = STORE_LIMITS): StoreSmtps {
  const kept = new Map<string, Kept>();

  /** Nobody takes it any more; whoever has it closes it. */
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
    // At the end of the order, which is that of the last use.
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
