import express from 'express';
import type { ErrorRequestHandler, Express, Request, Response } from 'express';
import type { Services } from './context.ts';
import type { DemoStore } from './demo/demo.ts';
import { createLive } from './domain/live/live.watch.ts';
import { readServiceSecret } from './domain/store/store.service.ts';
import { createDocuments } from './operation/documents.ts';
import { createOperations } from './operation/executor.ts';
import { toAppError } from './operation/failures.ts';
import { createKeptAnswers } from './operation/kept.ts';
import { withNudges } from './operation/nudges.ts';
import { withIdempotency } from './operation/idempotency.ts';
import { withReading } from './operation/reading.ts';
import { sharedSchema } from './operation/schema.ts';
import { createApollo } from './operation/server.ts';
import { withSpans } from './operation/spans.ts';
import { AppError, errorBody } from './shared/errors.ts';
import { createAccessLog, nameRoute, traceOf } from './transport/access-log.ts';
import { createAdmission } from './transport/admission.ts';
import { createAnswering } from './transport/answering.ts';
import { serveAnswers } from './transport/answers.ts';
import { answerPreflight } from './transport/cors.ts';
import { createGraphqlDoor, graphqlFailure } from './transport/graphql.ts';
import { setCommonHeaders } from './transport/headers.ts';
import { serveConfirm } from './transport/pages/confirm.ts';
import { serveClicks } from './transport/pages/go.ts';
import { serveHealth } from './transport/health.ts';
import type { Lifecycle } from './transport/health.ts';
import { isForPeople, sendLostPage } from './transport/pages/lost.ts';
import { serveMetrics } from './transport/metrics.ts';
import { serveMeasuring } from './transport/pages/measuring.ts';
import { servePages } from './transport/pages/pages.ts';
import { serveSharedLists } from './transport/pages/shared-list.ts';
import { serveUnsubscribe } from './transport/pages/unsubscribe.ts';
import { isScript } from './transport/own-page.ts';
import { createRateLimiter } from './transport/rate-limit.ts';
import { assignRequestId, requestIdOf } from './transport/request-id.ts';
import { createRestRouter } from './transport/rest/router.ts';
import { routes } from './transport/rest/routes.ts';
import { serveSignIn } from './transport/sign-in.ts';
import { createStreamDoor } from './transport/stream.ts';
import { serveShopify } from './transport/shopify.ts';
import { createViewerResolver } from './transport/viewer.ts';

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
  serveMeasuring(app, services, admitLink);
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
    if (isForPeople(req)) return sendLostPage(res, failure);
    if (failure.type === 'unauthorised' && !isScript(req))
      res.set('WWW-Authenticate', 'Basic realm="wishgate", charset="UTF-8"');
    res.status(failure.status).json(errorBody(failure));
  };
}
