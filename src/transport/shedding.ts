import { performance } from 'node:perf_hooks';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { AppError, errorBody } from '../shared/errors.ts';
import type { Logger } from '../shared/log.ts';
import { METRICS } from '../shared/metrics.ts';
import { allowAnyOrigin } from './cors.ts';
import { graphqlFailure } from './graphql.ts';
import { isForPeople, sendLostPage } from './pages/lost.ts';

/** Who is turned away may come back after so long; who comes sooner on the same connection waits for its refusal until then. */
const RETRY_SECONDS = 2;
/** How many times as many as are answered at a time may come at once. */
const BURST = 8;
/** A connection that was not taken for so long has a caller who has waited enough. */
const LATE_MS = 100;
/** While requests are turned away, the log says so this often. */
const TELL_MS = 10_000;

const failure = new AppError('unavailable', 'Too many requests are under way; retry later', {
  'Retry-After': String(RETRY_SECONDS),
});

/** What operators and their monitoring ask for is always answered; preflights cost no more than a refusal. */
const ALWAYS = /^\/(healthz|readyz|metrics)(\?|$)/;
const GRAPHQL = /^\/graphql(\/stream)?(\?|$)/;

const HEADERS = [
  ...['Content-Type', 'application/json; charset=utf-8'],
  ...['X-Content-Type-Options', 'nosniff'],
  ...['Cache-Control', 'no-store'],
  ...['Retry-After', failure.headers['Retry-After']!],
];

/** A refusal that is ready to be written: under overload it must cost next to nothing. */
function prepareAnswer(value: object): (res: ServerResponse) => void {
  const body = Buffer.from(JSON.stringify(value));
  const headers = [...HEADERS, 'Content-Length', String(body.length)];
  return (res) => void res.writeHead(failure.status, headers).end(body);
}

const answerRest = prepareAnswer(errorBody(failure));
const answerGraphql = prepareAnswer(graphqlFailure(failure));

/** The requests of this process that are being answered: their body has come, and their answer has not begun. */
const underWay = new Set<ServerResponse>();
let refused = 0;

/** How many requests are being answered, and how many were turned away since the start. */
export const queueFigures = (): { underWay: number; refused: number } => ({
  underWay: underWay.size,
  refused,
});

/** The request no longer counts: its answer begins, or it waits for something other than its turn. */
export function stepAside(res: ServerResponse): void {
  underWay.delete(res);
}

/** A body that is still on its way makes no work, however slowly it comes. */
function countOnceRead(req: IncomingMessage, res: ServerResponse): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers;
  const count = (): void => void (res.destroyed || underWay.add(res));
  if (length === '0' && encoding === undefined) count();
  else req.once('end', count);
  res.once('close', () => underWay.delete(res));
}

function answer(req: IncomingMessage, res: ServerResponse): void {
  if (res.destroyed) return;
  // What is left of the body is thrown away as it comes; one that is long is not waited for.
  if (Number(req.headers['content-length'] ?? 0) > 100_000) res.shouldKeepAlive = false;
  const { origin } = req.headers;
  if (origin !== undefined) allowAnyOrigin(res, origin);
  if (GRAPHQL.test(req.url!)) return answerGraphql(res);
  if (!isForPeople(req as Request)) return answerRest(res);
  res.setHeader('Retry-After', failure.headers['Retry-After']!);
  sendLostPage(res as Response, failure);
}

/** Says in the log that requests are turned away, for as long as they are. */
function createTelling(log: Logger): () => void {
  let timer: NodeJS.Timeout | null = null;
  let told = 0;
  const tell = (): void => {
    const since = refused - told;
    told = refused;
    if (since > 0)
      return void log.warn({ refused: since, underWay: underWay.size }, 'requests were turned away');
    clearInterval(timer!);
    timer = null;
    log.info('requests are no longer turned away');
  };
  return () => {
    if (timer !== null) return;
    timer = setInterval(tell, TELL_MS).unref();
    tell();
  };
}

/**
 * Finds connections that waited long to be taken. The system's loop takes one in each turn, so that on a busy process they queue up where nobody sees them;
 * one in every turn for so long means that this queue was never empty, and that whoever is taken now has waited.
 */
function createLateness(): { note: (socket: Socket) => void; isLate: (socket: Socket) => boolean } {
  const late = new WeakSet<Socket>();
  let [turn, since] = [0, 0];
  return {
    note(socket) {
      const now = performance.now();
      const { loopCount } = performance.nodeTiming.uvMetricsInfo;
      if (loopCount > turn + 1) since = now;
      turn = loopCount;
      if (now - since > LATE_MS) late.add(socket);
    },
    isLate: (socket) => late.delete(socket),
  };
}

/**
 * Whether there is room for one more. Beyond `maxRequests` there is some for a burst, such as a page that asks for a hundred things at once: so many may come at
 * a time, and again once there was no crowd for as long as refused callers stay away. A crowd that stays has spent it, and waits for none of it.
 */
function createRoom(maxRequests: number): () => boolean {
  const burst = BURST * maxRequests;
  let [left, crowdedAt] = [burst, 0];
  return () => {
    if (underWay.size < maxRequests) {
      if (left < burst && performance.now() - crowdedAt > RETRY_SECONDS * 1_000) left = burst;
      return true;
    }
    crowdedAt = performance.now();
    if (left > 0) left -= 1;
    else return false;
    return true;
  };
}

/**
 * Decides whether a request is let in, before its body is read: there are at most `maxRequests` being answered, so that their time stays what it is
 * at a full load, and the work is never for callers who have given up. Refuses and answers false beyond that.
 */
export function createShedding(server: Server, maxRequests: number, log: Logger) {
  const refusedAt = new WeakMap<Socket, number>();
  const tell = createTelling(log);
  const { note, isLate } = createLateness();
  const hasRoom = createRoom(maxRequests);
  server.on('connection', note);
  return (req: IncomingMessage, res: ServerResponse): boolean => {
    if (ALWAYS.test(req.url!) || req.method === 'OPTIONS') return true;
    // Below the limit nobody is turned away: a process that has just started, or whose machine is busy with others, takes connections slowly.
    const cameLate = isLate(req.socket) && underWay.size >= maxRequests;
    if (!cameLate && hasRoom()) {
      countOnceRead(req, res);
      return true;
    }
    refused += 1;
    METRICS.shed.inc({ reason: cameLate ? 'late' : 'full' });
    tell();
    const now = performance.now();
    const early = (refusedAt.get(req.socket) ?? -Infinity) + RETRY_SECONDS * 1_000 - now;
    refusedAt.set(req.socket, now + Math.max(0, early));
    if (early > 0) setTimeout(answer, early, req, res);
    else answer(req, res);
    return false;
  };
}
