import { GraphQLError } from 'graphql';
import type { ExecutionResult } from 'graphql';
import type { Asked, Context } from '../../context.ts';
import { AppError } from '../../platform/errors.ts';
import type { Operations } from './executor.ts';
import { toGraphQLError } from './errors.ts';
import { withinBudget } from './apollo.ts';

/** Makes the context of one message. */
export type OpenMessage = () => Context;

/** What a subscription answers, message by message; each has a budget of its own, which it holds until it is taken. */
export async function* tellEach(
  operations: Operations,
  asked: Asked,
  source: AsyncIterable<unknown>,
  openMessage: OpenMessage,
): AsyncGenerator<ExecutionResult> {
  try {
    for await (const root of source) {
      const ctx = openMessage();
      try {
        yield await withinBudget(await operations.execute({ ...asked, root }, ctx), ctx);
      } finally {
        ctx.budget.close();
      }
    }
  } catch (error) {
    // What the caller can mend is told, and the stream is complete; otherwise it breaks off, and the caller connects again.
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    yield { errors: [toGraphQLError(new GraphQLError('', { originalError: error }), openMessage())] };
  }
}
