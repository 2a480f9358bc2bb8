import { createSourceEventStream, execute } from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { CompiledQuery } from 'graphql-jit';
import type { Context, GraphqlOperation } from '../../context.ts';
import { planOf } from '../plan.ts';
import type { Plan } from '../plan.ts';
import { toAppError, toGraphQLError } from './errors.ts';
import { coerceVariables } from './variables.ts';

/** A caller learns nothing from more errors, and each can be as long as the request. */
const MAX_ERRORS = 20;

type Variables = Record<string, unknown>;

const compiled = new WeakMap<DocumentNode, CompiledQuery['query']>();

/** Our own documents are compiled, which makes them several times as fast. Clients' are not: graphql-jit treats variables differently from graphql-js. */
function compile(schema: GraphQLSchema, document: DocumentNode): CompiledQuery['query'] {
  const known = compiled.get(document);
  if (known) return known;
  const made = compileQuery(schema, document);
  if (!isCompiledQuery(made)) throw new Error(`a document does not compile: ${made.errors?.[0]?.message}`);
  compiled.set(document, made.query);
  return made.query;
}

/** Runs one of our own documents, which REST calls name; throws the error that the caller sees. */
export async function runDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Variables,
  ctx: Context,
): Promise<Record<string, unknown>> {
  const { data, errors } = await compile(schema, document)(undefined, ctx, variables);
  if (errors?.[0]) throw toAppError(errors[0], ctx);
  return data as Record<string, unknown>;
}

/** Checks the variables first: the errors name the field, and there are never many. */
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

/** Runs a validated document of a GraphQL client; `root` is one event of a subscription. */
export async function executeOperation(
  schema: GraphQLSchema,
  operation: GraphqlOperation,
  ctx: Context,
  root?: unknown,
): Promise<ExecutionResult> {
  const { document, operationName, variables } = operation;
  const faults = checkVariables(schema, operation, planOf(schema, document, operationName), ctx);
  if (faults) return { errors: faults };
  const result = await execute({
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

/** Opens the events of a validated subscription; each of them is a `root` to execute the same document from. */
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
