import { IncomingMessage, ServerResponse, createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Express, NextFunction, Request, Response } from 'express';
import { MIN_BYTES_A_SECOND } from './send.ts';
import { releaseAll } from '../platform/in-flight.ts';
import { createTurns } from '../platform/turns.ts';
import { randomUUID } from 'node:crypto';
import type { Config } from '../config.ts';
import type { Viewer } from '../context.ts';
import { fail } from '../platform/errors.ts';

/** A server that can listen before it knows what to answer with: links carry its port, and what hands them out is made next. */
export type HttpServer = {
  server: Server;
  /** Gives it the app; requests that came before have waited and are answered now. */
  serve: (app: Express) => void;
};

/** What a client may take of the process, and for how long. */
export type HttpLimits = {
  /** Open connections, streams among them; one too many is closed at once. */
  maxConnections: number;
  /** The head of a request must have come by then, and the first byte of a connection. */
  headersMs: number;
  /** The whole request must have come by then. */
  requestMs: number;
  /** A reader who takes nothing of its answer for so long is gone. */
  stallMs: number;
  /** A connection without a request is closed after so long; more than load balancers keep theirs for. */
  idleMs: number;
};

const LIMITS: HttpLimits = {
  maxConnections: 0,
  ...{ headersMs: 15_000, requestMs: 30_000, stallMs: 60_000, idleMs: 65_000 },
};

/** How often connections are held against the limits, as a share of the shortest. */
const CHECKS = 3;

/** Ends a connection whose reader takes nothing of what waits for it, whatever it sends meanwhile. */
function cutStalled(socket: Socket, stallMs: number): void {
  let taken = 0;
  let since = performance.now();
  const timer = setInterval(() => {
    const before = taken;
    taken = socket.bytesWritten - socket.writableLength;
    if (socket.writableLength === 0 || taken !== before) since = performance.now();
    // What is written at once counts as taken only as a whole, so a long answer has longer.
    const limitMs = stallMs + (socket.writableLength / MIN_BYTES_A_SECOND) * 1_000;
    if (performance.now() - since >= limitMs) socket.destroy();
  }, stallMs);
  timer.unref();
  socket.once('close', () => clearInterval(timer));
}

/**
 * Express swaps the prototype of every request and response, which throws away V8's optimised shapes. Messages of classes whose prototypes
 * are the app's own make that a no-op: 11,000 against 4,500 requests/s on a bare route. They must be classes: a function that returns what
 * `Reflect.construct` made is slower than Express as it is (2,700).
 */
export function createHttpServer(given: Partial<HttpLimits> = {}): HttpServer {
  const limits = { ...LIMITS, ...given };
  /* oxlint-disable wishgate/no-class -- V8 gives fast shapes to what classes make */
  class Message extends IncomingMessage {}
  class Answer extends ServerResponse {
    /** Every answer begins here, also those that are written piece by piece. */
    override writeHead(...args: [number]): this {
      releaseAll(this);
      return super.writeHead(...args);
    }
  }
  /* oxlint-enable wishgate/no-class */
  const server = createServer({
    IncomingMessage: Message,
    ServerResponse: Answer,
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
  const early: Parameters<RequestListener>[] = [];
  const wait: RequestListener = (req, res) => void early.push([req, res]);
  server.on('request', wait);
  return {
    server,
    serve(app) {
      Object.setPrototypeOf(Message.prototype, app.request);
      Object.setPrototypeOf(Answer.prototype, app.response);
      app.request = Message.prototype as typeof app.request;
      app.response = Answer.prototype as typeof app.response;
      const answer: RequestListener = (req, res) => void app(req as never, res as never);
      server.off('request', wait).on('request', answer);
      for (const [req, res] of early.splice(0)) answer(req, res);
    },
  };
}

/** Connections that were taken so soon after each other mean that more clients wait for theirs. */
const CROWD = { connections: 4, withinMs: 50 };
/** Requests that begin in one turn meanwhile. More of them would share their statements, and make the turn longer. */
const IN_A_TURN = 4;

let takenAt: number[] = [];
const shortTurn = createTurns(IN_A_TURN);

/** Notes that a client was connected. */
export function noteConnection(now = performance.now()): void {
  takenAt = [...takenAt, now].slice(-CROWD.connections);
}

/** Node takes one new connection in each turn of its loop, so that turns are kept short while clients wait to be connected. */
export async function letOthersConnect(now = performance.now()): Promise<void> {
  const areManyConnecting = takenAt.length === CROWD.connections && now - takenAt[0]! < CROWD.withinMs;
  if (areManyConnecting) await shortTurn();
}

/**
 * Sets what every answer carries: browsers take its type as it is, show it in no frame, and no cache keeps it, because
 * most answers belong to one shopper. A page or script that may be kept says so itself.
 */
export function setCommonHeaders(_req: Request, res: Response, next: NextFunction): void {
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('X-Frame-Options', 'DENY');
  res.setHeader('Referrer-Policy', 'no-referrer');
  res.setHeader('Cache-Control', 'no-store');
  next();
}

const HEADER = 'x-request-id';
const ACCEPTABLE = /^[\w.:-]{1,128}$/;

/** Takes the caller's x-request-id where it is harmless, else makes one, and returns it with the answer. */
export function assignRequestId(req: Request, res: Response, next: NextFunction): void {
  const given = req.headers[HEADER];
  res.setHeader(HEADER, typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID());
  next();
}

/** The id that `assignRequestId` gave this request. */
export function requestIdOf(res: Response): string {
  return String(res.getHeader(HEADER));
}

const ALLOW_HEADERS =
  'Content-Type, Authorization, Accept, Idempotency-Key, X-Pid, X-Regid, X-Sessionid, X-Request-Id, X-Api-Key, Apollo-Require-Preflight';
const EXPOSE_HEADERS =
  'ETag, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Cost, X-Cost-Limit, X-Cost-Remaining, X-Cost-Reset, X-Request-Id';
/** Paths that browsers on other origins may call. */
const SHARED_PATHS = /^\/(api\/|graphql(\/stream)?$|client\/)/;

/** Whether all of these headers may be sent from anywhere: the one that opens a dashboard's session may not. */
function isPlain(names: string): boolean {
  return /^[\w\s,-]{1,1000}$/.test(names) && !names.toLowerCase().includes(DASHBOARD_HEADER);
}

/** Lets the page that asked read the answer, whichever it is. */
function allowAnyOrigin(res: ServerResponse, origin: string): void {
  res.setHeader('Access-Control-Allow-Origin', origin);
  res.setHeader('Access-Control-Expose-Headers', EXPOSE_HEADERS);
  res.setHeader('Vary', 'Origin');
}

/** Answers preflights. They carry no credentials, so the store's own origins are checked with the call that follows. */
export function answerPreflight(req: Request, res: Response, next: NextFunction): void {
  if (!SHARED_PATHS.test(req.path)) return next();
  if (req.headers.origin !== undefined) allowAnyOrigin(res, req.headers.origin);
  if (req.method !== 'OPTIONS') return next();
  const asked = req.headers['access-control-request-headers'];
  res.setHeader('Access-Control-Allow-Methods', 'GET, POST');
  res.setHeader('Access-Control-Allow-Headers', asked && isPlain(asked) ? asked : ALLOW_HEADERS);
  res.setHeader('Access-Control-Max-Age', '7200');
  res.status(204).end();
}

/** Refuses a browser on an origin that the store does not list; an empty list allows any, our own pages always pass. */
export function allowOrigin(req: Request, res: Response, store: Viewer['store'], config: Config): void {
  const { origin } = req.headers;
  if (origin === undefined || store === null || store.allowedOrigins.length === 0) return;
  if (store.allowedOrigins.includes(origin) || origin === new URL(config.publicUrl).origin) return;
  // Browsers set this header and no script can: our own pages, also where they are opened under another name.
  if (req.headers['sec-fetch-site'] === 'same-origin') return;
  res.removeHeader('Access-Control-Allow-Origin');
  fail('forbidden', 'This store does not allow calls from this origin');
}

/** What our dashboard sends along: a page of another origin could only after a preflight, which never allows it. */
export const DASHBOARD_HEADER = 'x-wishgate-dashboard';

/** Where a browser keeps its session. */
export const SESSION_COOKIE = 'wishgate_session';

/**
 * Whether a request comes from a page of our own, as far as its browser says: it sets `Sec-Fetch-Site` and `Origin`, and no script can. One that says
 * nothing passes; what needs to know asks for more.
 */
export function isOwnPage(req: Request): boolean {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = req.headers;
  return origin === undefined || origin.replace(/^https?:\/\//, '') === host;
}

/** Whether our dashboard asks. */
export function isDashboard(req: Request): boolean {
  return req.headers[DASHBOARD_HEADER] === '1' && isOwnPage(req);
}

/** The session of a dashboard's request; empty for all others, whatever cookie they carry. */
export function sessionOf(req: Request): string {
  if (req.headers.authorization !== undefined || !isDashboard(req)) return '';
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${SESSION_COOKIE}=`))?.slice(SESSION_COOKIE.length + 1) ?? '';
}

/** Whether a page's script asks. The browser would ask for a password over the page; the script shows the failure itself. */
export function isScript(req: Request): boolean {
  return req.headers['sec-fetch-dest'] === 'empty' || req.headers[DASHBOARD_HEADER] !== undefined;
}
