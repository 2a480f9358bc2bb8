import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import type { Config } from '../config.ts';
import { isLoopbackHost, isLoopbackUrl } from '../platform/loopback.ts';

type AddressConfig = Pick<Config, 'publicUrl' | 'hasPublicUrl' | 'trustProxy'>;

const LOOPBACK = /^(::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/;
/** Any of these headers reveals a proxy, whose socket is loopback for visitors from everywhere. */
const FORWARDING = /^(forwarded|via|x-real-ip|x-forwarded-.*|cf-connecting-ip|true-client-ip)$/;

/**
 * Whether a browser on the same machine calls, which alone may see credentials of the demo store: the socket is loopback, the
 * Host is local (against DNS rebinding), and neither a header nor the config hints at a proxy, which may add no header.
 */
export function isLoopbackCall(req: IncomingMessage, config: AddressConfig): boolean {
  return (
    config.trustProxy.length === 0 &&
    (!config.hasPublicUrl || isLoopbackUrl(config.publicUrl)) &&
    LOOPBACK.test(req.socket.remoteAddress ?? '') &&
    isLoopbackHost(req.headers.host ?? '') &&
    !Object.keys(req.headers).some((name) => FORWARDING.test(name))
  );
}

/** Where this process listens, for the demo's back end, which calls it like any other store does. */
export function ownAddress({ socket }: Request): string {
  const address = socket.localAddress ?? '127.0.0.1';
  return `http://${address.includes(':') ? `[${address}]` : address}:${socket.localPort}`;
}

/** The operator's public URL, else on loopback the one in the address bar, whose Host is checked. */
export function shownAddress(req: Request, config: AddressConfig): string {
  return !config.hasPublicUrl && isLoopbackCall(req, config)
    ? `http://${req.headers.host}`
    : config.publicUrl;
}
