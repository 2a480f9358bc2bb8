import { fail } from '../../shared/errors.ts';
import { codePoints, hasControlCharacters, isStorable } from '../../shared/text.ts';
import { toTag } from '../product/product.rules.ts';
import { checkSizes } from '../template/template.rules.ts';
import type { AlertTexts } from '../template/template.rules.ts';

/** What starts a topic's alerts: stock that comes back, a person, or a tag on the product. */
export type TopicTrigger = 'automatic' | 'manual' | 'tag';

/** A topic as it counts for a store: its own row, or the built-in one. */
export type TopicRow = AlertTexts & {
  name: string;
  trigger: TopicTrigger;
  tag: string | null;
  minStock: number;
  batchSize: number | null;
  batchIntervalSeconds: number | null;
  shoppersPerUnit: number | null;
  coolDownSeconds: number;
  expiryDays: number | null;
};

/** What a topic does, without its texts. */
export type TopicRules = Omit<TopicRow, keyof AlertTexts>;

/** Most topics of a store, with the built-in ones. */
export const MAX_TOPICS = 100;

/** What may be sent in to change a topic; a field left out stays, null empties it. */
export type TopicInput = { name: string } & {
  [Field in keyof Omit<TopicRow, 'name'>]?: TopicRow[Field] | null;
};

const RULES = {
  tag: null,
  minStock: 1,
  batchSize: null,
  batchIntervalSeconds: null,
  shoppersPerUnit: null,
  coolDownSeconds: 86_400,
  expiryDays: null,
} as const;

function htmlWith(headline: string): string {
  return `<!doctype html>
<html lang="en"><body style="font-family:sans-serif;line-height:1.5;color:#1a1a1a">
<h1 style="font-size:20px">${headline}</h1>
{% if product.image != "" %}<p><img src="{{ product.image }}" alt="" width="240" style="max-width:100%;height:auto"></p>{% endif %}
<p><strong>{{ product.title }}</strong>{% if product.variant != "" %}<br>{{ product.variant }}{% endif %}{% if product.price %}<br>{{ product.price }}{% endif %}</p>
{% if product.url != "" %}<p><a href="{{ product.url }}">See it at {{ store.name }}</a></p>{% endif %}
</body></html>`;
}

function textsWith(news: string): AlertTexts {
  const line = `{{ product.title }} ${news}`;
  return {
    subject: line,
    html: htmlWith(line),
    text: `${line}.\n{% if product.variant != "" %}{{ product.variant }}\n{% endif %}{{ product.url }}\n`,
    sms: `{{ store.name }}: ${line}. {{ product.url }}`,
  };
}

/** The topics that every store has without doing anything. */
export const BUILT_IN_TOPICS: readonly TopicRow[] = [
  { name: 'backinstock', trigger: 'automatic', ...textsWith('is back in stock'), ...RULES },
  { name: 'comingsoon', trigger: 'manual', ...textsWith('is here'), ...RULES },
];

/** What a custom topic starts from. */
function blankTopic(name: string): TopicRow {
  return { name, trigger: 'manual', ...textsWith('has news for you'), ...RULES };
}

/** Subscriptions of this moment and older ones have expired; null where a topic's never do. */
export function expiresBefore({ expiryDays }: Pick<TopicRow, 'expiryDays'>, now: Date): Date | null {
  return expiryDays === null ? null : new Date(now.getTime() - expiryDays * 86_400_000);
}

const MAX_NAME = 64;
const TRIGGERS: readonly string[] = ['automatic', 'manual', 'tag'];

type NumberField =
  'minStock' | 'batchSize' | 'batchIntervalSeconds' | 'shoppersPerUnit' | 'coolDownSeconds' | 'expiryDays';
const RANGES: Record<NumberField, { min: number; max: number; isNullable: boolean }> = {
  minStock: { min: 1, max: 1_000_000, isNullable: false },
  batchSize: { min: 1, max: 1_000_000, isNullable: true },
  batchIntervalSeconds: { min: 1, max: 30 * 86_400, isNullable: true },
  shoppersPerUnit: { min: 1, max: 100_000, isNullable: true },
  coolDownSeconds: { min: 0, max: 30 * 86_400, isNullable: false },
  expiryDays: { min: 1, max: 3_650, isNullable: true },
};

function checkNumbers(topic: TopicRow): void {
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

/** The tag in the form that products have theirs in, or null where the topic needs none. */
function checkTrigger({ trigger, tag }: TopicRow): string | null {
  if (!TRIGGERS.includes(trigger)) fail('invalid-request', 'trigger must be automatic, manual or tag');
  if ((trigger === 'tag') !== (tag !== null))
    fail('invalid-request', 'tag names the product tag of a topic with the trigger tag, and of no other');
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

/** The topic with the changes applied and every rule checked. `current` is null for a topic that does not exist yet. */
export function applyTopicInput(current: TopicRow | null, input: TopicInput): TopicRow {
  const base = current ?? blankTopic(checkName(input.name));
  const topic = {
    ...base,
    ...Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)),
  } as TopicRow;
  checkSizes(topic);
  // Leaving the tag trigger drops its tag, so that one field is enough to switch.
  if (topic.trigger !== 'tag' && input.tag === undefined) topic.tag = null;
  topic.tag = checkTrigger(topic);
  checkNumbers(topic);
  return topic;
}
