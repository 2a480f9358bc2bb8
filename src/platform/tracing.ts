import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Link, Span, SpanContext, Tracer } from '@opentelemetry/api';

/** A statement has its name and a message its kind: never a value, never a contact. */
const KINDS = {
  request: SpanKind.SERVER,
  operation: SpanKind.INTERNAL,
  statement: SpanKind.CLIENT,
  send: SpanKind.CLIENT,
};

/** The span of work that is done later; the links name the spans that share the work. */
export type Held = { span: Span; links: Link[] };

export type Tracing = { tracer: Tracer; close: () => Promise<void> };

/** Null unless an operator enables traces. */
let tracing: Tracing | null = null;
const current = new AsyncLocalStorage<Held | undefined>();

export function useTracing(given: Tracing): void {
  tracing = given;
}

export async function closeTracing(): Promise<void> {
  const ended = tracing;
  tracing = null;
  await ended?.close();
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** Reads the caller's span from the header `traceparent` (W3C); null for a missing or malformed one. */
export function readTraceparent(text: unknown): SpanContext | null {
  const [, traceId, spanId, flags] = (typeof text === 'string' && TRACEPARENT.exec(text)) || [];
  return traceId ? { traceId, spanId: spanId!, traceFlags: parseInt(flags!, 16) & 1, isRemote: true } : null;
}

type SpanEnd = { name?: string; attributes?: Attributes; failure?: string | undefined };

/** Opens a span below the current one, or below `parent`; null if traces are off or a statement has no parent span. */
export function startSpan(
  of: keyof typeof KINDS,
  name: string,
  attributes: Attributes = {},
  parent?: SpanContext | null,
) {
  if (tracing === null) return null;
  const around = current.getStore();
  // Workers that poll every second, and work that outlives its request, would flood the traces.
  if (of === 'statement' && !around?.span.isRecording()) return null;
  const above = parent ?? (of === 'request' ? undefined : around?.span.spanContext());
  const context = above ? trace.setSpanContext(ROOT_CONTEXT, above) : ROOT_CONTEXT;
  const links = parent ? [] : (around?.links ?? []);
  const span = tracing.tracer.startSpan(name, { kind: KINDS[of], attributes, links }, context);
  return {
    traceId: span.spanContext().traceId,
    run: <Result>(work: () => Result): Result => current.run({ span, links: [] }, work),
    end({ name: finalName = name, attributes: added = {}, failure }: SpanEnd = {}): void {
      span.updateName(finalName).setAttributes(added);
      if (failure !== undefined)
        span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

export async function inSpan<Result>(of: keyof typeof KINDS, name: string, work: () => Promise<Result>) {
  const span = startSpan(of, name);
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
  const around = tracing && holdSpan();
  if (!around || around.links.length > 0) return null;
  const { traceId, spanId, traceFlags } = around.span.spanContext();
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
}

export function holdSpan(): Held | undefined {
  return current.getStore();
}

/** Runs a batch: its spans belong to the first holder's span and link to the others. Without holders they have no parent. */
export function resumeSpans<Result>(holders: readonly { span: Held | undefined }[], work: () => Result) {
  if (tracing === null) return work();
  const [first, ...others] = holders.flatMap(({ span }) => span ?? []);
  if (first === undefined) return current.run(undefined, work);
  const links = others.map(({ span }) => ({ context: span.spanContext() }));
  return current.run({ span: first.span, links: [...first.links, ...links] }, work);
}

/** Runs work that outlives its request outside of the request's span. */
export function outsideSpans<Result>(work: () => Result): Result {
  return resumeSpans([], work);
}
