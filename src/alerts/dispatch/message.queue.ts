import { channelOf } from '../send/channels.ts';
import type { Medium } from '../send/channels.ts';
import type { Payload } from '../send/channel.ts';
import { GONE } from '../send/outcome.ts';
import type { Outcome } from '../send/outcome.ts';
import type { Services } from '../../context.ts';
import { OPTED_OUT, findOptedOut } from '../../shoppers/contacts/opt-out.service.ts';
import { unsubscribeUrl } from '../../shoppers/contacts/link.rules.ts';
import { openEnvelopes } from '../../stores/sender.service.ts';
import type { Envelope } from '../../stores/sender.service.ts';
import type { ClaimedMessage } from '../queue/outbox.service.ts';
import type { LaneOptions } from './queue.ts';
import type { Attempt } from './tracing.ts';
import type { Carrier, Carriers } from './mail-transports.ts';

/** Answers to what the contact itself just did, or a store's own test: these go out whatever the contact left before. */
const DIRECT_KINDS = new Set(['confirm', 'test']);

const SUPPRESSED: Outcome = { kind: 'withheld', reason: 'the contact has unsubscribed from everything' };

/** Messages of a medium that were rendered when they were queued: shared lists, confirmations, tests. */
export function messageLane(
  services: Services,
  medium: Medium,
  carriers: Carriers,
  concurrency: number,
): LaneOptions {
  const channel = channelOf(medium);

  /** A test brings the links of its alert; others get one that ends everything. */
  const withWayOut = (payload: Payload, store: Envelope, to: string): Payload => {
    if (!channel.withWayOut) return payload;
    const claim = { scope: 'all', medium, value: to.toLowerCase(), topic: '', epi: '' } as const;
    const url = unsubscribeUrl(services.config.publicUrl, store, claim);
    return channel.withWayOut(payload, { why: `This message was sent for ${store.name}.`, url });
  };

  const attemptFor = (message: ClaimedMessage, store: Envelope | null, sender: Carrier): Attempt => {
    if (store === null) return async () => GONE;
    if (store.isSuppressed && !DIRECT_KINDS.has(message.kind)) return async () => SUPPRESSED;
    const { id, recipient: to } = message;
    const { pid, isDemo, name: storeName, senderName, senderAddress } = store;
    const from = { pid, isDemo, storeName, senderName, senderAddress };
    const payload = withWayOut(message.payload as Payload, store, to);
    return () => sender.send({ id, ...from, to, payload }, services.now());
  };

  return {
    lane: { lane: 'message', medium },
    concurrency,
    prepare: async (messages) => {
      const carrierOf = await carriers(messages.map(({ pid }) => pid));
      const contacts = messages.map(({ pid, recipient }) => ({ pid, medium, value: recipient }));
      const stores = await openEnvelopes(services.db, contacts);
      const stopped = await findOptedOut(
        services.db,
        medium,
        messages.map(({ recipient }) => recipient),
      );
      return messages.map((message, index) => ({
        message,
        attempt: stopped.has(message.recipient)
          ? async () => OPTED_OUT
          : attemptFor(message, stores[index] ?? null, carrierOf(message.pid)),
      }));
    },
  };
}
