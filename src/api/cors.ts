import type { ServerResponse } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import type { Config } from '../config.ts';
import type { Viewer } from '../context.ts';
import { fail } from '../platform/errors.ts';
import { DASHBOARD_HEADER } from './same-origin.ts';

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
