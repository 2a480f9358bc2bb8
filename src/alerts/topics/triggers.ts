import type { ProductModel, TopicModel } from '../../generated/prisma/models.ts';
import { priceAmount } from '../../platform/money.ts';
import { tagKey } from '../../stores/products/product.rules.ts';
import type { TriggerRuleName } from './topic.columns.ts';

/** Unknown stock counts as none; a removed product has no stock, price or tags. */
export type ProductState = Pick<ProductModel, 'stk' | 'pr' | 'tags'>;

type TriggerSettings = Pick<TopicModel, TriggerRuleName>;

/** What a change means for a topic: an alert event begins, ends or continues; null if there was none and is none. */
export type Step = 'begins' | 'ends' | 'lasts' | null;

type Trigger<
  Watched extends keyof ProductState = keyof ProductState,
  Setting extends keyof TriggerSettings = keyof TriggerSettings,
> = {
  label: string;
  /** The variant's fields that the trigger depends on; it is not called for changes of other fields. */
  watches: readonly Watched[];
  /** The topic's fields that the trigger reads; forms show only these. */
  settings: readonly Setting[];
  step(
    topic: Pick<TriggerSettings, Setting>,
    before: Pick<ProductState, Watched>,
    after: Pick<ProductState, Watched>,
  ): Step;
  /** Whether an event that no step has ended still applies to a contact who confirms only now; omitted if it always does. */
  holds?(topic: Pick<TriggerSettings, Setting>, now: Pick<ProductState, Watched>): boolean;
  /** The units in stock, which limit the number of alerts; omitted if all subscribers are alerted. */
  units?(state: Pick<ProductState, Watched>): number;
  endedReason: string;
};

/** A step that reads a field its row does not name does not compile, because nothing would call it or set the field. */
function trigger<Watched extends keyof ProductState, Setting extends keyof TriggerSettings>(
  row: Trigger<Watched, Setting>,
): Trigger {
  return row;
}

const unitsOf = ({ stk }: Pick<ProductState, 'stk'>): number => stk ?? 0;

function hasTag({ tag }: Pick<TriggerSettings, 'tag'>, { tags }: Pick<ProductState, 'tags'>): boolean {
  return tag !== null && tags.some((own) => tagKey(own) === tagKey(tag));
}

/** Whether a price has dropped by at least the topic's percentage. An unknown or zero price does not count. */
export function hasFallen(
  { dropPercent }: Pick<TriggerSettings, 'dropPercent'>,
  was: number | null,
  is: number | null,
): boolean {
  const [before, after] = [priceAmount(was), priceAmount(is)];
  return !!before && !!after && (before - after) * 100n >= before * BigInt(dropPercent);
}

/** Events begin only with a transition, but end by the current stock, because the topic's minimum may have changed. */
export const TRIGGERS = {
  automatic: trigger({
    label: 'When back in stock',
    watches: ['stk'],
    settings: ['minStock'],
    step({ minStock }, before, after) {
      if (unitsOf(after) < minStock) return 'ends';
      return unitsOf(before) < minStock ? 'begins' : 'lasts';
    },
    holds: ({ minStock }, now) => unitsOf(now) >= minStock,
    units: unitsOf,
    endedReason: 'the product is out of stock again',
  }),
  manual: trigger({
    label: 'Manually',
    watches: [],
    settings: [],
    step: () => null,
    // A manual send is a single moment: a contact who confirms later waits for the next one.
    holds: () => false,
    endedReason: 'the product is out of stock again',
  }),
  tag: trigger({
    label: 'When a tag is added',
    watches: ['tags'],
    settings: ['tag'],
    step(topic, before, after) {
      if (hasTag(topic, after)) return hasTag(topic, before) ? 'lasts' : 'begins';
      return hasTag(topic, before) ? 'ends' : null;
    },
    endedReason: 'the tag was removed',
  }),
  // `before` has the reference price of the drop (`stepPrice`), which can be several changes old.
  pricedrop: trigger({
    label: 'When the price drops',
    watches: ['pr'],
    settings: ['dropPercent'],
    step: (topic, before, after) => (hasFallen(topic, before.pr, after.pr) ? 'begins' : 'ends'),
    endedReason: 'the price went up again',
  }),
  lowstock: trigger({
    label: 'When stock is low',
    watches: ['stk'],
    settings: ['lowStock'],
    step({ lowStock }, before, after) {
      if (unitsOf(after) <= 0 || unitsOf(after) > lowStock) return 'ends';
      if (unitsOf(before) > lowStock) return 'begins';
      return unitsOf(before) > 0 ? 'lasts' : null;
    },
    endedReason: 'stock is no longer low',
  }),
};

export type TriggerName = keyof typeof TRIGGERS;

export const TRIGGER_NAMES = Object.keys(TRIGGERS) as TriggerName[];

export function triggerOf(name: TriggerName): Trigger {
  return TRIGGERS[name];
}

export function isTriggerName(text: string): text is TriggerName {
  return Object.hasOwn(TRIGGERS, text);
}
