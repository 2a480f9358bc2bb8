import type { FetchAnswer, OnError, OnSuccess, WishgateError } from './types.ts';

/** What an answer says of itself. */
export type Head = Pick<FetchAnswer, 'status' | 'statusText' | 'headers'>;

/** Makes a failure that looks like a finished XHR. */
export function failure(
  message: string,
  { status, statusText = '', headers }: Head,
  responseText: string,
  response: WishgateError['response'],
): WishgateError {
  return Object.assign(new Error(message), {
    name: 'WishgateError',
    status,
    statusText,
    readyState: 4 as const,
    responseText,
    response,
    getResponseHeader: (name: string) => headers?.get(name) ?? null,
    getAllResponseHeaders: () => {
      let lines = '';
      headers?.forEach((value, name) => (lines += `${name}: ${value}\r\n`));
      return lines;
    },
  });
}

/** A failure of the library's own, in the form of the service's. */
export function ownFailure(type: string, msg: string, head: Head = { status: 0 }): WishgateError {
  const response = { error: true as const, type, msg, message: msg };
  return failure(msg, head, JSON.stringify(response), response);
}

const asFailure = (error: unknown): WishgateError => {
  const known = error as Partial<WishgateError> | null;
  return known?.name === 'WishgateError'
    ? (error as WishgateError)
    : // What a caller passed did not have the form that the call needs.
      ownFailure('invalid-request', String(known?.message ?? error));
};

/** Calls a page's function. What it throws is the page's own: the console shows it, and nothing else fails. */
export function tell<Value>(callback: unknown, value: Value): void {
  try {
    if (typeof callback === 'function') (callback as (value: Value) => void)(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/**
 * Runs a call and hands its outcome to callbacks, too: one of them is called, once, and only `onError` ever gets a failure. Without
 * `onError` a failure stays visible as an unhandled rejection.
 */
export function settle<Answer>(
  run: () => Promise<Answer>,
  onSuccess?: OnSuccess<Answer>,
  onError?: OnError,
): Promise<Answer> {
  const answer = (async () => run())().catch((error: unknown) => {
    throw asFailure(error);
  });
  answer.then(
    (value) => tell(onSuccess, value),
    (error) => tell(onError, error),
  );
  return typeof onError === 'function' ? answer : answer.then((value) => value);
}
