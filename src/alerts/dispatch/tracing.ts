import { outcomeOfError } from '../send/outcome.ts';
import type { Outcome } from '../send/outcome.ts';
import type { ClaimedMessage, Lane } from '../queue/outbox.service.ts';
import type { Logger } from '../../platform/log.ts';
import { METRICS } from '../../platform/metrics.ts';
import { readTraceparent, startSpan } from '../../platform/tracing.ts';

/** One attempt to deliver one message. */
export type Attempt = () => Promise<Outcome>;

/** What lines of the log say of a message; never whom it is for. */
type Described = { traceId: string | undefined; lane: string; store: string; kind: string; alertId: string };

/** How the tries of a lane are seen from outside. */
export type Measuring = {
  describe: (message: ClaimedMessage) => Described;
  /** One try, with its span, which belongs to the request that queued the message. What it throws is an outcome, too. */
  send: (message: ClaimedMessage, attempt: Attempt) => Promise<Outcome>;
};

const isTold = ({ kind }: Outcome): boolean => kind === 'sent' || kind === 'retry' || kind === 'failed';

/** Measures, traces and logs the tries of a lane. */
export function createMeasuring({ lane, medium }: Lane, name: string, log: Logger): Measuring {
  const describe: Measuring['describe'] = ({ pid, kind, id, traceparent }) => ({
    traceId: readTraceparent(traceparent)?.traceId,
    lane: name,
    store: pid,
    kind,
    alertId: id,
  });
  return {
    describe,
    async send(message, attempt) {
      const attributes = {
        'wishgate.store': message.pid,
        'wishgate.kind': message.kind,
        'wishgate.medium': medium ?? 'webhook',
        'wishgate.attempt': message.attempts,
      };
      const span = startSpan('send', `send ${name}`, attributes, readTraceparent(message.traceparent));
      const startedAt = performance.now();
      const outcome = await (span ? span.run(attempt) : attempt()).catch(outcomeOfError);
      const durationMs = performance.now() - startedAt;
      // What is withheld or has to wait reached nobody.
      if (isTold(outcome)) METRICS.sends.observe({ lane, medium: medium ?? '' }, durationMs / 1_000);
      const failure = outcome.kind === 'retry' || outcome.kind === 'failed' ? outcome.kind : undefined;
      span?.end({ attributes: { 'wishgate.outcome': outcome.kind }, failure });
      log.debug(
        { ...describe(message), outcome: outcome.kind, durationMs: Math.round(durationMs) },
        'a try to deliver',
      );
      return outcome;
    },
  };
}
