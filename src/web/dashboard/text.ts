import { IntlMessageFormat } from 'intl-messageformat';
import type { ComponentChild } from 'preact';
import type en from '../../messages/dashboard/en.json';
import { PSEUDO_LANGUAGES, pseudoMessage } from '../../platform/pseudo.ts';
import { language, locale } from './language.ts';

export type TextKey = keyof typeof en;

type Ast = ReturnType<IntlMessageFormat['getAst']>;
/** The bundler parses messages with placeholders; the others are plain text. */
type Catalogue = Record<string, string | Ast>;
type Values = Record<string, string | number | boolean>;

const { default: catalogue } = (await import(`../../messages/dashboard/${locale}.json`)) as {
  default: Catalogue;
};

document.documentElement.lang = language;
document.documentElement.dir = /^(ar|fa|he|ur)\b/.test(language) ? 'rtl' : 'ltr';

const formats = new Map<string, IntlMessageFormat>();

function formatOf(key: string): IntlMessageFormat {
  const known = formats.get(key);
  if (known) return known;
  const message = catalogue[key] ?? key;
  const ast = typeof message === 'string' ? ([{ type: 0, value: message }] as Ast) : message;
  const format = new IntlMessageFormat(
    PSEUDO_LANGUAGES.includes(language) ? pseudoMessage(ast, language) : ast,
    locale,
  );
  formats.set(key, format);
  return format;
}

/** The message of this key in the reader's language. */
export const t = (key: TextKey, values?: Values): string => formatOf(key).format(values) as string;

/** A message with elements in the place of some placeholders. */
export const rich = (key: TextKey, values: Record<string, ComponentChild>): ComponentChild[] =>
  [formatOf(key).format(values)].flat();

/** For a key that is made of a name which may have no message: a hint, or a name that a store chose. */
export const find = (key: string, values?: Values): string | undefined =>
  Object.hasOwn(catalogue, key) ? t(key as TextKey, values) : undefined;

/** A built-in topic by its display name; a store's own topic by the name that the store gave it. */
export const topicName = (name: string): string => find(`topic.${name}`) ?? name;

export const partName = (part: string): string => find(`part.${part}`) ?? part;

export const channelName = (kind: string): string => find(`channel.${kind}`) ?? kind;

export const triggerName = (trigger: string): string => find(`trigger.${trigger}`) ?? trigger;
