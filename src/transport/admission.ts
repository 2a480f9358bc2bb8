import type { Request, Response } from 'express';
import type { Context, Services } from '../context.ts';
import { createRenderBudget } from '../domain/alert/template.pool.ts';
import { createListReads } from '../domain/list/list.reads.ts';
import { fail } from '../shared/errors.ts';
import { allowOrigin } from './cors.ts';
import { addressGroup } from './rate-limit.ts';
import type { RateLimiter } from './rate-limit.ts';
import { requestIdOf } from './request-id.ts';
import type { Credentials, ResolveViewer } from './viewer.ts';

/** Seconds after which a client may ask a closed service again. */
const MAINTENANCE_RETRY_SECONDS = '120';

/** Lets a request in: finds the viewer, then checks origin, maintenance and rate, in this order, the same on both doors. */
export type Admit = (req: Request, res: Response, credentials: Credentials) => Promise<Context>;

export function createAdmission(
  services: Services,
  resolveViewer: ResolveViewer,
  limiter: RateLimiter,
): Admit {
  const reads = createListReads(services.db);
  return async (req, res, credentials) => {
    const { isServiceDown, ...viewer } = await resolveViewer(credentials);
    allowOrigin(req, res, viewer.store, services.config);
    if (isServiceDown || viewer.store?.maintenance)
      fail('maintenance', undefined, { 'Retry-After': MAINTENANCE_RETRY_SECONDS });
    await limiter.check(req, res, viewer);
    return {
      ...services,
      viewer,
      reads,
      requestId: requestIdOf(res),
      address: addressGroup(req.ip ?? ''),
      path: req.path.replace(/\/$/, ''),
      idempotencyKey: headerText(req, 'idempotency-key'),
      renderBudget: createRenderBudget(),
    };
  };
}

/** The credentials in a request's headers; the REST door adds those of its form and query. */
export function headerCredentials(req: Request): Credentials {
  return {
    authorization: req.headers.authorization ?? '',
    pid: headerText(req, 'x-pid'),
    regid: headerText(req, 'x-regid'),
    sessionid: headerText(req, 'x-sessionid'),
  };
}

function headerText(req: Request, name: string): string {
  const value = req.headers[name];
  return typeof value === 'string' ? value : '';
}
