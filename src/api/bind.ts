import type { Request, Response } from 'express';
import { RENDER_BUDGET_MS } from '../alerts/compose/template.pool.ts';
import type { Context, Credentials, Services, Viewer } from '../context.ts';
import { closeBudget, openBudget } from '../platform/budget.ts';
import { newDependencies } from '../context.ts';
import type { Party } from '../platform/in-flight.ts';
import { onLeave, releasePlace } from '../platform/in-flight.ts';
import { traceOf } from './access-log.ts';
import { addressGroup } from './limit.ts';
import { requestIdOf } from './http.ts';

/** Whose share of memory and places a call takes. */
function partyOf({ store, shopper, keyId }: Viewer, address: string): Party {
  return { store: store?.pid ?? '', caller: shopper?.regid ?? keyId ?? address };
}

/** Makes what the resolvers of an authenticated call see. */
export function bind(
  services: Services,
  req: Request,
  res: Response,
  viewer: Viewer,
  credentials: Credentials,
): Context {
  const address = addressGroup(req.ip ?? '');
  const party = partyOf(viewer, address);
  // Large responses wait in a queue of their own, in which one store cannot fill the places of all.
  const budget = openBudget(services, party, () => releasePlace(res));
  onLeave(res, () => closeBudget(budget));
  const idempotencyKey = req.headers['idempotency-key'];
  return {
    ...services,
    primary: services.db,
    viewer,
    budget,
    dependencies: newDependencies(),
    trace: traceOf(res),
    connection: { response: res, party, credentials, viewer },
    requestId: requestIdOf(res),
    address,
    path: req.path.replace(/\/$/, ''),
    shownOnce: [],
    idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : '',
    renderBudget: { leftMs: RENDER_BUDGET_MS },
  };
}

/** The context of one more message of a call that goes on, with a budget of its own; the caller closes that. */
export function rebind(ctx: Context): Context {
  const { viewer } = ctx.connection;
  const budget = openBudget(ctx, partyOf(viewer, ctx.address));
  return { ...ctx, viewer, budget, dependencies: newDependencies() };
}
