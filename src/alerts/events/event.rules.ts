import type { TopicRules } from '../topics/topic.types.ts';
import { TRIGGER_NAMES, isTriggerName, triggerOf } from '../topics/triggers.ts';
import type { ProductState, TriggerName } from '../topics/triggers.ts';
import { stepPrice } from './price.rules.ts';
import type { LiveEvent } from './price.rules.ts';

/**
 * What a catalogue write did to one variant. A removed product ends at nothing, and one that comes again begins at what it had when it was
 * removed.
 */
export type ProductChange = {
  epi: string;
  before: ProductState;
  after: ProductState;
  isNew: boolean;
  /** Whether it was taken out of the catalogue; what it cost is remembered there. */
  isGone?: boolean;
  /** Last subscription number of when it was removed, for a product that comes again. */
  goneSince: number | null;
};

/** An alert event to open; its cause is a trigger. */
export type Opening = {
  topic: string;
  epi: string;
  cause: TriggerName;
  units: number;
  /** The price that a drop is counted from. */
  wasPr: number | null;
  delaySeconds: number;
  /** Whether list owners are notified too. */
  listHolders: boolean;
};

/** An event without delay. */
export function openingBy(
  topic: Pick<TopicRules, 'name' | 'listHolders'>,
  epi: string,
  cause: TriggerName,
): Opening {
  const { name, listHolders } = topic;
  return { topic: name, epi, cause, units: 0, wasPr: null, delaySeconds: 0, listHolders };
}

/** An event that resumes, because a removed product is there again, with `more` units than it had. */
export type Resumption = Opening & { more: number; goneSince: number };

/** What changes of products mean for a store's topics. */
export type EventPlan = {
  /** Where events of a cause end, if there are any: unsent alerts are withheld. */
  stops: { topic: string; epi: string; cause: TriggerName }[];
  openings: Opening[];
  resumptions: Resumption[];
  /** Further units while there were some already. */
  arrivals: Opening[];
  /** Price marks to write; null removes one. */
  marks: Mark[];
};

/** The price that a topic's next drop is counted from. */
export type Mark = { topic: string; epi: string; pr: number | null };

/** What is known of the variants before a change. */
export type Known = { live: readonly LiveEvent[]; marks: readonly Mark[] };

const WATCHED = new Set(TRIGGER_NAMES.flatMap((name) => triggerOf(name).watches));

function isSame(field: keyof ProductState, before: ProductState, after: ProductState): boolean {
  if (field === 'tags') return before.tags.join('\n') === after.tags.join('\n');
  return (before[field] ?? 0) === (after[field] ?? 0);
}

/** What several changes of one variant in one write come to; those that change nothing that a trigger watches are left out. */
export function foldChanges(changes: readonly ProductChange[]): ProductChange[] {
  const byEpi = new Map<string, ProductChange>();
  for (const change of changes) {
    const { before, isNew, goneSince } = byEpi.get(change.epi) ?? change;
    byEpi.set(change.epi, { ...change, before, isNew, goneSince });
  }
  return [...byEpi.values()].filter(
    ({ before, after, goneSince }) =>
      goneSince !== null || [...WATCHED].some((field) => !isSame(field, before, after)),
  );
}

/** What each trigger makes of each change. An event ends also where its topic has another trigger by now. */
export function planEvents(
  topics: readonly TopicRules[],
  changes: readonly ProductChange[],
  known: Known,
): EventPlan {
  const plan: EventPlan = { stops: [], openings: [], resumptions: [], arrivals: [], marks: [] };
  const live = new Map(known.live.map((one) => [keyOf(one), one]));
  const marks = new Map(known.marks.map((one) => [keyOf(one), one.pr]));
  for (const change of changes)
    for (const topic of topics) {
      const key = keyOf({ topic: topic.name, epi: change.epi });
      const here = live.get(key) ?? null;
      for (const cause of TRIGGER_NAMES)
        if (cause === 'pricedrop') planPrice(plan, topic, change, here, marks.get(key) ?? null);
        else planStep(plan, topic, cause, change, here);
    }
  return plan;
}

const keyOf = ({ topic, epi }: { topic: string; epi: string }): string => JSON.stringify([topic, epi]);

/** The same for prices, whose drops add up. */
function planPrice(
  plan: EventPlan,
  topic: TopicRules,
  { epi, before, after, isGone, goneSince }: ProductChange,
  event: LiveEvent | null,
  mark: number | null,
): void {
  const cause = 'pricedrop';
  const live = event?.cause === cause ? event : null;
  const isListening = topic.trigger === cause;
  const isChanged = goneSince !== null || !isSame('pr', before, after);
  if (!isChanged || !(isListening || live)) return;
  const next = stepPrice(topic, { mark, live }, before.pr, after.pr);
  if (next.step === 'ends') plan.stops.push({ topic: topic.name, epi, cause });
  if (!isListening) return;
  const { delaySeconds } = topic;
  if (next.step === 'begins')
    plan.openings.push({ ...openingBy(topic, epi, cause), wasPr: next.reference, delaySeconds });
  // What a variant that is gone cost is remembered with it.
  const kept = isGone && next.mark === before.pr ? mark : next.mark;
  if (kept !== mark) plan.marks.push({ topic: topic.name, epi, pr: kept });
}

function planStep(
  plan: EventPlan,
  topic: TopicRules,
  cause: TriggerName,
  { epi, before, after, goneSince }: ProductChange,
  live: LiveEvent | null,
): void {
  const trigger = triggerOf(cause);
  if (goneSince === null && trigger.watches.every((field) => isSame(field, before, after))) return;
  const step = trigger.step(topic, before, after);
  if (step === 'ends' && live?.cause === cause) plan.stops.push({ topic: topic.name, epi, cause });
  if (step === 'ends' || step === null || topic.trigger !== cause) return;
  const units = trigger.units?.(after) ?? 0;
  const opening = { ...openingBy(topic, epi, cause), delaySeconds: topic.delaySeconds };
  const more = Math.max(0, units - (trigger.units?.(before) ?? 0));
  if (step === 'begins') plan.openings.push({ ...opening, units });
  else if (goneSince !== null) plan.resumptions.push({ ...opening, units, more, goneSince });
  else if (more > 0) plan.arrivals.push({ ...opening, units: more });
}

/** Whether a live event still applies to somebody who confirms now, as its trigger says. */
export function isLasting(
  topics: readonly TopicRules[],
  { topic: name, cause, ...now }: ProductState & { topic: string; cause: string },
): boolean {
  const topic = topics.find((one) => one.name === name);
  if (topic === undefined || !isTriggerName(cause)) return false;
  return triggerOf(cause).holds?.(topic, now) ?? true;
}

/** Subscribers queued in one transaction: 5,000 take about 0.2 s, short enough for a catalogue write to wait behind. */
export const PORTION = 5_000;

/** How far the fan-out of an event has come. */
export type Progress = {
  cause: TriggerName;
  units: number;
  /** Places that are taken by those who were notified or are about to be. */
  queued: number;
  /** Subscriptions up to here were looked at in this pass. */
  cursorSeq: number;
  /** Whether list owners are being queued, who come after the subscribers, by the numbers of their items. */
  isListOwners: boolean;
  hasListOwners: boolean;
  /** In the first pass nobody ahead of the cursor has an alert of this event yet. */
  isFirstPass: boolean;
  batchLeft: number | null;
  batchAt: Date | null;
};

/** How many subscribers the next portion may take; 0 means that more stock must come first. */
export function portionSize({ cause, units, queued, batchLeft }: Progress, topic: TopicRules): number {
  if (topic.shoppersPerUnit !== null && triggerOf(cause).units)
    return Math.max(0, Math.min(PORTION, topic.shoppersPerUnit * units - queued));
  if (topic.batchSize !== null) return Math.min(PORTION, batchLeft ?? topic.batchSize);
  return PORTION;
}

/** What a portion took: those in their cool-down need no place. `isEnd` says that nobody is behind `lastSeq`. */
export type Taken = { limit: number; isEnd: boolean; places: number; lastSeq: number };

export type NextStep = {
  state: 'open' | 'done';
  isListOwners: boolean;
  cursorSeq: number;
  isFirstPass: boolean;
  batchLeft: number | null;
  /** When the batch began that `batchLeft` is of, or that was the last. */
  batchAt: Date | null;
  nextBatchAt: Date | null;
};

/**
 * What follows a portion. Sequence numbers are assigned before they are committed, so one more pass from the start picks up subscriptions that were being
 * written meanwhile. A batch counts from its beginning, so that a place that is given back does not move the next batch.
 */
export function nextStep(
  progress: Progress,
  topic: TopicRules,
  { limit, isEnd, places, lastSeq }: Taken,
  now: Date,
): NextStep {
  const { cursorSeq, isFirstPass, isListOwners } = progress;
  if (limit === 0)
    return {
      state: 'open',
      isListOwners,
      cursorSeq,
      isFirstPass,
      batchLeft: null,
      batchAt: null,
      nextBatchAt: null,
    };
  const isNewBatch = progress.batchLeft === null || progress.batchAt === null;
  const batchAt = topic.batchSize === null ? null : isNewBatch ? now : progress.batchAt;
  const left = topic.batchSize === null ? null : (progress.batchLeft ?? topic.batchSize) - places;
  if (isEnd) {
    const isComplete = cursorSeq === 0 || (isListOwners && !isFirstPass);
    const isOwnersTurn = isComplete && !isListOwners && progress.hasListOwners && topic.listHolders;
    return {
      state: isComplete && !isOwnersTurn ? 'done' : 'open',
      isListOwners: isListOwners || isOwnersTurn,
      cursorSeq: 0,
      isFirstPass: isOwnersTurn,
      batchLeft: left,
      batchAt,
      nextBatchAt: isComplete && !isOwnersTurn ? null : now,
    };
  }
  const next = { state: 'open', isListOwners, cursorSeq: lastSeq, isFirstPass, batchAt } as const;
  if (left !== 0 || batchAt === null) return { ...next, batchLeft: left, nextBatchAt: now };
  const pauseMs = (topic.batchIntervalSeconds ?? 0) * 1_000;
  return { ...next, batchLeft: null, nextBatchAt: new Date(batchAt.getTime() + pauseMs) };
}
