import { createSourceEventStream, execute } from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import type { Context, GraphqlOperation } from '../context.ts';
import { notifyChange } from '../lists/live.watch.ts';
import { inSpan } from '../platform/tracing.ts';
import { compileClient, compileOwn } from './compile.ts';
import { toAppError, toGraphQLError } from './graphql/errors.ts';
import { coerceVariables } from './graphql/variables.ts';
import { resultOnce, valueOnce } from './idempotency.service.ts';
import { planOf } from './plan.ts';
import type { Plan } from './plan.ts';
import type { ServedRoute } from './rest/read.ts';

/** A query reads from the replica, if there is one; a mutation and a stream read from the primary. */
export function routed(plan: Plan, ctx: Context): Context {
  const { reader } = ctx.db;
  return plan.kind === 'query' && reader !== ctx.db ? { ...ctx, db: reader } : ctx;
}

/** Notifies clients that watch the calling shopper's lists of the shopper's own write. */
function notify(plan: Plan, ctx: Context): void {
  if (plan.kind === 'mutation' && ctx.viewer.shopper) notifyChange(ctx, ctx.viewer.shopper);
}

const isOnce = ({ kind }: Plan, { idempotencyKey }: Context): boolean =>
  kind === 'mutation' && idempotencyKey !== '';

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
    const data = isOnce(plan, ctx) ? await valueOnce(ctx, plan, variables, run) : await run();
    notify(plan, ctx);
    return data;
  });
}

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
    const result = isOnce(plan, ctx) ? await resultOnce(ctx, plan, operation, run) : await run();
    notify(plan, ctx);
    return result;
  });
}

/** More errors are of no use to a caller, and each can be as long as the request. */
const MAX_ERRORS = 20;

type Variables = Record<string, unknown>;

/** Throws the error that the caller sees. */
export async function runDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Variables,
  ctx: Context,
): Promise<Record<string, unknown>> {
  const { data, errors } = await compileOwn(schema, document)(undefined, ctx, variables);
  if (errors?.[0]) throw toAppError(errors[0], ctx);
  return data as Record<string, unknown>;
}

/** Checked first, so that errors name the field and their number is bounded. */
function checkVariables(
  schema: GraphQLSchema,
  { document, variables }: GraphqlOperation,
  plan: Plan | null,
  ctx: Context,
): GraphQLError[] | null {
  if (!plan) return null;
  const { errors } = coerceVariables(schema, document, plan.operation, variables, MAX_ERRORS);
  return errors ? errors.map((error) => toGraphQLError(error, ctx)) : null;
}

/** `root` is one event of a subscription. */
export async function executeOperation(
  schema: GraphQLSchema,
  operation: GraphqlOperation,
  ctx: Context,
  root?: unknown,
): Promise<ExecutionResult> {
  const { document, operationName, variables } = operation;
  const plan = planOf(schema, document, operationName);
  const faults = checkVariables(schema, operation, plan, ctx);
  if (faults) return { errors: faults };
  const query = plan && compileClient(schema, operation, plan, ctx);
  const result = query
    ? await query(root, ctx, variables)
    : await execute({
        schema,
        document,
        operationName,
        rootValue: root,
        variableValues: variables,
        contextValue: { ...ctx, isInterpreted: true },
      });
  if (!result.errors) return result;
  // Nothing was executed, so there is no data.
  const isRequestError = result.data == null && result.errors.every(({ path }) => path === undefined);
  const errors = result.errors.slice(0, MAX_ERRORS).map((error) => toGraphQLError(error, ctx));
  return isRequestError ? { errors } : { ...result, errors };
}

/** Each event is the `root` of one execution of the document. */
export async function subscribeTo(
  schema: GraphQLSchema,
  operation: GraphqlOperation,
  ctx: Context,
): Promise<AsyncIterable<unknown> | ExecutionResult> {
  const { document, operationName, variables } = operation;
  const faults = checkVariables(schema, operation, planOf(schema, document, operationName), ctx);
  if (faults) return { errors: faults };
  const given = { schema, document, operationName, variableValues: variables, contextValue: ctx };
  const source = await createSourceEventStream(given);
  if (!('errors' in source)) return source as AsyncIterable<unknown>;
  return { errors: source.errors!.map((error) => toGraphQLError(error, ctx)) };
}
