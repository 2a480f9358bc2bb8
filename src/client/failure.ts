import type { OnError, OnSuccess, WishgateError } from './types.ts';

/** Makes a failure that looks like a finished XHR. */
export function failure(
  message: string,
  status: number,
  responseText: string,
  response: WishgateError['response'],
): WishgateError {
  return Object.assign(new Error(message), { name: 'WishgateError', status, responseText, response });
}

/** A failure of the library's own, in the form of the service's. */
export function ownFailure(type: string, msg: string, status = 0): WishgateError {
  const response = { error: true as const, type, msg, message: msg };
  return failure(msg, status, JSON.stringify(response), response);
}

/** Hands a promise's outcome to callbacks as well. Without `onError` a failure stays visible as an unhandled rejection. */
export function settle<Answer>(
  promise: Promise<Answer>,
  onSuccess?: OnSuccess<Answer>,
  onError?: OnError,
): Promise<Answer> {
  if (onSuccess || onError) void promise.then(onSuccess, onError);
  return promise;
}
