import { BUILT_IN_NAMES } from './channel.ts';
import type { BuiltInTopic, Channel } from './channel.ts';
import { email } from './email.ts';
import { sms } from './sms.ts';

/** All channels, by the medium's name in the API and in the database. */
export const CHANNELS = { email, sms } satisfies Record<string, Channel>;

export type Medium = keyof typeof CHANNELS;

export function isBuiltIn(topic: string): topic is BuiltInTopic {
  return BUILT_IN_NAMES.some((name) => name === topic);
}

/** In display order. */
export const MEDIA = Object.keys(CHANNELS) as Medium[];

export function channelOf(medium: Medium): Channel {
  return CHANNELS[medium];
}

export function isMedium(text: string): text is Medium {
  return Object.hasOwn(CHANNELS, text);
}

/** Whether the medium limits the length of a text, so that its links must be short. */
export function isTerse(medium: Medium): boolean {
  return Object.values(channelOf(medium).parts).some(({ form }) => form === 'short');
}

/** The medium of a short link that names none: SMS had the first short links, and they remain valid. */
export const UNNAMED_IN_LINKS: Medium = 'sms';

/** The settings of each channel; a channel without settings writes files. */
export type ChannelSettings = {
  readonly [M in Medium]?: NonNullable<ReturnType<(typeof CHANNELS)[M]['settings']['read']>>;
};

type PartOf<M extends Medium> = M extends Medium ? keyof (typeof CHANNELS)[M]['parts'] : never;

export type Part = PartOf<Medium>;

export type AlertTexts = Record<Part, string>;

/** Part names that two channels share. `PARTS` does not compile with one, because both channels would share its texts. */
type Clash = { [M in Medium]: PartOf<M> & PartOf<Exclude<Medium, M>> }[Medium];
type Parts = Record<Part, Channel['parts'][string]>;
type Unless<Names> = [Names] extends [never] ? object : never;

export const PARTS = Object.assign(
  {},
  ...MEDIA.map((medium) => CHANNELS[medium].parts),
) as Parts satisfies Unless<Clash>;

export const PART_NAMES = Object.keys(PARTS) as Part[];

export function partsOf(medium: Medium): Part[] {
  return Object.keys(CHANNELS[medium].parts) as Part[];
}
