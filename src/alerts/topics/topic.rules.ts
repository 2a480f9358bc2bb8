import type { SaveTopicInput } from '../../generated/resolvers.ts';
import { fail } from '../../platform/errors.ts';
import { intRule, isIntIn } from '../../platform/fields.ts';
import { localeFor, matchLanguage, shippedLanguage, translator } from '../../platform/messages.ts';
import { codePoints, hasControlCharacters, isStorable } from '../../platform/text.ts';
import { DAY_MS } from '../../platform/time.ts';
import { toTag } from '../../stores/products/product.rules.ts';
import { checkSizes } from '../compose/template.rules.ts';
import type { BuiltInTopic } from '../send/channel.ts';
import { PARTS, PART_NAMES, isBuiltIn } from '../send/channels.ts';
import type { AlertTexts, Part } from '../send/channels.ts';
import { TOPIC_RULES, topicRules } from './topic.columns.ts';
import type { RuleName, TopicRule } from './topic.columns.ts';
import type { OwnTexts, TopicRow, TopicRules } from './topic.types.ts';
import { TRIGGER_NAMES, isTriggerName, triggerOf } from './triggers.ts';
import type { TriggerName } from './triggers.ts';

export const MAX_TOPICS = 100;
const MAX_LANGUAGES = 50;

/** Changes of texts in one language; null goes back to the standard text. */
export type TextChanges = Partial<Record<Part, string | null>>;

/** An omitted field stays unchanged, null clears it. */
export type TopicInput = { name: string; language: string; texts: TextChanges } & {
  [Field in keyof Omit<TopicRules, 'name'>]?: TopicRules[Field] | null;
};

const INITIAL = Object.fromEntries(topicRules.map(({ name, initial }) => [name, initial])) as Pick<
  TopicRules,
  RuleName
>;

const BUILT_IN = {
  backinstock: 'automatic',
  comingsoon: 'manual',
  pricedrop: 'pricedrop',
  lowstock: 'lowstock',
  wishlistrestock: 'automatic',
} as const satisfies Record<BuiltInTopic, TriggerName>;

export const BUILT_IN_TOPICS: readonly TopicRow[] = Object.entries(BUILT_IN).map(([name, trigger]) => ({
  name,
  trigger,
  texts: {},
  ...INITIAL,
}));

/** The topic that shoppers subscribe to for a restock; list owners are notified through another topic. */
const SUBSCRIBERS_ONLY = 'backinstock';

const standards = new Map<string, AlertTexts>();

/** The texts that a topic has in a language until the store writes its own. */
export function standardTexts(name: string, language: string): AlertTexts {
  const topic = isBuiltIn(name) ? name : 'other';
  const key = `${language} ${topic}`;
  let texts = standards.get(key);
  if (texts === undefined) {
    const translate = translator(language);
    const written = PART_NAMES.map((part) => [part, PARTS[part].standard({ topic, translate })]);
    texts = Object.fromEntries(written) as AlertTexts;
    standards.set(key, texts);
  }
  return texts;
}

/** The texts of one language, with the standard ones where the store wrote none: what an editor shows. */
export function textsIn({ name, texts }: TopicRow, language: string, locale: string): AlertTexts {
  return { ...standardTexts(name, shippedLanguage(language, locale)), ...texts[language] };
}

/**
 * The texts for a reader: the topic's own in the reader's language, else its own in the store's language, else the standard ones. One
 * message never mixes languages.
 */
export function textsFor(topic: TopicRow, wanted: string | null, locale: string) {
  const own = Object.keys(topic.texts);
  const reader = wanted ?? locale;
  const language =
    matchLanguage(reader, own) ?? matchLanguage(locale, own) ?? shippedLanguage(reader, locale);
  const texts = textsIn(topic, language, locale);
  return { reader: { language, locale: localeFor(language, locale, wanted) }, texts };
}

/** Subscriptions up to this time have expired; null if they never expire. */
export function expiresBefore({ expiryDays }: Pick<TopicRules, 'expiryDays'>, now: Date): Date | null {
  return expiryDays === null ? null : new Date(now.getTime() - expiryDays * DAY_MS);
}

export const MAX_NAME = 64;

export function isTopicName(name: string): boolean {
  const isFine = name.trim() === name && name !== '' && codePoints(name) <= MAX_NAME;
  return isFine && !hasControlCharacters(name) && isStorable(name);
}

/** The rules that the API can set; a rule without a row in TOPIC_RULES does not compile. */
const RULES: Record<
  Exclude<keyof SaveTopicInput, 'name' | 'trigger' | 'language' | 'texts' | Part>,
  TopicRule
> = TOPIC_RULES;

function checkRule(name: string, rule: TopicRule, value: unknown): void {
  if (rule.initial === null && value === null) return;
  if (rule.kind === 'int' && !isIntIn(rule, value)) fail('invalid-request', `${name} ${intRule(rule)}`);
  if (rule.kind === 'flag' && typeof value !== 'boolean')
    fail('invalid-request', `${name} must be true or false`);
  if (rule.kind !== 'text') return;
  const text = value as string;
  if (text.trim() === '' || codePoints(text) > rule.max || !isStorable(text))
    fail('invalid-request', `${name} must have 1 to ${rule.max} characters`);
}

function checkRules(topic: TopicRules): void {
  for (const [name, rule] of Object.entries(RULES)) checkRule(name, rule, topic[name as RuleName]);
  if ((topic.batchSize === null) !== (topic.batchIntervalSeconds === null)) {
    fail('invalid-request', 'Send batchSize and batchIntervalSeconds together');
  }
  if (topic.batchSize !== null && topic.shoppersPerUnit !== null) {
    fail('invalid-request', 'Use batches (batchSize, batchIntervalSeconds) or shoppersPerUnit, not both');
  }
  if (topic.listHolders && topic.name === SUBSCRIBERS_ONLY)
    fail(
      'invalid-request',
      `listHolders must be false for ${SUBSCRIBERS_ONLY}; use wishlistrestock to alert shoppers who have the product in a list`,
    );
}

const BY_TAG = TRIGGER_NAMES.filter((name) => triggerOf(name).settings.includes('tag'));

/** Returns the tag normalized like product tags, or null if the trigger needs none. */
function checkTrigger({ trigger, tag }: TopicRules): string | null {
  const names = `${TRIGGER_NAMES.slice(0, -1).join(', ')} or ${TRIGGER_NAMES.at(-1)!}`;
  if (!isTriggerName(trigger)) fail('invalid-request', `trigger must be ${names}`);
  if (BY_TAG.includes(trigger) !== (tag !== null))
    fail(
      'invalid-request',
      `tag is required with the trigger ${BY_TAG.join(' or ')}, and must be omitted with any other`,
    );
  return tag === null ? null : toTag(tag) || fail('invalid-request', 'tag must have 1 to 255 characters');
}

function given<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}

/** Applies the changes and validates every rule. `current` is null for a new topic. */
export function applyTopicInput(current: TopicRow | null, input: TopicInput, locale: string): TopicRow {
  const { texts, language, ...changes } = input;
  if (current === null && !isTopicName(input.name))
    fail('invalid-topics', `name must have 1 to ${MAX_NAME} printable characters`);
  const base: TopicRow = current ?? { name: input.name, trigger: 'manual', texts: {}, ...INITIAL };
  const topic = { ...base, ...given(changes), texts: withTexts(base, language, texts, locale) } as TopicRow;
  // Switching from the tag trigger clears the tag, so that a client needs to send only one field.
  if (!BY_TAG.includes(topic.trigger) && input.tag === undefined) topic.tag = null;
  topic.tag = checkTrigger(topic);
  checkRules(topic);
  return topic;
}

/** Changes one language and leaves the others. A text that equals the standard one is not stored, so that it follows later changes. */
function withTexts(topic: TopicRow, language: string, changes: TextChanges, locale: string): OwnTexts {
  const standard = standardTexts(topic.name, shippedLanguage(language, locale));
  const own = { ...topic.texts[language], ...given(changes) };
  const isOwn = ([part, text]: [string, string | null]): boolean =>
    text !== null && text !== standard[part as Part];
  const kept = Object.fromEntries(Object.entries(own).filter(isOwn)) as Partial<AlertTexts>;
  checkSizes({ ...standard, ...kept });
  const { [language]: _before, ...others } = topic.texts;
  if (Object.keys(kept).length === 0) return others;
  if (Object.keys(others).length >= MAX_LANGUAGES)
    fail('limit-reached', `A topic can have texts in at most ${MAX_LANGUAGES} languages`);
  return { ...others, [language]: kept };
}
