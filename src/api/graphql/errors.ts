import { HeaderMap } from '@apollo/server';
import { GraphQLError } from 'graphql';
import type { Context } from '../../context.ts';
import { isDatabaseAway, isMoving, isUnstorableText } from '../../platform/database/errors.ts';
import { AppError, movingError } from '../../platform/errors.ts';

const CODE_BY_STATUS: Record<number, string> = {
  400: 'BAD_USER_INPUT',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
};

/** graphql-js errors about variables and arguments are the caller's mistake; those about our results are bugs. */
function isCallersMistake(error: unknown): error is GraphQLError {
  if (!(error instanceof GraphQLError)) return false;
  const isWithoutCause = error.originalError === undefined || error.originalError instanceof GraphQLError;
  return isWithoutCause && (error.path === undefined || error.message.startsWith('Argument "'));
}

const MAX_MESSAGE = 1_000;

/** graphql-js quotes the caller's input, which can be megabytes. */
export function shorten(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
}

/** The error that a caller may see. A bug is logged with its request id and reveals nothing else. */
export function toAppError(
  error: unknown,
  { requestId, log, trace }: Pick<Context, 'requestId' | 'log' | 'trace'>,
): AppError {
  const cause = error instanceof GraphQLError ? error.originalError : error;
  if (cause instanceof AppError) return cause;
  if (isCallersMistake(error)) return new AppError('invalid-request', shorten(error.message));
  if (isUnstorableText(cause))
    return new AppError('invalid-request', 'A string contains a character that cannot be stored');
  if (isDatabaseAway(cause))
    return new AppError('unavailable', 'The service is temporarily unavailable; retry later');
  if (isMoving(cause)) return movingError();
  log.error({ requestId, ...trace, err: cause ?? error }, 'Unexpected error');
  return new AppError('internal-error', `Internal server error; please quote the request id ${requestId}`);
}

export function extensionsOf({ type, status }: AppError): Record<string, unknown> {
  return { code: CODE_BY_STATUS[status], type, status };
}

/** Ends an operation before it runs, with the status and headers of the error. */
export function refuse(...given: ConstructorParameters<typeof AppError>): never {
  const failure = new AppError(...given);
  throw new GraphQLError(failure.message, {
    originalError: failure,
    extensions: {
      ...extensionsOf(failure),
      http: { status: failure.status, headers: new HeaderMap(Object.entries(failure.headers)) },
    },
  });
}

/** A shopper who is known needs other credentials, not to sign in again. */
function forbidShopper(failure: AppError, { shopper, keyId }: Context['viewer']): AppError {
  return failure.type === 'unauthorised' && shopper !== null && keyId === null
    ? new AppError('forbidden', 'This field requires a store API key; shopper credentials are not enough')
    : failure;
}

export function toGraphQLError(error: unknown, ctx: Context): GraphQLError {
  const failure = forbidShopper(toAppError(error, ctx), ctx.viewer);
  const { nodes, path } = error as Partial<GraphQLError>;
  return new GraphQLError(failure.message, {
    nodes,
    path,
    originalError: failure,
    extensions: extensionsOf(failure),
  });
}
