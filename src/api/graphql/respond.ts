import { hash } from 'node:crypto';
import { HeaderMap } from '@apollo/server';
import type { ApolloServer } from '@apollo/server';
import type { Request, Response } from 'express';
import type { Context } from '../../context.ts';
import { parseJsonBody } from '../rest/body.ts';
import { newBody } from '../send.ts';
import type { CallResponse } from '../send.ts';
import type { GraphqlCall } from './read.ts';

export type ApolloResult = { status: number; text: string; type: string };

/** Lets Apollo check and run a request (`compiledGateway` in apollo.ts executes it); `accept` overrides the caller's header. */
export async function runApollo(
  apollo: ApolloServer<Context>,
  req: Request,
  { search, body, isJson }: GraphqlCall,
  ctx: Context,
  accept?: string,
): Promise<ApolloResult> {
  // Node joins headers that were sent twice.
  const headers = new HeaderMap(Object.entries(req.headers) as [string, string][]);
  if (accept !== undefined) headers.set('accept', accept);
  const made = await apollo.executeHTTPGraphQLRequest({
    // Apollo checks a body that is not JSON by its content type alone.
    httpGraphQLRequest: { method: req.method, headers, search, body: isJson ? parseJsonBody(body) : body },
    context: async () => ctx,
  });
  for (const [name, value] of made.headers) req.res!.setHeader(name, value);
  const status = made.status ?? 200;
  // Apollo calls no plugin for a request that it rejects before it reads the operation.
  if (status >= 400) ctx.trace.type ??= status < 500 ? 'invalid-request' : 'internal-error';
  return {
    status,
    text: made.body.kind === 'complete' ? made.body.string : '',
    type: made.headers.get('content-type') ?? 'application/json; charset=utf-8',
  };
}

/** Lets caches store a public response and revalidate it each time; 304 where the caller has it already. */
function isUnchanged(req: Request, res: Response, text: string): boolean {
  res.setHeader('Cache-Control', 'public, no-cache');
  // Weak, because the same response is sent in several encodings.
  res.setHeader('ETag', `W/"${hash('sha256', text, 'base64url').slice(0, 27)}"`);
  res.vary('X-Pid, X-Regid, Authorization, Accept');
  if (!req.fresh) return false;
  res.status(304).end();
  return true;
}

/** Null when a 304 was sent. */
export async function respondToGraphql(
  apollo: ApolloServer<Context>,
  call: GraphqlCall,
  ctx: Context,
  req: Request,
  res: Response,
): Promise<CallResponse | null> {
  const { status, text, type } = await runApollo(apollo, req, call, ctx);
  res.status(status);
  const { keyId, operatorId, isShopperNamed } = ctx.viewer;
  // The response is the same for all callers that name only the store.
  const isPublic = keyId === null && operatorId === null && !isShopperNamed;
  const isCacheable = req.method === 'GET' && ctx.trace.type === undefined && isPublic;
  if (isCacheable && isUnchanged(req, res, text)) return null;
  return { body: newBody(Buffer.from(text)), type, operation: ctx.trace.operation };
}
