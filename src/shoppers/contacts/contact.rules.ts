import { MEDIA, channelOf, isMedium } from '../../alerts/send/channels.ts';
import type { Medium } from '../../alerts/send/channels.ts';
import type { Reachable, Region } from '../../alerts/send/channel.ts';
import { fail } from '../../platform/errors.ts';

export type { Medium } from '../../alerts/send/channels.ts';

/** Whom to tell; the value has the form in which its channel stores it. */
export type Contact = { medium: Medium; value: string };

/** The name of a medium, or the failure `invalid-medium`. */
export function checkMedium(medium: string | null | undefined): Medium {
  if (medium != null && isMedium(medium)) return medium;
  return fail('invalid-medium', `medium must be ${MEDIA.slice(0, -1).join(', ')} or ${MEDIA.at(-1)!}`);
}

/** What a store says of how its people write their contacts. */
type Local = { defaultRegion: Region };

/** A contact that fits its medium, or the failure `invalid-mediumvalue`. */
export function checkContact(
  { defaultRegion: region }: Local,
  medium: Medium,
  mediumvalue: string | null | undefined,
): Contact {
  const { contact } = channelOf(medium);
  const value =
    contact.read(mediumvalue ?? '', region) ??
    fail('invalid-mediumvalue', `mediumvalue must be ${contact.rule(region)}`);
  return { medium, value };
}

/** A contact that its owner recognises and nobody else can use. */
export function maskContact(medium: string, value: string): string {
  return isMedium(medium) ? channelOf(medium).contact.mask(value) : '***';
}

/** Whether a contact names the account of a shopper: the one who may act for it without a proof. */
export function isAccountContact({ medium }: { medium: string }): boolean {
  return isMedium(medium) && channelOf(medium).contact.isAccount === true;
}

/** Media whose contact names the account of a shopper. */
export const ACCOUNT_MEDIA = MEDIA.filter((medium) => isAccountContact({ medium }));

/** A contact with those of the other media that reach the same address or number. */
export function withSameContacts(contact: {
  medium: string;
  value: string;
}): { medium: string; value: string }[] {
  const { medium, value } = contact;
  const others = MEDIA.filter((one) => one !== medium && channelOf(one).contact.read(value, null) === value);
  return [{ medium, value }, ...others.map((other) => ({ medium: other, value }))];
}

/** By which contacts a shopper is reached. */
export function contactsOf({ defaultRegion }: Local, shopper: Reachable): Contact[] {
  return MEDIA.flatMap((medium) => {
    const value = channelOf(medium).contact.of(shopper, defaultRegion);
    return value === null ? [] : [{ medium, value }];
  });
}
