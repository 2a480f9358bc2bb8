import type { Context } from '../../context.ts';
import { inSpan } from '../../platform/tracing.ts';
import type { Operations } from './executor.ts';

/** Gives every operation a span of its own, the same over both doors; where traces are off it costs a look at that. */
export function withSpans(operations: Operations): Operations {
  const within = <Result>({ trace }: Context, work: () => Promise<Result>): Promise<Result> =>
    inSpan('operation', trace.operation ?? 'operation', work);
  return {
    subscribe: operations.subscribe,
    run: (document, variables, ctx) => within(ctx, () => operations.run(document, variables, ctx)),
    execute: (request, ctx) => within(ctx, () => operations.execute(request, ctx)),
  };
}
