import type { Call, Field } from './model.ts';

/** All four credentials are in this page's memory only. */
export type Credentials = { pid: string; apiKey: string; regid: string; sessionid: string };

export type Values = Record<string, string>;

export type Request = {
  method: string;
  path: string;
  query: Values;
  form: Values;
  headers: Values;
  /** User name and password of store calls, as `pid:apiKey`. */
  basic: string | null;
};

export type Result = { status: number; isOk: boolean; milliseconds: number; body: string };

export const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** Parses JSON; returns any other text as it is. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The message of an error about this field, which its type or its message names. */
export function problemWith(name: string, result: Result | null): string {
  const { type = '', msg = '' } = (result && !result.isOk ? parsed(result.body) : {}) as Values;
  return type.endsWith(`-${name}`) || new RegExp(`^${name}\\b`).test(msg) ? msg : '';
}

export function requestOf(call: Call, values: Values, credentials: Credentials): Request {
  const { pid, apiKey, regid, sessionid } = credentials;
  const filled = (place: Field['place']): Values =>
    Object.fromEntries(
      call.fields
        .filter((field) => field.place === place && values[field.name])
        .map(({ name }) => [name, values[name]!]),
    );
  const isStore = call.caller === 'store' || call.caller === 'storeForShopper';
  return {
    method: call.method,
    path: call.path,
    query: { ...(!isStore && { pid }), ...filled('query') },
    form: {
      ...(call.caller !== 'store' && regid && { regid }),
      ...(!isStore && sessionid && { sessionid }),
      ...filled('form'),
    },
    headers: filled('header'),
    basic: isStore ? `${pid}:${apiKey}` : null,
  };
}

export function addressOf({ path, query }: Request): string {
  const text = new URLSearchParams(query).toString();
  return text ? `${path}?${text}` : path;
}

export const basicHeader = (basic: string): string =>
  `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(basic)))}`;

export async function send(request: Request): Promise<Result> {
  const { method, headers, form, basic } = request;
  const start = performance.now();
  const response = await fetch(addressOf(request), {
    method,
    headers: basic === null ? headers : { ...headers, authorization: basicHeader(basic) },
    // Without its own credentials, the browser never asks for a password.
    credentials: 'omit',
    cache: 'no-store',
    ...(method === 'POST' && { body: new URLSearchParams(form) }),
  });
  const body = await response.text();
  const milliseconds = Math.round(performance.now() - start);
  return { status: response.status, isOk: response.ok, milliseconds, body };
}
