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

/** Runs a GraphQL document for the signed-in store. */
export type Run = <Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
) => Promise<Data>;

type GraphqlAnswer<Data> = {
  data?: Data | null;
  errors?: { message: string; extensions?: { type?: string } }[];
};

function basicHeader({ pid, apiKey }: Credentials): string {
  const bytes = new TextEncoder().encode(`${pid}:${apiKey}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

async function send(credentials: Credentials, body: string): Promise<Response> {
  try {
    return await fetch('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: basicHeader(credentials) },
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      body,
    });
  } catch {
    throw new ApiError('offline', 'The service cannot be reached. Check the connection and try again.');
  }
}

function failureOf(answer: GraphqlAnswer<unknown>, response: Response): ApiError {
  const [error] = answer.errors ?? [];
  const type = error?.extensions?.type ?? 'internal-error';
  if (type !== 'too-many-requests')
    return new ApiError(type, error?.message ?? 'The service gave no answer. Try again.');
  const seconds = response.headers.get('Retry-After') ?? 'a few';
  return new ApiError(type, `Too many requests. Try again in ${seconds} seconds.`);
}

/** A caller bound to credentials; `onUnauthorised` hears when they stop working. */
export function createApi(credentials: Credentials, onUnauthorised: () => void = () => undefined): Run {
  return async <Data, Variables>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
  ): Promise<Data> => {
    const response = await send(credentials, JSON.stringify({ query: document.toString(), variables }));
    const answer = (await response.json().catch(() => ({}))) as GraphqlAnswer<Data>;
    if (answer.data && !answer.errors?.length) return answer.data;
    const failure = failureOf(answer, response);
    if (failure.type === 'unauthorised') onUnauthorised();
    throw failure;
  };
}
