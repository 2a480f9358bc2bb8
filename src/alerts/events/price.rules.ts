import type { TopicRules } from '../topics/topic.types.ts';
import { hasFallen, triggerOf } from '../topics/triggers.ts';
import type { Step } from '../topics/triggers.ts';

export type LiveEvent = {
  topic: string;
  epi: string;
  cause: string;
  wasPr: number | null;
  /** Nobody has been queued for it yet. */
  isPending: boolean;
};

type PriceView = { mark: number | null; live: LiveEvent | null };

/** Whether an event begins, ends or lasts, its reference price, and the mark to store. */
type PriceStep = { step: Step; reference: number | null; mark: number | null };

/** A drop counts from the highest price since the last alert: 100, 96, 92 is a drop of 8 %, and the next counts from 92. */
export function stepPrice(
  topic: TopicRules,
  { mark, live }: PriceView,
  before: number | null,
  after: number | null,
): PriceStep {
  const reference = (live?.isPending ? live.wasPr : mark) || before || null;
  const kept = reference !== null && !(after && after >= reference) ? reference : null;
  const at = (pr: number | null) => ({ stk: null, pr, tags: [] });
  const step = triggerOf('pricedrop').step(topic, at(reference), at(after));
  if (step === 'begins')
    return live?.isPending ? { step: 'lasts', reference, mark } : { step, reference, mark: null };
  const isOver = live !== null && !hasFallen(topic, live.wasPr, after);
  return { step: isOver ? 'ends' : null, reference, mark: kept };
}
