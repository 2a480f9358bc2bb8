import {
  BREAK,
  GraphQLSchema,
  Kind,
  OperationTypeNode,
  createSourceEventStream,
  execute,
  validate,
  visit,
} from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLError } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { CompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { Context, GraphqlOperation } from '../context.ts';
import { watchersOf } from '../lists/live.watch.ts';
import { inSpan } from '../platform/tracing.ts';
import { shrinkDocument } from './graphql/documents.ts';
import { toAppError, toGraphQLError } from './graphql/errors.ts';
import { sizeOf } from './graphql/limits.ts';
import { coerceVariables } from './graphql/variables.ts';
import { viewFor, viewOf } from './graphql/views.ts';
import { resultOnce, valueOnce } from './idempotency.service.ts';
import { planOf } from './plan.ts';
import type { Plan } from './plan.ts';
import type { ServedRoute } from './rest/read.ts';

/** A query reads from the replica, if there is one; a mutation and a stream read from the primary. */
export function routed(plan: Plan, ctx: Context): Context {
  const { reader } = ctx.db;
  return plan.kind === 'query' && reader !== ctx.db ? { ...ctx, db: reader } : ctx;
}

/** Runs an operation; `once` runs a write that has an Idempotency-Key. */
function runPlan<Result>(
  plan: Plan,
  ctx: Context,
  execution: (ctx: Context) => Promise<Result>,
  once: (run: () => Promise<Result>) => Promise<Result>,
): Promise<Result> {
  ctx.dependencies.isCacheable = plan.isCacheable;
  return inSpan('operation', plan.description, async () => {
    const run = (): Promise<Result> => execution(routed(plan, ctx));
    if (plan.kind !== 'mutation') return run();
    const result = await (ctx.idempotencyKey === '' ? run() : once(run));
    // Clients that watch the calling shopper's lists see the shopper's own write.
    if (ctx.viewer.shopper) watchersOf(ctx).notify(ctx.viewer.shopper);
    return result;
  });
}

/** Throws the error that the caller sees. */
export function executeRoute(
  schema: GraphQLSchema,
  { document, plan }: ServedRoute,
  variables: Record<string, unknown>,
  ctx: Context,
): Promise<Record<string, unknown>> {
  const execution = async (routedCtx: Context): Promise<Record<string, unknown>> => {
    const { data, errors } = await compileOwn(schema, document)(undefined, routedCtx, variables);
    if (errors?.[0]) throw toAppError(errors[0], routedCtx);
    return data as Record<string, unknown>;
  };
  return runPlan(plan, ctx, execution, (run) => valueOnce(ctx, plan, variables, run));
}

export async function executeGraphql(
  schema: GraphQLSchema,
  operation: GraphqlOperation,
  ctx: Context,
): Promise<ExecutionResult> {
  const plan = planOf(schema, operation.document, operation.operationName);
  if (!plan) return executeOperation(schema, operation, ctx);
  return runPlan(
    plan,
    ctx,
    (routedCtx) => executeOperation(schema, operation, routedCtx),
    (run) => resultOnce(ctx, plan, operation, run),
  );
}

/** More errors are of no use to a caller, and each can be as long as the request. */
const MAX_ERRORS = 20;

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
  whole: GraphQLSchema,
  operation: GraphqlOperation,
  ctx: Context,
  root?: unknown,
): Promise<ExecutionResult> {
  const { document, operationName, variables } = operation;
  const plan = planOf(whole, document, operationName);
  // An operation that reads the schema sees the caller's view of it, and therefore runs on that alone.
  const schema = plan?.introspects ? viewOf(whole, viewFor(ctx.viewer)) : whole;
  const [unseen] = plan?.introspects ? validate(schema, document) : [];
  if (unseen) return { errors: [toGraphQLError(unseen, ctx)] };
  const faults = checkVariables(schema, operation, plan, ctx);
  if (faults) return { errors: faults };
  const query = plan && !plan.introspects && compileClient(schema, operation, plan, ctx);
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

/** The schema with its mutations as queries. */
const swapped = new WeakMap<GraphQLSchema, GraphQLSchema>();

function withMutationsAsQueries(schema: GraphQLSchema): GraphQLSchema {
  const query = schema.getMutationType();
  const made = swapped.get(schema) ?? new GraphQLSchema({ ...schema.toConfig(), query, mutation: null });
  swapped.set(schema, made);
  return made;
}

/** The document with its mutation as a query; null unless that is its only operation and has one field. */
function queryOf({ definitions }: DocumentNode): DocumentNode | null {
  const [mutation, ...others] = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const [field, ...more] = mutation?.selectionSet.selections ?? [];
  if (mutation?.operation !== OperationTypeNode.MUTATION || others.length > 0) return null;
  if (field?.kind !== Kind.FIELD || more.length > 0) return null;
  // Without its place in the text, which `shrinkDocument` removes.
  const query = { ...mutation, operation: OperationTypeNode.QUERY, loc: undefined };
  return { kind: Kind.DOCUMENT, definitions: definitions.map((one) => (one === mutation ? query : one)) };
}

/**
 * A mutation of one field is compiled as a query: to run several in turn, graphql-jit makes functions in each call, and V8 keeps them, and
 * all of their request, until it collects its old generation.
 */
function compile(schema: GraphQLSchema, document: DocumentNode, operationName?: string) {
  const query = queryOf(document);
  if (query === null) return compileQuery(schema, document, operationName);
  return compileQuery(withMutationsAsQueries(schema), query, operationName);
}

type RunQuery = CompiledQuery['query'];

const own = new WeakMap<DocumentNode, RunQuery>();

function compileOwn(schema: GraphQLSchema, document: DocumentNode): RunQuery {
  const known = own.get(document);
  if (known) return known;
  const made = compile(schema, document);
  if (!isCompiledQuery(made)) throw new Error(`a document does not compile: ${made.errors?.[0]?.message}`);
  own.set(document, made.query);
  return made.query;
}

/** Texts and enums are left out, because graphql-jit writes what a scalar makes of them into its code. */
const PLAIN_ARGUMENTS: ReadonlySet<Kind> = new Set([Kind.VARIABLE, Kind.INT, Kind.BOOLEAN, Kind.NULL]);

/** Whether graphql-jit runs a document as graphql-js does, which it does not for conditions, defaults and variables in literals. */
export function isCompilable(document: DocumentNode): boolean {
  let isFaithful = true;
  const giveUp = (): typeof BREAK => {
    isFaithful = false;
    return BREAK;
  };
  visit(document, {
    Directive: giveUp,
    Field: ({ alias }) => (alias?.value === '__proto__' ? giveUp() : undefined),
    VariableDefinition: ({ defaultValue }) => (defaultValue ? giveUp() : undefined),
    Argument: ({ value }) => (PLAIN_ARGUMENTS.has(value.kind) ? undefined : giveUp()),
  });
  return isFaithful;
}

/** Compiling takes about a millisecond, so a document is interpreted until it has come this often. */
const CALLS_BEFORE_COMPILING = 3;
/** graphql-jit resolves a list in one turn of the event loop, so a larger document would delay other requests. */
const MAX_FIELDS = 150;
const FIELD_BYTES = 3_500;
const MAX_COMPILED_BYTES = 70_000_000;

/** Minus infinity for a document that is not compilable. */
const calls = new WeakMap<Plan, number>();
/** A plan refers to its whole document. */
const compiled = new LRUCache<Plan, { query: RunQuery; bytes: number }>({
  maxSize: MAX_COMPILED_BYTES,
  sizeCalculation: ({ bytes }) => bytes,
});

function compileOnce(schema: GraphQLSchema, { document, operationName }: GraphqlOperation) {
  const { fields } = sizeOf(document, operationName);
  const isFit = fields <= MAX_FIELDS && isCompilable(document);
  const made = isFit ? compile(schema, document, operationName) : null;
  if (!made || !isCompiledQuery(made)) return null;
  return { query: made.query, bytes: fields * FIELD_BYTES + shrinkDocument(document) };
}

/** Null where the document is interpreted. Anybody can send any number of documents, so only those of known callers are compiled. */
function compileClient(
  schema: GraphQLSchema,
  operation: GraphqlOperation,
  plan: Plan,
  { viewer }: Context,
): RunQuery | null {
  if (viewer.keyId === null && viewer.shopper === null) return null;
  const count = (calls.get(plan) ?? 0) + 1;
  if (count < CALLS_BEFORE_COMPILING) {
    calls.set(plan, count);
    return null;
  }
  const known = compiled.get(plan);
  if (known) return known.query;
  const made = compileOnce(schema, operation);
  if (made) compiled.set(plan, made);
  else calls.set(plan, -Infinity);
  return made?.query ?? null;
}
