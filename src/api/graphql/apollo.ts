import { ApolloServer } from '@apollo/server';
import type { ApolloServerPlugin } from '@apollo/server';
import type { GatewayExecutor, GatewayInterface } from '@apollo/server-gateway-interface';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { GraphQLError } from 'graphql';
import type { ExecutionResult, GraphQLFormattedError, GraphQLSchema } from 'graphql';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/errors.ts';
import type { ErrorType } from '../../platform/errors.ts';
import { chargeResponse } from '../../platform/budget.ts';
import { stringifyJson } from '../../platform/json.ts';
import { limitCost } from './cost.ts';
import { executeGraphql } from '../execute.ts';
import { planOf } from '../plan.ts';
import { createChecks } from './documents.ts';
import type { Documents } from './documents.ts';
import { shorten, toGraphQLError } from './errors.ts';

/** Apollo hands execution to a gateway where there is one; ours runs the executor that REST runs, too. */
function compiledGateway(schema: GraphQLSchema): GatewayInterface {
  const executor: GatewayExecutor = async ({ document, queryHash, request, context }) => {
    // The name as asked for: the context's own is already null when the document has no such operation.
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

const NO_STREAM = new GraphQLError('', {
  originalError: new AppError('invalid-request', 'Subscriptions run at /graphql/stream'),
});

/** Aliases can make a large response of little that was read, so the response itself is counted. */
export async function withinBudget(result: ExecutionResult, ctx: Context): Promise<ExecutionResult> {
  try {
    await chargeResponse(ctx.budget, result);
    return result;
  } catch (error) {
    return { errors: [toGraphQLError(new GraphQLError('', { originalError: error as Error }), ctx)] };
  }
}

/** Codes of requests that were well-formed and whose document or variables were not. */
const DOCUMENT_FAULTS = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'BAD_USER_INPUT',
]);

/**
 * GraphQL over HTTP: `application/json` answers a well-formed request with 200, since proxies on the way may answer 400
 * in that type too; only `application/graphql-response+json` tells faults of the document by status.
 */
const answerPlainJsonWith200: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    willSendResponse: async ({ request, response }) => {
      const accept = request.http?.headers.get('accept') ?? '';
      const isPlain = !accept.includes('application/graphql-response+json');
      const [error] = response.body.kind === 'single' ? (response.body.singleResult.errors ?? []) : [];
      const isDocumentFault = DOCUMENT_FAULTS.has(String(error?.extensions?.['code']));
      if (isPlain && isDocumentFault && response.http.status === 400) response.http.status = 200;
    },
  }),
};

/** Apollo calls every answer without data the caller's fault; one that could not even be begun, because the database is away, is to be sent again. */
const answerUnavailableWith503: ApolloServerPlugin<Context> = {
  requestDidStart: async () => ({
    willSendResponse: async ({ response: { body, http } }) => {
      const [error] = body.kind === 'single' ? (body.singleResult.errors ?? []) : [];
      if (http.status !== 400 || error?.extensions?.['status'] !== 503) return;
      http.status = 503;
      http.headers.set('retry-after', '5');
    },
  }),
};

/** Notes for the access log which operation is run, once it is known to be valid, and how it failed. */
const traceOperation = (schema: GraphQLSchema): ApolloServerPlugin<Context> => ({
  requestDidStart: async ({ contextValue: { trace } }) => ({
    didResolveOperation: async ({ document, request }) => {
      trace.operation = planOf(schema, document, request.operationName)?.description;
    },
    willSendResponse: async ({ response }) => {
      const [error] = response.body.kind === 'single' ? (response.body.singleResult.errors ?? []) : [];
      trace.type = error?.extensions?.['type'] as ErrorType | undefined;
    },
  }),
});

/** Failures inside Apollo itself, which no resolver reports: they answer 500 and must not go unseen. */
const logUnexpected: ApolloServerPlugin<Context> = {
  unexpectedErrorProcessingRequest: async ({ requestContext, error }) => {
    const { log, requestId, trace } = requestContext.contextValue;
    if (error instanceof GraphQLError && error.originalError instanceof AppError) {
      // Apollo expects no refusal before a document is validated; thrown again, it is the answer.
      trace.type = error.originalError.type;
      throw error;
    }
    log.error({ requestId, ...trace, err: error }, 'unexpected failure');
  },
};

/** What Apollo finds wrong with a persisted query, which it calls a failure of ours. */
const HASH_FAULTS = new Set(['provided sha does not match query', 'Unsupported persisted query version']);

/** Errors that Apollo found itself (syntax, validation) get the type and status that every other failure has. */
function formatError(formatted: GraphQLFormattedError): GraphQLFormattedError {
  const { extensions } = formatted;
  if (extensions?.['type'] !== undefined) return formatted;
  const isOurs = extensions?.['code'] === 'INTERNAL_SERVER_ERROR' && !HASH_FAULTS.has(formatted.message);
  return isOurs
    ? {
        message: 'Something went wrong on our side',
        extensions: { code: 'INTERNAL_SERVER_ERROR', type: 'internal-error', status: 500 },
      }
    : {
        ...formatted,
        message: shorten(formatted.message),
        extensions: { ...extensions, code: codeOf(extensions), type: 'invalid-request', status: 400 },
      };
}

const codeOf = (extensions: GraphQLFormattedError['extensions']): unknown =>
  extensions?.['code'] === 'INTERNAL_SERVER_ERROR' ? 'BAD_REQUEST' : extensions?.['code'];

/**
 * What Apollo would add by itself: a page from another host, reports to it when variables of that name are set, and
 * cache hints that wrap every field and cost 40 %. Whatever the environment says, no one elsewhere hears of a call.
 */
const NOTHING_OF_ITS_OWN = [
  ApolloServerPluginLandingPageDisabled(),
  ApolloServerPluginUsageReportingDisabled(),
  ApolloServerPluginSchemaReportingDisabled(),
  ApolloServerPluginInlineTraceDisabled(),
  ApolloServerPluginCacheControlDisabled(),
];

const nothing = (): void => undefined;
/** Apollo writes whole stacks to the console, one for each request that a stranger makes fail; our log has what is worth knowing. */
const NO_CONSOLE = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** Faults of a document that are told: each unknown name is compared with all names of the schema, which takes up to 0.4 ms. */
const MAX_ERRORS = 5;

/** The server behind /graphql. */
export function createApollo(schema: GraphQLSchema, documents: Documents): ApolloServer<Context> {
  const { store, plugin } = createChecks(schema, documents);
  return new ApolloServer<Context>({
    gateway: compiledGateway(schema),
    logger: NO_CONSOLE,
    plugins: [
      ...NOTHING_OF_ITS_OWN,
      plugin,
      limitCost(schema),
      answerPlainJsonWith200,
      answerUnavailableWith503,
      traceOperation(schema),
      logUnexpected,
    ],
    validationOptions: { maxErrors: MAX_ERRORS },
    documentStore: store,
    introspection: true,
    persistedQueries: { cache: documents.cache },
    includeStacktraceInErrorResponses: false,
    // What a page of another site cannot send unasked: the browser would ask first. `x-pid` is as good as Apollo's own headers.
    csrfPrevention: { requestHeaders: ['x-pid', 'apollo-require-preflight', 'x-apollo-operation-name'] },
    allowBatchedHttpRequests: false,
    stopOnTerminationSignals: false,
    formatError,
    stringifyResult: (result) => `${stringifyJson(result)}\n`,
  });
}
