import type { Request, Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Credentials } from '../../context.ts';
import { WHOLE_QUERY } from '../../platform/route/form.ts';
import { createReader, isStorePath } from '../../platform/route/route.ts';
import type { Route, RouteTable, Sent } from '../../platform/route/route.ts';
import { NO_CREDENTIALS } from '../../shoppers/authenticate.service.ts';
import { nameRoute, traceOf } from '../access-log.ts';
import { headerCredentials } from '../authenticate.ts';
import { planOf } from '../plan.ts';
import type { Plan } from '../plan.ts';
import { parseUrlEncoded, readFormBody } from './body.ts';

export type ServedRoute = Route & {
  /** `METHOD /path`. */
  key: string;
  path: string;
  plan: Plan;
  readVariables: (sent: Sent) => Record<string, unknown>;
};

/** The table by `METHOD /path`. */
export type ServedRoutes = ReadonlyMap<string, ServedRoute>;

export type RestCall = NonNullable<Awaited<ReturnType<typeof readRest>>>;

export function prepareRoutes(schema: GraphQLSchema, table: RouteTable): ServedRoutes {
  return new Map(
    Object.entries<Route>(table).map(([key, route]) => {
      const path = key.slice(key.indexOf(' ') + 1);
      const plan = planOf(schema, route.document)!;
      return [key, { ...route, key, path, plan, readVariables: createReader(schema, route) }];
    }),
  );
}

/**
 * Shopper calls name the store in the query and the shopper in the form; store calls use Authorization, and x-regid for a
 * shopper. A `regid` in the form of a store call is an ordinary field, unless the row says that it names the shopper.
 */
function credentialsOf(req: Request, { path, namesShopper, isLogin }: ServedRoute, sent: Sent): Credentials {
  const headers = headerCredentials(req);
  if (isLogin) return { ...NO_CREDENTIALS, pid: sent('pid') ?? headers.pid };
  if (isStorePath(path)) {
    const regid = (namesShopper ? sent('regid') : null) ?? headers.regid;
    return { ...headers, pid: '', regid, sessionid: '' };
  }
  return {
    ...headers,
    pid: sent('pid') ?? headers.pid,
    regid: sent('regid') ?? headers.regid,
    sessionid: sent('sessionid') ?? headers.sessionid,
  };
}

/** Proxies log addresses, and these two give access to a shopper's lists. */
const NEVER_IN_QUERY = new Set(['regid', 'sessionid']);

/** Fields of the body take precedence over those of the query; an empty one counts as absent. */
function fieldsOf(query: string, body: string): Sent {
  const inBody = parseUrlEncoded(body);
  const inQuery = parseUrlEncoded(query);
  inQuery.set(WHOLE_QUERY, query);
  return (field) => inBody.get(field) || (NEVER_IN_QUERY.has(field) ? null : inQuery.get(field)) || null;
}

/** Without the question mark. */
export function queryOf(req: Request): string {
  const start = req.url.indexOf('?');
  return start < 0 ? '' : req.url.slice(start + 1);
}

/** Null where no row has this path. */
export async function readRest(routes: ServedRoutes, req: Request, res: Response) {
  const method = req.method === 'HEAD' ? 'GET' : req.method;
  const path = req.path.length > 1 ? req.path.replace(/\/$/, '') : req.path;
  const route = routes.get(`${method} ${path}`);
  if (route === undefined) return null;
  nameRoute(res, route.path, req.path);
  traceOf(res).operation = route.plan.description;
  const body = method === 'GET' ? '' : await readFormBody(req, res);
  const query = queryOf(req);
  const sent = fieldsOf(query, body);
  return {
    kind: 'rest' as const,
    endpoint: route.key,
    route,
    sent,
    credentials: credentialsOf(req, route, sent),
    /** The input that its response depends on, besides the caller; null where it cannot be cached. */
    cacheInput: route.plan.isCacheable && req.method !== 'HEAD' ? [query, body] : null,
  };
}
