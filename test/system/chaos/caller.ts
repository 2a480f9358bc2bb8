import { setTimeout as delay } from 'node:timers/promises';
import type { TestShopper } from '../../harness.ts';
import { startPatience } from './patience.ts';

/** An answer, alike for REST and GraphQL. */
export type Answer = { status: number; type: string | null; body: Record<string, unknown> };

/** What all callers of a run have met. */
export type Tally = {
  /** Answers 200. */
  done: number;
  /** Answers 503 that say when to come again; over GraphQL also fields that failed with it. */
  refused: number;
  /** Calls whose connection broke: nobody knows what became of them. */
  broken: number;
  /** What must never happen, in words. */
  faults: string[];
};

/** What is called: its REST path, and the same as a GraphQL document whose one field is named `r`. */
export type Operation = readonly [path: string, document: string];

/** Who calls, by which headers and form fields. */
export type Credentials = { query: string; fields: Record<string, string>; headers: Record<string, string> };

/** No answer is waited for longer: whatever is away, a caller hears of it by then. */
const ANSWER_MS = 40_000;
const PAUSE_MS = 50;

/** Credentials of a shopper over REST and GraphQL. */
export function asShopper({ pid, regid, sessionid }: TestShopper): Credentials {
  return {
    query: `?pid=${encodeURIComponent(pid)}`,
    fields: { regid, sessionid },
    headers: { 'x-pid': pid, 'x-regid': regid, 'x-sessionid': sessionid },
  };
}

/** Credentials of a store over REST and GraphQL. */
export function asStore(authorization: string): Credentials {
  return { query: '', fields: {}, headers: { authorization } };
}

/** The store of an Authorization header. */
export function pidOf(authorization: string): string {
  return Buffer.from(authorization.slice('Basic '.length), 'base64').toString().split(':')[0]!;
}

/** A tally of nothing. */
export const newTally = (): Tally => ({ done: 0, refused: 0, broken: 0, faults: [] });

function read(status: number, text: string): Answer {
  const body = JSON.parse(text) as Record<string, unknown>;
  const [error] = (body['errors'] ?? []) as { extensions?: { status: number; type: string } }[];
  if (error?.extensions) return { status: error.extensions.status, type: error.extensions.type, body };
  const { r } = (body['data'] ?? {}) as { r?: Record<string, unknown> };
  return { status, type: typeof body['type'] === 'string' ? body['type'] : null, body: r ?? body };
}

/** How calls are made: `isGraphql` says through which API, `key` is an Idempotency-Key. */
export type Way = { isGraphql?: boolean; key?: string };

/** Somebody who calls, and notes what must never happen. */
export type Caller = {
  /** One try; null when nobody knows what became of it. */
  call(operation: Operation, values: Record<string, unknown>, way?: Way): Promise<Answer | null>;
  /** Tries until the answer is 200 or one of the failures `meansDone` after a try of unknown outcome; null when given up. */
  settle(
    operation: Operation,
    values: Record<string, unknown>,
    way?: Way,
    meansDone?: string[],
  ): Promise<Answer | null>;
};

/** What a proxy says by itself when the service behind it went away in the midst of a request. */
const isOfProxy = ({ status, headers }: Response): boolean =>
  (status === 502 || status === 504) && !headers.get('content-type')?.includes('json');

/** Calls the address that `base` names at that moment, after a pause. Gives up when the run is over. */
export function createCaller(
  base: () => string,
  who: Credentials,
  tally: Tally,
  isOver: () => boolean = () => false,
  pauseMs = 0,
): Caller {
  const call: Caller['call'] = async ([path, document], values, { isGraphql = false, key } = {}) => {
    if (pauseMs > 0) await delay(pauseMs);
    const headers = { ...who.headers, ...(key === undefined ? {} : { 'idempotency-key': key }) };
    const fields = Object.entries({ ...who.fields, ...values }).map(
      ([name, value]) =>
        [name, typeof value === 'string' ? value : JSON.stringify(value)] as [string, string],
    );
    const late = new AbortController();
    const { signal } = late;
    const patience = startPatience(ANSWER_MS, () => late.abort());
    const url = isGraphql ? `${base()}/graphql` : `${base()}${path}${who.query}`;
    try {
      const answer = isGraphql
        ? await fetch(url, {
            method: 'POST',
            signal,
            headers: { ...headers, 'content-type': 'application/json' },
            body: JSON.stringify({ query: document, variables: values }),
          })
        : await fetch(url, { method: 'POST', signal, headers, body: new URLSearchParams(fields) });
      const text = await answer.text();
      if (isOfProxy(answer)) {
        tally.broken += 1;
        return null;
      }
      const result = read(answer.status, text);
      if (result.status === 200) tally.done += 1;
      else if (result.status === 503 && (answer.status === 200 || answer.headers.get('retry-after')))
        tally.refused += 1;
      else if (result.status >= 500)
        tally.faults.push(`${path} answered ${answer.status} ${JSON.stringify(result.body)}`);
      return result;
    } catch (error) {
      if (signal.aborted) tally.faults.push(`${path} had no answer for ${ANSWER_MS} ms`);
      else if ((error as Error).name !== 'TypeError') tally.faults.push(`${path}: ${String(error)}`);
      tally.broken += 1;
      return null;
    } finally {
      patience.end();
    }
  };
  return {
    call,
    async settle(operation, values, way, meansDone = []) {
      for (let isUnsure = false; ; isUnsure = true) {
        const answer = await call(operation, values, way);
        if (answer?.status === 200 || (isUnsure && meansDone.includes(answer?.type ?? ''))) return answer;
        if (answer !== null && answer.status < 500) {
          tally.faults.push(`${operation[0]} answered ${answer.status} ${JSON.stringify(answer.body)}`);
          return null;
        }
        if (isOver()) return null;
        await delay(PAUSE_MS);
      }
    },
  };
}
