import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { Context, GraphqlOperation } from '../context.ts';
import { notifyChange } from '../lists/live.watch.ts';
import { inSpan } from '../platform/tracing.ts';
import { executeOperation, runDocument } from './graphql/executor.ts';
import { resultOnce, valueOnce } from './idempotency.service.ts';
import { planOf } from './plan.ts';
import type { Plan } from './plan.ts';
import type { ServedRoute } from './rest/read.ts';

/** A query reads from the replica, where there is one; a mutation and a stream read where they write. */
export function routed(plan: Plan, ctx: Context): Context {
  const { reader } = ctx.db;
  return plan.kind === 'query' && reader !== ctx.db ? { ...ctx, db: reader } : ctx;
}

/** Notifies those who watch the calling shopper's lists of its own write. */
function notify(plan: Plan, ctx: Context): void {
  if (plan.kind === 'mutation' && ctx.viewer.shopper) notifyChange(ctx, ctx.viewer.shopper);
}

/** Runs the document of a REST call. */
export async function executeRoute(
  schema: GraphQLSchema,
  { document, plan }: ServedRoute,
  variables: Record<string, unknown>,
  ctx: Context,
): Promise<Record<string, unknown>> {
  ctx.dependencies.isCacheable = plan.isCacheable;
  return inSpan('operation', plan.description, async () => {
    const run = (): Promise<Record<string, unknown>> =>
      runDocument(schema, document, variables, routed(plan, ctx));
    const data = plan.kind === 'mutation' ? await valueOnce(ctx, plan, variables, run) : await run();
    notify(plan, ctx);
    return data;
  });
}

/** Runs the operation of a GraphQL call. */
export async function executeGraphql(
  schema: GraphQLSchema,
  operation: GraphqlOperation,
  ctx: Context,
): Promise<ExecutionResult> {
  const plan = planOf(schema, operation.document, operation.operationName);
  if (!plan) return executeOperation(schema, operation, ctx);
  ctx.dependencies.isCacheable = plan.isCacheable;
  return inSpan('operation', plan.description, async () => {
    const run = (): Promise<ExecutionResult> => executeOperation(schema, operation, routed(plan, ctx));
    const result = plan.kind === 'mutation' ? await resultOnce(ctx, plan, operation, run) : await run();
    notify(plan, ctx);
    return result;
  });
}
