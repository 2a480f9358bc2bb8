import { PART_NAMES, PARTS } from '../send/channels.ts';
import type { AlertTexts } from '../send/channels.ts';
import { fail } from '../../platform/errors.ts';
import { codePoints, hasControlCharacters, isStorable } from '../../platform/text.ts';
import { isProductId, toTag } from '../../stores/products/product.rules.ts';
import { checkSizes } from '../compose/template.rules.ts';
import type { TopicRow, TopicRules } from './topic.types.ts';
import { TRIGGER_NAMES, isTriggerName, triggersWith } from './triggers.ts';
import { DAY_MS } from '../../platform/time.ts';

/** Most topics of a store, with the built-in ones. */
export const MAX_TOPICS = 100;

/** What may be sent in to change a topic; a field left out stays, null empties it. */
export type TopicInput = { name: string; texts?: Partial<Record<string, string | null>> } & {
  [Field in keyof Omit<TopicRules, 'name'>]?: TopicRules[Field] | null;
};

const RULES = {
  tag: null,
  minStock: 1,
  batchSize: null,
  batchIntervalSeconds: null,
  shoppersPerUnit: null,
  coolDownSeconds: 86_400,
  expiryDays: null,
  dropPercent: 5,
  lowStock: 3,
  delaySeconds: 0,
  listHolders: false,
} as const;

/** What every part says, with the news of a topic. */
function textsWith(news: string): AlertTexts {
  return Object.fromEntries(PART_NAMES.map((part) => [part, PARTS[part].standard(news)])) as AlertTexts;
}

// The price of before is known where a price fell, and stock where it is counted; a send by hand may have neither.
const PRICE_NEWS =
  'costs less now{% if product.old_price %}: {{ product.price | money }} instead of {{ product.old_price | money }}{% endif %}';
const STOCK_NEWS = 'is almost gone{% if product.stock %}: only {{ product.stock }} left{% endif %}';

/** The topics that every store has without doing anything. */
export const BUILT_IN_TOPICS: readonly TopicRow[] = [
  { name: 'backinstock', trigger: 'automatic', texts: textsWith('is back in stock'), ...RULES },
  { name: 'comingsoon', trigger: 'manual', texts: textsWith('is here'), ...RULES },
  { name: 'pricedrop', trigger: 'pricedrop', texts: textsWith(PRICE_NEWS), ...RULES },
  { name: 'lowstock', trigger: 'lowstock', texts: textsWith(STOCK_NEWS), ...RULES },
  {
    name: 'wishlistrestock',
    trigger: 'automatic',
    texts: textsWith('from your list is back in stock'),
    ...RULES,
  },
];

/** The topic that people subscribe to for a restock; who only has the product in a list hears on another. */
const SUBSCRIBERS_ONLY = 'backinstock';

/** Whether every store has a topic of this name. */
export function isBuiltIn(name: string): boolean {
  return BUILT_IN_TOPICS.some((topic) => topic.name === name);
}

/** What the texts of a topic are until its store writes them. */
export function standardTexts(name: string): AlertTexts {
  return BUILT_IN_TOPICS.find((topic) => topic.name === name)?.texts ?? textsWith('has news for you');
}

/** What a custom topic starts from. */
function blankTopic(name: string): TopicRow {
  return { name, trigger: 'manual', texts: standardTexts(name), ...RULES };
}

/** Subscriptions of this moment and older ones have expired; null where a topic's never do. */
export function expiresBefore({ expiryDays }: Pick<TopicRules, 'expiryDays'>, now: Date): Date | null {
  return expiryDays === null ? null : new Date(now.getTime() - expiryDays * DAY_MS);
}

const MAX_NAME = 64;

type NumberField =
  | 'minStock'
  | 'batchSize'
  | 'batchIntervalSeconds'
  | 'shoppersPerUnit'
  | 'coolDownSeconds'
  | 'expiryDays'
  | 'dropPercent'
  | 'lowStock'
  | 'delaySeconds';
const RANGES: Record<NumberField, { min: number; max: number; isNullable: boolean }> = {
  minStock: { min: 1, max: 1_000_000, isNullable: false },
  batchSize: { min: 1, max: 1_000_000, isNullable: true },
  batchIntervalSeconds: { min: 1, max: 30 * 86_400, isNullable: true },
  shoppersPerUnit: { min: 1, max: 100_000, isNullable: true },
  coolDownSeconds: { min: 0, max: 30 * 86_400, isNullable: false },
  expiryDays: { min: 1, max: 3_650, isNullable: true },
  dropPercent: { min: 1, max: 99, isNullable: false },
  lowStock: { min: 1, max: 1_000_000, isNullable: false },
  delaySeconds: { min: 0, max: 86_400, isNullable: false },
};

function checkNumbers(topic: TopicRules): void {
  for (const [field, { min, max, isNullable }] of Object.entries(RANGES) as [
    NumberField,
    (typeof RANGES)[NumberField],
  ][]) {
    const value = topic[field];
    const isFine = value === null ? isNullable : Number.isInteger(value) && value >= min && value <= max;
    if (!isFine)
      fail(
        'invalid-request',
        `${field} must be a whole number from ${min} to ${max}${isNullable ? ' or null' : ''}`,
      );
  }
  if ((topic.batchSize === null) !== (topic.batchIntervalSeconds === null)) {
    fail('invalid-request', 'batchSize and batchIntervalSeconds go together');
  }
  if (topic.batchSize !== null && topic.shoppersPerUnit !== null) {
    fail('invalid-request', 'Use batches (batchSize, batchIntervalSeconds) or shoppersPerUnit, not both');
  }
}

function checkHolders({ name, listHolders }: TopicRules): void {
  if (typeof listHolders !== 'boolean') fail('invalid-request', 'listHolders must be true or false');
  if (listHolders && name === SUBSCRIBERS_ONLY)
    fail(
      'invalid-request',
      `listHolders: ${SUBSCRIBERS_ONLY} is for its subscribers; list holders hear of a restock on wishlistrestock`,
    );
}

/** Triggers that wait for a tag. */
const BY_TAG = triggersWith('tag');

/** The tag in the form that products have theirs in, or null where the topic needs none. */
function checkTrigger({ trigger, tag }: TopicRules): string | null {
  if (!isTriggerName(trigger))
    fail(
      'invalid-request',
      `trigger must be ${TRIGGER_NAMES.slice(0, -1).join(', ')} or ${TRIGGER_NAMES.at(-1)!}`,
    );
  if (BY_TAG.includes(trigger) !== (tag !== null))
    fail(
      'invalid-request',
      `tag names the product tag of a topic with the trigger ${BY_TAG.join(' or ')}, and of no other`,
    );
  return tag === null ? null : toTag(tag) || fail('invalid-request', 'tag must have 1 to 255 characters');
}

function checkName(name: string): string {
  const isFine =
    name.trim() === name &&
    name !== '' &&
    codePoints(name) <= MAX_NAME &&
    !hasControlCharacters(name) &&
    isStorable(name);
  return isFine ? name : fail('invalid-topics', `name must have 1 to ${MAX_NAME} printable characters`);
}

/** What was given, without what was left out. */
function given<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Fields>;
}

/** The topic with the changes applied and every rule checked. `current` is null for a topic that does not exist yet. */
export function applyTopicInput(current: TopicRow | null, { texts = {}, ...input }: TopicInput): TopicRow {
  const base = current ?? blankTopic(checkName(input.name));
  const topic = { ...base, ...given(input), texts: withTexts(base.texts, texts) } as TopicRow;
  // Leaving the tag trigger drops its tag, so that one field is enough to switch.
  if (!BY_TAG.includes(topic.trigger) && input.tag === undefined) topic.tag = null;
  topic.tag = checkTrigger(topic);
  checkNumbers(topic);
  checkHolders(topic);
  return topic;
}

/** Some texts with others instead, none of them empty or too long. */
export function withTexts(current: AlertTexts, changes: TopicInput['texts'] = {}): AlertTexts {
  const texts = { ...current, ...given(changes) };
  checkSizes(texts);
  return texts;
}

/** Most variants of one call. */
const MAX_EPIS = 100;

/** The variants that a call names, each once. */
export function checkEpis(epis: readonly string[]): string[] {
  if (epis.length < 1 || epis.length > MAX_EPIS)
    fail('invalid-products', `epis must have 1 to ${MAX_EPIS} entries`);
  const bad = epis.findIndex((epi) => !isProductId(epi));
  if (bad >= 0) fail('invalid-products', `epis[${bad}] must have 1 to 255 printable characters`);
  return [...new Set(epis)];
}
