import type { NextFunction, Request, Response } from 'express';
import type { Trace } from '../context.ts';
import type { Logger } from '../platform/log.ts';
import { METRICS } from '../platform/metrics.ts';
import { readTraceparent, startSpan } from '../platform/tracing.ts';
import { requestIdOf } from './http.ts';

export function traceOf(res: Response): Trace {
  return (res.locals['trace'] ??= {}) as Trace;
}

/** Only known patterns are logged, because a path can hold a secret or user input; a static file passes its `path`. */
export function nameRoute(res: Response, route: string, path: string = route): void {
  res.locals['route'] = route;
  res.locals['path'] = path;
}

/** Times each request until its response is complete and logs one line: never a body, a query or a credential. */
export function createAccessLog(log: Logger) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const startedAt = performance.now();
    const parent = readTraceparent(req.headers['traceparent']);
    const span = startSpan('request', req.method, {}, parent);
    const trace = traceOf(res);
    trace.traceId = span?.traceId ?? parent?.traceId;
    res.on('close', () => {
      const elapsedMs = performance.now() - startedAt;
      const durationMs = Math.round(elapsedMs * 10) / 10;
      const { route = 'unknown', path = 'unknown' } = res.locals as { route?: string; path?: string };
      const { method } = req;
      const status = res.writableFinished ? res.statusCode : 499;
      const { traceId, store, operation, type } = trace;
      const requestId = requestIdOf(res);
      // Operations with several fields share one label, because callers choose the combination.
      const label = operation?.replace(/ .*,.*/, ' (several)') ?? '';
      METRICS.requests.observe({ route, operation: label, status }, elapsedMs / 1_000);
      if (type !== undefined) METRICS.failures.inc({ type });
      const line = { requestId, traceId, method, route, path, store, operation, status, type, durationMs };
      log[status >= 500 ? 'warn' : 'info'](line, 'Request');
      const attributes = {
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
        ...(store !== undefined && { 'wishgate.store': store }),
        ...(operation !== undefined && { 'wishgate.operation': operation }),
      };
      const failure = status >= 500 ? (type ?? String(status)) : undefined;
      span?.end({ name: `${method} ${route}`, attributes, failure });
    });
    if (span === null) next();
    else span.run(next);
  };
}
