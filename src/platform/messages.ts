import { readFileSync, readdirSync } from 'node:fs';
import { extname } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { LRUCache } from 'lru-cache';
import type english from '../messages/shopper/en.json';
import { ROOT } from './places.ts';
import { PSEUDO_LANGUAGES, pseudoMessage } from './pseudo.ts';

/** A text that shoppers read, by its name in `src/messages/shopper`. */
export type MessageKey = keyof typeof english;

type Values = Record<string, string | number>;

/** Formats a message in one language. */
export type Translate = (key: MessageKey, values?: Values) => string;

/** BCP 47 tags are at most this long in practice; longer ones are not stored. */
const MAX_TAG = 35;

const FOLDER = new URL(`${extname(import.meta.url) === '.ts' ? 'src' : 'dist'}/messages/shopper/`, ROOT);

const catalogue = new Map(
  readdirSync(FOLDER).map((file) => [
    file.replace('.json', ''),
    JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as Record<MessageKey, string>,
  ]),
);

/** The languages that texts for shoppers come in: one file each. */
export const LANGUAGES: readonly string[] = [...catalogue.keys()];

const DEFAULT_LANGUAGE = 'en';

/** The tag in its canonical form, without extensions; null if it cannot be read. `de_DE` is accepted, too. */
export function readLanguage(text: string | null | undefined): string | null {
  const tag = (text ?? '').trim().replaceAll('_', '-');
  if (tag === '' || tag.length > MAX_TAG) return null;
  try {
    return new Intl.Locale(tag).baseName;
  } catch {
    return null;
  }
}

/** The closest of `available` by RFC 4647 lookup: `de-CH` finds `de-CH`, then `de`. */
export function matchLanguage(wanted: string, available: readonly string[]): string | null {
  for (let tag = wanted; tag !== ''; tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-'))))
    if (available.includes(tag)) return tag;
  return null;
}

/** The language alone: `de` of `de-CH`. */
export function languageOf(tag: string): string {
  return new Intl.Locale(tag).language;
}

/** The shipped language of the first tag that has one. */
export function shippedLanguage(...wanted: readonly (string | null)[]): string {
  const shipped = (tag: string | null): string | null =>
    tag && matchLanguage(tag, PSEUDO_LANGUAGES.includes(tag) ? PSEUDO_LANGUAGES : LANGUAGES);
  return wanted.map(shipped).find((tag) => tag !== null) ?? DEFAULT_LANGUAGE;
}

const RIGHT_TO_LEFT = new Set(['Adlm', 'Arab', 'Hebr', 'Nkoo', 'Rohg', 'Syrc', 'Thaa']);

export type Direction = 'ltr' | 'rtl';

export function directionOf(language: string): Direction {
  return RIGHT_TO_LEFT.has(new Intl.Locale(language).maximize().script ?? '') ? 'rtl' : 'ltr';
}

/** The language's name for itself, such as `Deutsch`. */
export function nameOfLanguage(language: string): string {
  return new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language;
}

function createFormat(language: string, key: MessageKey): IntlMessageFormat {
  const own = catalogue.get(language)?.[key];
  const message = own ?? pseudoMessage(createFormat(DEFAULT_LANGUAGE, key).getAst(), language);
  const locale = own === undefined ? DEFAULT_LANGUAGE : language;
  return new IntlMessageFormat(message, locale, undefined, { ignoreTag: true });
}

// Creating a format takes 30 µs or more, and every email of an alert has the same texts.
const formats = new LRUCache<string, IntlMessageFormat>({
  max: 2_000,
  memoMethod: (name) => createFormat(...(name.split(' ') as [string, MessageKey])),
});

/** The texts of a shipped language; another language gets the default's. */
export function translator(language: string): Translate {
  const shipped = shippedLanguage(language);
  return (key, values) => String(formats.memo(`${shipped} ${key}`).format(values));
}

/** The locale of prices in a text of `language`: the store's or the reader's, whichever speaks it; else the store's. */
export function localeFor(language: string, storeLocale: string, reader: string | null = language): string {
  const speaks = (locale: string | null): boolean =>
    locale !== null && languageOf(locale) === languageOf(language);
  return speaks(storeLocale) || !speaks(reader) ? storeLocale : reader!;
}
