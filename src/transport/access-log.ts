import type { NextFunction, Request, Response } from 'express';
import type { Trace } from '../context.ts';
import type { Logger } from '../shared/log.ts';
import { requestIdOf } from './request-id.ts';

/** What the line of this request will say beside its route, status and duration. */
export function traceOf(res: Response): Trace {
  return (res.locals['trace'] ??= {}) as Trace;
}

/**
 * Names the route for the log: only known patterns get there, because a path can hold a secret or a person's typing.
 * `path` is the address itself where it can hold neither, such as a file of ours; a pattern stands for every other.
 */
export function nameRoute(res: Response, route: string, path: string = route): void {
  res.locals['route'] = route;
  res.locals['path'] = path;
}

/** Writes one line a request when its answer is complete: never a body, a query or a credential. */
export function createAccessLog(log: Logger) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const start = process.hrtime.bigint();
    res.on('close', () => {
      const durationMs = Number(process.hrtime.bigint() - start) / 1e6;
      const { route = 'unknown', path = 'unknown' } = res.locals as { route?: string; path?: string };
      const { store, operation, type } = traceOf(res);
      log.info(
        {
          requestId: requestIdOf(res),
          method: req.method,
          route,
          path,
          store,
          operation,
          status: res.writableFinished ? res.statusCode : 499,
          type,
          durationMs: Math.round(durationMs * 10) / 10,
        },
        'request',
      );
    });
    next();
  };
}
