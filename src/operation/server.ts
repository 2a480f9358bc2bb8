import { ApolloServer } from '@apollo/server';
import type { GatewayExecutor, GatewayInterface } from '@apollo/server-gateway-interface';
import { ApolloServerPluginCacheControlDisabled } from '@apollo/server/plugin/disabled';
import type { GraphQLFormattedError, GraphQLSchema } from 'graphql';
import type { Context } from '../context.ts';
import type { Operations } from './executor.ts';
import { DOCUMENT_LIMITS, limitDocument } from './limits.ts';

/** Apollo hands execution to a gateway where there is one; ours is the compiled executor. */
function compiledGateway(schema: GraphQLSchema, operations: Operations): GatewayInterface {
  const executor: GatewayExecutor = async ({ document, operationName, queryHash, request, context }) =>
    (await operations.execute(
      {
        key: `${queryHash} ${operationName ?? ''}`,
        document,
        operationName: operationName ?? undefined,
        variables: (request.variables ?? {}) as Record<string, unknown>,
      },
      context as unknown as Context,
    )) as Awaited<ReturnType<GatewayExecutor>>;
  return {
    load: async () => ({ executor }),
    onSchemaLoadOrUpdate: (listener) => {
      listener({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => undefined;
    },
    stop: async () => undefined,
  };
}

/** Errors that Apollo found itself (syntax, validation) get the type and status that every other failure has. */
function formatError(formatted: GraphQLFormattedError): GraphQLFormattedError {
  const { extensions } = formatted;
  if (extensions?.['type'] !== undefined) return formatted;
  const isOurs = extensions?.['code'] === 'INTERNAL_SERVER_ERROR';
  return isOurs
    ? {
        message: 'Something went wrong on our side',
        extensions: { code: 'INTERNAL_SERVER_ERROR', type: 'internal-error', status: 500 },
      }
    : { ...formatted, extensions: { ...extensions, type: 'invalid-request', status: 400 } };
}

/** The GraphQL door's server. Its cache-control plugin wraps every field and costs 40 %, so it is off. */
export function createApollo(schema: GraphQLSchema, operations: Operations): ApolloServer<Context> {
  return new ApolloServer<Context>({
    gateway: compiledGateway(schema, operations),
    plugins: [ApolloServerPluginCacheControlDisabled()],
    validationRules: [limitDocument],
    parseOptions: { maxTokens: DOCUMENT_LIMITS.maxTokens },
    introspection: true,
    includeStacktraceInErrorResponses: false,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    stopOnTerminationSignals: false,
    formatError,
  });
}
