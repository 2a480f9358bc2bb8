import type { Services } from '../../context.ts';
import type { WebhookTarget } from '../../stores/webhooks/webhook.repo.ts';
import { signatureHeaders } from '../../stores/webhooks/webhook.rules.ts';
import { findTargets, recordAttempt } from '../../stores/webhooks/webhook.service.ts';
import type { ClaimedMessage } from '../queue/outbox.repo.ts';
import type { Delivery, QueueOptions } from '../queue/queue.ts';
import { createCircuitBreaker } from '../queue/scheduling.ts';
import { postEvent } from './webhook.channel.ts';

const PER_STORE = 8;

/** A retried event has the same id, a new timestamp and therefore a new signature. */
export function webhookQueue(services: Services): QueueOptions {
  const { db, config, now } = services;
  const attemptFor = (message: ClaimedMessage, target: WebhookTarget | null): Delivery['attempt'] => {
    if (target === null || target.isDemo)
      return async () => ({ kind: 'withheld', reason: 'the webhook was deleted' });
    const body = JSON.stringify(message.payload);
    return async () => {
      const at = now();
      const startedAt = performance.now();
      const headers = signatureHeaders(target.secret, message.id, body, at);
      const event = { url: target.url, body, headers };
      const { outcome, status } = await postEvent(event, config.webhookAllowPrivate, at);
      await recordAttempt(services, {
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
    key: { lane: 'webhook', medium: null },
    concurrency: 64,
    perStore: PER_STORE,
    breaker: createCircuitBreaker(PER_STORE),
    prepare: async (messages) => {
      const targets = await findTargets(db, messages);
      return messages.map((message, index) => ({ message, attempt: attemptFor(message, targets[index]!) }));
    },
  };
}
