import { hash } from 'node:crypto';
import { HeaderMap } from '@apollo/server';
import type { ApolloServer } from '@apollo/server';
import type { Request, Response } from 'express';
import type { Context } from '../../context.ts';
import { extensionsOf } from './errors.ts';
import { AppError } from '../../platform/errors.ts';
import { parseJson } from '../../platform/json.ts';
import { newBody } from '../../platform/compression.ts';
import { headerCredentials } from '../authenticate.ts';
import type { AnswerCall } from '../request.ts';
import { decodeText, readBody } from '../rest/body.ts';

const JSON_TYPE = /^application\/(json|graphql\+json|graphql-response\+json)\s*(;|$)/i;

/** Gives Apollo a parsed JSON body; anything else it judges by the content type alone. */
function parseBody(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw error instanceof AppError ? error : new AppError('invalid-request', 'The body is not JSON');
  }
}

function headersOf(req: Request): HeaderMap {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(req.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return headers;
}

/** The body of a failure before anything was executed; it has no `data`. */
export function graphqlFailure(failure: AppError): { errors: object[] } {
  return { errors: [{ message: failure.message, extensions: extensionsOf(failure) }] };
}

/** Whether somebody opened the address in a browser: it wants a page, and there is nothing to run. */
function isOpenedByHand(req: Request): boolean {
  if (req.method !== 'GET' || 'query' in req.query || 'extensions' in req.query) return false;
  return req.accepts(['application/json', 'application/graphql-response+json', 'text/html']) === 'text/html';
}

/** Whether the answer is everybody's: whoever shows nothing but the store gets the same. */
function isPublic({ viewer }: Context): boolean {
  return viewer.keyId === null && viewer.operatorId === null && !viewer.isShopperNamed;
}

/** Lets caches keep what is public, to be asked for again each time; answers 304 to who has it already. */
function isKnown(req: Request, res: Response, plain: string): boolean {
  res.setHeader('Cache-Control', 'public, no-cache');
  // Weak, because the same answer leaves packed in several ways.
  res.setHeader('ETag', `W/"${hash('sha256', plain, 'base64url').slice(0, 27)}"`);
  res.vary('X-Pid, X-Regid, Authorization, Accept');
  if (!req.fresh) return false;
  res.status(304).end();
  return true;
}

/** What came in, as it came: the query of the address, and the body. */
type Question = { search: string; text: string; isJson: boolean };

/** Reads a request of GraphQL. */
export async function readQuestion(req: Request, res: Response): Promise<Question> {
  const hasBody = req.method !== 'GET';
  const text = hasBody ? decodeText(await readBody(req, res)) : '';
  const start = req.url.indexOf('?');
  return {
    search: start < 0 ? '' : req.url.slice(start),
    text,
    // Apollo Client names a type on GETs, too, although they have no body.
    isJson: hasBody && JSON_TYPE.test(req.headers['content-type'] ?? ''),
  };
}

/** What Apollo made of a request. */
export type Made = { status: number; plain: string; type: string };

/** Lets Apollo check and run a request; `accept` is what the answer is for, where that is not what the caller says. */
export async function askApollo(
  apollo: ApolloServer<Context>,
  req: Request,
  { search, text, isJson }: Question,
  ctx: Context,
  accept?: string,
): Promise<Made> {
  const headers = headersOf(req);
  if (accept !== undefined) headers.set('accept', accept);
  const made = await apollo.executeHTTPGraphQLRequest({
    httpGraphQLRequest: { method: req.method, headers, search, body: isJson ? parseBody(text) : text },
    context: async () => ctx,
  });
  for (const [name, value] of made.headers) req.res!.setHeader(name, value);
  const status = made.status ?? 200;
  // What Apollo refuses before it looks at an operation passes no plugin.
  if (status >= 400) ctx.trace.type ??= status < 500 ? 'invalid-request' : 'internal-error';
  return {
    status,
    plain: made.body.kind === 'complete' ? made.body.string : '',
    type: made.headers.get('content-type') ?? 'application/json; charset=utf-8',
  };
}

/** Serves /graphql. */
export function createGraphqlDoor(apollo: ApolloServer<Context>, answer: AnswerCall) {
  return async (req: Request, res: Response): Promise<void> => {
    if (isOpenedByHand(req)) return res.redirect(303, '/graphiql');
    const question = await readQuestion(req, res);
    const { search, text, isJson } = question;
    const { accept = '' } = req.headers;
    await answer(req, res, {
      place: 'POST /graphql',
      credentials: headerCredentials(req),
      // JSON is what no page of another site can post unasked, so there is nothing left to check.
      input: req.method === 'POST' && isJson ? [search, accept, text] : null,
      async make(ctx) {
        const { status, plain, type } = await askApollo(apollo, req, question, ctx);
        res.status(status);
        if (req.method === 'GET' && ctx.trace.type === undefined && isPublic(ctx) && isKnown(req, res, plain))
          return null;
        return { body: newBody(Buffer.from(plain)), type, operation: ctx.trace.operation };
      },
    });
  };
}
