import type { Channel } from './channel.ts';
import { email } from './email.ts';
import { sms } from './sms.ts';

/** Every way to reach people, by the name that its medium has over the wire and in the tables. */
export const CHANNELS = { email, sms } satisfies Record<string, Channel>;

/** How a contact is reached. */
export type Medium = keyof typeof CHANNELS;

/** All media, in the order in which they are shown. */
export const MEDIA = Object.keys(CHANNELS) as Medium[];

/** The channel of a medium. */
export function channelOf(medium: Medium): Channel {
  return CHANNELS[medium];
}

/** Whether a text names a medium. */
export function isMedium(text: string): text is Medium {
  return Object.hasOwn(CHANNELS, text);
}

/** Whether a medium counts characters: then its links must be short. */
export function isTerse(medium: Medium): boolean {
  return Object.values(channelOf(medium).parts).some(({ form }) => form === 'short');
}

/** The medium of a short link that names none: it was the first to have some, and its links stay as they are. */
export const UNNAMED_IN_LINKS: Medium = 'sms';

/** What each channel was set up with; one that is left out writes files. */
export type ChannelSettings = {
  readonly [M in Medium]?: NonNullable<ReturnType<(typeof CHANNELS)[M]['settings']['read']>>;
};

type PartOf<M extends Medium> = M extends Medium ? keyof (typeof CHANNELS)[M]['parts'] : never;

/** The name of a text that alerts have in some medium. */
export type Part = PartOf<Medium>;

/** All texts of an alert. */
export type AlertTexts = Record<Part, string>;

/** Names that two channels have for a part. They would share its texts, so `PARTS` does not compile with one. */
type Clash = { [M in Medium]: PartOf<M> & PartOf<Exclude<Medium, M>> }[Medium];
type Parts = Record<Part, Channel['parts'][string]>;
type Unless<Names> = [Names] extends [never] ? object : never;

/** What each part is. */
export const PARTS = Object.assign(
  {},
  ...MEDIA.map((medium) => CHANNELS[medium].parts),
) as Parts satisfies Unless<Clash>;

/** The parts by name. */
export const PART_NAMES = Object.keys(PARTS) as Part[];

/** The parts of a medium. */
export function partsOf(medium: Medium): Part[] {
  return Object.keys(CHANNELS[medium].parts) as Part[];
}
