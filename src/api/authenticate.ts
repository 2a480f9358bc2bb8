import type { Request, Response } from 'express';
import type { Context, Credentials, Services, Viewer } from '../context.ts';
import { NO_CREDENTIALS, authenticate, failWhenClosed } from '../shoppers/authenticate.service.ts';
import type { KnownState } from '../shoppers/authenticate.service.ts';
import { traceOf } from './access-log.ts';
import { admit, recognise } from './admit.ts';
import { bind } from './bind.ts';
import { allowOrigin, sessionOf } from './http.ts';
import { checkRate } from './limit.ts';

/** Finds who calls; fails where the store does not allow the page's origin or is closed for maintenance. */
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

/** Admits, authenticates and counts a call that has no cached response. */
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

/** Admits a caller who opened a link of this store: its rate is checked, and the link itself is the credential. */
export type AdmitLink = (req: Request, res: Response, pid: string) => Promise<Context>;

/** Makes the function that admits callers of links. */
export function createAdmitLink(services: Services): AdmitLink {
  return async (req, res, pid) => {
    const credentials = { ...NO_CREDENTIALS, pid };
    await admit(services, req, res, credentials);
    const viewer = await authenticate(services, credentials);
    traceOf(res).store = viewer.store?.pid;
    await checkRate(services, req, res, viewer);
    return bind(services, req, res, viewer, credentials);
  };
}

/** A header as one text; empty where it is missing. */
export function headerText(req: Request, name: string): string {
  const value = req.headers[name];
  return typeof value === 'string' ? value : '';
}

/** The credentials in a request's headers; REST adds those of its form and query. */
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
