import type { Request, Response } from 'express';
import { RENDER_BUDGET_MS } from '../alerts/compose/template.pool.ts';
import { newDependencies } from '../context.ts';
import type { Context, Credentials, Services, Viewer } from '../context.ts';
import { closeBudget, openBudget } from '../platform/budget.ts';
import { onLeave, releasePlace } from '../platform/in-flight.ts';
import type { Party } from '../platform/in-flight.ts';
import { traceOf } from './access-log.ts';
import { isOwnPage, requestIdOf } from './http.ts';
import { addressGroup } from './limit.ts';

function partyOf({ store, shopper, keyId }: Viewer, address: string): Party {
  return { store: store?.pid ?? '', caller: shopper?.regid ?? keyId ?? address };
}

export function bind(
  services: Services,
  req: Request,
  res: Response,
  viewer: Viewer,
  credentials: Credentials,
): Context {
  const address = addressGroup(req.ip ?? '');
  const party = partyOf(viewer, address);
  // Large responses wait in their own queue, in which one store cannot take every slot.
  const budget = openBudget(services, party, () => releasePlace(res));
  onLeave(res, () => closeBudget(budget));
  const { 'idempotency-key': idempotencyKey, 'user-agent': userAgent = '', origin = '' } = req.headers;
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
    browser: { origin, isOwnPage: origin !== '' && isOwnPage(req), userAgent },
    path: req.path.replace(/\/$/, ''),
    shownOnce: [],
    idempotencyKey: typeof idempotencyKey === 'string' ? idempotencyKey : '',
    renderBudget: { leftMs: RENDER_BUDGET_MS },
  };
}

/** The context for the next message of a streaming call, with its own budget; the caller closes that budget. */
export function rebind(ctx: Context): Context {
  const { viewer } = ctx.connection;
  const budget = openBudget(ctx, partyOf(viewer, ctx.address));
  return { ...ctx, viewer, budget, dependencies: newDependencies() };
}
