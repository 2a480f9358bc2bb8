import type { z } from 'zod';
import type { FileOutbox } from './file.ts';
import type { Branded } from './mail-page.ts';
import type { Outcome } from './outcome.ts';

/**
 * How the text of a part leaves: a `line` is one, `html` and `text` get a footer with the way out as their end, and a `short` text
 * the bare link.
 */
export type TextForm = 'line' | 'html' | 'text' | 'short';

/** One text of an alert, which stores can write as a Liquid template. */
export type TemplatePart = {
  label: string;
  form: TextForm;
  /** Lines of its field in the dashboard. */
  rows: number;
  /** Set where networks count it, and charge for it, in segments of 160 characters. */
  isSegmented?: true;
  /** What it says until a store says something else; `news` is such as "is back in stock". */
  standard: (news: string) => string;
};

/** What is sent, as it waits in the outbox; each channel has its own shape. */
export type Payload = object;

/** A message that is about to leave. */
export type Outgoing = {
  /** Stays the same over every try. */
  id: string;
  /** The demo store's messages become files, whatever is configured. */
  isDemo: boolean;
  pid: string;
  storeName: string;
  /** The name that it comes from, and the address to which answers go, where the store has chosen them. */
  senderName: string | null;
  senderAddress: string | null;
  to: string;
  payload: Payload;
};

/** An open channel. */
export type Sender = { send(message: Outgoing, now: Date): Promise<Outcome>; close?(): void };

/** Why a message came, and where to get no more of them. */
export type WayOut = { why: string; url: string };

/** What is known of a shopper by which it can be reached: e-mail address and phone number, as it was typed. */
export type Reachable = { em: string | null; m: string | null };

/** The country whose national phone numbers a store's people type, by ISO 3166; null where they give the country code. */
export type Region = string | null;

/** A provider's call about an answer: the address it called, as we publish it, and what it sent. */
export type AnswerRequest = {
  url: string;
  headers: Readonly<Record<string, string | undefined>>;
  fields: ReadonlyMap<string, string>;
};

/** What somebody answered to a message: that nothing more is to come, that something may again, or anything else. */
export type Answer = {
  from: string;
  says: 'stop' | 'start' | null;
  /** The provider's id of the answer, which a repeat has as well; empty where it has none. */
  id: string;
};

/**
 * A way to reach people. Everything that knows media goes over the table of these: sign-ups, confirmations, templates, lanes, erasure,
 * the list of integrations, the dashboard's forms.
 */
export type Channel<PartName extends string = string, Settings extends object = object> = {
  /** As people call it. */
  label: string;
  /** Its messages, in a sentence. */
  messages: string;
  contact: {
    label: string;
    /** A contact that could be. */
    sample: string;
    /** What a contact must be, as a failure says it. */
    rule(region: Region): string;
    /** The form in which it is stored; null for what is no contact. */
    read(text: string, region: Region): string | null;
    /** So that its owner recognises it and nobody else can use it. */
    mask(value: string): string;
    /** The contact of a shopper, by which exports, erasures and orders find what is theirs. */
    of(shopper: Reachable, region: Region): string | null;
    /** Set where the contact names the account of a shopper. */
    isAccount?: true;
    /** Set where a message costs money: contacts of one range share a limit. */
    rangeOf?(value: string): string;
  };
  parts: Record<PartName, TemplatePart>;
  /** The message with the rendered parts; `oneClickUrl` leaves the topic. */
  compose(texts: Record<PartName, string>, options: { oneClickUrl: string; isTest: boolean }): Payload;
  /** The message that asks a contact to confirm. It names the store, never what a stranger typed. */
  confirm(store: Branded, url: string): Payload;
  /** The same message with a way out, where it brings none of its own. */
  withWayOut?(payload: Payload, wayOut: WayOut): Payload;
  settings: {
    /** Variables of the environment, each with its rule. */
    variables: Record<string, z.ZodType>;
    /** What they come to; null where the channel is not set up and its messages become files. */
    read(env: Record<string, unknown>): Settings | null;
  };
  /** How it shows in the list of integrations. */
  provider: { name: string; describe(settings: Settings): string; hint: string };
  /** Set where a store can send by a mail server of its own. */
  hasOwnServers?: true;
  /** Alerts that fit into one message. */
  together: number;
  /** Set where people can answer a message itself, which its provider tells us. */
  answers?: {
    /** Whether a request comes from the provider. */
    isGenuine(settings: Settings | null, request: AnswerRequest): boolean;
    read(fields: ReadonlyMap<string, string>): Answer;
  };
  /** Messages under way at a time. */
  concurrency(settings: Settings | null): number;
  open(settings: Settings | null, files: FileOutbox): Sender;
};
