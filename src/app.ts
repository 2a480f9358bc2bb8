import express from 'express';
import type { ErrorRequestHandler, Express, Request, Response } from 'express';
import type { Services } from './context.ts';
import type { DemoStore } from './web/demo-store/demo.ts';
import { createLive } from './lists/live.watch.ts';
import { readServiceSecret } from './stores/store.service.ts';
import { createDocuments } from './api/graphql/documents.ts';
import { createOperations } from './api/graphql/executor.ts';
import { toAppError } from './api/graphql/errors.ts';
import { createKeptAnswers } from './api/response-cache.ts';
import { withNudges } from './api/graphql/notify.ts';
import { withIdempotency } from './api/idempotency.ts';
import { withReading } from './api/graphql/replica.ts';
import { sharedSchema } from './api/graphql/schema.ts';
import { createApollo } from './api/graphql/apollo.ts';
import { withSpans } from './api/graphql/spans.ts';
import { AppError, errorBody } from './platform/errors.ts';
import { createAccessLog, nameRoute, traceOf } from './api/access-log.ts';
import { createAdmission } from './api/authenticate.ts';
import { createAnswering } from './api/request.ts';
import { serveAnswers } from './api/sms-replies.ts';
import { answerPreflight } from './api/cors.ts';
import { createGraphqlDoor, graphqlFailure } from './api/graphql/endpoint.ts';
import { setCommonHeaders } from './api/headers.ts';
import { serveConfirm } from './api/pages/confirm.ts';
import { serveClicks } from './api/pages/click-redirect.ts';
import { serveHealth } from './api/health.ts';
import type { Lifecycle } from './api/health.ts';
import { sendNotFoundPage, wantsPage } from './api/pages/not-found.ts';
import { serveMetrics } from './api/metrics.ts';
import { serveTrackingChoice } from './api/pages/click-tracking.ts';
import { servePages } from './api/pages/pages.ts';
import { serveSharedLists } from './api/pages/shared-list.ts';
import { serveUnsubscribe } from './api/pages/unsubscribe.ts';
import { isScript } from './api/same-origin.ts';
import { createRateLimiter } from './api/limit.ts';
import { assignRequestId, requestIdOf } from './api/request-id.ts';
import { createRestRouter } from './api/rest/router.ts';
import { routes } from './api/rest/routes.ts';
import { serveSignIn } from './api/sign-in.ts';
import { createStreamDoor } from './api/graphql/stream.ts';
import { serveShopify } from './api/shopify.ts';
import { createViewerResolver } from './api/credentials.ts';

/** Wires the whole service; it does not listen. */
export async function createApp(
  services: Services,
  lifecycle: Lifecycle,
  demo: DemoStore | null = null,
): Promise<Express> {
  const schema = sharedSchema();
  const live = createLive(services);
  lifecycle.endStreams = live.close;
  const operations = withSpans(withNudges(withIdempotency(withReading(createOperations(schema)))));
  const documents = await createDocuments(services.config.trustedDocuments);
  const apollo = createApollo(schema, operations, documents);
  await Promise.all([apollo.start(), services.limiter.open(await readServiceSecret(services.db))]);
  const admission = createAdmission(
    services,
    live,
    createViewerResolver(services),
    createRateLimiter(services.config.rateLimits, services.limiter),
  );
  const { admitLink, enter } = admission;
  const kept = createKeptAnswers(services.config.keptAnswersBytes);
  services.db.onLost(() => kept.clear());
  const answer = createAnswering(admission, kept);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.set('trust proxy', services.config.trustProxy);
  app.use(assignRequestId, createAccessLog(services.log), setCommonHeaders, answerPreflight);
  // First what is called most: Express tries one after another.
  app.use(createRestRouter(routes, schema, operations, answer));
  const graphql = createGraphqlDoor(apollo, answer);
  const stream = createStreamDoor(apollo, operations, admission);
  app.all('/graphql', (req, res) => {
    nameRoute(res, '/graphql');
    // Some clients, GraphiQL among them, know of one address only and ask for a stream by its type.
    return req.headers.accept === 'text/event-stream' ? stream(req, res) : graphql(req, res);
  });
  app.all('/graphql/stream', (req, res) => {
    nameRoute(res, '/graphql/stream');
    return stream(req, res);
  });
  serveHealth(app, services, lifecycle);
  serveMetrics(app, services);
  serveShopify(app, services, enter);
  serveAnswers(app, services, enter);
  serveConfirm(app, services, admitLink);
  serveUnsubscribe(app, services, admitLink);
  serveTrackingChoice(app, services, admitLink);
  serveClicks(app, services, admitLink);
  serveSharedLists(app, services, admitLink);
  serveSignIn(app, services, admission, demo);
  servePages(app, services, schema, demo);
  app.use(() => {
    throw new AppError('not-found', 'There is nothing at this address');
  });
  app.use(createFailureHandler(services));
  return app;
}

/** Turns whatever was thrown into the documented body of the door it was thrown at. */
function createFailureHandler({ log }: Services): ErrorRequestHandler {
  return (error: unknown, req: Request, res: Response, _next) => {
    // Express throws on a path whose percent-encoding is broken: there is nothing at such an address.
    const isBrokenPath = error instanceof Error && error.name === 'URIError';
    const cause = isBrokenPath ? new AppError('not-found', 'There is nothing at this address') : error;
    const failure = toAppError(cause, { requestId: requestIdOf(res), log, trace: traceOf(res) });
    traceOf(res).type = failure.type;
    if (res.headersSent) return void res.destroy();
    res.set(failure.headers);
    if (/^\/graphql(\/stream)?$/.test(req.path))
      return void res.status(failure.status).json(graphqlFailure(failure));
    if (wantsPage(req)) return sendNotFoundPage(res, failure);
    if (failure.type === 'unauthorised' && !isScript(req))
      res.set('WWW-Authenticate', 'Basic realm="wishgate", charset="UTF-8"');
    res.status(failure.status).json(errorBody(failure));
  };
}
