import type { z } from 'zod';
import type { Direction, Translate } from '../../platform/messages.ts';
import type { FileOutbox } from './file.ts';
import type { Branded } from './mail-page.ts';
import type { Outcome } from './outcome.ts';

/** `html` and `text` end with an unsubscribe footer, `short` with the bare link. A `field` is a piece of the texts after it and may be empty. */
export type TextForm = 'line' | 'field' | 'html' | 'text' | 'short';

/** Whose standard texts: a built-in topic, or `other` for one that a store created; and the texts of the language. */
export type StandardTopic = { topic: BuiltInTopic | 'other'; translate: Translate };

/** The topics that every store has. */
export const BUILT_IN_NAMES = [
  'backinstock',
  'comingsoon',
  'pricedrop',
  'lowstock',
  'wishlistrestock',
] as const;

export type BuiltInTopic = (typeof BUILT_IN_NAMES)[number];

export type TemplatePart = {
  label: string;
  form: TextForm;
  /** The height of its field in the dashboard. */
  rows: number;
  /** Set if carriers count and charge the text in segments of 160 characters. */
  isSegmented?: true;
  /** The default text, as Liquid. */
  standard: (topic: StandardTopic) => string;
};

/** What a contact is asked to confirm. It never contains text that a stranger typed: the product is the catalogue's. */
export type ConfirmMessage = {
  store: Branded;
  language: string;
  url: string;
  /** The built-in topic of all requests; null if there are several, or others. */
  topic: BuiltInTopic | null;
  /** The newest one; null if the catalogue has none of them. The URLs may be empty. */
  product: { title: string; url: string; image: string } | null;
  /** The number of products. */
  count: number;
};

/** Each channel has its own type. The language is that of the footer that a message still gets; the store's if omitted. */
export type Payload = { language?: string; [field: string]: unknown };

export type Outgoing = {
  /** Stays the same for every attempt. */
  id: string;
  /** Messages of the demo store are always written to files. */
  isDemo: boolean;
  pid: string;
  storeName: string;
  /** The store's own From name and Reply-To address, if it has set them. */
  senderName: string | null;
  senderAddress: string | null;
  to: string;
  payload: Payload;
};

export type Transport = { send(message: Outgoing, now: Date): Promise<Outcome>; close?(): void };

/** The end of a message: why the contact receives it, the labels of its links, and who sends it. */
export type FooterTexts = {
  why: string;
  unsubscribe: string;
  /** A label as short as an SMS needs it. */
  optOut: string;
  preferences: string;
  address: string | null;
  imprint: { label: string; url: string } | null;
  direction: Direction;
};

export type Footer = FooterTexts & { url: string };

/** A shopper's email address and phone number, as typed. */
export type Reachable = { em: string | null; m: string | null };

/** The ISO 3166 country in which a store's national phone numbers are read; null if they need a country code. */
export type Region = string | null;

/** A provider's webhook about an SMS reply; `url` is the public URL that it called. */
export type ReplyRequest = {
  url: string;
  headers: Readonly<Record<string, string | undefined>>;
  fields: ReadonlyMap<string, string>;
};

/** A shopper's reply to a message: an opt-out, a resubscribe, or null for anything else. */
export type Reply = {
  from: string;
  says: 'stop' | 'start' | null;
  /** The provider's id of the reply, which a redelivery repeats; empty if it has none. */
  id: string;
};

/** Sign-ups, confirmations, templates, queues, erasure, integrations and the dashboard's forms all use the table of channels. */
export type Channel<PartName extends string = string, Settings extends object = object> = {
  label: string;
  /** The plural of its messages, for use within a sentence. */
  messages: string;
  contact: {
    label: string;
    sample: string;
    /** The validation rule, as an error message states it. */
    rule(region: Region): string;
    /** Returns the normalized contact, or null if it is invalid. */
    read(text: string, region: Region): string | null;
    /** Masks the contact so that only its owner recognizes it. */
    mask(value: string): string;
    /** The contact of a shopper, which exports, erasures and orders use to find the shopper's records. */
    of(shopper: Reachable, region: Region): string | null;
    /** Set if the contact identifies the shopper's account. */
    isAccount?: true;
    /** Set if a message costs money: contacts of one range share a limit. */
    rangeOf?(value: string): string;
  };
  parts: Record<PartName, TemplatePart>;
  /** `oneClickUrl` unsubscribes from the topic. */
  compose(texts: Record<PartName, string>, oneClickUrl: string): Payload;
  /** The double opt-in message. */
  confirm(message: ConfirmMessage): Payload;
  /** Adds an unsubscribe link to a message that has none. */
  withFooter?(payload: Payload, footer: Footer): Payload;
  settings: {
    /** Environment variables and their schemas. */
    variables: Record<string, z.ZodType>;
    /** Null if the channel is not configured, so that its messages are written to files. */
    read(env: Record<string, unknown>): Settings | null;
  };
  provider: { name: string; describe(settings: Settings): string; hint: string };
  /** Set if a store can use its own mail server. */
  hasOwnServers?: true;
  /** The maximum number of alerts in one message. */
  together: number;
  /** Set if shoppers can reply to a message and the provider forwards the replies. */
  replies?: {
    isGenuine(settings: Settings | null, request: ReplyRequest): boolean;
    read(fields: ReadonlyMap<string, string>): Reply;
  };
  concurrency(settings: Settings | null): number;
  open(settings: Settings | null, files: FileOutbox): Transport;
};
