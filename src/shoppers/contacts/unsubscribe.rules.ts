import type { Medium } from './contact.rules.ts';
import { openLink, sealLink } from './link.rules.ts';
import type { LinkStore } from './link.rules.ts';
import { shortUnsubscribe } from './short-link.rules.ts';
import type { ShortStore } from './short-link.rules.ts';

/** How much a contact leaves: alerts for one variant, a whole topic, or everything the store sends. */
export type Scope = 'product' | 'topic' | 'all';

/**
 * What an unsubscribe link stands for. `scope` is what one click does; its page offers all three. A message about several topics names the others in `moreTopics`.
 */
export type UnsubscribeClaim = {
  scope: Scope;
  medium: string;
  value: string;
  topic: string;
  epi: string;
  moreTopics?: readonly string[];
};

/** All topics that a claim is about. */
export function topicsOf({ topic, moreTopics = [] }: UnsubscribeClaim): string[] {
  return [topic, ...moreTopics];
}

const SCOPES: readonly string[] = ['product', 'topic', 'all'];

/** Whether a text from outside names a scope. */
export function isScope(text: string): text is Scope {
  return SCOPES.includes(text);
}

/** The address of a contact's unsubscribe page; it works without a login, as long as the store keeps the token key. */
export function unsubscribeUrl(publicUrl: string, store: LinkStore, claim: UnsubscribeClaim): string {
  const { scope, medium, value, topic, epi, moreTopics = [] } = claim;
  const sealed = sealLink(store, 'unsubscribe', [scope, medium, value, topic, epi, ...moreTopics]);
  return `${publicUrl}/unsubscribe/${sealed}`;
}

/** The same in a few characters, for the alert with this number; null where it cannot be short. */
export function shortUnsubscribeUrl(
  publicUrl: string,
  store: ShortStore,
  medium: Medium,
  { recipient, seq }: { recipient: string; seq: number },
): string | null {
  const token = shortUnsubscribe(store, { medium, value: recipient }, seq);
  return token && `${publicUrl}/u/${token}`;
}

/** What a token of this store stands for, or null. */
export function readUnsubscribe(store: LinkStore, token: string, now: Date): UnsubscribeClaim | null {
  const claim = openLink(store, 'unsubscribe', token, now);
  if (claim === null) return null;
  const [scope = '', medium = '', value = '', topic = '', epi = '', ...moreTopics] = claim;
  return isScope(scope) ? { scope, medium, value, topic, epi, moreTopics } : null;
}
