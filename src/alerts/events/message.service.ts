import type { Services } from '../../context.ts';
import { shortUnsubscribeUrl, unsubscribeUrl } from '../../shoppers/contacts/link.rules.ts';
import type { Scope } from '../../shoppers/contacts/link.rules.ts';
import { OPTED_OUT, findOptedOut } from '../../shoppers/contacts/opt-out.service.ts';
import { trackLinks } from '../../stores/revenue/click.service.ts';
import type { TrackLink } from '../../stores/revenue/click.service.ts';
import type { Sender } from '../../stores/sender.repo.ts';
import { isPaced } from '../../stores/store.rules.ts';
import { alertModel, siteOf } from '../compose/model.rules.ts';
import { REFUSED_MS, TemplateError } from '../compose/template.pool.ts';
import type { ClaimedMessage } from '../queue/outbox.repo.ts';
import type { Outgoing } from '../send/channel.ts';
import { channelOf, isTerse, partsOf } from '../send/channels.ts';
import type { AlertTexts, Medium } from '../send/channels.ts';
import { GONE } from '../send/outcome.ts';
import type { Outcome } from '../send/outcome.ts';
import { loadTopics } from '../topics/topic.repo.ts';
import type { TopicRow } from '../topics/topic.types.ts';
import { loadFacts } from './alert.repo.ts';
import type { AlertFacts } from './alert.repo.ts';
import { evaluateAlert } from './alert.rules.ts';
import type { Verdict } from './alert.rules.ts';
import { groupAlerts } from './frequency.service.ts';

/** One message, or an alert that ends alone. `compose` returns the message to send, or the reason for not sending it now. */
export type Message = {
  message: ClaimedMessage;
  others: ClaimedMessage[];
  compose: () => Promise<Outgoing | Outcome>;
};

type Content = {
  store: Sender;
  unsubscribeUrl: (scope: Scope) => string;
  /**
   * Renders the texts: `isBare` omits the footer in a digest, `follows` marks an alert below another. Otherwise returns why that
   * fails now.
   */
  render: (isBare: boolean, follows: boolean) => Promise<{ texts: Partial<AlertTexts> } | Outcome>;
};

/** A claimed alert with its evaluation; its content is null if it can no longer be sent. */
type Prepared = { message: ClaimedMessage; evaluate: () => Verdict; content: Content | null };
type Ready = Prepared & { content: Content };

/** Combines a contact's alerts into one message if the store wants that, and omits those that have to wait. */
export async function prepareMessages(
  services: Services,
  medium: Medium,
  alerts: readonly ClaimedMessage[],
): Promise<Message[]> {
  const prepared = await prepareAlerts(services, medium, alerts);
  const isLimited = ({ message, content }: Prepared): boolean =>
    content !== null && (isPaced(content.store.pacing) || message.leavesAt !== null);
  const limited = prepared.filter(isLimited);
  const alone = prepared.filter((alert) => !isLimited(alert));
  const messages = alone.map((alert) => composeAlone(services, medium, alert));
  if (limited.length === 0) return messages;

  const own = partition(limited);
  const groups = await groupAlerts(services, medium, own.ready);
  const taken = groups.flatMap((group) => group.taken);
  const more = partition(taken.length === 0 ? [] : await prepareAlerts(services, medium, taken));
  const byId = new Map([...own.ready, ...more.ready].map((alert) => [alert.message.id, alert]));
  return [
    ...messages,
    ...own.ended,
    ...more.ended,
    ...groups.map((group) => {
      const members = [...group.own, ...group.taken]
        .flatMap(({ id }) => byId.get(id) ?? [])
        .sort(inReadingOrder);
      const [{ message }, ...others] = members as [Ready, ...Ready[]];
      const compose = () => composeTogether(services, medium, group.parcelId, members);
      return { message, others: others.map((one) => one.message), compose };
    }),
  ];
}

function inReadingOrder({ message: left }: Ready, { message: right }: Ready): number {
  const age = left.cts.getTime() - right.cts.getTime();
  const compare = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
  return age || compare(left.topic!, right.topic!) || compare(left.epi!, right.epi!);
}

async function prepareAlerts(
  services: Services,
  medium: Medium,
  messages: readonly ClaimedMessage[],
): Promise<Prepared[]> {
  const { db } = services;
  const recipients = messages.map(({ recipient }) => recipient);
  const names = messages.map(({ pid, topic }) => ({ pid, name: topic! }));
  // A channel without replies has no opt-outs.
  const stopped = channelOf(medium).answers ? await findOptedOut(db, medium, recipients) : new Set();
  const topics = await loadTopics(db, names);
  const facts = await loadFacts(db, messages);
  const link = await trackLinks(services, medium, messages);
  return messages.map((message, index) => {
    const alert = prepareAlert(services, medium, message, facts[index] ?? null, topics[index]!, link);
    return stopped.has(message.recipient) ? { ...alert, evaluate: () => OPTED_OUT } : alert;
  });
}

const NO_TOPIC = { kind: 'withheld', reason: 'the topic is gone' } as const;

function prepareAlert(
  { config, now, templates }: Services,
  medium: Medium,
  message: ClaimedMessage,
  facts: AlertFacts | null,
  topic: TopicRow | null,
  link: TrackLink,
): Prepared {
  if (facts === null) return { message, evaluate: () => GONE, content: null };
  if (topic === null) return { message, evaluate: () => NO_TOPIC, content: null };
  const { pid, recipient: value } = message;
  const { store, product } = facts;
  const epi = message.epi!;
  const short = isTerse(medium) ? shortUnsubscribeUrl(config.publicUrl, store, medium, message) : null;
  const urlFor = (scope: Scope): string =>
    short ?? unsubscribeUrl(config.publicUrl, store, { scope, medium, value, topic: topic.name, epi });
  const render: Content['render'] = async (isBare, follows) => {
    const shownStore = { ...store, siteUrl: siteOf(store, config.publicUrl) };
    const shown = alertModel(shownStore, topic.name, epi, product, urlFor('product'));
    const model = link(store, message, { ...shown, follows });
    try {
      const parts = partsOf(medium);
      return { texts: await templates.alerts.render({ pid, texts: topic.texts, parts, model, isBare }) };
    } catch (error) {
      return outcomeOfTemplate(error as Error);
    }
  };
  const content = { store, unsubscribeUrl: urlFor, render };
  return { message, evaluate: () => evaluateAlert(topic, facts, now()), content };
}

/** Attempts for a template that kills the rendering process, because a stalled machine may be the cause. */
const FATAL_ATTEMPTS = 3;

/** A saved template has rendered before, so an error may be temporary: a stalled machine also exceeds the time limit. */
function outcomeOfTemplate(error: Error): Outcome {
  const reason = `the template cannot be rendered: ${error.message}`;
  const isFatal = error instanceof TemplateError && error.isFatal;
  // An earlier attempt would be rejected without rendering, which does not count as one.
  return isFatal
    ? { kind: 'retry', reason, most: FATAL_ATTEMPTS, afterMs: REFUSED_MS }
    : { kind: 'retry', reason };
}

/**
 * Separates alerts to send from those that end or wait. The alert whose id is the message id stays, because it may already have
 * been sent.
 */
function partition(alerts: readonly Prepared[]): { ready: Ready[]; ended: Message[] } {
  const ready: Ready[] = [];
  const ended: Message[] = [];
  for (const alert of alerts) {
    const { message, content } = alert;
    const verdict = alert.evaluate();
    const isSent =
      verdict.kind === 'send' || (verdict.kind === 'deferred' && message.parcelId === message.id);
    if (isSent && content !== null) ready.push({ ...alert, content });
    else if (verdict.kind !== 'send') ended.push({ message, others: [], compose: async () => verdict });
  }
  return { ready, ended };
}

function composeAlone(services: Services, medium: Medium, alert: Prepared): Message {
  const { message, content } = alert;
  const compose = async (): Promise<Outgoing | Outcome> => {
    const verdict = alert.evaluate();
    if (verdict.kind !== 'send') return verdict;
    return composeTogether(services, medium, message.id, [{ ...alert, content: content! }]);
  };
  return { message, others: [], compose };
}

/** Renders one message for a contact; a single alert is not a digest. */
async function composeTogether(
  services: Services,
  medium: Medium,
  id: string,
  alerts: readonly Ready[],
): Promise<Outgoing | Outcome> {
  const [first] = alerts as [Ready, ...Ready[]];
  const { store } = first.content;
  const isDigest = alerts.length > 1;
  const pieces: Partial<AlertTexts>[] = [];
  const rendered = alerts.map(({ content }, index) => content.render(isDigest, index > 0));
  for (const piece of await Promise.all(rendered)) {
    if ('kind' in piece) return piece;
    pieces.push(piece.texts);
  }
  let [texts] = pieces;
  // The mail program's unsubscribe button covers the whole topic; the footer links to the choice.
  let oneClickUrl = first.content.unsubscribeUrl('topic');
  if (isDigest) {
    oneClickUrl = urlForAll(services, medium, alerts);
    const products = new Set(alerts.map(({ message }) => message.epi)).size;
    const digest = { pieces, products, storeName: store.name, url: oneClickUrl };
    try {
      texts = await services.templates.alerts.join({ pid: store.pid, parts: partsOf(medium), digest });
    } catch (error) {
      return outcomeOfTemplate(error as Error);
    }
  }
  const payload = channelOf(medium).compose(texts as AlertTexts, { oneClickUrl, isTest: false });
  const { pid, isDemo, name: storeName, senderName, senderAddress } = store;
  return { id, pid, isDemo, storeName, senderName, senderAddress, to: first.message.recipient, payload };
}

/** Unsubscribes from all topics of a message; the page offers the other options. */
function urlForAll({ config }: Services, medium: Medium, alerts: readonly Ready[]): string {
  const [{ message, content }] = alerts as [Ready, ...Ready[]];
  const { store } = content;
  const short = isTerse(medium) ? shortUnsubscribeUrl(config.publicUrl, store, medium, message) : null;
  if (short !== null) return short;
  const [topic = '', ...moreTopics] = new Set(alerts.map((alert) => alert.message.topic!));
  const claim = { scope: 'topic', medium, value: message.recipient, topic, epi: '', moreTopics } as const;
  return unsubscribeUrl(config.publicUrl, store, claim);
}
