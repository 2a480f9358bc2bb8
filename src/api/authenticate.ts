import type { Request, Response } from 'express';
import type { Context, Credentials, Services, Viewer } from '../context.ts';
import { NO_CREDENTIALS, authenticate, failWhenClosed } from '../shoppers/authenticate.service.ts';
import type { KnownState } from '../shoppers/authenticate.service.ts';
import { failWhenMoving } from '../stores/store.rules.ts';
import { traceOf } from './access-log.ts';
import { admit, recognise } from './admit.ts';
import { bind } from './bind.ts';
import { allowOrigin, sessionOf } from './http.ts';
import { checkRate } from './limit.ts';

/** Throws where the store does not allow the page's origin or is closed for maintenance. */
export async function authenticateCall(
  services: Services,
  req: Request,
  res: Response,
  credentials: Credentials,
  known?: KnownState,
): Promise<Viewer> {
  const viewer = await authenticate(services, credentials, known);
  recognise(services, credentials, viewer);
  traceOf(res).store = viewer.store?.pid;
  allowOrigin(req, res, viewer.store, services.config);
  failWhenClosed(viewer);
  return viewer;
}

export async function enter(
  services: Services,
  req: Request,
  res: Response,
  credentials: Credentials,
): Promise<Viewer> {
  await admit(services, req, res, credentials);
  const viewer = await authenticateCall(services, req, res, credentials);
  await checkRate(services, req, res, viewer);
  return viewer;
}

/** Admits a caller who opened a link of this store: the link itself is the credential, and only the rate is checked. */
export async function admitLink(
  services: Services,
  req: Request,
  res: Response,
  pid: string,
): Promise<Context> {
  const credentials = { ...NO_CREDENTIALS, pid };
  await admit(services, req, res, credentials);
  const viewer = await authenticate(services, credentials);
  if (viewer.store) failWhenMoving(viewer.store);
  traceOf(res).store = viewer.store?.pid;
  await checkRate(services, req, res, viewer);
  return bind(services, req, res, viewer, credentials);
}

/** Empty when the header is missing. */
export const headerText = (req: Request, name: string): string => (req.headers[name] ?? '') as string;

/** REST adds the credentials of its form and query. */
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
