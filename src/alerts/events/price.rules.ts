import type { TopicRules } from '../topics/topic.types.ts';
import { hasFallen, triggerOf } from '../topics/triggers.ts';
import type { Step } from '../topics/triggers.ts';

/** An alert event that has not ended. */
export type LiveEvent = {
  topic: string;
  epi: string;
  cause: string;
  /** The price that its drop is counted from. */
  wasPr: number | null;
  /** Whether nobody has been queued for it yet. */
  isPending: boolean;
};

export type PriceView = { mark: number | null; live: LiveEvent | null };

/** What a price change means: whether an event begins, ends or lasts, the reference price, and the mark to keep. */
export type PriceStep = { step: Step; reference: number | null; mark: number | null };

/**
 * A drop is counted from the highest price since subscribers were last notified: 100, 96, 92 is a drop of 8 %, and the next one counts from 92. While nobody
 * was queued for an event, a further drop belongs to it. The mark is that reference while the price lies below it.
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
