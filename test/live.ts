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

/** Opens a stream, as browsers do. */
export async function openStream(
  { url }: Pick<TestService, 'url'>,
  caller: Caller,
  since: string | null = null,
  request: object = { query: WATCH, variables: { since } },
): Promise<Stream> {
  const abort = new AbortController();
  const answer = await fetch(`${url}/graphql/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headersOf(caller) },
    body: JSON.stringify(request),
    signal: abort.signal,
  });
  const messages: Message[] = [];
  let end: ReturnType<Stream['end']> = null;
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const read = async (): Promise<void> => {
    let rest = '';
    const text = new TextDecoder();
    for await (const bytes of answer.body as unknown as AsyncIterable<Uint8Array>) {
      const events = (rest + text.decode(bytes, { stream: true })).split('\n\n');
      rest = events.pop()!;
      for (const event of events) {
        const [, name, data] = /^event: (\w+)\ndata:(.*)$/s.exec(event) ?? [];
        if (name === 'next') messages.push(JSON.parse(data!) as Message);
        if (name === 'complete') end = 'complete';
      }
    }
  };
  if (isStream)
    void read()
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
