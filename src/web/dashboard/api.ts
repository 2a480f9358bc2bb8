import type { TypedDocumentString } from '../../generated/dashboard.ts';

/** An error with a message that the user can act on; `type` is the service's, or `offline`. */
export class ApiError extends Error {
  readonly type: string;

  constructor(type: string, message: string) {
    super(message);
    this.name = 'ApiError';
    this.type = type;
  }
}

/** Root fields that may be null in a response without errors. */
type MayBeNull = 'findShopper' | 'delivery' | 'mailServer';

export type Answered<Data> = {
  [Field in keyof Data]: Field extends MayBeNull ? Data[Field] : NonNullable<Data[Field]>;
};

type Options = { regid?: string; signal?: AbortSignal };

/** Runs a GraphQL document for the signed-in store; `download` makes a REST call for a file, a POST if it has fields. */
export type Run = {
  <Data, Variables>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
    options?: Options,
  ): Promise<Answered<Data>>;
  download: (path: string, fields?: Record<string, string>) => Promise<Blob>;
};

/** `actsFor` is the store that an operator has chosen; a body makes the call a POST. */
type Call = Options & { method?: 'DELETE'; body?: string | URLSearchParams | null; actsFor?: string | null };

/** Sends the session cookie, which no script can read and which the service accepts only with the dashboard's header. */
async function send(path: string, { method, body, actsFor, regid, signal }: Call): Promise<Response> {
  try {
    return await fetch(path, {
      method: method ?? (body ? 'POST' : 'GET'),
      headers: {
        'X-Wishgate-Dashboard': '1',
        ...(typeof body === 'string' && { 'Content-Type': 'application/json' }),
        ...(actsFor && { 'X-Pid': actsFor }),
        ...(regid && { 'X-Regid': regid }),
      },
      body,
      signal,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
    });
  } catch {
    throw new ApiError('offline', 'The service cannot be reached. Check the connection and try again.');
  }
}

type ErrorBody = { type?: string; message?: string };

const jsonOf = async <Body extends object>(response: Response): Promise<Partial<Body>> =>
  (await response.json().catch(() => ({}))) as Partial<Body>;

function errorOf({ type = 'internal-error', message }: ErrorBody, response: Response): ApiError {
  if (type !== 'too-many-requests')
    return new ApiError(type, message ?? 'The service gave no answer. Try again.');
  const seconds = response.headers.get('Retry-After') ?? 'a few';
  return new ApiError(type, `Too many requests. Try again in ${seconds} seconds.`);
}

export type StoreInfo = { pid: string; name: string; isDemo: boolean };

/** A store, or an operator with the store it acts for. */
export type SignedIn = { isOperator: boolean; store: StoreInfo | null };

/** `hasDemo` means that a visitor may enter as the demo store. */
export type SessionResponse = { session: SignedIn | null; hasDemo: boolean };

async function callSession(call: Call): Promise<SessionResponse> {
  const response = await send('/dashboard/session', call);
  const body = await jsonOf<SessionResponse & ErrorBody>(response);
  if (!response.ok) throw errorOf(body, response);
  return body as SessionResponse;
}

export const readSession = (actsFor: string | null): Promise<SessionResponse> => callSession({ actsFor });

/** The key is sent with this call only and is stored nowhere. */
export async function signIn(pid: string, apiKey: string): Promise<SignedIn> {
  return (await callSession({ body: JSON.stringify({ pid, apiKey }) })).session!;
}

export const signOut = (): Promise<unknown> => callSession({ method: 'DELETE' });

/** Calls for the signed-in store, or for the one an operator acts for; `onUnauthorised` runs when the session has ended. */
export function createApi(actsFor: string | null, onUnauthorised: () => void): Run {
  const fail = (error: ApiError): never => {
    if (error.type === 'unauthorised') onUnauthorised();
    throw error;
  };
  const run: Omit<Run, 'download'> = async <Data, Variables>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
    options?: Options,
  ) => {
    const body = JSON.stringify({ query: document.toString(), variables });
    const response = await send('/graphql', { ...options, body, actsFor });
    const { data, errors = [] } = await jsonOf<{
      data: Answered<Data>;
      errors: { message: string; extensions?: ErrorBody }[];
    }>(response);
    if (data && errors.length === 0) return data;
    return fail(errorOf({ type: errors[0]?.extensions?.type, message: errors[0]?.message }, response));
  };
  const download: Run['download'] = async (path, fields) => {
    const response = await send(path, { body: fields && new URLSearchParams(fields), actsFor });
    if (!response.ok) return fail(errorOf(await jsonOf<ErrorBody>(response), response));
    return response.blob().catch(() => fail(new ApiError('offline', 'The download broke off. Try again.')));
  };
  return Object.assign(run, { download }) as Run;
}
