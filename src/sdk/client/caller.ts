import { failure, ownFailure } from './failure.ts';
import type { IdentityKeeper } from './identity.ts';
import type { FetchAnswer, FetchLike, Identity, WishgateError, WishgateOptions } from './types.ts';

/** Form fields; objects travel as JSON text, and what is undefined or null not at all. */
export type Fields = Record<string, unknown>;

/** Calls the service for the shopper. Fields that depend on who the shopper is are a function. */
export type Caller = {
  /** Address of the service, without a slash at its end. */
  baseUrl: string;
  timeoutMs: number;
  rest: <Answer>(path: string, fields: Fields | ((who: Identity) => Promise<Fields>)) => Promise<Answer>;
  /** The answer, parsed and as text, with the identity it was asked for. */
  restAnswer<Answer>(
    path: string,
    fields: Fields | ((who: Identity) => Promise<Fields>),
  ): Promise<{ who: Identity; text: string; body: Answer }>;
  graphql<Answer>(query: string, variables: object): Promise<Answer>;
};

type Post = (
  path: string,
  headers: Record<string, string>,
  body: string,
) => Promise<{ text: string; body: unknown }>;
type GraphqlError = { message: string; extensions?: { type?: string; status?: number } };

const FORM = 'application/x-www-form-urlencoded';

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** What an answer says went wrong, or null. GraphQL's failures, of any status, become what REST would have answered. */
export function faultOf(
  { status, statusText, headers }: FetchAnswer,
  text: string,
  body: unknown,
): WishgateError | null {
  const { errors } = (body ?? {}) as { errors?: GraphqlError[] };
  if (errors?.[0]) {
    const { message, extensions = {} } = errors[0];
    const told = extensions.status ?? (status < 400 ? 500 : status);
    const head = { status: told, statusText: told === status ? statusText : '', headers };
    return ownFailure(extensions.type ?? 'internal-error', message, head);
  }
  if (status < 400 && body !== null) return null;
  const response = body as WishgateError['response'];
  const msg = status < 400 ? 'The service did not answer with JSON' : `The service answered ${status}`;
  return failure(response?.msg ?? msg, { status, statusText, headers }, text, response);
}

/** Makes one request; the failure of a request without an answer has status 0. */
function createPost(baseUrl: string, fetchLike: FetchLike, timeoutMs: number): Post {
  return async (path, headers, body) => {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), timeoutMs);
    try {
      const answer = await fetchLike(baseUrl + path, {
        method: 'POST',
        headers,
        body,
        credentials: 'omit',
        signal: abort.signal,
      });
      const text = await answer.text();
      const parsed = parse(text);
      const fault = faultOf(answer, text, parsed);
      if (fault) throw fault;
      return { text, body: parsed };
    } catch (error) {
      if ((error as WishgateError).name === 'WishgateError') throw error;
      throw failure(
        abort.signal.aborted ? 'The service did not answer in time' : 'The service cannot be reached',
        { status: 0 },
        '',
        null,
      );
    } finally {
      clearTimeout(timer);
    }
  };
}

function encode(fields: Fields): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value != null) form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return form.toString();
}

/** Failures that a fresh identity can cure: the regid was merged away, or its sessions were ended. */
export function isStaleIdentity({ status, response }: WishgateError): boolean {
  return status === 401 && /^(sw-badregid|bad-sessionid)$/.test(response?.type ?? '');
}

export function createCaller(
  options: WishgateOptions,
  fetchLike: FetchLike,
  identity: IdentityKeeper,
): Caller {
  const { timeoutMs = 30_000 } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const post = createPost(baseUrl, fetchLike, timeoutMs);
  const query = `?pid=${encodeURIComponent(options.pid)}`;

  /** Runs with the identity, and once more with a new one when this one is no longer accepted. */
  const asShopper = async <Answer>(run: (who: Identity) => Promise<Answer>): Promise<Answer> => {
    const who = await identity.get();
    try {
      return await run(who);
    } catch (error) {
      if (!isStaleIdentity(error as WishgateError)) throw error;
      return run(await identity.renew(who));
    }
  };

  const restAnswer = <Answer>(path: string, fields: Parameters<Caller['rest']>[1]) =>
    asShopper(async (who) => {
      const own = typeof fields === 'function' ? await fields(who) : fields;
      const form = encode({ ...own, regid: who.regid, sessionid: who.sessionid });
      const { text, body } = await post(`/api/v3/${path}${query}`, { 'content-type': FORM }, form);
      return { who, text, body: body as Answer };
    });

  return {
    baseUrl,
    timeoutMs,
    restAnswer,
    rest: async <Answer>(path: string, fields: Parameters<Caller['rest']>[1]) =>
      (await restAnswer<Answer>(path, fields)).body,
    graphql: <Answer>(document: string, variables: object) =>
      asShopper(async (who) => {
        const headers = {
          'content-type': 'application/json',
          'x-pid': options.pid,
          'x-regid': who.regid,
          'x-sessionid': who.sessionid,
        };
        const { body } = await post('/graphql', headers, JSON.stringify({ query: document, variables }));
        return (body as { data: Answer }).data;
      }),
  };
}
