import type { TypedDocumentString } from '../../generated/dashboard.ts';
import { find, t } from './text.ts';

/** An error with a message that the user can act on; `type` is the service's, or `offline` without a response of the service. */
export type ApiError = Error & { type: string };

export const apiError = (type: string, message: string): ApiError =>
  Object.assign(new Error(message), { type });

/** The service's errors begin with the name of the field: "shareUrl must be …", "listTypes: "a b" must …". */
const splitMessage = (message: string): string[] => /^([a-z]\w*):?\s(.+)$/s.exec(message)?.slice(1) ?? [];

/** Liquid's reasons quote the template: `tag "foo" not found`, `undefined filter: bar`. */
function translateReason(reason: string): string {
  const [quoted = '', what = quoted] = /"(.*)"|\{%.*%\}|(?<=: ).+/s.exec(reason) ?? [];
  const kind = reason.replace(quoted, '…');
  return find(`error.template.${kind}`, { what }) ?? t('error.template.other', { reason });
}

/** The service's errors are English; these are in the reader's language, by type and field. */
function translate({ type, message: error = '' }: Partial<ApiError>): string | undefined {
  // A sentence that names no field is its own key, with N for its number.
  const [name = error.replace(/\d+/, 'N'), rule = ''] = splitMessage(error);
  const [, reason, line = 'none'] = /^is not a valid template: (.+?)(?:, line:(\d+).*)?$/s.exec(rule) ?? [];
  if (reason) return t('error.template', { reason: translateReason(reason), line });
  const value = /^"(.*)" /s.exec(rule)?.[1] ?? 'none';
  const count = Number(/\d+/.exec(error)?.[0]);
  return find(`error.${type}.${name}`, { value, count }) ?? find(`error.${type}`, { error });
}

/** A sentence in the reader's language introduces a message that exists only in English. */
export function messageOf(error: Error & { type?: string }): string {
  const { type, message } = error;
  if (type === undefined || type === 'offline' || type === 'too-many-requests') return message;
  return translate(error) ?? t('common.error', { error: message });
}

export type FieldError = { name: string; message: string };

export function fieldErrorOf(error: Error | null): FieldError | null {
  const [name, rule] = splitMessage(error?.message ?? '');
  if (!error || !name || !rule) return null;
  const english = rule.charAt(0).toUpperCase() + rule.slice(1);
  return { name, message: translate(error) ?? t('common.error', { error: english }) };
}

/** Root fields that may be null in a response without errors. */
type MayBeNull = 'findShopper' | 'delivery' | 'mailServer' | 'previewTopic';

export type Answered<Data> = {
  [Field in keyof Data]: Field extends MayBeNull ? Data[Field] : NonNullable<Data[Field]>;
};

/** `actsFor` is the store that an operator has chosen; a body makes the call a POST. */
type Call = Options & { method?: 'DELETE'; body?: string | URLSearchParams; actsFor?: string | null };
type Options = { regid?: string; signal?: AbortSignal };

/** Sends the session cookie, which no script can read and which the service accepts only with the dashboard's header. */
function send(path: string, { method, body, actsFor, regid, signal }: Call): Promise<Response> {
  const call = fetch(path, {
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
  return call.catch(() => {
    throw apiError('offline', t('api.offline'));
  });
}

type ErrorBody = { type?: string; message?: string };
type GraphqlErrors = { errors?: { message: string; extensions?: ErrorBody }[] };

/** Reads a JSON body; throws the error of the service, REST or GraphQL. */
async function read<Body>(response: Response): Promise<Body> {
  const body = (await response.json().catch(() => null)) as (Body & ErrorBody & GraphqlErrors) | null;
  if (response.status === 204 || (response.ok && body && !body.errors)) return body!;
  const error = body?.errors?.[0];
  const type = error?.extensions?.type ?? body?.type ?? 'offline';
  const message = error?.message ?? body?.message ?? t('api.noResponse');
  const seconds = Number(response.headers.get('Retry-After'));
  throw apiError(type, type === 'too-many-requests' ? t('api.tooMany', { seconds }) : message);
}

export type StoreInfo = { pid: string; name: string; isDemo: boolean };

/** A store, or an operator with the store it acts for. */
export type SignedIn = { isOperator: boolean; store: StoreInfo | null };

/** `hasDemo` means that a visitor may enter as the demo store. */
export type SessionResponse = { session: SignedIn | null; hasDemo: boolean };

const callSession = async (call: Call) => read<SessionResponse>(await send('/dashboard/session', call));

export const readSession = (actsFor: string | null): Promise<SessionResponse> => callSession({ actsFor });

/** The key is sent with this call only and is stored nowhere. */
export async function signIn(pid: string, apiKey: string): Promise<SignedIn> {
  return (await callSession({ body: JSON.stringify({ pid, apiKey }) })).session!;
}

export const signOut = (): Promise<unknown> => callSession({ method: 'DELETE' });

function saveFile(name: string, file: Blob): void {
  const url = URL.createObjectURL(file);
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export type Api = ReturnType<typeof createApi>;

/** Calls for the signed-in store, or for the one an operator acts for; `onUnauthorised` runs when the session has ended. */
export function createApi(actsFor: string | null, onUnauthorised: () => void) {
  const call = <Result>(work: Promise<Result>): Promise<Result> =>
    work.catch((error: ApiError) => {
      if (error.type === 'unauthorised') onUnauthorised();
      throw error;
    });
  return {
    run: <Data, Variables>(
      query: TypedDocumentString<Data, Variables>,
      variables: Variables,
      options?: Options,
    ): Promise<Answered<Data>> => {
      const body = JSON.stringify({ query: query.toString(), variables });
      const answer = send('/graphql', { ...options, body, actsFor }).then(read<{ data: Answered<Data> }>);
      return call(answer.then(({ data }) => data));
    },
    /** Saves a file of the REST API as `name` and today's date; a call with fields is a POST. */
    download: (path: string, name: string, fields?: Record<string, string>): Promise<void> => {
      const [kind, ending] = name.split('.');
      const load = async (): Promise<void> => {
        const response = await send(path, { body: fields && new URLSearchParams(fields), actsFor });
        if (!response.ok) await read(response);
        const file = await response.blob().catch(() => {
          throw apiError('offline', t('api.downloadFailed'));
        });
        saveFile(`${kind}-${new Date().toISOString().slice(0, 10)}.${ending}`, file);
      };
      return call(load());
    },
  };
}
