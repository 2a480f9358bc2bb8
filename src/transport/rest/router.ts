import type { NextFunction, Request, Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import { describeOperation } from '../../operation/describe.ts';
import type { Operations } from '../../operation/executor.ts';
import { fail } from '../../shared/errors.ts';
import type { Admit } from '../admission.ts';
import { nameRoute, traceOf } from '../access-log.ts';
import { headerCredentials } from '../admission.ts';
import { sendAnswer } from '../send.ts';
import type { Credentials } from '../viewer.ts';
import { readFormBody } from './body.ts';
import { createForm, parseUrlEncoded } from './form.ts';
import type { Form } from './form.ts';
import type { Route, RouteTable } from './route.ts';
import { createShaper } from './fit.ts';
import { sendPieces, streams } from './streams.ts';

function isStoreCall(req: Request): boolean {
  return req.path.startsWith('/storeadmin/');
}

/** Shopper calls name the store in the query and the shopper in the form; store calls use the Authorization header. */
function credentialsOf(req: Request, form: Form): Credentials {
  const headers = headerCredentials(req);
  if (isStoreCall(req)) return { ...headers, pid: '', regid: '', sessionid: '' };
  return {
    authorization: headers.authorization,
    pid: form.text('pid') ?? headers.pid,
    regid: form.text('regid') ?? headers.regid,
    sessionid: form.text('sessionid') ?? headers.sessionid,
  };
}

function queryOf(req: Request): string {
  const start = req.url.indexOf('?');
  return start < 0 ? '' : req.url.slice(start + 1);
}

/** Serves the table. One map look-up a request: the number of routes costs nothing. */
export function createRestRouter(
  table: RouteTable,
  schema: GraphQLSchema,
  operations: Operations,
  admit: Admit,
) {
  const routes = new Map(
    Object.entries<Route>(table).map(([key, route]) => [
      key,
      {
        ...route,
        operation: describeOperation(route.document),
        shape: createShaper(schema, route.document, route.shapes ?? {}),
        stream: streams[key],
      },
    ]),
  );
  return async (req: Request, res: Response, next: NextFunction): Promise<void> => {
    const method = req.method === 'HEAD' ? 'GET' : req.method;
    const route = routes.get(`${method} ${req.path.length > 1 ? req.path.replace(/\/$/, '') : req.path}`);
    if (route === undefined) return next();
    nameRoute(res, req.path);
    traceOf(res).operation = route.operation;
    const body = method === 'GET' ? '' : await readFormBody(req, res);
    const form = createForm(parseUrlEncoded(body), parseUrlEncoded(queryOf(req)));
    const ctx = await admit(req, res, credentialsOf(req, form));
    if (isStoreCall(req) && ctx.viewer.keyId === null) fail('unauthorised');
    const variables = route.shape(route.variables(form));
    if (route.stream) return sendPieces(res, await route.stream(ctx, variables));
    const data = await operations.run(route.document, variables, ctx);
    await sendAnswer(res, ctx, route.reply(data as never));
  };
}
