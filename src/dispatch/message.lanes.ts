import type { Services } from '../context.ts';
import { htmlWithFooter, textWithFooter } from '../domain/template/footer.rules.ts';
import type { ClaimedMessage, MailPayload, SmsPayload } from '../outbox/outbox.repo.ts';
import { loadEnvelopes } from '../domain/store/sender.repo.ts';
import type { Envelope } from '../domain/store/sender.repo.ts';
import { unsubscribeHeaders, unsubscribeUrl } from '../domain/contact/unsubscribe.rules.ts';
import type { Attempt, LaneOptions } from './lane.ts';
import type { MailChannel } from './mail.channel.ts';
import { GONE } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import type { SmsChannel } from './sms.channel.ts';

/** Answers to what the contact itself just did, or a store's own test: these go out whatever the contact left before. */
const DIRECT_KINDS = new Set(['confirm', 'test']);

const SUPPRESSED: Outcome = { kind: 'withheld', reason: 'the contact has unsubscribed from everything' };

async function envelopesFor(
  { db }: Services,
  messages: ClaimedMessage[],
  medium: string,
): Promise<(Envelope | null)[]> {
  return loadEnvelopes(
    db,
    messages.map(({ pid, recipient }) => ({ pid, medium, value: recipient })),
  );
}

/** Mails that were rendered when they were queued: shared lists, confirmations, tests. */
export function mailLane(services: Services, mail: MailChannel, concurrency: number): LaneOptions {
  /** Every mail can be left. A test brings the links of its alert; others get one that ends everything. */
  const withWayOut = (payload: MailPayload, store: Envelope, to: string): Required<MailPayload> => {
    const { headers, ...content } = payload;
    if (headers) return { ...content, headers };
    const claim = { scope: 'all', medium: 'email', value: to.toLowerCase(), topic: '', epi: '' } as const;
    const url = unsubscribeUrl(services.config.publicUrl, store, claim);
    const wayOut = { why: `This message was sent for ${store.name}.`, url };
    const html = htmlWithFooter(content.html, wayOut);
    return { ...content, html, text: textWithFooter(content.text, wayOut), headers: unsubscribeHeaders(url) };
  };

  const attemptFor = (message: ClaimedMessage, store: Envelope | null): Attempt => {
    if (store === null) return async () => GONE;
    if (store.isSuppressed && !DIRECT_KINDS.has(message.kind)) return async () => SUPPRESSED;
    const { id, recipient: to } = message;
    const { isDemo, name: storeName } = store;
    const content = withWayOut(message.payload as MailPayload, store, to);
    return () => mail.send({ id, isDemo, storeName, to, ...content });
  };
  return {
    lane: 'mail',
    concurrency,
    prepare: async (messages) => {
      const stores = await envelopesFor(services, messages, 'email');
      return messages.map((message, index) => attemptFor(message, stores[index] ?? null));
    },
  };
}

/** Text messages that were rendered when they were queued. */
export function smsLane(services: Services, sms: SmsChannel, concurrency: number): LaneOptions {
  const attemptFor = (message: ClaimedMessage, store: Envelope | null): Attempt => {
    if (store === null) return async () => GONE;
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
      return messages.map((message, index) => attemptFor(message, stores[index] ?? null));
    },
  };
}
