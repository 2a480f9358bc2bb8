import type { Request, Response } from 'express';
import type { Context, Services, Viewer } from '../context.ts';
import { createRenderBudget } from '../alerts/compose/template.pool.ts';
import { createContentsWrites } from '../lists/contents.writes.ts';
import { createListReads } from '../lists/list.reads.ts';
import type { Live } from '../lists/live.watch.ts';
import { createSignUps } from '../alerts/subscriptions/signup.writes.ts';
import type { Identified } from '../shoppers/viewer.service.ts';
import type { Kept } from './response-cache.ts';
import { newBasis } from '../platform/cache-dependencies.ts';
import { createBudgets } from '../platform/budget.ts';
import { fail } from '../platform/errors.ts';
import type { Party } from '../platform/fair-queue.ts';
import { traceOf } from './access-log.ts';
import { allowOrigin } from './cors.ts';
import { sessionOf } from './same-origin.ts';
import { createConnection } from './connection.ts';
import { onLeave } from './on-leave.ts';
import { createRequestQueue, releasePlace } from './admit.ts';
import { addressGroup } from './limit.ts';
import type { RateLimiter } from './limit.ts';
import { requestIdOf } from './request-id.ts';
import { NO_CREDENTIALS } from './credentials.ts';
import type { Credentials, ResolveViewer } from './credentials.ts';

/** Seconds after which a client may ask a closed service again. */
export const MAINTENANCE_RETRY_SECONDS = '120';

/** What stands at the doors. */
export type Admission = {
  /**
   * Lets a call in: finds the viewer with what a kept answer is held against, then checks origin, maintenance and rate, in this order,
   * the same on both doors.
   */
  admit: (req: Request, res: Response, credentials: Credentials, recalled: Kept | null) => Promise<Viewer>;
  /** Waits for the turn of a call that shows no credentials of ours, in the line of its address. */
  enter: (req: Request, res: Response) => Promise<void>;
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
  const queue = createRequestQueue(services.config, services.log);

  /** What one answer reads and takes. */
  const room = (
    viewer: Viewer,
    party: Party,
    onLarge?: () => void,
  ): Pick<Context, 'viewer' | 'budget' | 'basis' | 'reads' | 'reading'> => {
    const budget = openBudget(party, onLarge);
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
    const party = partyOf(viewer, address);
    const taken = room(viewer, party, () => releasePlace(res));
    onLeave(res, taken.budget.close);
    return {
      ...services,
      ...taken,
      trace: traceOf(res),
      writes,
      live,
      connection: () => createConnection(res, queue, party, () => identifyAnew(credentials)),
      requestId: requestIdOf(res),
      address,
      path: req.path.replace(/\/$/, ''),
      idempotencyKey: headerText(req, 'idempotency-key'),
      renderBudget: createRenderBudget(),
    };
  };

  return {
    async admit(req, res, credentials, recalled) {
      await queue.enter(req, res, credentials);
      const viewer = await resolveViewer(credentials, recalled);
      queue.recognise(credentials, viewer);
      traceOf(res).store = viewer.store?.pid;
      allowOrigin(req, res, viewer.store, services.config);
      failWhenClosed(viewer);
      await limiter.check(req, res, viewer);
      return viewer;
    },
    enter: (req, res) => queue.enter(req, res, NO_CREDENTIALS),
    open,
    reopen: (ctx, viewer) => ({ ...ctx, ...room(viewer, partyOf(viewer, ctx.address)) }),
    async admitLink(req, res, pid) {
      const credentials = { ...NO_CREDENTIALS, pid };
      await queue.enter(req, res, credentials);
      const viewer = await resolveViewer(credentials, null);
      traceOf(res).store = viewer.store?.pid;
      await limiter.check(req, res, viewer);
      return open(req, res, viewer, credentials);
    },
  };
}

/** Whose share of what is scarce a call takes. */
function partyOf({ store, shopper, keyId }: Viewer, address: string): Party {
  return { store: store?.pid ?? '', caller: shopper?.regid ?? keyId ?? address };
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
