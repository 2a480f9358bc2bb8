import type { SaveTopicInput } from '../../generated/resolvers.ts';
import { fail } from '../../platform/errors.ts';
import { intRule, isIntIn } from '../../platform/fields.ts';
import { codePoints, hasControlCharacters, isStorable } from '../../platform/text.ts';
import { DAY_MS } from '../../platform/time.ts';
import { isProductId, toTag } from '../../stores/products/product.rules.ts';
import { checkSizes } from '../compose/template.rules.ts';
import { PARTS, PART_NAMES } from '../send/channels.ts';
import type { AlertTexts, Part } from '../send/channels.ts';
import { TOPIC_RULES, topicRules } from './topic.columns.ts';
import type { RuleName, TopicRule } from './topic.columns.ts';
import type { TopicRow, TopicRules } from './topic.types.ts';
import { TRIGGER_NAMES, isTriggerName, triggersWith } from './triggers.ts';

export const MAX_TOPICS = 100;

/** An omitted field stays unchanged, null clears it. */
export type TopicInput = { name: string; texts?: Partial<Record<string, string | null>> } & {
  [Field in keyof Omit<TopicRules, 'name'>]?: TopicRules[Field] | null;
};

const INITIAL = Object.fromEntries(topicRules.map(({ name, initial }) => [name, initial])) as Pick<
  TopicRules,
  RuleName
>;

function textsWith(news: string): AlertTexts {
  return Object.fromEntries(PART_NAMES.map((part) => [part, PARTS[part].standard(news)])) as AlertTexts;
}

// The old price is known only after a price drop, and the stock only if it is tracked; a manual send may have neither.
const PRICE_NEWS =
  'costs less now{% if product.old_price %}: {{ product.price | money }} instead of {{ product.old_price | money }}{% endif %}';
const LIST_NEWS = 'from your list is back in stock';
const STOCK_NEWS = 'is almost gone{% if product.stock %}: only {{ product.stock }} left{% endif %}';

export const BUILT_IN_TOPICS: readonly TopicRow[] = [
  { name: 'backinstock', trigger: 'automatic', texts: textsWith('is back in stock'), ...INITIAL },
  { name: 'comingsoon', trigger: 'manual', texts: textsWith('is here'), ...INITIAL },
  { name: 'pricedrop', trigger: 'pricedrop', texts: textsWith(PRICE_NEWS), ...INITIAL },
  { name: 'lowstock', trigger: 'lowstock', texts: textsWith(STOCK_NEWS), ...INITIAL },
  { name: 'wishlistrestock', trigger: 'automatic', texts: textsWith(LIST_NEWS), ...INITIAL },
];

/** The topic that shoppers subscribe to for a restock; list owners are notified through another topic. */
const SUBSCRIBERS_ONLY = 'backinstock';

export function isBuiltIn(name: string): boolean {
  return BUILT_IN_TOPICS.some((topic) => topic.name === name);
}

export function standardTexts(name: string): AlertTexts {
  return BUILT_IN_TOPICS.find((topic) => topic.name === name)?.texts ?? textsWith('has news for you');
}

function blankTopic(name: string): TopicRow {
  return { name, trigger: 'manual', texts: standardTexts(name), ...INITIAL };
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
  Exclude<keyof SaveTopicInput, 'name' | 'trigger' | 'texts' | Part>,
  TopicRule
> = TOPIC_RULES;

function checkRule(name: string, rule: TopicRule, value: unknown): void {
  if (rule.initial === null && value === null) return;
  if (rule.kind === 'int' && !isIntIn(rule, value)) fail('invalid-request', `${name} ${intRule(rule)}`);
  if (rule.kind === 'flag' && typeof value !== 'boolean')
    fail('invalid-request', `${name} must be true or false`);
  if (rule.kind === 'text' && !isTextUpTo(rule.max, value as string))
    fail('invalid-request', `${name} must have 1 to ${rule.max} characters`);
}

function isTextUpTo(max: number, text: string): boolean {
  return text.trim() !== '' && codePoints(text) <= max && isStorable(text);
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

const BY_TAG = triggersWith('tag');

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
export function applyTopicInput(current: TopicRow | null, { texts = {}, ...input }: TopicInput): TopicRow {
  if (current === null && !isTopicName(input.name))
    fail('invalid-topics', `name must have 1 to ${MAX_NAME} printable characters`);
  const base = current ?? blankTopic(input.name);
  const topic = { ...base, ...given(input), texts: withTexts(base.texts, texts) } as TopicRow;
  // Switching from the tag trigger clears the tag, so that a client needs to send only one field.
  if (!BY_TAG.includes(topic.trigger) && input.tag === undefined) topic.tag = null;
  topic.tag = checkTrigger(topic);
  checkRules(topic);
  return topic;
}

export function withTexts(current: AlertTexts, changes: TopicInput['texts'] = {}): AlertTexts {
  const texts = { ...current, ...given(changes) };
  checkSizes(texts);
  return texts;
}

const MAX_EPIS = 100;

export function checkEpis(epis: readonly string[]): string[] {
  if (epis.length < 1 || epis.length > MAX_EPIS)
    fail('invalid-products', `epis must have 1 to ${MAX_EPIS} entries`);
  const bad = epis.findIndex((epi) => !isProductId(epi));
  if (bad >= 0) fail('invalid-products', `epis[${bad}] must have 1 to 255 printable characters`);
  return [...new Set(epis)];
}
