import type { TopicRow } from './topic.rules.ts';

/** What a catalogue write did to one variant. Null stock is unknown and counts as none; a removed product ends at null. */
export type StockChange = {
  epi: string;
  before: number | null;
  after: number | null;
  isNew: boolean;
  tagsAdded: string[];
};

/** An occasion to alert the subscribers of a variant. */
export type Opening = { topic: string; epi: string; cause: 'stock' | 'tag' | 'manual'; units: number };

/** What changes of stock and tags mean for a store's topics. */
export type RestockPlan = {
  /** Where occasions of the cause `stock` end, if there are any: unsent alerts are withheld. */
  stops: { topic: string; epi: string }[];
  openings: Opening[];
  /** Further units while stock was there already. */
  arrivals: { topic: string; epi: string; units: number }[];
};

/** What several changes of one variant in one write come to; those that change nothing for anybody are left out. */
export function foldChanges(changes: readonly StockChange[]): StockChange[] {
  const byEpi = new Map<string, StockChange>();
  for (const change of changes) {
    const earlier = byEpi.get(change.epi);
    const { before, isNew, tagsAdded } = earlier ?? { ...change, tagsAdded: [] };
    byEpi.set(change.epi, { ...change, before, isNew, tagsAdded: [...tagsAdded, ...change.tagsAdded] });
  }
  return [...byEpi.values()].filter(
    ({ before, after, tagsAdded }) => (before ?? 0) !== (after ?? 0) || tagsAdded.length > 0,
  );
}

/**
 * Openings are decided by transitions only: the same stock said again, or a new price, means nothing. Stops are not: the topic may
 * have got another minimum or trigger since its occasion opened, and nobody is to hear of stock that is gone.
 */
export function planRestocks(topics: readonly TopicRow[], changes: readonly StockChange[]): RestockPlan {
  const plan: RestockPlan = { stops: [], openings: [], arrivals: [] };
  for (const { epi, before, after, tagsAdded } of changes) {
    const was = before ?? 0;
    const is = after ?? 0;
    for (const { name: topic, trigger, tag, minStock } of topics) {
      if (trigger === 'tag' && tagsAdded.includes(tag!))
        plan.openings.push({ topic, epi, cause: 'tag', units: 0 });
      if (is < minStock) plan.stops.push({ topic, epi });
      else if (trigger !== 'automatic') continue;
      else if (was < minStock) plan.openings.push({ topic, epi, cause: 'stock', units: is });
      else if (is > was) plan.arrivals.push({ topic, epi, units: is - was });
    }
  }
  return plan;
}

/** Subscribers queued in one transaction: 5,000 take about 0.2 s, short enough for a catalogue write to wait behind. */
export const PORTION = 5_000;

/** How far the queueing of an occasion has come. */
export type Progress = {
  cause: string;
  units: number;
  /** Places that are taken: by those who were told or are about to be. */
  queued: number;
  cursorSeq: number;
  batchLeft: number | null;
  batchAt: Date | null;
};

/** How many subscribers the next portion may take; 0 means that more stock must come first. */
export function portionSize({ cause, units, queued, batchLeft }: Progress, topic: TopicRow): number {
  if (topic.shoppersPerUnit !== null && cause === 'stock')
    return Math.max(0, Math.min(PORTION, topic.shoppersPerUnit * units - queued));
  if (topic.batchSize !== null) return Math.min(PORTION, batchLeft ?? topic.batchSize);
  return PORTION;
}

/** What a portion took: of `count` subscribers, those in their cool-down need none of the places. */
export type Taken = { limit: number; count: number; places: number; lastSeq: number };

/** Where an occasion stands after a portion. */
export type NextStep = {
  state: 'open' | 'done';
  cursorSeq: number;
  batchLeft: number | null;
  /** When the batch began that `batchLeft` is of, or that was the last. */
  batchAt: Date | null;
  nextBatchAt: Date | null;
};

/**
 * What follows a portion. Numbers are handed out before they are committed, so when the end is reached after a cursor, one more
 * pass from the start picks up subscriptions that were being written meanwhile. A batch counts from its beginning, so that a place of it
 * that is given back and filled later does not move the next one.
 */
export function nextStep(
  progress: Progress,
  topic: TopicRow,
  { limit, count, places, lastSeq }: Taken,
  now: Date,
): NextStep {
  const { cursorSeq } = progress;
  if (limit === 0) return { state: 'open', cursorSeq, batchLeft: null, batchAt: null, nextBatchAt: null };
  const isNewBatch = progress.batchLeft === null || progress.batchAt === null;
  const batchAt = topic.batchSize === null ? null : isNewBatch ? now : progress.batchAt;
  const left = topic.batchSize === null ? null : (progress.batchLeft ?? topic.batchSize) - places;
  if (count < limit) {
    const isComplete = cursorSeq === 0;
    return {
      state: isComplete ? 'done' : 'open',
      cursorSeq: 0,
      batchLeft: left,
      batchAt,
      nextBatchAt: isComplete ? null : now,
    };
  }
  const next = { state: 'open', cursorSeq: lastSeq, batchAt } as const;
  if (left !== 0 || batchAt === null) return { ...next, batchLeft: left, nextBatchAt: now };
  const pauseMs = (topic.batchIntervalSeconds ?? 0) * 1_000;
  return { ...next, batchLeft: null, nextBatchAt: new Date(batchAt.getTime() + pauseMs) };
}
