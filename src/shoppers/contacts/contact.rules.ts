import type { Reachable, Region } from '../../alerts/send/channel.ts';
import { MEDIA, channelOf, isBuiltIn, isMedium } from '../../alerts/send/channels.ts';
import type { Medium } from '../../alerts/send/channels.ts';
import { failField } from '../../platform/errors.ts';
import { translator } from '../../platform/messages.ts';

export type { Medium } from '../../alerts/send/channels.ts';

/** The value has the form in which its channel stores it. */
export type Contact = { medium: Medium; value: string };

/** A stored contact, whose medium may be one that exists no more. */
export type ContactKey = { medium: string; value: string };

export function checkMedium(medium: string | null | undefined): Medium {
  if (medium != null && isMedium(medium)) return medium;
  const rule = `must be ${MEDIA.slice(0, -1).join(', ')} or ${MEDIA.at(-1)!}`;
  return failField('invalid-medium', 'medium', rule, medium);
}

type Regional = { defaultRegion: Region };

export function checkContact(store: Regional, medium: Medium, sent: string | null | undefined): Contact {
  const { contact } = channelOf(medium);
  const region = store.defaultRegion;
  const value =
    contact.read(sent ?? '', region) ??
    failField('invalid-mediumvalue', 'mediumvalue', `must be ${contact.rule(region)}`, sent);
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

/** Topics as a sentence lists them; a store's own topic by its name. */
export function listTopics(language: string, topics: readonly string[]): string {
  const t = translator(language);
  const labels = topics.map((topic) =>
    t('page.quoted', { text: isBuiltIn(topic) ? t(`topic.${topic}`) : topic }),
  );
  return new Intl.ListFormat(language).format(labels);
}
