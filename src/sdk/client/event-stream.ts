import { faultOf } from './caller.ts';
import { failure } from './failure.ts';
import type { FetchAnswer } from './types.ts';

type Reader = { read(): Promise<{ done: boolean; value?: Uint8Array }> };

/** Signs of life come every 12 seconds; a stream that is silent for longer is dead. */
const SILENCE_MS = 30_000;

const noStream = (message: string): Error => failure(message, { status: 0 }, '', null);

/** Reads what a stream tells, one message after another, until it ends. What it is refused with is thrown, as other calls throw it. */
export async function readStream<Data>(
  answer: FetchAnswer,
  cut: () => void,
  tell: (data: Data) => Promise<void>,
): Promise<void> {
  const { body } = answer as { body?: { getReader?: () => Reader } | null };
  if (answer.status !== 200 || !/event-stream/.test(answer.headers?.get('content-type') ?? '')) {
    const text = await answer.text();
    const parsed = JSON.parse(text || 'null') as unknown;
    throw faultOf(answer, text, parsed) ?? noStream('The service did not answer with a stream');
  }
  if (!body?.getReader) throw noStream('This browser cannot read streams');
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
      const fault = faultOf(answer, text, message);
      if (fault) throw fault;
      await tell(message.data);
    }
  }
}
