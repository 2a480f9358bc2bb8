import { GraphQLError, Kind, OperationTypeNode, getOperationAST } from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLFormattedError } from 'graphql';
import type { Context } from '../context.ts';
import { AppError } from '../platform/errors.ts';
import { answerOnce } from './idempotency.service.ts';
import type { Answer } from './idempotency.service.ts';
import type { Operations } from './graphql/executor.ts';
import { extensionsOf, toAppError } from './graphql/errors.ts';

/** Gives both doors the Idempotency-Key: a write that comes again under its key is answered as the first time, and not done again. */
export function withIdempotency(operations: Operations): Operations {
  return {
    subscribe: operations.subscribe,

    async run(document, variables, ctx) {
      const operation = ctx.idempotencyKey === '' ? null : nameWrite(document, undefined);
      if (operation === null) return operations.run(document, variables, ctx);
      const answer = await answerOnce(ctx, ctx.path, [variables], isPrivate(operation), (inner) =>
        runToAnswer(operations, document, variables, inner),
      );
      if (answer.failure)
        throw new AppError(answer.failure.type, answer.failure.message, answer.failure.headers);
      return answer.data;
    },

    async execute(request, ctx) {
      const operation = ctx.idempotencyKey === '' ? null : nameWrite(request.document, request.operationName);
      if (operation === null) return operations.execute(request, ctx);
      const body = [request.key, request.variables];
      let first: ExecutionResult | null = null;
      // A refused key is a refused request: it has errors and no data.
      const refuse = (error: unknown): Answer => ({ errors: [requestError(error, ctx)], statuses: [] });
      const work = async (inner: Context): Promise<Answer> => {
        first = await operations.execute(request, inner);
        const errors = first.errors?.map((error) => error.toJSON());
        return { data: first.data, errors, statuses: statusesOf(first) };
      };
      const place = `${ctx.path} ${operation}`;
      const answer = await answerOnce(ctx, place, body, isPrivate(operation), work).catch(refuse);
      return first ?? reviveResult(answer);
    },
  };
}

function requestError(error: unknown, ctx: Context): GraphQLFormattedError {
  const failure = toAppError(error, ctx);
  return { message: failure.message, extensions: extensionsOf(failure) };
}

/** The fields that a mutation calls; null for a query. Two documents that call the same fields are the same operation. */
function nameWrite(document: DocumentNode, operationName: string | undefined): string | null {
  const definition = getOperationAST(document, operationName);
  if (definition?.operation !== OperationTypeNode.MUTATION) return null;
  const names = definition.selectionSet.selections.map((node) => {
    if (node.kind === Kind.FIELD) return node.name.value;
    return `...${node.kind === Kind.FRAGMENT_SPREAD ? node.name.value : ''}`;
  });
  return [...new Set(names)].sort().join(' ');
}

/** Mutations whose answers hold what an erasure must reach: they are never kept. A fragment may hide one. */
const PRIVATE = new Set(['exportShopper']);

function isPrivate(operation: string): boolean {
  return operation.split(' ').some((name) => PRIVATE.has(name) || name.startsWith('...'));
}

async function runToAnswer(
  operations: Operations,
  document: DocumentNode,
  variables: Record<string, unknown>,
  ctx: Context,
): Promise<Answer> {
  try {
    return { data: await operations.run(document, variables, ctx), statuses: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { type, message, headers, status } = error;
    return { failure: { type, message, headers }, statuses: [status] };
  }
}

function statusesOf({ errors = [] }: ExecutionResult): number[] {
  return errors.map(({ extensions }) => Number(extensions['status'] ?? 500));
}

function reviveResult({ data, errors }: Answer): ExecutionResult {
  const revived = errors?.map(({ message, path, locations, extensions }) =>
    Object.assign(new GraphQLError(message, { path, extensions }), { locations }),
  );
  const result = data === undefined ? {} : { data: data as Record<string, unknown> | null };
  return revived ? { ...result, errors: revived } : result;
}
