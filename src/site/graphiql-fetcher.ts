import type { Fetcher } from '@graphiql/toolkit';
import { getOperationAST } from 'graphql';
import { createClient } from 'graphql-sse';

/** Asks the service: subscriptions over server-sent events, everything else by POST. */
export const fetcher: Fetcher = (params, { headers = {}, documentAST } = {}) => {
  const operation = documentAST && getOperationAST(documentAST, params.operationName);
  if (operation?.operation !== 'subscription') return post(params, headers);
  // Nothing is tried again by itself: a refusal is shown as it came.
  const client = createClient({ url: '/graphql/stream', headers, retryAttempts: 0 });
  return client.iterate({ ...params, operationName: params.operationName ?? undefined }) as never;
};

async function post(params: object, headers: Record<string, string>) {
  const answer = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: JSON.stringify(params),
  });
  return answer.json();
}
