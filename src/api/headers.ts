import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Config } from '../config.ts';
import type { Viewer } from '../context.ts';
import { fail } from '../platform/errors.ts';

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
