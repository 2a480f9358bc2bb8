import type { Request, Response } from 'express';
import type { Credentials } from '../../context.ts';
import { headerCredentials } from '../authenticate.ts';
import { decodeText, readBody } from '../rest/body.ts';
import { queryOf } from '../rest/read.ts';

const JSON_TYPE = /^application\/(json|graphql\+json|graphql-response\+json)\s*(;|$)/i;

export type GraphqlCall = {
  kind: 'graphql';
  endpoint: string;
  credentials: Credentials;
  /** The input that its response depends on, besides the caller; null where it cannot be cached. */
  cacheInput: readonly string[] | null;
  /** Includes the question mark. */
  search: string;
  body: string;
  isJson: boolean;
};

/** Whether a person opened the address in a browser, which shows a page because there is nothing to run. */
export function isOpenedInBrowser(req: Request): boolean {
  if (req.method !== 'GET' || 'query' in req.query || 'extensions' in req.query) return false;
  return req.accepts(['application/json', 'application/graphql-response+json', 'text/html']) === 'text/html';
}

export async function readGraphql(req: Request, res: Response): Promise<GraphqlCall> {
  const hasBody = req.method !== 'GET';
  const body = hasBody ? decodeText(await readBody(req, res)) : '';
  const query = queryOf(req);
  const search = query && `?${query}`;
  // Apollo Client sends a content type with GETs, too, although they have no body.
  const isJson = hasBody && JSON_TYPE.test(req.headers['content-type'] ?? '');
  return {
    kind: 'graphql',
    endpoint: 'POST /graphql',
    credentials: headerCredentials(req),
    // No page of another site can post JSON without a preflight, so a cached response needs no further check.
    cacheInput: req.method === 'POST' && isJson ? [search, req.headers.accept ?? '', body] : null,
    search,
    body,
    isJson,
  };
}
