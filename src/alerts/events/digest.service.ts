import type { Services } from '../../context.ts';
import { shippedLanguage, translator } from '../../platform/messages.ts';
import { shorten } from '../../platform/text.ts';
import { langQuery, shortUnsubscribeUrl, unsubscribeUrl } from '../../shoppers/contacts/link.rules.ts';
import type { UnsubscribeClaim } from '../../shoppers/contacts/link.rules.ts';
import type { Sender } from '../../stores/sender.repo.ts';
import { footerTexts } from '../compose/model.rules.ts';
import { REFUSED_MS, TemplateError } from '../compose/template.pool.ts';
import type { ClaimedMessage } from '../queue/outbox.repo.ts';
import type { Outgoing } from '../send/channel.ts';
import { channelOf, isTerse, partsOf } from '../send/channels.ts';
import type { AlertTexts, Medium } from '../send/channels.ts';
import type { Outcome } from '../send/outcome.ts';
import type { AlertFacts } from './alert.repo.ts';

/** Where an alert is in a digest: below another, below its heading, with other news about the product. */
type Place = { follows: boolean; heading: string; also: string };

export type Content = {
  store: AlertFacts;
  /** A place in a digest omits the footer and the standard introduction. */
  render: (language: string | null, place: Place | null) => Promise<Partial<AlertTexts>>;
  /** Whether its templates show other news about the same product. */
  showsAlso: (language: string | null) => boolean;
};

/** An alert that is sent now. */
export type Ready = { message: ClaimedMessage; content: Content };

export type OutgoingAlert = Outgoing & { timeZone: string | null };

/** The link that unsubscribes from a claim; a short link of the alert if the medium limits the length. */
export function urlOf(
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
export async function composeTogether(
  services: Services,
  medium: Medium,
  id: string,
  alerts: readonly Ready[],
) {
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
