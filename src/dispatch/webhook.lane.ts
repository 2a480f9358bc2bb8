import type { Services } from '../context.ts';
import type { ClaimedMessage } from '../outbox/outbox.service.ts';
import { findTargets } from '../domain/webhook/webhook.service.ts';
import type { WebhookTarget } from '../domain/webhook/webhook.service.ts';
import { signatureHeaders } from '../domain/webhook/webhook.rules.ts';
import type { Attempt, LaneOptions } from './lane.ts';
import { createTrust } from './trust.ts';
import type { WebhookChannel } from './webhook.channel.ts';

/** Deliveries of one store under way at a time. */
const PER_STORE = 8;

/** Events to the stores' own addresses. A repeat has the same id, a new timestamp and therefore a new signature. */
export function webhookLane({ db, now }: Services, channel: WebhookChannel): LaneOptions {
  const attemptFor = (message: ClaimedMessage, target: WebhookTarget | null): Attempt => {
    if (target === null || target.isDemo)
      return async () => ({ kind: 'withheld', reason: 'the webhook is gone' });
    const body = JSON.stringify(message.payload);
    return () => {
      const time = now();
      return channel.send(
        { url: target.url, body, headers: signatureHeaders(target.secret, message.id, body, time) },
        time,
      );
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
