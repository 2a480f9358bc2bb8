import type { TypedDocumentString } from '../generated/dashboard.ts';

/** What a merchant signs in with. It lives in memory only: a reload signs out. */
export type Credentials = { pid: string; apiKey: string };

/** A failure with words that a person can act on; `type` is the service's own, or `offline`. */
export class ApiError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.name = 'ApiError';
    this.type = type;
  }
}

/** Where null is an answer; in any other root field it stands for an error, which is thrown instead. */
type MayBeNull = 'findShopper' | 'mailServer';

/** The data of an answer without errors. */
export type Answered<Data> = {
  [Field in keyof Data]: Field extends MayBeNull ? Data[Field] : NonNullable<Data[Field]>;
};

/** For whom the store asks, and until when it waits for the answer. */
export type Asking = { regid?: string; signal?: AbortSignal };

/** Runs a GraphQL document for the signed-in store, or for a shopper of it; `download` gets the answer of a REST call as a file, whatever its size: a POST with fields, else a GET. */
export type Run = {
  <Data, Variables>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
    asking?: Asking,
  ): Promise<Answered<Data>>;
  download: (path: string, fields?: Record<string, string>) => Promise<Blob>;
};

type GraphqlAnswer<Data> = {
  data?: Data | null;
  errors?: { message: string; extensions?: { type?: string } }[];
};

function basicHeader({ pid, apiKey }: Credentials): string {
  const bytes = new TextEncoder().encode(`${pid}:${apiKey}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

type Sent = { type: string; body: string };

async function send(
  credentials: Credentials,
  path: string,
  sent: Sent | null,
  { regid, signal }: Asking = {},
): Promise<Response> {
  const authorization = { Authorization: basicHeader(credentials), ...(regid && { 'X-Regid': regid }) };
  const call = sent && {
    method: 'POST',
    headers: { 'Content-Type': sent.type, ...authorization },
    body: sent.body,
  };
  try {
    return await fetch(path, {
      headers: authorization,
      ...call,
      signal,
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
    });
  } catch {
    throw new ApiError('offline', 'The service cannot be reached. Check the connection and try again.');
  }
}

function failureOf(failure: { type?: string; message?: string }, response: Response): ApiError {
  const type = failure.type ?? 'internal-error';
  if (type !== 'too-many-requests')
    return new ApiError(type, failure.message ?? 'The service gave no answer. Try again.');
  const seconds = response.headers.get('Retry-After') ?? 'a few';
  return new ApiError(type, `Too many requests. Try again in ${seconds} seconds.`);
}

/** A caller bound to credentials; `onUnauthorised` hears when they stop working. */
export function createApi(credentials: Credentials, onUnauthorised: () => void = () => undefined): Run {
  const refuse = (failure: ApiError): never => {
    if (failure.type === 'unauthorised') onUnauthorised();
    throw failure;
  };
  const run = async <Data, Variables>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
    asking?: Asking,
  ): Promise<Answered<Data>> => {
    const body = JSON.stringify({ query: document.toString(), variables });
    const response = await send(credentials, '/graphql', { type: 'application/json', body }, asking);
    const answer = (await response.json().catch(() => ({}))) as GraphqlAnswer<Answered<Data>>;
    if (answer.data && !answer.errors?.length) return answer.data;
    const [error] = answer.errors ?? [];
    return refuse(failureOf({ type: error?.extensions?.type, message: error?.message }, response));
  };
  const download = async (path: string, fields?: Record<string, string>): Promise<Blob> => {
    const body = new URLSearchParams(fields).toString();
    const form = { type: 'application/x-www-form-urlencoded', body };
    const response = await send(credentials, path, fields ? form : null);
    if (!response.ok)
      return refuse(failureOf((await response.json().catch(() => ({}))) as { type?: string }, response));
    return response.blob().catch(() => refuse(new ApiError('offline', 'The download broke off. Try again.')));
  };
  return Object.assign(run, { download });
}
