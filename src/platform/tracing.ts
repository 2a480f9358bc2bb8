import type { Attributes } from '@opentelemetry/api';

/** A statement has its name and a message its kind: never a value, never a contact. */
export type SpanOf = 'request' | 'operation' | 'statement' | 'send';

/** The caller's trace, from the header `traceparent` (W3C). */
export type Parent = { traceId: string; spanId: string; isSampled: boolean };

export type SpanEnd = { name?: string; attributes?: Attributes; failure?: string | undefined };

export type OpenSpan = {
  traceId: string;
  run: <Result>(work: () => Result) => Result;
  end: (end?: SpanEnd) => void;
};

/** The span of work that is done later. */
export type Held = object;

export type Holder = { span: Held | undefined };

/** Creates spans; null unless an operator enables traces. */
export type Tracing = {
  start: (of: SpanOf, name: string, attributes: Attributes, parent?: Parent | null) => OpenSpan | null;
  traceparent: () => string | null;
  hold: () => Held | undefined;
  resume: <Result>(holders: readonly Holder[], work: () => Result) => Result;
  close: () => Promise<void>;
};

let tracing: Tracing | null = null;

export function useTracing(given: Tracing | null): void {
  tracing = given;
}

export async function closeTracing(): Promise<void> {
  const ended = tracing;
  tracing = null;
  await ended?.close();
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** Returns null for a missing or malformed header. */
export function readTraceparent(text: unknown): Parent | null {
  const [, traceId, spanId, flags] = (typeof text === 'string' && TRACEPARENT.exec(text)) || [];
  return traceId ? { traceId, spanId: spanId!, isSampled: (parseInt(flags!, 16) & 1) === 1 } : null;
}

/** Opens a span below the current one, or below `parent`; null if traces are off or a statement has no parent span. */
export function startSpan(
  of: SpanOf,
  name: string,
  attributes: Attributes = {},
  parent?: Parent | null,
): OpenSpan | null {
  return tracing && tracing.start(of, name, attributes, parent);
}

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

/** A trace may contain the type or code of an error, but not its message, which can quote a row. */
export function failureName(error: unknown): string {
  const { type, code, name } = error as { type?: unknown; code?: unknown; name?: unknown };
  return [type, code, name].find((text): text is string => typeof text === 'string') ?? 'Error';
}

/** The current span, for a message that is sent later, maybe by another process; null without one, or in a batch of several. */
export function currentTraceparent(): string | null {
  return tracing && tracing.traceparent();
}

export function holdSpan(): Held | undefined {
  return tracing?.hold();
}

/** Runs a batch: its spans belong to the first holder's span and link to the others. Without holders they have no parent. */
export function resumeSpans<Result>(holders: readonly Holder[], work: () => Result): Result {
  return tracing ? tracing.resume(holders, work) : work();
}

export function bindSpan<Args extends unknown[]>(callback: (...args: Args) => void): typeof callback {
  if (tracing === null) return callback;
  const holders = [{ span: holdSpan() }];
  return (...args) => resumeSpans(holders, () => callback(...args));
}

/** Runs work that outlives its request outside of the request's span. */
export function outsideSpans<Result>(work: () => Result): Result {
  return resumeSpans([], work);
}
