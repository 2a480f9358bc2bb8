import { readFileSync, readdirSync } from 'node:fs';
import { IntlMessageFormat } from 'intl-messageformat';
import { LANGUAGES, shippedLanguage, translator } from '../../src/platform/messages.ts';
import type { MessageKey } from '../../src/platform/messages.ts';
import { excessOf, toSegment } from '../../src/alerts/send/segment.ts';

const FOLDER = new URL('../../src/messages/shopper/', import.meta.url);
const files = readdirSync(FOLDER).map((file) => file.replace('.json', ''));
const read = (language: string) =>
  JSON.parse(readFileSync(new URL(`${language}.json`, FOLDER), 'utf8')) as Record<string, string>;

const parse = (text: string) => new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true }).getAst();

/** The names of a message's values, also within plurals and choices. */
function valuesIn(elements: ReturnType<typeof parse>): string[] {
  const names = elements.flatMap((element) => {
    const inner =
      'options' in element ? Object.values(element.options).flatMap(({ value }) => valuesIn(value)) : [];
    return 'value' in element && Number(element.type) !== 0 ? [element.value, ...inner] : inner;
  });
  return [...new Set(names)].sort();
}

test('texts for shoppers come in English, German, French, Spanish and Japanese', () => {
  expect(files.sort()).toEqual(['de', 'en', 'es', 'fr', 'ja']);
  expect(files.every((language) => LANGUAGES.includes(language))).toBe(true);
  expect(shippedLanguage('de-CH')).toBe('de');
});

test.each(files)('%s has every text, with the same values and nothing empty or copied', (language) => {
  const [english, texts] = [read('en'), read(language)];
  expect(Object.keys(texts)).toEqual(Object.keys(english));
  for (const [key, text] of Object.entries(texts)) {
    expect([key, text.trim()]).not.toEqual([key, '']);
    expect([key, valuesIn(parse(text))]).toEqual([key, valuesIn(parse(english[key]!))]);
  }
  const isSentence = (text: string): boolean => text.split(' ').length > 3;
  const copied = Object.keys(texts).filter((key) => isSentence(texts[key]!) && texts[key] === english[key]);
  expect(language === 'en' ? [] : copied.filter((key) => key !== 'alert.sms')).toEqual([]);
});

test('French has no space that can break before its punctuation', () => {
  const breaking = Object.entries(read('fr')).filter(([, text]) => / [:;?!»]|« /.test(text));
  expect(breaking).toEqual([]);
});

test('the last unit is singular in Spanish', () => {
  expect([1, 2].map((count) => translator('es')('share.left', { count }))).toEqual([
    'Solo queda 1',
    'Solo quedan 2',
  ]);
});

const SMS: MessageKey[] = ['confirm.sms', 'confirm.sms.product'];

test.each(['en', 'de', 'fr', 'es'])('a confirmation by SMS in %s fits into one message', (language) => {
  const url = `https://alerts.shop.example/c/${'x'.repeat(38)}`;
  const values = { store: 'Kettles', product: 'Kettle 1.5 l', url };
  for (const key of SMS)
    expect([key, excessOf(toSegment(translator(language)(key, values)))]).toEqual([key, 0]);
});
