import type { AlertModel } from './template.rules.ts';
import { expiresBefore } from './topic.rules.ts';
import type { TopicRules } from './topic.rules.ts';

/** What is known of an alert when it is about to be sent. */
export type AlertSituation = {
  restockState: string | null;
  restockCause: string | null;
  subscription: { confirmedAt: Date | null; wishedAt: Date } | null;
  seenAt: Date | null;
};

/** Whether to send an alert now, later or never. */
export type Verdict =
  { kind: 'send' } | { kind: 'withheld'; reason: string } | { kind: 'deferred'; until: Date };

/** Looks again right before sending: between queueing and sending stock may have gone and shoppers may have left. */
export function judgeAlert(
  topic: TopicRules,
  { restockState, restockCause, subscription, seenAt }: AlertSituation,
  now: Date,
): Verdict {
  if (subscription === null) return { kind: 'withheld', reason: 'the subscription is gone' };
  if (restockState === null || restockState === 'stopped')
    return { kind: 'withheld', reason: `the ${restockCause === 'tag' ? 'tag' : 'stock'} is gone again` };
  if (subscription.confirmedAt === null)
    return { kind: 'withheld', reason: 'the subscription is not confirmed' };
  const oldest = expiresBefore(topic, now);
  if (oldest !== null && subscription.wishedAt <= oldest)
    return { kind: 'withheld', reason: 'the subscription has expired' };
  const coolUntil = seenAt === null ? 0 : seenAt.getTime() + topic.coolDownSeconds * 1_000;
  return coolUntil > now.getTime() ? { kind: 'deferred', until: new Date(coolUntil) } : { kind: 'send' };
}

/** The columns of a product that an alert can show. */
export type ShownProduct = {
  empi: string | null;
  bt: string | null;
  dt: string | null;
  sku: string | null;
  du: string | null;
  uri: string | null;
  iu: string | null;
  vi: string | null;
  stk: number | null;
  pr: number | null;
};

/** A full http(s) address; a relative one needs the store's site, and anything else is left out. */
function absoluteUrl(url: string | null, siteUrl: string | null): string {
  if (!url) return '';
  const base = siteUrl?.replaceAll('{lid}', '') ?? undefined;
  if (!URL.canParse(url, base)) return '';
  const { href, protocol } = new URL(url, base);
  return protocol === 'https:' || protocol === 'http:' ? href : '';
}

/** What a template sees. A product that the catalogue does not know has only what the subscription said of it. */
export function alertModel(
  store: { name: string; siteUrl: string | null },
  topic: string,
  epi: string,
  product: ShownProduct,
  unsubscribeUrl: string,
): AlertModel {
  return {
    store: { name: store.name },
    topic,
    product: {
      epi,
      empi: product.empi ?? '',
      title: product.dt ?? 'The product you asked about',
      brand: product.bt ?? '',
      variant: product.vi ?? '',
      sku: product.sku ?? '',
      url: absoluteUrl(product.uri ?? product.du, store.siteUrl),
      image: absoluteUrl(product.iu, store.siteUrl),
      price: product.pr,
      stock: product.stk,
    },
    unsubscribe_url: unsubscribeUrl,
  };
}
