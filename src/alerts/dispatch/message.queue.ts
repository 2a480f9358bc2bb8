import type { Services } from '../../context.ts';
import { OPTED_OUT, findOptedOut } from '../../shoppers/contacts/opt-out.service.ts';
import { unsubscribeUrl } from '../../shoppers/contacts/link.rules.ts';
import { openEnvelopes } from '../../stores/sender.service.ts';
import type { Envelope } from '../../stores/sender.service.ts';
import type { ClaimedMessage } from '../queue/outbox.service.ts';
import type { Delivery, QueueOptions } from '../queue/queue.ts';
import type { Payload } from '../send/channel.ts';
import { channelOf } from '../send/channels.ts';
import type { Medium } from '../send/channels.ts';
import { GONE } from '../send/outcome.ts';
import type { Outcome } from '../send/outcome.ts';
import type { Transport, Transports } from './mail-transports.ts';

/** Replies to what the contact itself just did, or a store's own test: these are sent whatever the contact unsubscribed from. */
const DIRECT_KINDS = new Set(['confirm', 'test']);

const SUPPRESSED: Outcome = { kind: 'withheld', reason: 'the contact has unsubscribed from everything' };

/** Messages of a medium that were rendered when they were queued: shared lists, confirmations, tests. */
export function messageQueue(
  services: Services,
  medium: Medium,
  transports: Transports,
  concurrency: number,
): QueueOptions {
  const channel = channelOf(medium);

  /** Adds an unsubscribe link where the message brings none of its own. */
  const withUnsubscribe = (payload: Payload, store: Envelope, to: string): Payload => {
    if (!channel.withWayOut) return payload;
    const claim = { scope: 'all', medium, value: to.toLowerCase(), topic: '', epi: '' } as const;
    const url = unsubscribeUrl(services.config.publicUrl, store, claim);
    return channel.withWayOut(payload, { why: `This message was sent for ${store.name}.`, url });
  };

  const attemptFor = (
    message: ClaimedMessage,
    store: Envelope | null,
    transport: Transport,
  ): Delivery['attempt'] => {
    if (store === null) return async () => GONE;
    if (store.isSuppressed && !DIRECT_KINDS.has(message.kind)) return async () => SUPPRESSED;
    const { id, recipient: to } = message;
    const { pid, isDemo, name: storeName, senderName, senderAddress } = store;
    const payload = withUnsubscribe(message.payload as Payload, store, to);
    return () =>
      transport.send({ id, pid, isDemo, storeName, senderName, senderAddress, to, payload }, services.now());
  };

  return {
    key: { lane: 'message', medium },
    concurrency,
    prepare: async (messages) => {
      const transportOf = await transports(messages.map(({ pid }) => pid));
      const recipients = messages.map(({ recipient }) => recipient);
      const contacts = messages.map(({ pid, recipient }) => ({ pid, medium, value: recipient }));
      const stores = await openEnvelopes(services.db, contacts);
      const stopped = await findOptedOut(services.db, medium, recipients);
      return messages.map((message, index) => ({
        message,
        attempt: stopped.has(message.recipient)
          ? async () => OPTED_OUT
          : attemptFor(message, stores[index] ?? null, transportOf(message.pid)),
      }));
    },
  };
}
