import { tagKey } from '../product/product.rules.ts';
import type { TopicRules } from '../topic/topic.rules.ts';

/**
 * What a catalogue write did to one variant. Null stock is unknown and counts as none; a removed product ends at null and without tags, and
 * one that comes again begins at what it had when it was removed.
 */
export type StockChange = {
  epi: string;
  before: number | null;
  after: number | null;
  isNew: boolean;
  tagsBefore: string[];
  tagsAfter: string[];
  /** Last subscription number of when it was removed, for a product that comes again. */
  goneSince: number | null;
};

/** What can start an occasion. */
export type Cause = 'stock' | 'tag' | 'manual';

/** An occasion to alert the subscribers of a variant. */
export type Opening = { topic: string; epi: string; cause: Cause; units: number };

/** An occasion that goes on, because a product that was removed is there again, with `more` units than it had. */
export type Resumption = Opening & { more: number; goneSince: number };

/** What changes of stock and tags mean for a store's topics. */
export type RestockPlan = {
  /** Where occasions of a cause end, if there are any: unsent alerts are withheld. */
  stops: { topic: string; epi: string; cause: Cause }[];
  openings: Opening[];
  resumptions: Resumption[];
  /** Further units while stock was there already. */
  arrivals: { topic: string; epi: string; units: number }[];
};

/** What several changes of one variant in one write come to; those that change nothing for anybody are left out. */
export function foldChanges(changes: readonly StockChange[]): StockChange[] {
  const byEpi = new Map<string, StockChange>();
  for (const change of changes) {
    const { before, isNew, tagsBefore, goneSince } = byEpi.get(change.epi) ?? change;
    byEpi.set(change.epi, { ...change, before, isNew, tagsBefore, goneSince });
  }
  return [...byEpi.values()].filter(
    ({ before, after, tagsBefore, tagsAfter, goneSince }) =>
      goneSince !== null || (before ?? 0) !== (after ?? 0) || tagsBefore.join('\n') !== tagsAfter.join('\n'),
  );
}

/**
 * Openings are decided by transitions only: the same stock said again, or a new price, means nothing. Stops of stock are not: the topic may
 * have got another minimum or trigger since its occasion opened, and nobody is to hear of stock that is gone.
 */
export function planRestocks(topics: readonly TopicRules[], changes: readonly StockChange[]): RestockPlan {
  const plan: RestockPlan = { stops: [], openings: [], resumptions: [], arrivals: [] };
  for (const change of changes) {
    const [had, has] = [change.tagsBefore, change.tagsAfter].map((tags) => new Set(tags.map(tagKey)));
    for (const topic of topics) {
      planStock(plan, topic, change);
      if (topic.tag !== null)
        planTag(plan, topic, change, had!.has(tagKey(topic.tag)), has!.has(tagKey(topic.tag)));
    }
  }
  return plan;
}

function planStock(
  plan: RestockPlan,
  { name: topic, trigger, minStock }: TopicRules,
  change: StockChange,
): void {
  const { epi, goneSince } = change;
  const was = change.before ?? 0;
  const is = change.after ?? 0;
  const cause = 'stock';
  if (is < minStock) plan.stops.push({ topic, epi, cause });
  else if (trigger !== 'automatic') return;
  else if (was < minStock) plan.openings.push({ topic, epi, cause, units: is });
  else if (goneSince !== null)
    plan.resumptions.push({ topic, epi, cause, units: is, more: Math.max(0, is - was), goneSince });
  else if (is > was) plan.arrivals.push({ topic, epi, units: is - was });
}

function planTag(
  plan: RestockPlan,
  { name: topic }: TopicRules,
  { epi, goneSince }: StockChange,
  had: boolean,
  has: boolean,
): void {
  const cause = 'tag';
  if (has && !had) plan.openings.push({ topic, epi, cause, units: 0 });
  else if (had && !has) plan.stops.push({ topic, epi, cause });
  else if (has && goneSince !== null)
    plan.resumptions.push({ topic, epi, cause, units: 0, more: 0, goneSince });
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
export function portionSize({ cause, units, queued, batchLeft }: Progress, topic: TopicRules): number {
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
  topic: TopicRules,
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
