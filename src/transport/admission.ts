import type { Request, Response } from 'express';
import type { Context, Services, Viewer } from '../context.ts';
import { createRenderBudget } from '../domain/template/template.pool.ts';
import { createContentsWrites } from '../domain/contents/contents.writes.ts';
import { createListReads } from '../domain/list/list.reads.ts';
import { createSignUps } from '../domain/subscription/signup.writes.ts';
import { newBasis } from '../shared/basis.ts';
import { createBudgets } from '../shared/budget.ts';
import { fail } from '../shared/errors.ts';
import { traceOf } from './access-log.ts';
import { allowOrigin } from './cors.ts';
import { addressGroup } from './rate-limit.ts';
import type { RateLimiter } from './rate-limit.ts';
import { requestIdOf } from './request-id.ts';
import type { Credentials, ResolveViewer } from './viewer.ts';

/** Seconds after which a client may ask a closed service again. */
export const MAINTENANCE_RETRY_SECONDS = '120';

/** What stands at the doors. */
export type Admission = {
  /**
   * Lets a call in: finds the viewer with the revisions of these slices, then checks origin, maintenance and rate, in this order, the
   * same on both doors.
   */
  admit: (
    req: Request,
    res: Response,
    credentials: Credentials,
    slices?: readonly number[],
  ) => Promise<Viewer>;
  /** Makes what the resolvers of an admitted call see. */
  open: (req: Request, res: Response, viewer: Viewer) => Context;
  /** Lets somebody in who opened a link of this store: its rate is checked, and the link itself is the credential. */
  admitLink: AdmitLink;
};

/** Admits who opened a link. */
export type AdmitLink = (req: Request, res: Response, pid: string) => Promise<Context>;

export function createAdmission(
  services: Services,
  resolveViewer: ResolveViewer,
  limiter: RateLimiter,
): Admission {
  const readsWithin = createListReads(services.db);
  const writes = { contents: createContentsWrites(services), signUps: createSignUps(services) };
  const openBudget = createBudgets();

  const open = (req: Request, res: Response, viewer: Viewer): Context => {
    const address = addressGroup(req.ip ?? '');
    const caller = viewer.shopper?.regid ?? viewer.keyId ?? address;
    const budget = openBudget({ store: viewer.store?.pid ?? '', caller });
    res.once('close', budget.close);
    const basis = newBasis();
    return {
      ...services,
      viewer,
      trace: traceOf(res),
      budget,
      basis,
      reads: readsWithin(budget, basis),
      writes,
      requestId: requestIdOf(res),
      address,
      path: req.path.replace(/\/$/, ''),
      idempotencyKey: headerText(req, 'idempotency-key'),
      renderBudget: createRenderBudget(),
    };
  };

  return {
    async admit(req, res, credentials, slices) {
      const { isServiceDown, ...viewer } = await resolveViewer(credentials, slices);
      traceOf(res).store = viewer.store?.pid;
      allowOrigin(req, res, viewer.store, services.config);
      if (isServiceDown || viewer.store?.maintenance)
        fail('maintenance', undefined, { 'Retry-After': MAINTENANCE_RETRY_SECONDS });
      await limiter.check(req, res, viewer);
      return viewer;
    },
    open,
    async admitLink(req, res, pid) {
      const viewer = await resolveViewer({ authorization: '', pid, regid: '', sessionid: '' });
      traceOf(res).store = viewer.store?.pid;
      await limiter.check(req, res, viewer);
      return open(req, res, viewer);
    },
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
