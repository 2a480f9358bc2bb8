import type { Request, Response } from 'express';
import { headerCredentials } from '../authenticate.ts';
import { decodeText, readBody } from '../rest/body.ts';
import { queryOf } from '../rest/read.ts';

const JSON_TYPE = /^application\/(json|graphql\+json|graphql-response\+json)\s*(;|$)/i;

export type GraphqlCall = Awaited<ReturnType<typeof readGraphql>>;

/** Whether a person opened the address in a browser, which shows a page because there is nothing to run. */
export function isOpenedInBrowser(req: Request): boolean {
  if (req.method !== 'GET' || 'query' in req.query || 'extensions' in req.query) return false;
  return req.accepts(['application/json', 'application/graphql-response+json', 'text/html']) === 'text/html';
}

export async function readGraphql(req: Request, res: Response) {
  const hasBody = req.method !== 'GET';
  const body = hasBody ? decodeText(await readBody(req, res)) : '';
  const query = queryOf(req);
  const search = query && `?${query}`;
  // Apollo Client sends a content type with GETs, too, although they have no body.
  const isJson = hasBody && JSON_TYPE.test(req.headers['content-type'] ?? '');
  // No page of another site can post JSON without a preflight, so a cached response needs no further check.
  const isCacheable = req.method === 'POST' && isJson;
  return {
    kind: 'graphql' as const,
    endpoint: 'POST /graphql',
    credentials: headerCredentials(req),
    /** The input that its response depends on, besides the caller; null where it cannot be cached. */
    cacheInput: isCacheable ? [search, req.headers.accept ?? '', body] : null,
    /** Includes the question mark. */
    search,
    body,
    isJson,
  };
}
