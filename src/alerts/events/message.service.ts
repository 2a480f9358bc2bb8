import type { Services } from '../../context.ts';
import { shippedLanguage, translator } from '../../platform/messages.ts';
import { shorten } from '../../platform/text.ts';
import { langQuery, shortUnsubscribeUrl, unsubscribeUrl } from '../../shoppers/contacts/link.rules.ts';
import type { UnsubscribeClaim } from '../../shoppers/contacts/link.rules.ts';
import * as optOuts from '../../shoppers/contacts/opt-out.repo.ts';
import { trackLinks } from '../../stores/revenue/click.service.ts';
import type { TrackLink } from '../../stores/revenue/click.service.ts';
import type { Sender } from '../../stores/sender.repo.ts';
import { hasSchedule } from '../../stores/store.rules.ts';
import { alertModel, footerTexts, siteOf } from '../compose/model.rules.ts';
import { REFUSED_MS, TemplateError } from '../compose/template.pool.ts';
import type { ClaimedMessage } from '../queue/outbox.repo.ts';
import type { Outgoing } from '../send/channel.ts';
import { PARTS, channelOf, isTerse, partsOf } from '../send/channels.ts';
import type { AlertTexts, Medium, Part } from '../send/channels.ts';
import { GONE } from '../send/outcome.ts';
import type { Outcome } from '../send/outcome.ts';
import { loadTopics } from '../topics/topic.repo.ts';
import { standardTexts, textsFor } from '../topics/topic.rules.ts';
import type { TopicRow } from '../topics/topic.types.ts';
import { loadFacts } from './alert.repo.ts';
import type { AlertFacts } from './alert.repo.ts';
import { evaluateAlert } from './alert.rules.ts';
import type { Verdict } from './alert.rules.ts';
import { groupAlerts } from './frequency.service.ts';

/** One message, or an alert that ends alone. `compose` returns the message to send, or the reason for not sending it now. */
type Message = {
  message: ClaimedMessage;
  others: ClaimedMessage[];
  compose: () => Promise<OutgoingAlert | Outcome>;
};

type OutgoingAlert = Outgoing & { timeZone: string | null };

/** Where an alert is in a digest: below another, below its heading, with other news about the product. */
type Place = { follows: boolean; heading: string; also: string };

type Content = {
  store: AlertFacts;
  /** A place in a digest omits the footer and the standard introduction. */
  render: (language: string | null, place: Place | null) => Promise<Partial<AlertTexts>>;
  /** Whether its templates show other news about the same product. */
  showsAlso: (language: string | null) => boolean;
};

/** A claimed alert with its evaluation; its content is null if it can no longer be sent. */
type Prepared = { message: ClaimedMessage; evaluate: () => Verdict; content: Content | null };
type Ready = Prepared & { content: Content };

/** Combines a contact's alerts into one message if the store wants that, and omits those that have to wait. */
export async function prepareMessages(services: Services, medium: Medium, alerts: readonly ClaimedMessage[]) {
  const prepared = await prepareAlerts(services, medium, alerts);
  const isLimited = ({ message, content }: Prepared): boolean =>
    content !== null && (hasSchedule(content.store.pacing) || message.scheduledAt !== null);
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
      const compose = () => composeTogether(services, medium, group.messageId, members);
      return { message, others: others.map((one) => one.message), compose };
    }),
  ];
}

function inReadingOrder({ message: left }: Ready, { message: right }: Ready): number {
  const age = left.cts.getTime() - right.cts.getTime();
  const compare = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });
  return age || compare(left.topic!, right.topic!) || compare(left.epi!, right.epi!);
}

export const OPTED_OUT = { kind: 'withheld', reason: 'the contact replied STOP' } as const;

/** Which of these contacts replied STOP; none where a channel has no replies. */
export async function findOptedOut({ db }: Pick<Services, 'db'>, medium: Medium, values: readonly string[]) {
  return new Set(channelOf(medium).replies ? await optOuts.findOptedOut(db, medium, values) : []);
}

async function prepareAlerts(services: Services, medium: Medium, messages: readonly ClaimedMessage[]) {
  const { db } = services;
  const recipients = messages.map(({ recipient }) => recipient);
  const optedOut = await findOptedOut(services, medium, recipients);
  const names = messages.map(({ pid, topic }) => ({ pid, name: topic! }));
  const topics = await loadTopics(db, names);
  const facts = await loadFacts(db, messages);
  const link = await trackLinks(services, medium, messages);
  return messages.map((message, index): Prepared => {
    const alert = prepareAlert(services, medium, message, facts[index] ?? null, topics[index]!, link);
    return optedOut.has(message.recipient) ? { ...alert, evaluate: () => OPTED_OUT } : alert;
  });
}

const NO_TOPIC = { kind: 'withheld', reason: 'the topic was deleted' } as const;

function prepareAlert(
  services: Services,
  medium: Medium,
  message: ClaimedMessage,
  facts: AlertFacts | null,
  topic: TopicRow | null,
  link: TrackLink,
): Prepared {
  if (facts === null) return { message, evaluate: () => GONE, content: null };
  if (topic === null) return { message, evaluate: () => NO_TOPIC, content: null };
  const { config, now, templates } = services;
  const epi = message.epi!;
  const render: Content['render'] = (wanted, place) => {
    const store = { ...facts, siteUrl: siteOf(facts, config.publicUrl) };
    const { reader, texts: own } = textsFor(topic, wanted, facts.locale);
    const { language } = reader;
    const isStandard = own.intro === standardTexts(topic.name, shippedLanguage(language, facts.locale)).intro;
    const texts = place && isStandard ? { ...own, intro: '' } : own;
    const claim = { scope: 'product', topic: topic.name, epi } as const;
    const url = urlOf(services, medium, facts, message, claim, language);
    const shown = alertModel(store, reader, topic.name, epi, facts, url);
    const { follows = false, ...digest } = place ?? {};
    const model = link(facts, message, { ...shown, follows, mail: { ...shown.mail, ...digest } });
    const footer = footerTexts(facts, language, 'footer.why.product');
    const isBare = place !== null;
    return templates.alerts.render({ pid: facts.pid, texts, parts: partsOf(medium), model, footer, isBare });
  };
  const showsAlso: Content['showsAlso'] = (wanted) => {
    const { texts } = textsFor(topic, wanted, facts.locale);
    const isShown = (part: Part): boolean => texts[part].includes('mail.also');
    return partsOf(medium).every((part) => ['line', 'field'].includes(PARTS[part].form) || isShown(part));
  };
  const content = { store: facts, render, showsAlso };
  return { message, evaluate: () => evaluateAlert(topic, facts, now()), content };
}

/** The link that unsubscribes from a claim; a short link of the alert if the medium limits the length. */
function urlOf(
  { config: { publicUrl } }: Services,
  medium: Medium,
  store: Sender,
  message: ClaimedMessage,
  claim: Pick<UnsubscribeClaim, 'scope' | 'topic' | 'epi' | 'moreTopics'>,
  language: string,
): string {
  const short = isTerse(medium) ? shortUnsubscribeUrl(publicUrl, store, medium, message) : null;
  if (short === null)
    return unsubscribeUrl(publicUrl, store, { medium, value: message.recipient, ...claim }, language);
  // The page cannot look it up later: sending an alert ends its subscription.
  return language === shippedLanguage(store.locale) ? short : short + langQuery(language);
}

/** Attempts for a template that kills the rendering process, because a stalled machine may be the cause. */
const FATAL_ATTEMPTS = 3;

/** A saved template has rendered before, so an error may be temporary: a stalled machine also exceeds the time limit. */
function outcomeOfTemplate(error: Error): Outcome {
  const reason = `the template could not be rendered: ${error.message}`;
  const isFatal = error instanceof TemplateError && error.isFatal;
  // An earlier attempt would be rejected without rendering, which does not count as one.
  return { kind: 'retry', reason, ...(isFatal && { most: FATAL_ATTEMPTS, afterMs: REFUSED_MS }) };
}

/** The alert whose id is the message id is sent even during its cool-down, because it may already have been sent. */
function partition(alerts: readonly Prepared[]): { ready: Ready[]; ended: Message[] } {
  const ready: Ready[] = [];
  const ended: Message[] = [];
  for (const alert of alerts) {
    const { message, content } = alert;
    const verdict = alert.evaluate();
    const isSent =
      verdict.kind === 'send' || (verdict.kind === 'deferred' && message.messageId === message.id);
    if (isSent && content !== null) ready.push({ ...alert, content });
    else if (verdict.kind !== 'send') ended.push({ message, others: [], compose: async () => verdict });
  }
  return { ready, ended };
}

function composeAlone(services: Services, medium: Medium, alert: Prepared): Message {
  const { message, content } = alert;
  const compose = async (): Promise<OutgoingAlert | Outcome> => {
    const verdict = alert.evaluate();
    if (verdict.kind !== 'send') return verdict;
    return composeTogether(services, medium, message.id, [{ ...alert, content: content! }]);
  };
  return { message, others: [], compose };
}

export function senderFields({ pid, isDemo, name, senderName, senderAddress }: Sender) {
  return { pid, isDemo, storeName: name, senderName, senderAddress };
}

/** A digest is in the language of its newest subscription. */
function newestLanguage(alerts: readonly Ready[]): string | null {
  const timeOf = ({ content: { store }, message }: Ready): number =>
    (store.wishedAt ?? message.cts).getTime();
  const [newest] = [...alerts].sort((left, right) => timeOf(right) - timeOf(left));
  return newest!.content.store.language;
}

/** Renders the first alert about each product with the headlines of the others; one whose templates omit these stays alone. */
async function renderCards(alerts: readonly Ready[], language: string | null, heading: string) {
  const cards = new Map<string, Ready[]>();
  for (const alert of alerts) {
    const key = alert.content.showsAlso(language) ? `product ${alert.message.epi}` : alert.message.id;
    const before = cards.get(key) ?? [];
    // A price drop leads, because only its card shows the old price.
    cards.set(key, alert.content.store.wasPr ? [alert, ...before] : [...before, alert]);
  }
  const pieces = [...cards.values()].map(async ([lead, ...others], index) => {
    const place = { follows: index > 0, heading: index > 0 ? '' : heading, also: '' };
    const texts = await Promise.all(others.map((one) => one.content.render(language, place)));
    const also = texts.map((one) => one.headline).join('\n');
    return lead!.content.render(language, { ...place, also });
  });
  return Promise.all(pieces);
}

function digestTexts(store: AlertFacts, language: string, products: number, url: string) {
  const translate = translator(language);
  const product = shorten(store.dt ?? translate('alert.product'), 60);
  return {
    title: translate('product.more', { product, count: products - 1 }),
    more: translate('digest.more', { count: '{count}' }),
    footer: { ...footerTexts(store, language, 'footer.why.products'), url },
  };
}

/** Renders one message for a contact; a single alert is not a digest. */
async function composeTogether(services: Services, medium: Medium, id: string, alerts: readonly Ready[]) {
  const [{ message, content }] = alerts as [Ready, ...Ready[]];
  const { store } = content;
  const isDigest = alerts.length > 1;
  const [topic = '', ...moreTopics] = new Set(alerts.map((alert) => alert.message.topic!));
  // The email client's unsubscribe button covers whole topics; the footer links to the choice.
  const claim = { scope: 'topic', topic, epi: isDigest ? '' : message.epi!, moreTopics } as const;
  const wanted = newestLanguage(alerts);
  const language = shippedLanguage(wanted, store.locale);
  const url = urlOf(services, medium, store, message, claim, language);
  try {
    const products = new Set(alerts.map((alert) => alert.message.epi)).size;
    const heading = products > 1 ? translator(language)('digest.title', { count: products }) : '';
    const pieces = isDigest
      ? await renderCards(alerts, wanted, heading)
      : [await content.render(wanted, null)];
    const parts = partsOf(medium);
    const digest = { pieces, products, ...digestTexts(store, language, products, url) };
    const texts = isDigest
      ? await services.templates.alerts.join({ pid: store.pid, parts, digest })
      : pieces[0];
    const payload = channelOf(medium).compose(texts as AlertTexts, url);
    const { timeZone = null } = store.pacing;
    return { id, ...senderFields(store), timeZone, to: message.recipient, payload };
  } catch (error) {
    return outcomeOfTemplate(error as Error);
  }
}
