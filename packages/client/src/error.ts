import type { Call, FetchAnswer, OnError, OnSuccess, WishgateError } from './types.ts';

export type Head = Pick<FetchAnswer, 'status' | 'statusText' | 'headers'>;

export function newError(
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

export const noResponse = (message: string): WishgateError => newError(message, { status: 0 }, '', null);

export function clientError(type: string, msg: string, head: Head = { status: 0 }): WishgateError {
  const response = { error: true as const, type, msg, message: msg };
  return newError(msg, head, JSON.stringify(response), response);
}

export function isWishgateError(error: unknown): error is WishgateError {
  return (error as Partial<WishgateError> | null)?.name === 'WishgateError';
}

export const messageOf = (error: unknown): string =>
  String((error as Partial<Error> | null)?.message ?? error);

/** Calls a page's function. An error in it is logged to the console and breaks nothing else. */
export function notify<Value>(callback: unknown, value: Value): void {
  try {
    if (typeof callback === 'function') (callback as (value: Value) => void)(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Also calls one of the callbacks. Without `onError`, an error remains visible as an unhandled rejection. */
export function settle<Result>(
  run: () => Promise<Result>,
  onSuccess?: OnSuccess<Result>,
  onError?: OnError,
): Promise<Result> {
  const result = (async () => run())().catch((error: unknown) => {
    throw isWishgateError(error) ? error : clientError('invalid-request', messageOf(error));
  });
  result.then(
    (value) => notify(onSuccess, value),
    (error) => notify(onError, error),
  );
  return typeof onError === 'function' ? result : result.then((value) => value);
}

/** Makes a function a public call: callbacks may follow its declared arguments. */
export function callable<Args extends unknown[], Result>(
  run: (...args: Args) => Promise<Result>,
  settleBy: typeof settle = settle,
): Call<Args, Result> {
  const count = run.length;
  return (...given: unknown[]) =>
    settleBy(
      () => run(...(given.slice(0, count) as Args)),
      given[count] as OnSuccess<Result>,
      given[count + 1] as OnError,
    );
}
