import { IncomingMessage, ServerResponse, createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { MIN_BYTES_A_SECOND } from './send.ts';
import { releaseAll } from '../platform/in-flight.ts';
import { createTurns } from '../platform/turns.ts';

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
