import type { Services } from '../context.ts';
import type { ClaimedMessage, MailPayload, SmsPayload } from '../domain/alert/outbox.repo.ts';
import { loadEnvelopes } from '../domain/alert/sender.repo.ts';
import type { Envelope } from '../domain/alert/sender.repo.ts';
import { unsubscribeHeaders, unsubscribeUrl } from '../domain/alert/unsubscribe.rules.ts';
import type { Attempt, LaneOptions } from './lane.ts';
import type { MailChannel } from './mail.channel.ts';
import type { Outcome } from './outcome.ts';
import type { SmsChannel } from './sms.channel.ts';

/** Answers to what the contact itself just did, or a store's own test: these go out whatever the contact left before. */
const DIRECT_KINDS = new Set(['confirm', 'test']);

const SUPPRESSED: Outcome = { kind: 'withheld', reason: 'the contact has unsubscribed from everything' };

async function envelopesFor(
  { db }: Services,
  messages: ClaimedMessage[],
  medium: string,
): Promise<Envelope[]> {
  return loadEnvelopes(
    db,
    messages.map(({ pid, recipient }) => ({ pid, medium, value: recipient })),
  );
}

/** Mails that were rendered when they were queued: shared lists, confirmations, tests. */
export function mailLane(services: Services, mail: MailChannel, concurrency: number): LaneOptions {
  const attemptFor = (message: ClaimedMessage, store: Envelope): Attempt => {
    const isDirect = DIRECT_KINDS.has(message.kind);
    if (store.isSuppressed && !isDirect) return async () => SUPPRESSED;
    const { id, recipient: to } = message;
    const { headers = {}, ...content } = message.payload as MailPayload;
    const claim = { scope: 'all', medium: 'email', value: to.toLowerCase(), topic: '', epi: '' } as const;
    const leave = isDirect ? {} : unsubscribeHeaders(unsubscribeUrl(services.config.publicUrl, store, claim));
    const { isDemo, name: storeName } = store;
    return () => mail.send({ id, isDemo, storeName, to, ...content, headers: { ...leave, ...headers } });
  };
  return {
    lane: 'mail',
    concurrency,
    prepare: async (messages) => {
      const stores = await envelopesFor(services, messages, 'email');
      return messages.map((message, index) => attemptFor(message, stores[index]!));
    },
  };
}

/** Text messages that were rendered when they were queued. */
export function smsLane(services: Services, sms: SmsChannel, concurrency: number): LaneOptions {
  const attemptFor = (message: ClaimedMessage, store: Envelope): Attempt => {
    if (store.isSuppressed && !DIRECT_KINDS.has(message.kind)) return async () => SUPPRESSED;
    const { text } = message.payload as SmsPayload;
    return () =>
      sms.send({ id: message.id, isDemo: store.isDemo, to: message.recipient, text }, services.now());
  };
  return {
    lane: 'sms',
    concurrency,
    prepare: async (messages) => {
      const stores = await envelopesFor(services, messages, 'sms');
      return messages.map((message, index) => attemptFor(message, stores[index]!));
    },
  };
}
