import { OperationTypeNode, getOperationAST } from 'graphql';
import type { DocumentNode } from 'graphql';
import type { Context } from '../../context.ts';
import type { Operations } from './executor.ts';

/** Who watches in this process hears of a shopper's own write at once; everybody else's is found by the next look at the database. */
export function withNudges(operations: Operations): Operations {
  const nudge = (document: DocumentNode, { viewer: { shopper }, live }: Context, name?: string): void => {
    if (shopper && getOperationAST(document, name)?.operation === OperationTypeNode.MUTATION)
      live.nudge(shopper);
  };
  return {
    subscribe: operations.subscribe,
    async run(document, variables, ctx) {
      const data = await operations.run(document, variables, ctx);
      nudge(document, ctx);
      return data;
    },
    async execute(request, ctx) {
      const result = await operations.execute(request, ctx);
      nudge(request.document, ctx, request.operationName);
      return result;
    },
  };
}
