import type { TopicRules } from '../topics/topic.types.ts';
import { hasFallen, triggerOf } from '../topics/triggers.ts';
import type { Step } from '../topics/triggers.ts';

/** An occasion that has not ended. */
export type LiveOccasion = {
  topic: string;
  epi: string;
  cause: string;
  /** The price that its fall is counted from. */
  wasPr: number | null;
  /** Whether nobody has been queued for it yet. */
  isPending: boolean;
};

/** What is kept of the price of a variant for a topic. */
export type PriceView = { mark: number | null; live: LiveOccasion | null };

/** What became of a price: whether an occasion begins, ends or goes on, what its fall is counted from, and what is to be kept. */
export type PriceStep = { step: Step; reference: number | null; mark: number | null };

/**
 * What a change of price means. A fall is counted from the price that people last knew: the highest one since they were last told, so that
 * 100, 96, 92 is a fall by 8 %, and after they heard of 92 the next counts from there. While nobody has been queued for an occasion, nobody knows of
 * it: a further fall belongs to it, and if the price is corrected the old reference stays. The mark is that reference while the price lies below it.
 */
export function stepPrice(
  topic: TopicRules,
  { mark, live }: PriceView,
  before: number | null,
  after: number | null,
): PriceStep {
  const reference = (live?.isPending ? live.wasPr : mark) || before || null;
  const kept = reference !== null && !(after && after >= reference) ? reference : null;
  const step = triggerOf('pricedrop').step(
    topic,
    { stk: null, pr: reference, tags: [] },
    { stk: null, pr: after, tags: [] },
  );
  if (step === 'begins')
    return live?.isPending ? { step: 'lasts', reference, mark } : { step, reference, mark: null };
  const isOver = live !== null && !hasFallen(topic, live.wasPr, after);
  return { step: isOver ? 'ends' : null, reference, mark: kept };
}
