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
import type { Tracing } from './tracing.ts';
import { VERSION } from './version.ts';

const EXPORT_MS = 1_000;

/** Logs once that the collector is unavailable, until it returns; spans of that time are lost, and nothing waits for them. */
function logOutages(exporter: SpanExporter, log: Logger): SpanExporter {
  let isAway = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, ({ code, error }) => {
        const isFailed = Number(code) !== 0;
        if (isFailed && !isAway)
          log.warn({ reason: error?.message ?? 'no reason given' }, 'Cannot export traces');
        isAway = isFailed;
        done({ code: 0 });
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

export type TraceSettings = { endpoint: string; serviceName: string; share: number };

/** Loaded only if an operator enables traces. */
export function openOtlp({ endpoint, serviceName, share }: TraceSettings, log: Logger): Tracing {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': VERSION }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: logOutages(exporter, log), scheduledDelayMillis: EXPORT_MS }),
    ],
  });
  return { tracer: provider.getTracer('wishgate', VERSION), close: () => provider.shutdown() };
}
