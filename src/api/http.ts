import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse, createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Express, NextFunction, Request, Response } from 'express';
import type { Config } from '../config.ts';
import type { Viewer } from '../context.ts';
import { fail } from '../platform/errors.ts';
import { releaseAll } from '../platform/in-flight.ts';
import { createTurns } from '../platform/turns.ts';
import { MIN_BYTES_A_SECOND } from './send.ts';

const LIMITS = {
  /** Open connections, streams included; one beyond the limit is closed at once. */
  maxConnections: 0,
  /** Deadline for the headers of a request, and for the first byte of a connection. */
  headersMs: 15_000,
  requestMs: 30_000,
  /** A client that reads nothing of its response for this long is disconnected. */
  stallMs: 60_000,
  /** An idle connection is closed after this time, which exceeds the idle timeout of load balancers. */
  idleMs: 65_000,
};

export type HttpLimits = typeof LIMITS;

/** Connections are checked this many times within the shortest limit. */
const CHECKS = 3;

/** Closes a connection whose client does not read what is waiting for it, even while the client keeps sending. */
function cutStalled(socket: Socket, stallMs: number): void {
  let taken = 0;
  let since = performance.now();
  const timer = setInterval(() => {
    const before = taken;
    taken = socket.bytesWritten - socket.writableLength;
    if (socket.writableLength === 0 || taken !== before) since = performance.now();
    // One write counts as read only when all of it was read, so a long response gets more time.
    const limitMs = stallMs + (socket.writableLength / MIN_BYTES_A_SECOND) * 1_000;
    if (performance.now() - since >= limitMs) socket.destroy();
  }, stallMs);
  timer.unref();
  socket.once('close', () => clearInterval(timer));
}

/**
 * Express swaps the prototype of every message, which discards V8's optimised shapes; classes with the app's prototypes make that
 * a no-op: 11,000 against 4,500 requests/s on a bare route. `Reflect.construct` instead of classes is slower still (2,700).
 */
export function createHttpServer(given: Partial<HttpLimits> = {}) {
  const limits = { ...LIMITS, ...given };
  /* oxlint-disable wishgate/no-class -- V8 gives fast shapes to what classes make */
  class FastRequest extends IncomingMessage {}
  class FastResponse extends ServerResponse {
    /** Every response begins here, streamed ones included. */
    override writeHead(...args: [number]): this {
      releaseAll(this);
      return super.writeHead(...args);
    }
  }
  /* oxlint-enable wishgate/no-class */
  const server = createServer({
    IncomingMessage: FastRequest,
    ServerResponse: FastResponse,
    requestTimeout: limits.requestMs,
    headersTimeout: limits.headersMs,
    keepAliveTimeout: limits.idleMs,
    connectionsCheckingInterval: Math.ceil(Math.min(limits.headersMs, limits.requestMs) / CHECKS),
  });
  server.on('connection', (socket) => {
    noteConnection();
    cutStalled(socket, limits.stallMs);
  });
  if (limits.maxConnections > 0) server.maxConnections = limits.maxConnections;
  // It can listen before it has an app, because links contain its port and the app is built with them.
  const early: Parameters<RequestListener>[] = [];
  const wait: RequestListener = (req, res) => void early.push([req, res]);
  server.on('request', wait);
  return {
    server,
    /** Requests that arrived earlier have waited and are served now. */
    serve: (app: Express): void => {
      Object.setPrototypeOf(FastRequest.prototype, app.request);
      Object.setPrototypeOf(FastResponse.prototype, app.response);
      app.request = FastRequest.prototype as typeof app.request;
      app.response = FastResponse.prototype as typeof app.response;
      const handle: RequestListener = (req, res) =>
        inOrder(req.socket, res, () => void app(req as never, res as never));
      server.off('request', wait).on('request', handle);
      for (const [req, res] of early.splice(0)) handle(req, res);
    },
  };
}

/** Requests that wait for an earlier one of their connection; one beyond the limit closes it. */
const MAX_PIPELINED = 100;
const pipelined = new WeakMap<Socket, number>();

/**
 * Serves a request after the earlier ones of its connection. Node starts all at once, but a response that waits for an earlier one would hold
 * what its request has taken, for ever if the connection closes first, because its `close` event comes only if it was its turn.
 */
function inOrder(socket: Socket, res: ServerResponse, serve: () => void): void {
  if (res.socket !== null) return serve();
  const waiting = (pipelined.get(socket) ?? 0) + 1;
  pipelined.set(socket, waiting);
  if (waiting > MAX_PIPELINED) return void socket.destroy();
  res.once('socket', () => {
    pipelined.set(socket, pipelined.get(socket)! - 1);
    serve();
  });
}

/** Connections accepted this close together mean that more clients are waiting to connect. */
const CROWD = { connections: 4, withinMs: 50 };
/** Requests that start in one turn meanwhile. More would share their statements, and make the turn longer. */
const IN_A_TURN = 4;

let takenAt: number[] = [];
const shortTurn = createTurns(IN_A_TURN);

export function noteConnection(now = performance.now()): void {
  takenAt = [...takenAt, now].slice(-CROWD.connections);
}

/** Node accepts one new connection in each turn of its loop, so turns stay short while clients wait to connect. */
export async function letOthersConnect(now = performance.now()): Promise<void> {
  const areManyConnecting = takenAt.length === CROWD.connections && now - takenAt[0]! < CROWD.withinMs;
  if (areManyConnecting) await shortTurn();
}

const HEADER = 'x-request-id';
const ACCEPTABLE = /^[\w.:-]{1,128}$/;

/**
 * Gives the response its id, the caller's x-request-id where that is harmless, and the headers of every response. No cache stores one by
 * default, because most belong to one shopper; cacheable pages and scripts override this.
 */
export function prepareResponse(req: Request, res: Response, next: NextFunction): void {
  const given = req.headers[HEADER];
  res.setHeader(HEADER, typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID());
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('X-Frame-Options', 'DENY');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Cache-Control', 'no-store');
  next();
}

export function requestIdOf(res: Response): string {
  return String(res.getHeader(HEADER));
}

const ALLOW_HEADERS =
  'Content-Type, Authorization, Accept, Idempotency-Key, X-Pid, X-Regid, X-Sessionid, X-Request-Id, X-Api-Key, Apollo-Require-Preflight';
const EXPOSE_HEADERS =
  'ETag, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Cost, X-Cost-Limit, X-Cost-Remaining, X-Cost-Reset, X-Request-Id';
const SHARED_PATHS = /^\/(api\/|graphql(\/stream)?$|client\/)/;

/** Whether any origin may send these headers; the header that opens a dashboard session is never allowed. */
function isPlain(names: string): boolean {
  return /^[\w\s,-]{1,1000}$/.test(names) && !names.toLowerCase().includes(DASHBOARD_HEADER);
}

/** Preflights carry no credentials, so the store's own origins are checked with the call that follows. */
export function allowCors(req: Request, res: Response, next: NextFunction): void {
  if (!SHARED_PATHS.test(req.path)) return next();
  if (req.headers.origin !== undefined) {
    // Set whatever the status is, so that the page can read errors, too.
    res.setHeader('Access-Control-Allow-Origin', req.headers.origin);
    res.setHeader('Access-Control-Expose-Headers', EXPOSE_HEADERS);
    res.setHeader('Vary', 'Origin');
  }
  if (req.method !== 'OPTIONS') return next();
  const asked = req.headers['access-control-request-headers'];
  res.setHeader('Access-Control-Allow-Methods', 'GET, POST');
  res.setHeader('Access-Control-Allow-Headers', asked && isPlain(asked) ? asked : ALLOW_HEADERS);
  res.setHeader('Access-Control-Max-Age', '7200');
  res.status(204).end();
}

/** An empty list allows any origin, and our own pages always pass. */
export function allowOrigin(req: Request, res: Response, store: Viewer['store'], config: Config): void {
  const { origin } = req.headers;
  if (origin === undefined || store === null || store.allowedOrigins.length === 0) return;
  if (store.allowedOrigins.includes(origin) || origin === new URL(config.publicUrl).origin) return;
  // Browsers set this header and scripts cannot, so it identifies our own pages, even under another host name.
  if (req.headers['sec-fetch-site'] === 'same-origin') return;
  res.removeHeader('Access-Control-Allow-Origin');
  fail('forbidden', 'The store does not allow calls from this origin; add it to allowedOrigins');
}

/** Sent by our dashboard: a page of another origin needs a preflight to send it, which never allows it. */
export const DASHBOARD_HEADER = 'x-wishgate-dashboard';

export const SESSION_COOKIE = 'wishgate_session';

/** Browsers set `Sec-Fetch-Site` and `Origin`, scripts cannot. A request with neither passes; strict callers check more. */
export function isOwnPage(req: Request): boolean {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = req.headers;
  return origin === undefined || origin.replace(/^https?:\/\//, '') === host;
}

export function isDashboard(req: Request): boolean {
  return req.headers[DASHBOARD_HEADER] === '1' && isOwnPage(req);
}

/** Empty for all other requests, whatever cookie they carry. */
export function sessionOf(req: Request): string {
  if (req.headers.authorization !== undefined || !isDashboard(req)) return '';
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${SESSION_COOKIE}=`))?.slice(SESSION_COOKIE.length + 1) ?? '';
}

/** The browser would show a password prompt over the page; a script shows the error itself. */
export function isScript(req: Request): boolean {
  return req.headers['sec-fetch-dest'] === 'empty' || req.headers[DASHBOARD_HEADER] !== undefined;
}
