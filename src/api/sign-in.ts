import type { Express, Request, Response } from 'express';
import { z } from 'zod';
import type { Services, Viewer } from '../context.ts';
import { fail } from '../platform/errors.ts';
import { NO_CREDENTIALS } from '../shoppers/authenticate.service.ts';
import { SESSION_MS, closeSession, openSession } from '../stores/session.service.ts';
import type { DemoStore } from '../web/demo-store/demo.ts';
import { nameRoute } from './access-log.ts';
import { enter, headerText } from './authenticate.ts';
import { SESSION_COOKIE, isDashboard, isOwnPage, sessionOf } from './http.ts';
import { isLoopbackCall } from './loopback.ts';
import { readJsonBody } from './rest/body.ts';

const ROUTE = '/dashboard/session';
const DEMO_ROUTE = '/dashboard/demo';

const signIn = z.object({ pid: z.string(), apiKey: z.string() });

export const basicOf = ({ pid, apiKey }: DemoStore): string =>
  `Basic ${Buffer.from(`${pid}:${apiKey}`).toString('base64')}`;

function describe({ store, keyId, operatorId }: Viewer) {
  if (operatorId === null && keyId === null) return null;
  return {
    isOperator: operatorId !== null,
    store: store && { pid: store.pid, name: store.name, isDemo: store.isDemo },
  };
}

/** The dashboard sends the key once and keeps a session. Pages of other origins may call none of this. */
export function serveSignIn(app: Express, services: Services, demo: DemoStore | null): void {
  const { config } = services;
  const cookie = {
    httpOnly: true,
    sameSite: 'strict',
    secure: config.publicUrl.startsWith('https:'),
    path: '/',
  } as const;

  const keep = async (req: Request, res: Response, viewer: Viewer): Promise<void> => {
    await closeSession(services, sessionOf(req));
    const session = await openSession(services, viewer);
    res.cookie(SESSION_COOKIE, session, { ...cookie, maxAge: SESSION_MS });
  };

  app.all(ROUTE, async (req, res, next) => {
    nameRoute(res, ROUTE);
    if (!isDashboard(req)) fail('forbidden', 'Only the dashboard of this service can make this call');
    if (req.method === 'GET') {
      const credentials = { ...NO_CREDENTIALS, session: sessionOf(req), actsFor: headerText(req, 'x-pid') };
      const viewer = await enter(services, req, res, credentials);
      const hasDemo = demo !== null && isLoopbackCall(req, config);
      return void res.json({ session: describe(viewer), hasDemo });
    }
    if (req.method === 'POST') {
      const { data } = signIn.safeParse(await readJsonBody(req, res));
      if (!data) return fail('invalid-request', 'pid and apiKey must be strings');
      // The Authorization header that every other client sends.
      const authorization = basicOf(data);
      const viewer = await enter(services, req, res, { ...NO_CREDENTIALS, authorization });
      if (viewer.keyId === null && viewer.operatorId === null) fail(viewer.denial.type, viewer.denial.msg);
      await keep(req, res, viewer);
      return void res.json({ session: describe(viewer) });
    }
    if (req.method !== 'DELETE') return next();
    await closeSession(services, sessionOf(req));
    res.clearCookie(SESSION_COOKIE, cookie).status(204).end();
  });

  app.post(DEMO_ROUTE, async (req, res, next) => {
    nameRoute(res, DEMO_ROUTE);
    if (demo === null || !isLoopbackCall(req, config)) return next();
    // A page of another site could post a form here. Browsers send one of these headers; other clients are rejected.
    const isTold = (req.headers['sec-fetch-site'] ?? req.headers.origin) !== undefined;
    if (!isTold || !isOwnPage(req)) fail('forbidden', 'Open the demo dashboard from a page of this service');
    const viewer = await enter(services, req, res, { ...NO_CREDENTIALS, authorization: basicOf(demo) });
    if (viewer.keyId === null) fail('not-found', 'The key of the demo store was revoked');
    await keep(req, res, viewer);
    res.redirect(303, '/dashboard');
  });
}
