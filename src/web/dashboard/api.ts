import type { TypedDocumentString } from '../../generated/dashboard.ts';

/** What tells the service that its own dashboard asks; without it, it does not look at the session's cookie. */
const DASHBOARD = { 'X-Wishgate-Dashboard': '1' };

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
type MayBeNull = 'findShopper' | 'delivery' | 'mailServer';

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

type Sent = { type: string; body: string };

/** A call of the signed-in dashboard; `actsFor` is the store that an operator means. */
type Call = Asking & { method?: 'GET' | 'POST' | 'DELETE'; sent?: Sent | null; actsFor?: string | null };

/** Calls this service with the session's cookie, which no script can read. */
async function send(path: string, { method, sent, actsFor, regid, signal }: Call): Promise<Response> {
  try {
    return await fetch(path, {
      method: method ?? (sent ? 'POST' : 'GET'),
      headers: {
        ...DASHBOARD,
        ...(sent && { 'Content-Type': sent.type }),
        ...(actsFor && { 'X-Pid': actsFor }),
        ...(regid && { 'X-Regid': regid }),
      },
      body: sent?.body,
      signal,
      credentials: 'same-origin',
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

/** A store as the dashboard's frame shows it. */
export type StoreInfo = { pid: string; name: string; isDemo: boolean };

/** Who is signed in: a store, or an operator with the store it acts for. */
export type SignedIn = { isOperator: boolean; store: StoreInfo | null };

/** What the service says of the session; `hasDemo` where a visitor may enter as the demo store. */
export type SessionAnswer = { session: SignedIn | null; hasDemo: boolean };

async function askSession(call: Call): Promise<SessionAnswer> {
  const response = await send('/dashboard/session', call);
  const answer = (await response.json().catch(() => ({}))) as SessionAnswer & { type?: string };
  if (!response.ok) throw failureOf(answer, response);
  return answer;
}

/** Who is signed in in this browser. */
export function readSession(actsFor: string | null): Promise<SessionAnswer> {
  return askSession({ actsFor });
}

/** Signs in; the key leaves the page with this call and is kept nowhere. */
export async function signIn(pid: string, apiKey: string): Promise<SignedIn> {
  const body = JSON.stringify({ pid, apiKey });
  return (await askSession({ sent: { type: 'application/json', body } })).session!;
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  const response = await send('/dashboard/session', { method: 'DELETE' });
  if (!response.ok) throw failureOf((await response.json().catch(() => ({}))) as { type?: string }, response);
}

/** A caller for the signed-in store, or for the one that an operator acts for; `onUnauthorised` hears when the session is over. */
export function createApi(actsFor: string | null, onUnauthorised: () => void): Run {
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
    const sent = { type: 'application/json', body };
    const response = await send('/graphql', { ...asking, sent, actsFor });
    const answer = (await response.json().catch(() => ({}))) as GraphqlAnswer<Answered<Data>>;
    if (answer.data && !answer.errors?.length) return answer.data;
    const [error] = answer.errors ?? [];
    return refuse(failureOf({ type: error?.extensions?.type, message: error?.message }, response));
  };
  const download = async (path: string, fields?: Record<string, string>): Promise<Blob> => {
    const body = new URLSearchParams(fields).toString();
    const form = { type: 'application/x-www-form-urlencoded', body };
    const response = await send(path, { sent: fields ? form : null, actsFor });
    if (!response.ok)
      return refuse(failureOf((await response.json().catch(() => ({}))) as { type?: string }, response));
    return response.blob().catch(() => refuse(new ApiError('offline', 'The download broke off. Try again.')));
  };
  return Object.assign(run, { download });
}
