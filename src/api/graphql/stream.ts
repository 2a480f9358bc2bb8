import { createHandler } from 'graphql-sse';
import type { ApolloServer } from '@apollo/server';
import type { Request, Response } from 'express';
import type { ExecutionResult } from 'graphql';
import type { Asked, Context, Viewer } from '../../context.ts';
import type { Operations } from './executor.ts';
import { tellEach } from './subscribe.ts';
import { AppError, fail } from '../../platform/errors.ts';
import { newBody } from '../../platform/compression.ts';
import { headerCredentials } from '../authenticate.ts';
import type { Admission } from '../authenticate.ts';
import { askApollo, readQuestion } from './endpoint.ts';
import type { Made } from './endpoint.ts';
import { onLeave } from '../on-leave.ts';
import { sendAnswer } from '../send.ts';

/** What leaves: a result, or one after another. */
type Told = ExecutionResult | AsyncGenerator<ExecutionResult>;

/** Everything has been read and checked when graphql-sse gets it; it knows how messages are written, and when a sign of life is due. */
const writeMessages = createHandler<unknown, { told: Told }>({
  authenticate: () => null,
  onSubscribe: ({ context: { told } }) => told as never,
});

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-store, no-transform',
  // Proxies that collect an answer before they pass it on would pass nothing.
  'X-Accel-Buffering': 'no',
};

/** Writes messages as their reader takes them. One that breaks off ends without `complete`, so that clients connect again. */
async function sendMessages(res: Response, told: Told): Promise<void> {
  const [messages] = await writeMessages({
    method: 'POST',
    url: '',
    headers: { get: (name) => (name === 'accept' ? 'text/event-stream' : 'application/json') },
    body: { query: '-' },
    raw: null,
    context: { told },
  });
  if (messages === null || typeof messages === 'string') throw new Error('graphql-sse refused a request');
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

/** What kept the stream from being opened; over GraphQL every failure carries its type and status. */
function refusalIn({ errors: [error] = [] }: ExecutionResult): Pick<AppError, 'type' | 'status' | 'headers'> {
  const { type, status } = error!.extensions as Pick<AppError, 'type' | 'status'>;
  const { headers = {} } = (error!.originalError ?? {}) as Partial<AppError>;
  return { type, status, headers };
}

const isEndless = (told: object): told is AsyncIterable<unknown> => Symbol.asyncIterator in told;

/** Serves /graphql/stream: subscriptions as server-sent events. Queries and mutations are answered in one message. */
export function createStreamDoor(
  apollo: ApolloServer<Context>,
  operations: Operations,
  { admit, open, reopen }: Admission,
) {
  const sendFailure = async (req: Request, res: Response, made: Made): Promise<void> => {
    res.status(made.status);
    await sendAnswer(req, res, { ...made, body: newBody(Buffer.from(made.plain)), operation: undefined });
  };

  const subscribe = async (asked: Asked, ctx: Context): Promise<Told> => {
    let viewer: Viewer = ctx.viewer;
    const connection = {
      ...ctx.connection(),
      identify: async () => (viewer = await ctx.connection().identify()),
    };
    const source = await operations.subscribe(asked, { ...ctx, connection: () => connection });
    if (!isEndless(source)) return source;
    return tellEach(operations, asked, source, () => reopen(ctx, viewer));
  };

  return async (req: Request, res: Response): Promise<void> => {
    if (!/text\/event-stream/i.test(req.headers.accept ?? ''))
      fail('invalid-request', 'Send accept: text/event-stream; each operation has a stream of its own');
    const question = await readQuestion(req, res);
    // A stream could outlive the session that opened it, so it takes none.
    const credentials = { ...headerCredentials(req), session: '' };
    const viewer = await admit(req, res, credentials, null);
    const stream: NonNullable<Context['stream']> = { asked: null };
    const ctx = { ...open(req, res, viewer, credentials), stream };
    // Where a stream is refused, the status says so as it does for this type.
    const made = await askApollo(apollo, req, question, ctx, 'application/graphql-response+json');
    if (made.status >= 400) return sendFailure(req, res, made);
    const told = stream.asked
      ? await subscribe(stream.asked, ctx)
      : (JSON.parse(made.plain) as ExecutionResult);
    if (isEndless(told) || told.data !== undefined) return sendMessages(res, told);
    const { type, status, headers } = refusalIn(told);
    ctx.trace.type = type;
    res.set(headers);
    return sendFailure(req, res, { ...made, status, plain: `${JSON.stringify(told)}\n` });
  };
}
