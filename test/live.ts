import type { Caller, TestService } from './harness.ts';
import { until } from './until.ts';

/** What a message tells of lists. */
export type Message = {
  data?: { lists: { rev: string; lids: string[]; isWhole: boolean; lists?: { lid: string; cnt: number }[] } };
  errors?: { message: string; extensions: { type: string; status: number } }[];
};

/** An open stream as its reader sees it. */
export type Stream = {
  status: number;
  headers: Headers;
  /** The body of a refusal. */
  body: Message | null;
  messages: Message[];
  /** How it ended: told that it is complete, or just broken off; null while it is open. */
  end: () => 'complete' | 'broken' | null;
  /** Waits for the message with this number, counted from one. */
  message: (number: number) => Promise<Message>;
  close: () => void;
};

/** What the tests ask for. */
export const WATCH = `subscription ($since: String) { lists(since: $since) { rev lids isWhole lists { lid cnt } } }`;

/** The headers of a caller. */
export function headersOf({ shopper, store, headers }: Caller): Record<string, string> {
  const basic = store && `Basic ${Buffer.from(`${store.pid}:${store.apiKey}`).toString('base64')}`;
  return {
    ...(shopper && { 'x-regid': shopper.regid }),
    ...(shopper && !store && { 'x-pid': shopper.pid, 'x-sessionid': shopper.sessionid }),
    ...(basic && { authorization: basic }),
    ...headers,
  };
}

/** A way to ask for a stream and to read it: `read` returns what a piece between two separators tells. */
type Protocol = {
  path: string;
  accept: string;
  separator: string;
  read: (piece: string) => { message?: Message; isEnd?: boolean };
};

export const EVENTS: Protocol = {
  path: '/graphql/stream',
  accept: 'text/event-stream',
  separator: '\n\n',
  read(piece) {
    const [, name, data] = /^event: (\w+)\ndata:(.*)$/s.exec(piece) ?? [];
    return name === 'next' ? { message: JSON.parse(data!) as Message } : { isEnd: name === 'complete' };
  },
};

/** As Apollo Client asks. */
export const PARTS: Protocol = {
  path: '/graphql',
  accept:
    'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/graphql-response+json,application/json;q=0.9',
  separator: '\r\n',
  read(piece) {
    if (!piece.startsWith('{')) return { isEnd: piece === '--graphql--' };
    const { payload, errors } = JSON.parse(piece) as { payload?: Message | null; errors?: Message['errors'] };
    return payload === undefined ? {} : { message: payload ?? { errors } };
  },
};

/** Opens a stream, as browsers do. */
export async function openStream(
  { url }: Pick<TestService, 'url'>,
  caller: Caller,
  since: string | null = null,
  request: object = { query: WATCH, variables: { since } },
  { path, accept, separator, read }: Protocol = EVENTS,
): Promise<Stream> {
  const abort = new AbortController();
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, ...headersOf(caller) },
    body: JSON.stringify(request),
    signal: abort.signal,
  });
  const messages: Message[] = [];
  let end: ReturnType<Stream['end']> = null;
  const type = accept.split(/[;,]/)[0]!;
  const isStream = answer.headers.get('content-type')?.startsWith(type) ?? false;
  const readAll = async (): Promise<void> => {
    let rest = '';
    const text = new TextDecoder();
    for await (const bytes of answer.body as unknown as AsyncIterable<Uint8Array>) {
      const pieces = (rest + text.decode(bytes, { stream: true })).split(separator);
      rest = pieces.pop()!;
      for (const piece of pieces) {
        const { message, isEnd } = read(piece);
        if (message) messages.push(message);
        if (isEnd) end = 'complete';
      }
    }
  };
  if (isStream)
    void readAll()
      .catch(() => undefined)
      .finally(() => (end ??= 'broken'));
  return {
    status: answer.status,
    headers: answer.headers,
    body: isStream ? null : ((await answer.json()) as Message),
    messages,
    end: () => end,
    async message(number) {
      await until(() => messages.length >= number || end !== null);
      if (messages.length < number) throw new Error(`the stream ended after ${messages.length} messages`);
      return messages[number - 1]!;
    },
    close: () => abort.abort(),
  };
}

/** Writes until changes are no longer read for a stream that takes nothing, because the system's buffers are full; returns how many writes that took. */
export async function fillBuffers(
  { services: { db } }: TestService,
  write: (n: number) => Promise<unknown>,
): Promise<number> {
  const { query: runQuery } = db;
  let reads = 0;
  db.query = (statement: string | { name: string }, params?: unknown[]) => {
    if (typeof statement !== 'string' && statement.name === 'lists_of') reads += 1;
    return runQuery(statement as never, params);
  };
  try {
    let writes = 0;
    for (let before = -1; before !== reads; writes += 1) {
      expect(writes).toBeLessThan(200);
      before = reads;
      await write(writes);
      const limit = performance.now() + 2_000;
      await until(() => reads > before || performance.now() > limit);
    }
    for (let more = 0; more < 3; more += 1) await write(1_000 + more);
    return writes;
  } finally {
    db.query = runQuery;
  }
}
