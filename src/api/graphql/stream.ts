import type { Request, Response } from 'express';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { Context, GraphqlOperation } from '../../context.ts';
import { closeBudget } from '../../platform/budget.ts';
import { AppError, fail } from '../../platform/errors.ts';
import { nameRoute } from '../access-log.ts';
import { enter } from '../authenticate.ts';
import { bind, rebind } from '../bind.ts';
import { executeOperation, subscribeTo } from '../execute.ts';
import type { Api } from '../request.ts';
import { newBody, sendResponse } from '../send.ts';
import { withinBudget } from './apollo.ts';
import { toGraphQLError } from './errors.ts';
import { SSE, framingFor } from './framing.ts';
import type { Framing } from './framing.ts';
import { readGraphql } from './read.ts';
import { runApollo } from './respond.ts';
import type { ApolloResult } from './respond.ts';

const HEADERS = {
  'Cache-Control': 'no-cache, no-store, no-transform',
  // A proxy that buffers responses would pass nothing on.
  'X-Accel-Buffering': 'no',
};

const PING_MS = 12_000;

/** The last result of a stream, which says why the service ends it. */
type StreamResult = ExecutionResult & { isLast?: true };

/** The source of the events waits until the client has read (`untilDrained`), so messages do not pile up here. */
async function sendMessages(
  res: Response,
  framing: Framing,
  results: Iterable<StreamResult> | AsyncIterable<StreamResult>,
): Promise<void> {
  nameRoute(res, '/graphql/stream');
  res.writeHead(200, { ...HEADERS, 'Content-Type': framing.type });
  res.write(framing.start);
  const ping = setInterval(() => void (res.writableNeedDrain || res.write(framing.ping)), PING_MS);
  let end = '';
  try {
    for await (const { isLast, ...result } of results) {
      if (!res.writable) break;
      res.write(isLast ? framing.lastError(result) : framing.message(result));
    }
    end = framing.end;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  } finally {
    clearInterval(ping);
    res.end(end);
  }
}

/** Yields one result for each event; each has its own budget until it has been sent. */
async function* executeEach(
  schema: GraphQLSchema,
  operation: GraphqlOperation,
  events: AsyncIterable<unknown>,
  ctx: Context,
): AsyncGenerator<StreamResult> {
  try {
    for await (const event of events) {
      const inner = rebind(ctx);
      try {
        yield await withinBudget(await executeOperation(schema, operation, inner, event), inner);
      } finally {
        closeBudget(inner.budget);
      }
    }
  } catch (error) {
    // An error that the caller can correct completes the stream; any other breaks it off, so that clients reconnect.
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    yield { errors: [toGraphQLError(error, ctx)], isLast: true };
  }
}

async function sendJson(req: Request, res: Response, { status, text, type }: ApolloResult): Promise<void> {
  res.status(status);
  await sendResponse(req, res, { type, body: newBody(Buffer.from(text)), operation: undefined });
}

/** With this type, the status reports that a stream was rejected. */
const STATUS_TYPE = 'application/graphql-response+json';

/** Serves subscriptions as a stream. A query or mutation gets one message over SSE, and JSON where parts are accepted. */
export function serveStream({ services, schema, apollo }: Pick<Api, 'services' | 'schema' | 'apollo'>) {
  return async (req: Request, res: Response): Promise<void> => {
    nameRoute(res, req.path);
    const { accept = '' } = req.headers;
    const framing =
      framingFor(accept) ??
      fail(
        'invalid-request',
        'Send the header accept: text/event-stream; each operation uses a separate stream',
      );
    const call = await readGraphql(req, res);
    // A stream could outlive the session that opened it, so it accepts none.
    const credentials = { ...call.credentials, session: '' };
    const viewer = await enter(services, req, res, credentials);
    const stream: NonNullable<Context['stream']> = { operation: null };
    const ctx = { ...bind(services, req, res, viewer, credentials), stream };
    const isJsonAccepted = framing !== SSE && /json/i.test(accept);
    const result = await runApollo(apollo, req, call, ctx, isJsonAccepted ? undefined : STATUS_TYPE);
    const { operation } = stream;
    if (result.status >= 400 || (!operation && framing !== SSE)) return sendJson(req, res, result);
    const messages = operation
      ? await subscribeTo(schema, operation, ctx)
      : (JSON.parse(result.text) as ExecutionResult);
    if (Symbol.asyncIterator in messages)
      return sendMessages(res, framing, executeEach(schema, operation!, messages, ctx));
    if (messages.data !== undefined) return sendMessages(res, framing, [messages]);
    // Over GraphQL every error carries its type and status.
    const { extensions, originalError } = messages.errors![0]!;
    const { type, status } = extensions as Pick<AppError, 'type' | 'status'>;
    ctx.trace.type = type;
    res.set((originalError as Partial<AppError> | undefined)?.headers ?? {});
    return sendJson(req, res, { ...result, status, text: `${JSON.stringify(messages)}\n` });
  };
}
