import type { Call } from './model.ts';

/** Who calls. All four are kept in this page's memory only. */
export type Credentials = { pid: string; apiKey: string; regid: string; sessionid: string };

/** Values of a call's fields by name. */
export type Values = Record<string, string>;

/** A request, ready to be sent or shown. */
export type Request = {
  method: string;
  path: string;
  query: [string, string][];
  form: [string, string][];
  headers: [string, string][];
  /** User name and password of Basic, for store calls. */
  basic: [pid: string, apiKey: string] | null;
};

/** What a call sends: its credentials where they belong, and every field that is filled in. */
export function requestOf(call: Call, values: Values, credentials: Credentials): Request {
  const { pid, apiKey, regid, sessionid } = credentials;
  const filled = (place: 'query' | 'form' | 'header'): [string, string][] =>
    call.fields
      .filter((field) => field.place === place && values[field.name])
      .map(({ name }) => [name, values[name]!]);
  const isStore = call.caller === 'store' || call.caller === 'storeForShopper';
  const identity: [string, string][] = [];
  if (call.caller !== 'store' && regid) identity.push(['regid', regid]);
  if (!isStore && sessionid) identity.push(['sessionid', sessionid]);
  return {
    method: call.method,
    path: call.path,
    query: [...(isStore ? [] : [['pid', pid] as [string, string]]), ...filled('query')],
    form: [...identity, ...filled('form')],
    headers: filled('header'),
    basic: isStore ? [pid, apiKey] : null,
  };
}

/** The path with its query, encoded once. */
export function addressOf({ path, query }: Request): string {
  return query.length > 0 ? `${path}?${new URLSearchParams(query)}` : path;
}

/** The value of the Authorization header. */
export const basicHeader = ([pid, apiKey]: [string, string]): string =>
  `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${pid}:${apiKey}`)))}`;

/** What came back. */
export type Outcome = {
  request: string;
  status: number;
  isOk: boolean;
  milliseconds: number;
  type: string;
  body: string;
};

const MAX_SHOWN = 60_000;

function pretty(text: string, type: string): string {
  if (!type.includes('json')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Sends a request to the service that this page is from. */
export async function send(request: Request): Promise<Outcome> {
  const headers = Object.fromEntries(request.headers);
  if (request.basic) headers['authorization'] = basicHeader(request.basic);
  const start = performance.now();
  const answer = await fetch(addressOf(request), {
    method: request.method,
    headers,
    // Without them a browser never asks for a password of its own.
    credentials: 'omit',
    cache: 'no-store',
    ...(request.method === 'POST' && { body: new URLSearchParams(request.form) }),
  });
  const text = await answer.text();
  const type = answer.headers.get('content-type') ?? '';
  const shown = pretty(text, type);
  return {
    request: `${request.method} ${request.path}`,
    status: answer.status,
    isOk: answer.ok,
    milliseconds: Math.round(performance.now() - start),
    type,
    body:
      shown.length > MAX_SHOWN
        ? `${shown.slice(0, MAX_SHOWN)}\n… ${shown.length - MAX_SHOWN} more characters`
        : shown,
  };
}
