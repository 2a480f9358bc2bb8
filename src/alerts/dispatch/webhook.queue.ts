import type { Services } from '../../context.ts';
import type { ClaimedMessage } from '../queue/outbox.service.ts';
import { findTargets } from '../../stores/webhooks/webhook.service.ts';
import type { WebhookTarget } from '../../stores/webhooks/webhook.service.ts';
import { noteTry } from '../../stores/webhooks/attempt.service.ts';
import { signatureHeaders } from '../../stores/webhooks/webhook.rules.ts';
import type { LaneOptions } from './queue.ts';
import type { Attempt } from './tracing.ts';
import { createTrust } from './circuit-breaker.ts';
import type { WebhookChannel } from './webhook.channel.ts';

/** Deliveries of one store under way at a time. */
const PER_STORE = 8;

/** Events to the stores' own addresses. A repeat has the same id, a new timestamp and therefore a new signature. */
export function webhookLane(services: Services, channel: WebhookChannel): LaneOptions {
  const { db, now } = services;
  const attemptFor = (message: ClaimedMessage, target: WebhookTarget | null): Attempt => {
    if (target === null || target.isDemo)
      return async () => ({ kind: 'withheld', reason: 'the webhook is gone' });
    const body = JSON.stringify(message.payload);
    return async () => {
      const at = now();
      const startedAt = performance.now();
      const headers = signatureHeaders(target.secret, message.id, body, at);
      const { outcome, status } = await channel.send({ url: target.url, body, headers }, at);
      await noteTry(services, {
        pid: message.pid,
        webhookId: message.recipient,
        deliveryId: message.id,
        at,
        tookMs: Math.round(performance.now() - startedAt),
        status,
        error: 'reason' in outcome ? outcome.reason : null,
      });
      return outcome;
    };
  };
  return {
    lane: { lane: 'webhook', medium: null },
    // An address that hangs takes 15 s a try; it gets one of the slots, and its store only some.
    concurrency: 64,
    perStore: PER_STORE,
    trust: createTrust(PER_STORE),
    prepare: async (messages) => {
      const targets = await findTargets(db, messages);
      return messages.map((message, index) => ({ message, attempt: attemptFor(message, targets[index]!) }));
    },
  };
}
