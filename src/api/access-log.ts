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

/** Operations with several fields share one metrics label, because callers choose the combination. */
function labelOf(operation: string | undefined): string {
  return operation?.replace(/ .*,.*/, ' (several)') ?? '';
}

type Ended = Trace & { method: string; route: string; status: number; seconds: number };

function count({ route, operation, status, type, seconds }: Ended): void {
  METRICS.requests.observe({ route, operation: labelOf(operation), status }, seconds);
  if (type !== undefined) METRICS.failures.inc({ type });
}

function describe({ method, route, status, store, operation }: Ended) {
  return {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    ...(store !== undefined && { 'wishgate.store': store }),
    ...(operation !== undefined && { 'wishgate.operation': operation }),
  };
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
      const durationMs = performance.now() - startedAt;
      const { route = 'unknown', path = 'unknown' } = res.locals as { route?: string; path?: string };
      const { method } = req;
      const status = res.writableFinished ? res.statusCode : 499;
      const { traceId, store, operation, type } = trace;
      const requestId = requestIdOf(res);
      const ended = { ...trace, method, route, status, seconds: durationMs / 1_000 };
      count(ended);
      log[status >= 500 ? 'warn' : 'info'](
        {
          requestId,
          traceId,
          method,
          route,
          path,
          store,
          operation,
          status,
          type,
          durationMs: Math.round(durationMs * 10) / 10,
        },
        'Request',
      );
      const failure = status >= 500 ? (type ?? String(status)) : undefined;
      span?.end({ name: `${method} ${route}`, attributes: describe(ended), failure });
    });
    if (span === null) next();
    else span.run(next);
  };
}
