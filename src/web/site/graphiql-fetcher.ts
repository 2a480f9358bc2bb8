import type { Fetcher, FetcherParams } from '@graphiql/toolkit';
import { Kind, OperationTypeNode, parse } from 'graphql';
import type { ExecutionResult, OperationDefinitionNode } from 'graphql';
import { createClient } from 'graphql-sse';

/** The operation to run; GraphiQL may still name one of the previous tab. Null if the text does not parse. */
function operationOf({ query, operationName }: FetcherParams): OperationDefinitionNode | null {
  try {
    const found = parse(query).definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
    return found.find(({ name }) => name?.value === operationName) ?? found[0] ?? null;
  } catch {
    return null;
  }
}

export const INTROSPECTION = 'IntrospectionQuery';

/** Sends subscriptions over server-sent events, everything else by POST, and reads the schema with this `authorization`. */
export const createFetcher =
  (authorization: string): Fetcher =>
  (given, { headers = {} } = {}) => {
    if (given.operationName === INTROSPECTION) return post(given, { authorization });
    const operation = operationOf(given);
    const params = { ...given, operationName: operation?.name?.value };
    if (operation?.operation !== OperationTypeNode.SUBSCRIPTION) return post(params, headers);
    // Without retries, an error is shown unchanged.
    const client = createClient({ url: '/graphql/stream', headers, retryAttempts: 0 });
    return client.iterate(params) as never;
  };

async function post(params: object, headers: Record<string, string>): Promise<ExecutionResult> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(params),
  });
  return (await response.json()) as ExecutionResult;
}
