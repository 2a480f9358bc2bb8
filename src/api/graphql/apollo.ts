import { ApolloServer } from '@apollo/server';
import type { ApolloServerPlugin } from '@apollo/server';
import type { GatewayExecutor, GatewayInterface } from '@apollo/server-gateway-interface';
import * as disabled from '@apollo/server/plugin/disabled';
import { GraphQLError } from 'graphql';
import type { ExecutionResult, GraphQLFormattedError, GraphQLSchema } from 'graphql';
import type { Context } from '../../context.ts';
import { chargeResponse } from '../../platform/budget.ts';
import { AppError } from '../../platform/errors.ts';
import type { ErrorType } from '../../platform/errors.ts';
import { stringifyJson } from '../../platform/json.ts';
import { executeGraphql } from '../execute.ts';
import { planOf } from '../plan.ts';
import { limitCost } from './cost.ts';
import { createChecks } from './documents.ts';
import type { Documents } from './documents.ts';
import { shorten, toGraphQLError } from './errors.ts';
import { hideSuggestions } from './views.ts';

/** Apollo delegates execution to a gateway if there is one; ours runs the same executor as REST. */
function compiledGateway(schema: GraphQLSchema): GatewayInterface {
  const executor: GatewayExecutor = async ({ document, queryHash, request, context }) => {
    // Read from the request, because the context's name is already null when the document has no such operation.
    const operationName = request.operationName ?? undefined;
    const ctx = context as unknown as Context;
    const operation = {
      key: `${queryHash} ${operationName ?? ''}`,
      document,
      operationName,
      variables: (request.variables ?? {}) as Record<string, unknown>,
    };
    if (planOf(schema, document, operationName)?.kind === 'subscription') {
      if (!ctx.stream) return { errors: [toGraphQLError(NO_STREAM, ctx)] } as never;
      ctx.stream.operation = operation;
      return { data: {} };
    }
    const result = await withinBudget(await executeGraphql(schema, operation, ctx), ctx);
    if (result.errors) ctx.dependencies.isCacheable = false;
    return result as Awaited<ReturnType<GatewayExecutor>>;
  };
  return {
    load: async () => ({ executor }),
    onSchemaLoadOrUpdate: (listener) => {
      listener({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => undefined;
    },
    stop: async () => undefined,
  };
}

const NO_STREAM = new AppError(
  'invalid-request',
  'Subscriptions need the header accept: multipart/mixed;subscriptionSpec=1.0 at /graphql, or text/event-stream at /graphql/stream',
);

/** Aliases can turn few rows into a large response, so the response itself is counted. */
export async function withinBudget(result: ExecutionResult, ctx: Context): Promise<ExecutionResult> {
  try {
    await chargeResponse(ctx.budget, result);
    return result;
  } catch (error) {
    return { errors: [toGraphQLError(error, ctx)] };
  }
}

/** Error codes of well-formed requests with an invalid document or variables. */
const DOCUMENT_FAULTS = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'BAD_USER_INPUT',
]);

/**
 * GraphQL over HTTP: `application/json` returns 200 for a well-formed request, since a proxy may send 400 in that type too; only
 * `application/graphql-response+json` reports document errors by status.
 */
function statusFor(accept: string, { code, status }: GraphQLFormattedError['extensions'] & object): number {
  // Apollo blames the caller for every response without data; 503 asks for a retry when the database was unavailable.
  if (status === 503) return 503;
  const isPlain = !accept.includes('application/graphql-response+json');
  return isPlain && DOCUMENT_FAULTS.has(String(code)) ? 200 : 400;
}

const reportOperation = (schema: GraphQLSchema): ApolloServerPlugin<Context> => ({
  requestDidStart: async ({ contextValue: { trace } }) => ({
    didResolveOperation: async ({ document, request }) => {
      trace.operation = planOf(schema, document, request.operationName)?.description;
    },
    willSendResponse: async ({ request, response: { body, http } }) => {
      const [error] = body.kind === 'single' ? (body.singleResult.errors ?? []) : [];
      trace.type = error?.extensions?.['type'] as ErrorType | undefined;
      if (http.status !== 400) return;
      http.status = statusFor(request.http?.headers.get('accept') ?? '', error?.extensions ?? {});
      if (http.status === 503) http.headers.set('retry-after', '5');
    },
  }),
});

/** No resolver reports these errors, which return 500. */
const logUnexpected: ApolloServerPlugin<Context> = {
  unexpectedErrorProcessingRequest: async ({ requestContext, error }) => {
    const { log, requestId, trace } = requestContext.contextValue;
    if (error instanceof GraphQLError && error.originalError instanceof AppError) {
      // Apollo expects no rejection before a document is validated; rethrown, this error becomes the response.
      trace.type = error.originalError.type;
      throw error;
    }
    log.error({ requestId, ...trace, err: error }, 'Unexpected error');
  },
};

/** Faults in persisted queries that Apollo reports as internal errors. */
const HASH_FAULTS = new Set(['provided sha does not match query', 'Unsupported persisted query version']);

/** Gives errors that Apollo found itself (syntax, validation) the same type and status as all other errors. */
function formatError(formatted: GraphQLFormattedError): GraphQLFormattedError {
  const { extensions } = formatted;
  if (extensions?.['type'] !== undefined) return formatted;
  const isInternal = extensions?.['code'] === 'INTERNAL_SERVER_ERROR';
  if (isInternal && !HASH_FAULTS.has(formatted.message))
    return {
      message: 'Internal server error',
      extensions: { code: 'INTERNAL_SERVER_ERROR', type: 'internal-error', status: 500 },
    };
  const code = isInternal ? 'BAD_REQUEST' : extensions?.['code'];
  const message = shorten(formatted.message);
  return { ...formatted, message, extensions: { ...extensions, code, type: 'invalid-request', status: 400 } };
}

/**
 * Disables what Apollo adds by default: a landing page from another host, usage reports when its variables are set, and cache
 * hints that wrap every field and cost 40 %. No environment variable makes the service report calls to a third party.
 */
const NOTHING_OF_ITS_OWN = Object.values(disabled).map((disable) => disable());

const nothing = (): void => undefined;
/** Apollo prints a whole stack for each request that a client makes fail; our own log has what matters. */
const NO_CONSOLE = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Validation errors that are returned: comparing one unknown name with all names of the schema takes up to 0.4 ms. */
const MAX_ERRORS = 5;

export function createApollo(schema: GraphQLSchema, documents: Documents): ApolloServer<Context> {
  const { store, plugin } = createChecks(schema, documents);
  return new ApolloServer<Context>({
    gateway: compiledGateway(schema),
    logger: NO_CONSOLE,
    plugins: [
      ...NOTHING_OF_ITS_OWN,
      plugin,
      limitCost(schema),
      reportOperation(schema),
      hideSuggestions(schema),
      logUnexpected,
    ],
    validationOptions: { maxErrors: MAX_ERRORS },
    documentStore: store,
    introspection: true,
    persistedQueries: { cache: documents.cache },
    includeStacktraceInErrorResponses: false,
    // A page of another site cannot send these headers without a preflight. `x-pid` protects as well as Apollo's own headers.
    csrfPrevention: { requestHeaders: ['x-pid', 'apollo-require-preflight', 'x-apollo-operation-name'] },
    allowBatchedHttpRequests: false,
    stopOnTerminationSignals: false,
    formatError,
    stringifyResult: (result) => `${stringifyJson(result)}\n`,
  });
}
