import express from 'express';
import type { ErrorRequestHandler, Express, Request, Response } from 'express';
import { createAccessLog, traceOf } from './api/access-log.ts';
import { createApollo } from './api/graphql/apollo.ts';
import { createDocuments } from './api/graphql/documents.ts';
import { extensionsOf, toAppError } from './api/graphql/errors.ts';
import { isStreamAccepted } from './api/graphql/framing.ts';
import { sharedSchema } from './api/graphql/schema.ts';
import { serveStream } from './api/graphql/stream.ts';
import { serveHealth } from './api/health.ts';
import type { Lifecycle } from './api/health.ts';
import { allowCors, isScript, prepareResponse, requestIdOf } from './api/http.ts';
import { serveMetrics } from './api/metrics.ts';
import { serveClicks } from './api/pages/click-redirect.ts';
import { serveContactPages } from './api/pages/contact-pages.ts';
import { sendErrorPage, wantsPage } from './api/pages/error-page.ts';
import { servePages } from './api/pages/pages.ts';
import { serveSharedLists } from './api/pages/shared-list.ts';
import { serveGraphql, serveRest } from './api/request.ts';
import { createResponseCache } from './api/response-cache.ts';
import { prepareRoutes } from './api/rest/read.ts';
import { routes } from './api/rest/routes.ts';
import { serveShopify } from './api/shopify.ts';
import { serveSignIn } from './api/sign-in.ts';
import { serveReplies } from './api/sms-replies.ts';
import type { Services } from './context.ts';
import { watchersOf } from './lists/live.watch.ts';
import { AppError, errorBody, fail } from './platform/errors.ts';
import { readServiceSecret } from './stores/store.service.ts';
import type { DemoStore } from './web/demo-store/demo.ts';

/** Does not listen. */
export async function createApp(
  services: Services,
  lifecycle: Lifecycle,
  demo: DemoStore | null = null,
): Promise<Express> {
  const schema = sharedSchema();
  lifecycle.endStreams = () => watchersOf(services).close();
  const documents = await createDocuments(services.config.trustedDocuments);
  const apollo = createApollo(schema, documents);
  await Promise.all([apollo.start(), services.limiter.open(await readServiceSecret(services.db))]);
  const cache = createResponseCache(services.config.responseCacheBytes);
  // Revisions of another database are meaningless for these responses.
  services.db.onLost(() => cache?.clear());
  const api = { services, schema, apollo, routes: prepareRoutes(schema, routes), cache };

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', services.config.trustProxy);
  app.use(prepareResponse, createAccessLog(services.log), allowCors);
  // The most frequent calls come first, because Express tries handlers in order.
  app.use(serveRest(api));
  const [graphql, stream] = [serveGraphql(api), serveStream(api)];
  // Many clients know only one address and request a stream by its type.
  app.all('/graphql', (req, res) =>
    isStreamAccepted(req.headers.accept) ? stream(req, res) : graphql(req, res),
  );
  app.all('/graphql/stream', stream);
  serveHealth(app, services, lifecycle);
  serveMetrics(app, services);
  serveShopify(app, services);
  serveReplies(app, services);
  serveContactPages(app, services);
  serveClicks(app, services);
  serveSharedLists(app, services);
  serveSignIn(app, services, demo);
  servePages(app, services, schema, demo);
  app.use(failMissing);
  app.use(createFailureHandler(services));
  return app;
}

/** A wrong method is 404 with `Allow`, because clients know no other status for it. */
function failMissing({ method, path }: Request): never {
  const shown = path.replace(/\/$/, '').slice(0, 100);
  const calls = Object.keys(routes).filter((key) => key.endsWith(` ${shown}`));
  const allowed = calls.map((key) => key.split(' ')[0]).join(', ');
  if (!allowed) return fail('not-found', `There is no call ${method} ${shown}; see /docs`);
  return fail('not-found', `Use ${allowed} for ${shown}`, { Allow: allowed });
}

function createFailureHandler(services: Services): ErrorRequestHandler {
  const { log } = services;
  return (error: unknown, req: Request, res: Response, _next) => {
    // Express throws on a path with a broken percent-encoding, which is a 404.
    const isBrokenPath = error instanceof Error && error.name === 'URIError';
    const cause = isBrokenPath ? new AppError('not-found', 'Not found') : error;
    const failure = toAppError(cause, { requestId: requestIdOf(res), log, trace: traceOf(res) });
    traceOf(res).type = failure.type;
    if (res.headersSent) return void res.destroy();
    res.set(failure.headers);
    if (/^\/graphql(\/stream)?$/.test(req.path))
      return void res
        .status(failure.status)
        .json({ errors: [{ message: failure.message, extensions: extensionsOf(failure) }] });
    if (wantsPage(req)) return sendErrorPage(services, req, res, failure);
    if (failure.type === 'unauthorised' && !isScript(req))
      res.set('WWW-Authenticate', 'Basic realm="wishgate", charset="UTF-8"');
    res.status(failure.status).json(errorBody(failure));
  };
}
