import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import type { Link, Span } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from './log.ts';
import type { OpenSpan, Parent, SpanOf, Tracing } from './tracing.ts';
import { VERSION } from './version.ts';

export type TraceSettings = { endpoint: string; serviceName: string; share: number };

type Open = { span: Span; links: Link[] };

const KINDS: Record<SpanOf, SpanKind> = {
  request: SpanKind.SERVER,
  operation: SpanKind.INTERNAL,
  statement: SpanKind.CLIENT,
  send: SpanKind.CLIENT,
};

const EXPORT_MS = 1_000;

/** Logs once that the collector is away, until it is back; spans of that time are lost, and nothing waits for them. */
function tellOnce(exporter: SpanExporter, log: Logger): SpanExporter {
  let isAway = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, ({ code, error }) => {
        const isFailed = Number(code) !== 0;
        if (isFailed && !isAway)
          log.warn({ reason: error?.message ?? 'no reason given' }, 'traces cannot be exported');
        isAway = isFailed;
        done({ code: 0 });
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

const contextOf = ({ traceId, spanId, isSampled }: Parent) =>
  trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
  });

/** Loaded only if an operator enables traces. */
export function openOtlp({ endpoint, serviceName, share }: TraceSettings, log: Logger): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': VERSION }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: tellOnce(exporter, log), scheduledDelayMillis: EXPORT_MS }),
    ],
  });
  const tracer = provider.getTracer('wishgate', VERSION);
  const open = new AsyncLocalStorage<Open | undefined>();

  const handle = (span: Span): OpenSpan => ({
    traceId: span.spanContext().traceId,
    run: (work) => open.run({ span, links: [] }, work),
    end({ name, attributes, failure } = {}) {
      if (name !== undefined) span.updateName(name);
      if (attributes) span.setAttributes(attributes);
      if (failure !== undefined) {
        span.setAttribute('error.type', failure);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  });

  return {
    start(of, name, attributes, parent) {
      const around = open.getStore();
      // Workers that poll every second, and work that outlives its request, would flood the traces.
      if (of === 'statement' && !around?.span.isRecording()) return null;
      const context = parent
        ? contextOf(parent)
        : around && of !== 'request'
          ? trace.setSpan(ROOT_CONTEXT, around.span)
          : ROOT_CONTEXT;
      const links = parent ? [] : (around?.links ?? []);
      return handle(tracer.startSpan(name, { kind: KINDS[of], attributes, links }, context));
    },
    traceparent() {
      const around = open.getStore();
      if (!around || around.links.length > 0) return null;
      const { traceId, spanId, traceFlags } = around.span.spanContext();
      return `00-${traceId}-${spanId}-0${traceFlags & 1}`;
    },
    hold: () => open.getStore(),
    resume(holders, work) {
      const [first, ...others] = holders.flatMap(({ span }) => (span ? [span as Open] : []));
      if (first === undefined) return open.run(undefined, work);
      const links = others.map(({ span }) => ({ context: span.spanContext() }));
      return open.run({ span: first.span, links: [...first.links, ...links] }, work);
    },
    close: () => provider.shutdown(),
  };
}
