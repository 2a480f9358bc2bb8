import { failure, ownFailure } from './failure.ts';
import type { IdentityKeeper } from './identity.ts';
import type { FetchLike, Identity, WishgateError, WishgateOptions } from './types.ts';

/** Form fields; objects travel as JSON text, and what is undefined or null not at all. */
export type Fields = Record<string, unknown>;

/** Calls the service for the shopper. Fields that depend on who the shopper is are a function. */
export type Caller = {
  rest<Answer>(path: string, fields: Fields | ((who: Identity) => Promise<Fields>)): Promise<Answer>;
  /** The answer's text with the identity it was asked for. */
  restText(
    path: string,
    fields: Fields | ((who: Identity) => Promise<Fields>),
  ): Promise<{ who: Identity; text: string }>;
  graphql<Answer>(query: string, variables: object): Promise<Answer>;
};

type Post = (path: string, headers: Record<string, string>, body: string) => Promise<string>;

const FORM = 'application/x-www-form-urlencoded';

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
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
      if (answer.status < 400) return text;
      const response = parse(text) as WishgateError['response'];
      throw failure(response?.msg ?? `The service answered ${answer.status}`, answer.status, text, response);
    } catch (error) {
      if ((error as WishgateError).name === 'WishgateError') throw error;
      throw failure(
        abort.signal.aborted ? 'The service did not answer in time' : 'The service cannot be reached',
        0,
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
function isStaleIdentity({ status, response }: WishgateError): boolean {
  return status === 401 && /^(sw-badregid|bad-sessionid)$/.test(response?.type ?? '');
}

/** A GraphQL answer holds its failures in a 200; they become what REST would have answered. */
function unwrap(text: string): unknown {
  const { data, errors } = (parse(text) ?? {}) as {
    data?: unknown;
    errors?: { message: string; extensions?: { type?: string; status?: number } }[];
  };
  const [error] = errors ?? [];
  if (error)
    throw ownFailure(
      error.extensions?.type ?? 'internal-error',
      error.message,
      error.extensions?.status ?? 500,
    );
  return data;
}

export function createCaller(
  options: WishgateOptions,
  fetchLike: FetchLike,
  identity: IdentityKeeper,
): Caller {
  const post = createPost(options.baseUrl.replace(/\/+$/, ''), fetchLike, options.timeoutMs ?? 30_000);
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

  const restText: Caller['restText'] = (path, fields) =>
    asShopper(async (who) => {
      const own = typeof fields === 'function' ? await fields(who) : fields;
      const body = encode({ ...own, regid: who.regid, sessionid: who.sessionid });
      return { who, text: await post(`/api/v3/${path}${query}`, { 'content-type': FORM }, body) };
    });

  return {
    restText,
    rest: async <Answer>(path: string, fields: Parameters<Caller['rest']>[1]) =>
      parse((await restText(path, fields)).text) as Answer,
    graphql: <Answer>(document: string, variables: object) =>
      asShopper(async (who) => {
        const headers = {
          'content-type': 'application/json',
          'x-pid': options.pid,
          'x-regid': who.regid,
          'x-sessionid': who.sessionid,
        };
        return unwrap(
          await post('/graphql', headers, JSON.stringify({ query: document, variables })),
        ) as Answer;
      }),
  };
}
