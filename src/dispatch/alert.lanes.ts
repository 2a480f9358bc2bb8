import type { Services } from '../context.ts';
import { loadFacts } from '../domain/alert/alert.repo.ts';
import type { AlertFacts } from '../domain/alert/alert.repo.ts';
import { judgeAlert } from '../domain/alert/alert.rules.ts';
import { alertModel } from '../domain/template/model.rules.ts';
import type { ClaimedMessage } from '../outbox/outbox.repo.ts';
import { TemplateError } from '../domain/template/template.pool.ts';
import type { AlertTexts } from '../domain/template/template.rules.ts';
import { loadTopics } from '../domain/topic/topic.repo.ts';
import type { TopicRow } from '../domain/topic/topic.rules.ts';
import { unsubscribeHeaders, unsubscribeUrl } from '../domain/contact/unsubscribe.rules.ts';
import type { Scope } from '../domain/contact/unsubscribe.rules.ts';
import type { Attempt, LaneOptions } from './lane.ts';
import type { MailChannel } from './mail.channel.ts';
import { GONE } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import type { SmsChannel } from './sms.channel.ts';

type Medium = 'email' | 'sms';

/** The parts that a medium sends. */
const PARTS = { email: ['subject', 'html', 'text'], sms: ['sms'] } as const;

/** A template that ends the process which renders it is tried so often: a machine that stood still may be to blame. */
const FATAL_TRIES = 3;

/** An alert that is about to leave, with the parts of its medium. */
type ReadyAlert<M extends Medium> = {
  message: ClaimedMessage;
  facts: AlertFacts;
  texts: Pick<AlertTexts, (typeof PARTS)[M][number]>;
  oneClickUrl: string;
};

/** Alerts are rendered when they are sent, with the product as it is then. */
function createAlertLane<M extends Medium>(
  services: Services,
  medium: M,
  concurrency: number,
  send: (alert: ReadyAlert<M>) => Promise<Outcome>,
): LaneOptions {
  const { config, db, now } = services;

  const attemptFor = (message: ClaimedMessage, facts: AlertFacts | null, topic: TopicRow | null): Attempt => {
    if (facts === null) return async () => GONE;
    if (topic === null) return async () => ({ kind: 'withheld', reason: 'the topic is gone' });
    return async () => {
      const verdict = judgeAlert(topic, facts, now());
      if (verdict.kind !== 'send') return verdict;
      const epi = message.epi!;
      const linkFor = (scope: Scope): string =>
        unsubscribeUrl(config.publicUrl, facts.store, {
          scope,
          medium,
          value: message.recipient,
          topic: topic.name,
          epi,
        });
      const model = alertModel(facts.store, topic.name, epi, facts.product, linkFor('product'));
      let texts: ReadyAlert<M>['texts'];
      try {
        texts = await services.templates.alerts.render({
          pid: message.pid,
          texts: topic,
          parts: PARTS[medium],
          model,
        });
      } catch (error) {
        // Saved templates were rendered once, so this may pass: a stalled machine runs into the time limit, too.
        const reason = `the template cannot be rendered: ${(error as Error).message}`;
        const isFatal = error instanceof TemplateError && error.isFatal;
        return isFatal ? { kind: 'retry', reason, most: FATAL_TRIES } : { kind: 'retry', reason };
      }
      return send({ message, facts, texts, oneClickUrl: linkFor('topic') });
    };
  };

  return {
    lane: `alert-${medium}`,
    concurrency,
    prepare: async (messages) => {
      const wanted = messages.map(({ pid, topic }) => ({ pid, name: topic! }));
      const topics = await loadTopics(db, wanted);
      const facts = await loadFacts(db, messages);
      return messages.map((message, index) => attemptFor(message, facts[index] ?? null, topics[index]!));
    },
  };
}

/** Alerts by mail. The mail program's own unsubscribe button leaves the whole topic; the footer leads to the choice. */
export function alertMailLane(services: Services, mail: MailChannel, concurrency: number): LaneOptions {
  return createAlertLane(services, 'email', concurrency, ({ message, facts, texts, oneClickUrl }) =>
    mail.send({
      id: message.id,
      isDemo: facts.store.isDemo,
      storeName: facts.store.name,
      to: message.recipient,
      subject: texts.subject,
      html: texts.html,
      text: texts.text,
      headers: unsubscribeHeaders(oneClickUrl),
    }),
  );
}

/** Alerts by text message. */
export function alertSmsLane(services: Services, sms: SmsChannel, concurrency: number): LaneOptions {
  return createAlertLane(services, 'sms', concurrency, ({ message, facts, texts }) =>
    sms.send(
      { id: message.id, isDemo: facts.store.isDemo, to: message.recipient, text: texts.sms },
      services.now(),
    ),
  );
}
