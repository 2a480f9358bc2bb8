import { OperationTypeNode, getOperationAST } from 'graphql';
import type { DocumentNode } from 'graphql';
import type { Context } from '../../context.ts';
import type { Operations } from './executor.ts';

/** What an operation sees: a query reads from the replica, where there is one; everything else stays where it writes. */
function viewOf(document: DocumentNode, ctx: Context, name?: string): Context {
  const isQuery = getOperationAST(document, name)?.operation === OperationTypeNode.QUERY;
  return isQuery && ctx.reading ? { ...ctx, ...ctx.reading } : ctx;
}

/** Lets queries read from the replica. */
export function withReading(operations: Operations): Operations {
  return {
    subscribe: operations.subscribe,
    run: (document, variables, ctx) => operations.run(document, variables, viewOf(document, ctx)),
    execute: (request, ctx) =>
      operations.execute(request, viewOf(request.document, ctx, request.operationName)),
  };
}
