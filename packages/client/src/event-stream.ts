import { errorOf } from './caller.ts';
import { noResponse } from './error.ts';
import type { FetchAnswer } from './types.ts';

/** The service sends a keep-alive every 12 seconds; a stream that is silent for longer is dead. */
const SILENCE_MS = 30_000;

/** Reads the messages of a stream until it ends. Throws the service's error like other calls. */
export async function readStream<Data>(
  response: FetchAnswer,
  cut: () => void,
  onData: (data: Data) => Promise<void>,
): Promise<void> {
  const { body } = response as Partial<Response>;
  if (response.status !== 200 || !/event-stream/.test(response.headers?.get('content-type') ?? '')) {
    const text = await response.text();
    const parsed = JSON.parse(text || 'null') as unknown;
    throw errorOf(response, text, parsed) ?? noResponse('The response is not an event stream');
  }
  if (!body?.getReader) throw noResponse('This browser cannot read streams');
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const timer = setTimeout(cut, SILENCE_MS);
    const { done, value } = await reader.read().finally(() => clearTimeout(timer));
    if (done) return;
    const events = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = events.pop()!;
    for (const event of events) {
      const text = /^event: next\ndata: ?(.*)$/s.exec(event)?.[1];
      if (!text) continue;
      const message = JSON.parse(text) as { data: Data };
      const failed = errorOf(response, text, message);
      if (failed) throw failed;
      await onData(message.data);
    }
  }
}
