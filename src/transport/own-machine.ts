import type { Request } from 'express';

const LOOPBACK = /^(::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/;
const LOCAL_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;
/** Any of these says that a proxy stands between, whose socket is loopback for visitors from everywhere. */
const FORWARDING = /^(forwarded|via|x-real-ip|x-forwarded-.*|cf-connecting-ip|true-client-ip)$/;

/**
 * Whether a request comes from a browser on the very machine that runs the service. Only such a one is shown credentials of
 * the demo store: the socket is loopback, the Host is local (a page of another site that points its own name here is
 * refused), and nothing hints at a proxy.
 */
export function isOwnMachine(req: Request, trustProxy: readonly string[]): boolean {
  return (
    trustProxy.length === 0 &&
    LOOPBACK.test(req.socket.remoteAddress ?? '') &&
    LOCAL_HOST.test(req.headers.host ?? '') &&
    !Object.keys(req.headers).some((name) => FORWARDING.test(name))
  );
}
