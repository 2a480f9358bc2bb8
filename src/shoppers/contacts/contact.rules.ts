import type { Reachable, Region } from '../../alerts/send/channel.ts';
import { MEDIA, channelOf, isMedium } from '../../alerts/send/channels.ts';
import type { Medium } from '../../alerts/send/channels.ts';
import { fail } from '../../platform/errors.ts';

export type { Medium } from '../../alerts/send/channels.ts';

/** The value has the form in which its channel stores it. */
export type Contact = { medium: Medium; value: string };

/** A stored contact, whose medium may be one that exists no more. */
export type ContactKey = { medium: string; value: string };

export function checkMedium(medium: string | null | undefined): Medium {
  if (medium != null && isMedium(medium)) return medium;
  return fail('invalid-medium', `medium must be ${MEDIA.slice(0, -1).join(', ')} or ${MEDIA.at(-1)!}`);
}

type Regional = { defaultRegion: Region };

export function checkContact(store: Regional, medium: Medium, sent: string | null | undefined): Contact {
  const { contact } = channelOf(medium);
  const region = store.defaultRegion;
  const value =
    contact.read(sent ?? '', region) ??
    fail('invalid-mediumvalue', `mediumvalue must be ${contact.rule(region)}`);
  return { medium, value };
}

/** A contact that its owner recognises and nobody else can use. */
export function maskContact(medium: string, value: string): string {
  return isMedium(medium) ? channelOf(medium).contact.mask(value) : '***';
}

/** Whether a contact names the account of a shopper, who may act for it without a double opt-in. */
export function isAccountContact({ medium }: { medium: string }): boolean {
  return isMedium(medium) && channelOf(medium).contact.isAccount === true;
}

export const ACCOUNT_MEDIA = MEDIA.filter((medium) => isAccountContact({ medium }));

/** A contact with those of the other media that have the same address or number. */
export function withSameContacts({ medium, value }: ContactKey): ContactKey[] {
  const others = MEDIA.filter((one) => one !== medium && channelOf(one).contact.read(value, null) === value);
  return [{ medium, value }, ...others.map((other) => ({ medium: other, value }))];
}

export function contactsOf({ defaultRegion }: Regional, shopper: Reachable): Contact[] {
  return MEDIA.flatMap((medium) => {
    const value = channelOf(medium).contact.of(shopper, defaultRegion);
    return value === null ? [] : [{ medium, value }];
  });
}

const TOPIC_LABELS = new Map([
  ['backinstock', 'back-in-stock'],
  ['comingsoon', 'coming-soon'],
  ['pricedrop', 'price-drop'],
  ['lowstock', 'low-stock'],
  ['wishlistrestock', 'wishlist restock'],
]);

/** A topic as shoppers read it; a store's own topic by its name. */
export const topicLabel = (topic: string): string => builtInLabel(topic) ?? `“${topic}”`;

export const builtInLabel = (topic: string): string | null => TOPIC_LABELS.get(topic) ?? null;

/** Labels as a sentence lists them: `a, b and c`. */
export function joinLabels(labels: readonly string[]): string {
  return labels.length < 2 ? labels.join('') : `${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}`;
}
