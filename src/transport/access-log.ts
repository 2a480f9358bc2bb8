import type { NextFunction, Request, Response } from 'express';
import type { Logger } from '../shared/log.ts';
import { requestIdOf } from './request-id.ts';

/** Names the route for the log: only known patterns get there, because a path can hold a secret or a person's typing. */
export function nameRoute(res: Response, route: string): void {
  res.locals['route'] = route;
}

/** Writes one line a request when its answer is complete: never a body, a query or a credential. */
export function createAccessLog(log: Logger) {
  return (req: Request, res: Response, next: NextFunction): void => {
    const start = process.hrtime.bigint();
    res.on('close', () => {
      const durationMs = Number(process.hrtime.bigint() - start) / 1e6;
      log.info(
        {
          requestId: requestIdOf(res),
          method: req.method,
          route: (res.locals['route'] as string | undefined) ?? 'unknown',
          status: res.writableFinished ? res.statusCode : 499,
          durationMs: Math.round(durationMs * 10) / 10,
        },
        'request',
      );
    });
    next();
  };
}
