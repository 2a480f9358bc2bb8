import { isTerse, partsOf } from '../send/channels.ts';
import type { AlertTexts, Medium } from '../send/channels.ts';
import { GONE } from '../send/outcome.ts';
import type { Outcome } from '../send/outcome.ts';
import { requireStore } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import type { ClaimedMessage } from '../queue/outbox.repo.ts';
import { shortUnsubscribeUrl, unsubscribeUrl } from '../../shoppers/contacts/link.rules.ts';
import type { Scope } from '../../shoppers/contacts/link.rules.ts';
import { trackLinks } from '../../stores/revenue/click.service.ts';
import type { TrackLink } from '../../stores/revenue/click.service.ts';
import type { Sender } from '../../stores/sender.repo.ts';
import { alertModel, siteOf } from '../compose/model.rules.ts';
import { REFUSED_MS, TemplateError } from '../compose/template.pool.ts';
import { loadTopics } from '../topics/topic.repo.ts';
import type { TopicRow } from '../topics/topic.types.ts';
import * as alerts from './alert.repo.ts';
import type { AlertFacts } from './alert.repo.ts';
import { judgeAlert } from './alert.rules.ts';
import type { Verdict } from './alert.rules.ts';
import { DAY_MS } from '../../platform/time.ts';

const MAX_IDS = 1_000;

/** Queues dead letters again and answers how many. */
export async function retryAlerts(ctx: Context, ids: readonly string[] | null | undefined): Promise<number> {
  const { pid } = requireStore(ctx);
  if ((ids?.length ?? 0) > MAX_IDS) fail('invalid-request', `ids must have at most ${MAX_IDS} entries`);
  const count = await ctx.db.transaction((tx) => alerts.retryAlerts(tx, pid, ids ?? null, ctx.now()));
  return count;
}

/** A template that ends the process which renders it is tried so often: a machine that stood still may be to blame. */
const FATAL_TRIES = 3;

/** What an alert says, and for whom. */
export type Letter = {
  store: Sender;
  /** A link by which its contact gets no more of these. */
  linkFor: (scope: Scope) => string;
  /** Its texts, bare where they will be part of a message with others, below another where it follows; or why they cannot be made now. */
  render: (isBare: boolean, follows: boolean) => Promise<{ texts: Partial<AlertTexts> } | Outcome>;
};

/** An alert that is about to leave: what is to become of it now, and what it says. The letter is there where it may be sent. */
export type PreparedAlert = { message: ClaimedMessage; judge: () => Verdict; letter: Letter | null };

/** Loads what a batch of claimed alerts needs, with one statement each, and makes each of them ready, in their order. */
export async function prepareAlerts(
  services: Services,
  medium: Medium,
  messages: readonly ClaimedMessage[],
): Promise<PreparedAlert[]> {
  const { db } = services;
  const topics = await loadTopics(
    db,
    messages.map(({ pid, topic }) => ({ pid, name: topic! })),
  );
  const facts = await alerts.loadFacts(db, messages);
  const link = await trackLinks(services, medium, messages);
  return messages.map((message, index) =>
    prepareAlert(services, medium, message, facts[index] ?? null, topics[index]!, link),
  );
}

const NO_TOPIC = { kind: 'withheld', reason: 'the topic is gone' } as const;

function prepareAlert(
  { config, now, templates }: Services,
  medium: Medium,
  message: ClaimedMessage,
  facts: AlertFacts | null,
  topic: TopicRow | null,
  link: TrackLink,
): PreparedAlert {
  if (facts === null) return { message, judge: () => GONE, letter: null };
  if (topic === null) return { message, judge: () => NO_TOPIC, letter: null };
  const { pid, recipient: value } = message;
  const { store, product } = facts;
  const epi = message.epi!;
  const short = isTerse(medium) ? shortUnsubscribeUrl(config.publicUrl, store, medium, message) : null;
  const linkFor = (scope: Scope): string =>
    short ?? unsubscribeUrl(config.publicUrl, store, { scope, medium, value, topic: topic.name, epi });
  const render: Letter['render'] = async (isBare, follows) => {
    const shown = alertModel(
      { ...store, siteUrl: siteOf(store, config.publicUrl) },
      topic.name,
      epi,
      product,
      linkFor('product'),
    );
    const model = link(store, message, { ...shown, follows });
    try {
      const parts = partsOf(medium);
      return { texts: await templates.alerts.render({ pid, texts: topic.texts, parts, model, isBare }) };
    } catch (error) {
      return outcomeOfTemplate(error as Error);
    }
  };
  return { message, judge: () => judgeAlert(topic, facts, now()), letter: { store, linkFor, render } };
}

/** Saved templates were rendered once, so a failure may pass: a stalled machine runs into the time limit, too. */
export function outcomeOfTemplate(error: Error): Outcome {
  const reason = `the template cannot be rendered: ${error.message}`;
  const isFatal = error instanceof TemplateError && error.isFatal;
  // Before that it would be refused without a look, which is no try.
  return isFatal
    ? { kind: 'retry', reason, most: FATAL_TRIES, afterMs: REFUSED_MS }
    : { kind: 'retry', reason };
}

/** How long it is known what a contact heard; no cool-down is longer. */
const KEEP_MS = 30 * DAY_MS;

/** Forgets a portion of what contacts heard long ago; answers how many. */
export function forgetSeen({ db }: Services, now: Date): Promise<number> {
  return alerts.removeSeen(db, new Date(now.getTime() - KEEP_MS));
}
