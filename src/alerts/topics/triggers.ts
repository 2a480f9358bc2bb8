import type { ProductModel, TopicModel } from '../../generated/prisma/models.ts';
import { tagKey } from '../../stores/products/product.rules.ts';
import type { TriggerRuleName } from './topic.columns.ts';

/** What triggers see of a variant. Stock that is unknown counts as none; a removed product has neither stock, price nor tags. */
export type ProductState = Pick<ProductModel, 'stk' | 'pr' | 'tags'>;

/** The rules of a topic that triggers read. */
export type TriggerSettings = Pick<TopicModel, TriggerRuleName>;

/** What a change means for a topic: an occasion begins, ends or goes on; null where there was and is none. */
export type Step = 'begins' | 'ends' | 'lasts' | null;

/** What can start a topic's alerts. A topic listens to the one that its `trigger` names. */
export type Trigger<
  Watched extends keyof ProductState = keyof ProductState,
  Setting extends keyof TriggerSettings = keyof TriggerSettings,
> = {
  label: string;
  /** Fields of a variant that it looks at; a change of others is not shown to it. */
  watches: readonly Watched[];
  /** Fields of a topic that it reads; forms show these and no others. */
  settings: readonly Setting[];
  step(
    topic: Pick<TriggerSettings, Setting>,
    before: Pick<ProductState, Watched>,
    after: Pick<ProductState, Watched>,
  ): Step;
  /** Whether an occasion that no step has ended is still one for somebody who confirms only now; left out where it always is. */
  holds?(topic: Pick<TriggerSettings, Setting>, now: Pick<ProductState, Watched>): boolean;
  /** Units of stock, which limit the subscribers to alert; left out where all are alerted. */
  units?(state: Pick<ProductState, Watched>): number;
  endedReason: string;
};

/** A row of the table. A step that reads what its row does not name does not compile: it would never be asked, or never be set. */
function trigger<Watched extends keyof ProductState, Setting extends keyof TriggerSettings>(
  row: Trigger<Watched, Setting>,
): Trigger {
  return row;
}

const unitsOf = ({ stk }: Pick<ProductState, 'stk'>): number => stk ?? 0;

function hasTag({ tag }: Pick<TriggerSettings, 'tag'>, { tags }: Pick<ProductState, 'tags'>): boolean {
  return tag !== null && tags.some((own) => tagKey(own) === tagKey(tag));
}

/** So little that only the rounding of a computer can be to blame. */
const ROUNDING = 1e-9;

/** Whether a price has fallen by as much as the topic asks for. One that is unknown or nothing is no price. */
export function hasFallen(
  { dropPercent }: Pick<TriggerSettings, 'dropPercent'>,
  was: number | null,
  is: number | null,
): boolean {
  return !!was && !!is && ((was - is) / was) * 100 >= dropPercent - ROUNDING;
}

/**
 * Every trigger, by the name that topics and occasions have it under. Occasions begin by transitions only: the same stock said again means
 * nothing. Stock ends them by what it is: the topic may have got another minimum since, and nobody is to hear of stock that is gone.
 */
export const TRIGGERS = {
  automatic: trigger({
    label: 'When stock is back',
    watches: ['stk'],
    settings: ['minStock'],
    step({ minStock }, before, after) {
      if (unitsOf(after) < minStock) return 'ends';
      return unitsOf(before) < minStock ? 'begins' : 'lasts';
    },
    holds: ({ minStock }, now) => unitsOf(now) >= minStock,
    units: unitsOf,
    endedReason: 'the stock is gone again',
  }),
  manual: trigger({
    label: 'By hand',
    watches: [],
    settings: [],
    step: () => null,
    // A send by hand is a moment: who confirms after it waits for the next.
    holds: () => false,
    endedReason: 'the stock is gone again',
  }),
  tag: trigger({
    label: 'When a product gets a tag',
    watches: ['tags'],
    settings: ['tag'],
    step(topic, before, after) {
      if (hasTag(topic, after)) return hasTag(topic, before) ? 'lasts' : 'begins';
      return hasTag(topic, before) ? 'ends' : null;
    },
    endedReason: 'the tag is gone again',
  }),
  // `before` has the price that the fall is counted from (price.rules.ts), which may be that of several changes ago.
  pricedrop: trigger({
    label: 'When the price falls',
    watches: ['pr'],
    settings: ['dropPercent'],
    step: (topic, before, after) => (hasFallen(topic, before.pr, after.pr) ? 'begins' : 'ends'),
    endedReason: 'the price is up again',
  }),
  lowstock: trigger({
    label: 'When little stock is left',
    watches: ['stk'],
    settings: ['lowStock'],
    step({ lowStock }, before, after) {
      if (unitsOf(after) <= 0 || unitsOf(after) > lowStock) return 'ends';
      if (unitsOf(before) > lowStock) return 'begins';
      return unitsOf(before) > 0 ? 'lasts' : null;
    },
    endedReason: 'the stock is gone or enough again',
  }),
};

export type TriggerName = keyof typeof TRIGGERS;

export const TRIGGER_NAMES = Object.keys(TRIGGERS) as TriggerName[];

export function triggerOf(name: TriggerName): Trigger {
  return TRIGGERS[name];
}

/** Triggers that read a field of their topic. */
export function triggersWith(setting: keyof TriggerSettings): TriggerName[] {
  return TRIGGER_NAMES.filter((name) => triggerOf(name).settings.includes(setting));
}

export function isTriggerName(text: string): text is TriggerName {
  return Object.hasOwn(TRIGGERS, text);
}
