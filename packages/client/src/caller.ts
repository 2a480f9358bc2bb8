import { clientError, isWishgateError, newError, noResponse } from './error.ts';
import type { IdentityKeeper } from './identity.ts';
import type { FetchAnswer, FetchLike, Identity, WishgateError, WishgateOptions } from './types.ts';

/** Form fields; objects are sent as JSON, undefined and null are omitted. */
export type Fields = Record<string, unknown>;

/** Fields, or a function of the shopper's identity that returns them. */
type FieldsFor = Fields | ((who: Identity) => Promise<Fields>);

export type Caller = ReturnType<typeof createCaller>;

type GraphqlError = { message: string; extensions?: { type?: string; status?: number } };

const FORM = 'application/x-www-form-urlencoded';

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Returns null for a success. GraphQL errors, of any status, become what REST would have returned. */
export function errorOf(
  { status, statusText, headers }: FetchAnswer,
  text: string,
  body: unknown,
): WishgateError | null {
  const { errors } = (body ?? {}) as { errors?: GraphqlError[] };
  if (errors?.[0]) {
    const { message, extensions = {} } = errors[0];
    const errorStatus = extensions.status ?? (status < 400 ? 500 : status);
    const head = { status: errorStatus, statusText: errorStatus === status ? statusText : '', headers };
    return clientError(extensions.type ?? 'internal-error', message, head);
  }
  if (status < 400 && body !== null) return null;
  const response = body as WishgateError['response'];
  const msg = status < 400 ? 'The response is not JSON' : `The service returned ${status}`;
  return newError(response?.msg ?? msg, { status, statusText, headers }, text, response);
}

function encode(fields: Fields): string {
  const form = new URLSearchParams();
  // React Native has no `set`.
  for (const [name, value] of Object.entries(fields)) {
    if (value != null) form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return form.toString();
}

export type Transport = ReturnType<typeof createTransport>;

/** Sends requests; the caller adds who the shopper is. */
export function createTransport(options: WishgateOptions, fetchLike: FetchLike) {
  const { timeoutMs = 30_000 } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const query = `?pid=${encodeURIComponent(options.pid)}`;
  const post = async (path: string, headers: Record<string, string>, body: string) => {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    try {
      const { signal } = abort;
      const init = { method: 'POST', headers, body, credentials: 'omit', signal } as const;
      const response = await fetchLike(baseUrl + path, init);
      const text = await response.text();
      const parsed = parse(text);
      const failed = errorOf(response, text, parsed);
      if (failed) throw failed;
      return { text, body: parsed };
    } catch (error) {
      if (isWishgateError(error)) throw error;
      const { aborted } = abort.signal;
      throw noResponse(aborted ? 'The service did not respond in time' : 'The service cannot be reached');
    } finally {
      clearTimeout(timer);
    }
  };
  return {
    baseUrl,
    timeoutMs,
    post,
    rest: (path: string, fields: Fields) =>
      post(`/api/v3/${path}${query}`, { 'content-type': FORM }, encode(fields)),
  };
}

export const graphqlHeaders = (pid: string, { regid, sessionid }: Identity): Record<string, string> => ({
  'content-type': 'application/json',
  'x-pid': pid,
  'x-regid': regid,
  'x-sessionid': sessionid,
});

/** Errors that a new identity can fix: the regid was merged, or its sessions were ended. */
export function isStaleIdentity({ status, response }: WishgateError): boolean {
  return status === 401 && /^(sw-badregid|bad-sessionid)$/.test(response?.type ?? '');
}

export function createCaller(pid: string, transport: Transport, identity: IdentityKeeper) {
  /** Retries once with a new identity if the service no longer accepts the current one. */
  const asShopper = async <Result>(run: (who: Identity) => Promise<Result>): Promise<Result> => {
    const who = await identity.get();
    try {
      return await run(who);
    } catch (error) {
      if (!isStaleIdentity(error as WishgateError)) throw error;
      return run(await identity.renew(who));
    }
  };

  /** Returns the parsed response, its text, and the identity of the request. */
  const restResponse = <Result>(path: string, fields: FieldsFor) =>
    asShopper(async (who) => {
      const own = typeof fields === 'function' ? await fields(who) : fields;
      const { regid, sessionid } = who;
      const { text, body } = await transport.rest(path, { ...own, regid, sessionid });
      return { who, text, body: body as Result };
    });

  return {
    restResponse,
    rest: async <Result>(path: string, fields: FieldsFor): Promise<Result> =>
      (await restResponse<Result>(path, fields)).body,
    graphql: <Result>(query: string, variables: object): Promise<Result> =>
      asShopper(async (who) => {
        const headers = graphqlHeaders(pid, who);
        const { body } = await transport.post('/graphql', headers, JSON.stringify({ query, variables }));
        return (body as { data: Result }).data;
      }),
  };
}
