import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { Config } from '../config.ts';
import { isLoopbackHost, isLoopbackUrl } from '../platform/loopback.ts';

type AddressConfig = Pick<Config, 'publicUrl' | 'hasPublicUrl' | 'trustProxy'>;

const LOOPBACK = /^(::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/;
/** Any of these says that a proxy stands between, whose socket is loopback for visitors from everywhere. */
const FORWARDING = /^(forwarded|via|x-real-ip|x-forwarded-.*|cf-connecting-ip|true-client-ip)$/;

/**
 * Whether a request comes from a browser on the very machine that runs the service. Only such a one is shown credentials of
 * the demo store: the socket is loopback, the Host is local (a page of another site that points its own name here is
 * refused), and nothing hints at a proxy. A service with a public address has one, and it may add no header that says so.
 */
export function isOwnMachine(req: IncomingMessage, config: AddressConfig): boolean {
  return (
    config.trustProxy.length === 0 &&
    (!config.hasPublicUrl || isLoopbackUrl(config.publicUrl)) &&
    LOOPBACK.test(req.socket.remoteAddress ?? '') &&
    isLoopbackHost(req.headers.host ?? '') &&
    !Object.keys(req.headers).some((name) => FORWARDING.test(name))
  );
}

/** Where this very process listens, for the demo's back end, which calls it like any other store does. */
export function ownAddress({ socket }: Request): string {
  const address = socket.localAddress ?? '127.0.0.1';
  return `http://${address.includes(':') ? `[${address}]` : address}:${socket.localPort}`;
}

/** The address that a page names: what the operator set, else on one's own machine the one in the address bar, whose Host is checked. */
export function shownAddress(req: Request, config: AddressConfig): string {
  return !config.hasPublicUrl && isOwnMachine(req, config) ? `http://${req.headers.host}` : config.publicUrl;
}
