import type { Request, Response } from 'express';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { createHandler } from 'graphql-sse';
import type { Context, GraphqlOperation } from '../../context.ts';
import { closeBudget } from '../../platform/budget.ts';
import { AppError, fail } from '../../platform/errors.ts';
import { onLeave } from '../../platform/in-flight.ts';
import { nameRoute } from '../access-log.ts';
import { enter } from '../authenticate.ts';
import { bind, rebind } from '../bind.ts';
import { executeOperation, subscribeTo } from '../execute.ts';
import type { Api } from '../request.ts';
import { newBody, sendResponse } from '../send.ts';
import { withinBudget } from './apollo.ts';
import { toGraphQLError } from './errors.ts';
import { readGraphql } from './read.ts';
import { runApollo } from './respond.ts';
import type { ApolloResult } from './respond.ts';

type Messages = ExecutionResult | AsyncGenerator<ExecutionResult>;

/** graphql-sse only writes the messages and keeps the connection alive; the request was read and checked before. */
const writeMessages = createHandler<unknown, { messages: Messages }>({
  authenticate: () => null,
  onSubscribe: ({ context: { messages } }) => messages as never,
});

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-store, no-transform',
  // A proxy that buffers responses would pass nothing on.
  'X-Accel-Buffering': 'no',
};

/** Writes messages at the reader's speed. A stream that breaks off ends without `complete`, so that clients reconnect. */
async function sendMessages(res: Response, results: Messages): Promise<void> {
  const [messages] = await writeMessages({
    method: 'POST',
    url: '',
    headers: { get: (name) => (name === 'accept' ? 'text/event-stream' : 'application/json') },
    body: { query: '-' },
    raw: null,
    context: { messages: results },
  });
  if (messages === null || typeof messages === 'string') throw new Error('graphql-sse rejected a request');
  res.writeHead(200, HEADERS);
  onLeave(res, () => void messages.return(undefined));
  try {
    for await (const message of messages) {
      if (!res.writable) break;
      await new Promise((done) => res.write(message, done));
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  } finally {
    res.end();
  }
}

const isEndless = (messages: object): messages is AsyncIterable<unknown> => Symbol.asyncIterator in messages;

/** Yields one result for each event; each has its own budget until it has been sent. */
async function* executeEach(
  schema: GraphQLSchema,
  operation: GraphqlOperation,
  events: AsyncIterable<unknown>,
  ctx: Context,
): AsyncGenerator<ExecutionResult> {
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
    yield { errors: [toGraphQLError(error, ctx)] };
  }
}

async function sendError(req: Request, res: Response, { status, text, type }: ApolloResult): Promise<void> {
  res.status(status);
  await sendResponse(req, res, { type, body: newBody(Buffer.from(text)), operation: undefined });
}

/** Serves /graphql/stream: subscriptions as server-sent events. Queries and mutations are sent as one message. */
export function serveStream({ services, schema, apollo }: Pick<Api, 'services' | 'schema' | 'apollo'>) {
  return async (req: Request, res: Response): Promise<void> => {
    nameRoute(res, req.path);
    if (!/text\/event-stream/i.test(req.headers.accept ?? ''))
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
    // With this type, the status reports that a stream was rejected.
    const result = await runApollo(apollo, req, call, ctx, 'application/graphql-response+json');
    if (result.status >= 400) return sendError(req, res, result);
    const { operation } = stream;
    const messages = operation
      ? await subscribeTo(schema, operation, ctx)
      : (JSON.parse(result.text) as ExecutionResult);
    if (isEndless(messages)) return sendMessages(res, executeEach(schema, operation!, messages, ctx));
    if (messages.data !== undefined) return sendMessages(res, messages);
    // Over GraphQL every error carries its type and status.
    const { extensions, originalError } = messages.errors![0]!;
    const { type, status } = extensions as Pick<AppError, 'type' | 'status'>;
    ctx.trace.type = type;
    res.set((originalError as Partial<AppError> | undefined)?.headers ?? {});
    return sendError(req, res, { ...result, status, text: `${JSON.stringify(messages)}\n` });
  };
}
