import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import { MEDIA, PART_NAMES } from '../../src/alerts/send/channels.ts';
import { BUILT_IN_TOPICS } from '../../src/alerts/topics/topic.rules.ts';
import { TRIGGER_NAMES } from '../../src/alerts/topics/triggers.ts';
import { pseudoMessage } from '../../src/platform/pseudo.ts';
import { storeSettings } from '../../src/stores/store.columns.ts';
import { EVENT_TYPES, TEST_TYPE } from '../../src/stores/webhooks/webhook.rules.ts';

const FOLDER = 'src/messages/dashboard';
const languages = readdirSync(FOLDER).map((file) => file.replace('.json', ''));

const readMessages = (tag: string) =>
  JSON.parse(readFileSync(join(FOLDER, `${tag}.json`), 'utf8')) as Record<string, string>;

const parse = (message: string) =>
  new IntlMessageFormat(message, 'en', undefined, { ignoreTag: true }).getAst();

type Ast = ReturnType<typeof parse>;

/** The names of a message's placeholders, also those inside plurals; where one language has a plural, another may have a number. */
function placeholdersOf(ast: Ast): string[] {
  const found = ast.flatMap((element) => {
    if (!('value' in element) || Number(element.type) === 0) return [];
    const nested = 'options' in element ? Object.values(element.options).flatMap(({ value }) => value) : [];
    return [element.value, ...placeholdersOf(nested)];
  });
  return [...new Set(found)].sort();
}

/** Rendered with 2 for each placeholder, so that two messages can be compared. */
const render = (ast: Ast): string => {
  const values = Object.fromEntries(placeholdersOf(ast).map((name) => [name, 2]));
  return String(new IntlMessageFormat(ast, 'en').format(values));
};

const english = readMessages('en');

test.each(languages)('%s has every message of the dashboard, with the placeholders of English', (tag) => {
  const messages = readMessages(tag);
  expect(Object.keys(messages).sort()).toEqual(Object.keys(english).sort());
  const differing = Object.entries(messages).filter(
    ([key, message]) =>
      placeholdersOf(parse(message)).join() !== placeholdersOf(parse(english[key]!)).join() ||
      (message.trim() === '' && english[key] !== ''),
  );
  expect(differing).toEqual([]);
});

test('what the service knows by a name has one in the dashboard', () => {
  const keysOf = (prefix: string, names: readonly string[]) => names.map((name) => `${prefix}.${name}`);
  const keys = [
    ...keysOf('event', [...EVENT_TYPES, TEST_TYPE]),
    ...keysOf('trigger', TRIGGER_NAMES),
    ...keysOf('product.cause', TRIGGER_NAMES),
    ...keysOf(
      'topic',
      BUILT_IN_TOPICS.map(({ name }) => name),
    ),
    ...keysOf('channel', MEDIA),
    ...keysOf('contact', MEDIA),
    ...keysOf('error.contact', MEDIA),
    ...keysOf('part', PART_NAMES),
    ...keysOf('error.invalid-request', PART_NAMES),
  ];
  expect(keys.filter((key) => !(key in english))).toEqual([]);
});

test('a setting that people type has a message for what the service refuses', () => {
  const typed = storeSettings.filter(
    ({ kind, form }) =>
      form && (kind === 'list' || kind === 'text') && !['timeZone', 'currency'].includes(form.as ?? ''),
  );
  const keys = typed.map(({ name }) => `error.invalid-request.${name}`);
  expect(keys.length).toBeGreaterThan(10);
  expect(keys.filter((key) => !(key in english))).toEqual([]);
});

test.each(languages)('%s: the built-in topics are called what the emails call them', (tag) => {
  const messages = readMessages(tag);
  const emails = JSON.parse(readFileSync(`src/messages/shopper/${tag}.json`, 'utf8')) as typeof messages;
  expect(messages['topic.backinstock']).toBe(emails['topic.backinstock']);
  expect(messages['topic.lowstock']).toBe(emails['topic.lowstock']);
});

test('a sentence of the service that the dashboard translates is one that the service says', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const code = files
    .map((file) => readFileSync(join('src', file), 'utf8').replaceAll(/\$\{\w+\}/g, 'N'))
    .join('\n');
  const sentences = Object.keys(english).flatMap(
    (key) => /^error\.limit-reached\.(.+)$/.exec(key)?.[1] ?? [],
  );
  expect(sentences.length).toBeGreaterThan(3);
  expect(sentences.filter((sentence) => !code.includes(sentence))).toEqual([]);
});

test('every message of the dashboard is used by its code', () => {
  const folder = 'src/web/dashboard';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  const code = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
  const patterns = [...code.matchAll(/`([a-zA-Z][\w.]*\.[\w.]*)\$\{[^`]*`/g)].map(([, start]) => start!);
  const isUsed = (key: string): boolean =>
    code.includes(`'${key}'`) || patterns.some((start) => key.startsWith(start));
  expect(Object.keys(english).filter((key) => !isUsed(key))).toEqual([]);
});

test.each(['en-XA', 'ar-XB'])('%s changes the words of a message and none of its placeholders', (tag) => {
  const ast = parse('Send {name} {count, plural, one {# alert} other {# alerts}}');
  const changed = pseudoMessage(ast, tag);
  expect(placeholdersOf(changed)).toEqual(placeholdersOf(ast));
  expect(render(changed)).not.toMatch(tag === 'en-XA' ? /Send|alerts/ : /(?<!\u202e)(Send|alerts)/);
});
