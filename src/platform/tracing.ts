import type { Attributes } from '@opentelemetry/api';

/** What a span is of. A statement is told by its name and a message by its kind: never a value, never a contact. */
export type SpanOf = 'request' | 'operation' | 'statement' | 'send';

/** What of a caller's trace comes with a request, in the form of W3C's `traceparent`. */
export type Parent = { traceId: string; spanId: string; isSampled: boolean };

/** How a span ended. */
export type SpanEnd = { name?: string; attributes?: Attributes; failure?: string | undefined };

/** A span that is open. */
export type OpenSpan = {
  traceId: string;
  /** Runs what belongs to it. */
  run: <Result>(work: () => Result) => Result;
  end: (end?: SpanEnd) => void;
};

/** What is held for later work: whose span it will belong to. */
export type Held = object;

/** Who waits for work that is done together. */
export type Holder = { span: Held | undefined };

/** What makes spans; there is none unless an operator asked for traces. */
export type Tracing = {
  start: (of: SpanOf, name: string, attributes: Attributes, parent?: Parent | null) => OpenSpan | null;
  traceparent: () => string | null;
  hold: () => Held | undefined;
  resume: <Result>(holders: readonly Holder[], work: () => Result) => Result;
  close: () => Promise<void>;
};

let tracing: Tracing | null = null;

/** Turns traces on. */
export function useTracing(given: Tracing | null): void {
  tracing = given;
}

/** Sends what was not sent yet; for the end of the process. */
export async function closeTracing(): Promise<void> {
  const ended = tracing;
  tracing = null;
  await ended?.close();
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** Reads a `traceparent`; null for none, or one that is not well-formed. */
export function readTraceparent(text: unknown): Parent | null {
  const [, traceId, spanId, flags] = (typeof text === 'string' && TRACEPARENT.exec(text)) || [];
  return traceId ? { traceId, spanId: spanId!, isSampled: (parseInt(flags!, 16) & 1) === 1 } : null;
}

/** Opens a span below the one that is open here, or below `parent`; null where traces are off, or a statement belongs to none. */
export function startSpan(
  of: SpanOf,
  name: string,
  attributes: Attributes = {},
  parent?: Parent | null,
): OpenSpan | null {
  return tracing && tracing.start(of, name, attributes, parent);
}

/** Runs `work` in a span of its own; without traces it just runs. */
export async function inSpan<Result>(
  of: SpanOf,
  name: string,
  work: () => Promise<Result>,
  attributes?: Attributes,
  parent?: Parent | null,
): Promise<Result> {
  const span = startSpan(of, name, attributes, parent);
  if (span === null) return work();
  try {
    const result = await span.run(work);
    span.end();
    return result;
  } catch (error) {
    span.end({ failure: failureName(error) });
    throw error;
  }
}

/** What a trace may say of a failure: its type or code; a message can quote a row. */
export function failureName(error: unknown): string {
  const { type, code, name } = error as { type?: unknown; code?: unknown; name?: unknown };
  return [type, code, name].find((text): text is string => typeof text === 'string') ?? 'Error';
}

/** The open span, for a message that is sent later, maybe by another process; null where there is none, or one statement serves several. */
export function currentTraceparent(): string | null {
  return tracing && tracing.traceparent();
}

/** Holds the open span for work that is done later together with that of others. */
export function holdSpan(): Held | undefined {
  return tracing?.hold();
}

/** Does what was held: spans in it belong to the first and are linked with the others. With none it belongs to nobody. */
export function resumeSpans<Result>(holders: readonly Holder[], work: () => Result): Result {
  return tracing ? tracing.resume(holders, work) : work();
}

/** The same callback, of the span that is open now, whoever calls it. */
export function bindSpan<Args extends unknown[]>(callback: (...args: Args) => void): typeof callback {
  if (tracing === null) return callback;
  const holders = [{ span: holdSpan() }];
  return (...args) => resumeSpans(holders, () => callback(...args));
}

/** Runs what goes on beyond the request that began it. */
export function outsideSpans<Result>(work: () => Result): Result {
  return resumeSpans([], work);
}
