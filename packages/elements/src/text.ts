import english from '../../../src/messages/shopper/en.json';
import { changed } from './session.ts';

type Last<Key> = Key extends `${string}.${infer Rest}` ? Last<Rest> : Key;
type Texts = Partial<Record<Last<keyof typeof english>, string>>;

/** tools/bundle.mjs keeps the texts of the elements, without the prefixes of their names. */
const load = (file: Promise<{ default: object }>): Promise<Texts> =>
  file.then((texts) => texts.default as Texts);

const LOADERS: Record<string, () => Promise<Texts>> = {
  de: () => load(import('../../../src/messages/shopper/de.json')),
  es: () => load(import('../../../src/messages/shopper/es.json')),
  fr: () => load(import('../../../src/messages/shopper/fr.json')),
  ja: () => load(import('../../../src/messages/shopper/ja.json')),
};
const ENGLISH = english as Texts;
const loaded: Record<string, Texts | null> = { en: ENGLISH };

/** A text of the shopper's language, filled in. */
export type Say = ((key: keyof Texts, values?: Record<string, string | number>) => string) & {
  locale: string;
};

const languageOf = (tag: string): string => tag.toLowerCase().split(/[-_]/)[0]!;

/** The language of the element or of what contains it, else the browser's. Null while its texts are loading. */
export function speak(element: Element): Say | null {
  const own = element.closest<HTMLElement>('[lang]')?.lang ?? '';
  const isShipped = (tag: string): boolean => languageOf(tag) in loaded || languageOf(tag) in LOADERS;
  const locale = [own, ...navigator.languages].find(isShipped) ?? 'en';
  const language = languageOf(locale);
  const texts = loaded[language];
  if (texts === undefined) {
    loaded[language] = null;
    void LOADERS[language]!()
      .catch(() => ENGLISH)
      .then((found) => {
        loaded[language] = found;
        changed();
      });
  }
  if (!texts) return null;
  const say = (key: keyof Texts, values: Record<string, string | number> = {}): string =>
    texts[key]!.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
  return Object.assign(say, { locale });
}
