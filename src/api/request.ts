import type { ApolloServer } from '@apollo/server';
import type { NextFunction, Request, Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Context, Services } from '../context.ts';
import { METRICS } from '../platform/metrics.ts';
import { nameRoute, traceOf } from './access-log.ts';
import { admit } from './admit.ts';
import { authenticateCall } from './authenticate.ts';
import { bind } from './bind.ts';
import { isOpenedInBrowser, readGraphql } from './graphql/read.ts';
import type { GraphqlCall } from './graphql/read.ts';
import { respondToGraphql } from './graphql/respond.ts';
import { checkRate } from './limit.ts';
import { cacheKey, cacheResponse, freshResponse, knownOf } from './response-cache.ts';
import type { ResponseCache } from './response-cache.ts';
import { readRest } from './rest/read.ts';
import type { RestCall, ServedRoutes } from './rest/read.ts';
import { respondToRest } from './rest/respond.ts';
import { sendResponse } from './send.ts';

export type Api = {
  services: Services;
  schema: GraphQLSchema;
  apollo: ApolloServer<Context>;
  routes: ServedRoutes;
  cache: ResponseCache | null;
};

/** Runs the steps in order, each in its own file. The body is read first, because a form names the caller. */
async function serve(api: Api, req: Request, res: Response, call: RestCall | GraphqlCall): Promise<void> {
  const { services, cache } = api;
  const { credentials } = call;

  await admit(services, req, res, credentials);

  const isRead = req.headers['idempotency-key'] === undefined;
  const key = cache && isRead ? cacheKey(call.endpoint, credentials, call.cacheInput) : null;
  const entry = key === null ? undefined : cache?.get(key);
  const viewer = await authenticateCall(services, req, res, credentials, knownOf(entry));

  await checkRate(services, req, res, viewer);

  const cached = freshResponse(entry, viewer);
  if (key !== null) METRICS.keptAnswers.inc({ result: cached ? 'hit' : 'miss' });
  if (cached) {
    traceOf(res).operation = cached.operation;
    return sendResponse(req, res, cached);
  }

  const ctx = bind(services, req, res, viewer, credentials);

  const response =
    call.kind === 'rest'
      ? await respondToRest(api.schema, call, ctx, res)
      : await respondToGraphql(api.apollo, call, ctx, req, res);
  // The response is already being streamed.
  if (response === null) return;

  cacheResponse(cache, key, entry, viewer, ctx.dependencies, response);
  await sendResponse(req, res, response);
}

/** Routes are looked up in a map, so their number costs nothing. */
export function serveRest(api: Api) {
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const call = await readRest(api.routes, req, res);
    return call === null ? next() : serve(api, req, res, call);
  };
}

export function serveGraphql(api: Api) {
  return async (req: Request, res: Response): Promise<void> => {
    nameRoute(res, '/graphql');
    if (isOpenedInBrowser(req)) return res.redirect(303, '/graphiql');
    return serve(api, req, res, await readGraphql(req, res));
  };
}
