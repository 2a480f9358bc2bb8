import type { Request, Response } from 'express';
import type { Context, Services, Viewer } from '../context.ts';
import { createRenderBudget } from '../domain/template/template.pool.ts';
import { createContentsWrites } from '../domain/contents/contents.writes.ts';
import { createListReads } from '../domain/list/list.reads.ts';
import type { Live } from '../domain/live/live.watch.ts';
import { createSignUps } from '../domain/subscription/signup.writes.ts';
import type { Identified } from '../domain/shopper/viewer.service.ts';
import type { Kept } from '../operation/kept.ts';
import { newBasis } from '../shared/basis.ts';
import { createBudgets } from '../shared/budget.ts';
import { fail } from '../shared/errors.ts';
import { traceOf } from './access-log.ts';
import { allowOrigin } from './cors.ts';
import { sessionOf } from './own-page.ts';
import { createPresence, onLeave } from './presence.ts';
import { addressGroup } from './rate-limit.ts';
import type { RateLimiter } from './rate-limit.ts';
import { requestIdOf } from './request-id.ts';
import { stepAside } from './shedding.ts';
import { NO_CREDENTIALS } from './viewer.ts';
import type { Credentials, ResolveViewer } from './viewer.ts';

/** Seconds after which a client may ask a closed service again. */
export const MAINTENANCE_RETRY_SECONDS = '120';

/** What stands at the doors. */
export type Admission = {
  /**
   * Lets a call in: finds the viewer with what a kept answer is held against, then checks origin, maintenance and rate, in this order,
   * the same on both doors.
   */
  admit: (req: Request, res: Response, credentials: Credentials, recalled: Kept | null) => Promise<Viewer>;
  /** Makes what the resolvers of an admitted call see. */
  open: (req: Request, res: Response, viewer: Viewer, credentials: Credentials) => Context;
  /** The same for one more answer of a call that goes on, with a budget of its own; whoever asks closes that. */
  reopen: (ctx: Context, viewer: Viewer) => Context;
  /** Lets somebody in who opened a link of this store: its rate is checked, and the link itself is the credential. */
  admitLink: AdmitLink;
};

/** Admits who opened a link. */
export type AdmitLink = (req: Request, res: Response, pid: string) => Promise<Context>;

export function createAdmission(
  services: Services,
  live: Live,
  resolveViewer: ResolveViewer,
  limiter: RateLimiter,
): Admission {
  const { reader } = services.db;
  const readsWithin = createListReads(services.db);
  const replicaReadsWithin = reader === services.db ? null : createListReads(reader);
  const writes = { contents: createContentsWrites(services), signUps: createSignUps(services) };
  const openBudget = createBudgets();

  /** What one answer reads and takes. */
  const room = (
    viewer: Viewer,
    address: string,
    onLarge?: () => void,
  ): Pick<Context, 'viewer' | 'budget' | 'basis' | 'reads' | 'reading'> => {
    const caller = viewer.shopper?.regid ?? viewer.keyId ?? address;
    const budget = openBudget({ store: viewer.store?.pid ?? '', caller }, onLarge);
    const basis = newBasis();
    const reading = replicaReadsWithin && { db: reader, reads: replicaReadsWithin(budget, basis) };
    return { viewer, budget, basis, reads: readsWithin(budget, basis), reading };
  };

  const failWhenClosed = ({ isServiceDown, store }: Identified): void => {
    if (isServiceDown || store?.maintenance)
      fail('maintenance', undefined, { 'Retry-After': MAINTENANCE_RETRY_SECONDS });
  };

  const identifyAnew = async (credentials: Credentials): Promise<Viewer> => {
    const viewer = await resolveViewer(credentials, null);
    failWhenClosed(viewer);
    return viewer;
  };

  const open: Admission['open'] = (req, res, viewer, credentials) => {
    const address = addressGroup(req.ip ?? '');
    // Large answers have a queue of their own, in which one store cannot fill the place of all.
    const taken = room(viewer, address, () => stepAside(res));
    onLeave(res, taken.budget.close);
    return {
      ...services,
      ...taken,
      trace: traceOf(res),
      writes,
      live,
      presence: () => createPresence(res, () => identifyAnew(credentials)),
      requestId: requestIdOf(res),
      address,
      path: req.path.replace(/\/$/, ''),
      idempotencyKey: headerText(req, 'idempotency-key'),
      renderBudget: createRenderBudget(),
    };
  };

  return {
    async admit(req, res, credentials, recalled) {
      const viewer = await resolveViewer(credentials, recalled);
      traceOf(res).store = viewer.store?.pid;
      allowOrigin(req, res, viewer.store, services.config);
      failWhenClosed(viewer);
      await limiter.check(req, res, viewer);
      return viewer;
    },
    open,
    reopen: (ctx, viewer) => ({ ...ctx, ...room(viewer, ctx.address) }),
    async admitLink(req, res, pid) {
      const credentials = { ...NO_CREDENTIALS, pid };
      const viewer = await resolveViewer(credentials, null);
      traceOf(res).store = viewer.store?.pid;
      await limiter.check(req, res, viewer);
      return open(req, res, viewer, credentials);
    },
  };
}

/** The credentials in a request's headers; the REST door adds those of its form and query. */
export function headerCredentials(req: Request): Credentials {
  return {
    authorization: req.headers.authorization ?? '',
    session: sessionOf(req),
    pid: headerText(req, 'x-pid'),
    actsFor: headerText(req, 'x-pid'),
    regid: headerText(req, 'x-regid'),
    sessionid: headerText(req, 'x-sessionid'),
  };
}

function headerText(req: Request, name: string): string {
  const value = req.headers[name];
  return typeof value === 'string' ? value : '';
}
