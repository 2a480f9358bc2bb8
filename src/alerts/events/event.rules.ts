import type { TopicRules } from '../topics/topic.types.ts';
import { TRIGGER_NAMES, hasFallen, isTriggerName, triggerOf } from '../topics/triggers.ts';
import type { ProductState, Step, TriggerName } from '../topics/triggers.ts';

/** A removed product has no state after the change; a restored one starts with its state at removal. */
export type ProductChange = {
  epi: string;
  before: ProductState;
  after: ProductState;
  isNew: boolean;
  /** The product was removed from the catalogue, which still remembers its price. */
  isGone?: boolean;
  /** The last subscription number at removal, for a restored product. */
  goneSince: number | null;
};

export type Opening = {
  topic: string;
  epi: string;
  cause: TriggerName;
  units: number;
  /** The reference price of a drop. */
  wasPr: number | null;
  delaySeconds: number;
  listHolders: boolean;
};

/** Opens the event without a delay. */
export function openingBy({ name, listHolders }: TopicRules, epi: string, cause: TriggerName): Opening {
  return { topic: name, epi, cause, units: 0, wasPr: null, delaySeconds: 0, listHolders };
}

/** An event that resumes because its product was restored, with `more` units than before. */
export type Resumption = Opening & { more: number; goneSince: number };

export type EventPlan = {
  /** Ends the events of this cause, if any; the dispatcher withholds their unsent alerts. */
  stops: { topic: string; epi: string; cause: TriggerName }[];
  openings: Opening[];
  resumptions: Resumption[];
  /** Additional units of a variant that was already in stock. */
  arrivals: Opening[];
  /** Price marks to write; null removes the mark. */
  marks: Mark[];
};

/** The reference price of a topic's next drop. */
export type Mark = { topic: string; epi: string; pr: number | null };

/** `isPending`: nobody has been queued for it yet. */
export type LiveEvent = Pick<Opening, 'topic' | 'epi' | 'wasPr'> & { cause: string; isPending: boolean };

export type KnownEvents = { live: readonly LiveEvent[]; marks: readonly Mark[] };

const WATCHED = new Set(TRIGGER_NAMES.flatMap((name) => triggerOf(name).watches));

function isSame(field: keyof ProductState, before: ProductState, after: ProductState): boolean {
  if (field === 'tags') return before.tags.join('\n') === after.tags.join('\n');
  return (before[field] ?? 0) === (after[field] ?? 0);
}

/** Merges all changes of a variant in one write, and drops those that no trigger watches. */
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

/** Evaluates each change with each trigger. An event also ends if its topic has another trigger by now. */
export function planEvents(
  topics: readonly TopicRules[],
  changes: readonly ProductChange[],
  known: KnownEvents,
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

/**
 * Returns whether an event begins, ends or lasts, its reference price, and the mark to store. A drop counts from the highest price
 * since the last alert: 100, 96, 92 is a drop of 8 %, and the next counts from 92.
 */
export function stepPrice(
  topic: TopicRules,
  { mark, live }: { mark: number | null; live: LiveEvent | null },
  before: number | null,
  after: number | null,
): { step: Step; reference: number | null; mark: number | null } {
  const reference = (live?.isPending ? live.wasPr : mark) || before || null;
  const kept = reference !== null && !(after && after >= reference) ? reference : null;
  const at = (pr: number | null) => ({ stk: null, pr, tags: [] });
  const step = triggerOf('pricedrop').step(topic, at(reference), at(after));
  if (step === 'begins')
    return live?.isPending ? { step: 'lasts', reference, mark } : { step, reference, mark: null };
  const isOver = live !== null && !hasFallen(topic, live.wasPr, after);
  return { step: isOver ? 'ends' : null, reference, mark: kept };
}

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
  // The catalogue remembers the price of a removed variant, so it is not written as a mark.
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

/** Whether a live event still applies to a subscriber who confirms now, according to its trigger. */
export function isLasting(
  topics: readonly TopicRules[],
  { topic: name, cause, ...now }: ProductState & { topic: string; cause: string },
): boolean {
  const topic = topics.find((one) => one.name === name);
  if (topic === undefined || !isTriggerName(cause)) return false;
  return triggerOf(cause).holds?.(topic, now) ?? true;
}

/** Subscribers per transaction: 5,000 take about 0.2 s, short enough for a catalogue write to wait. */
export const PORTION = 5_000;

export type Progress = {
  cause: TriggerName;
  units: number;
  /** Places used by contacts that were notified or are queued. */
  queued: number;
  /** This pass has processed the subscriptions up to this number. */
  cursorSeq: number;
  /** List owners are queued after the subscribers, in the order of their items. */
  isListOwners: boolean;
  hasListOwners: boolean;
  /** In the first pass, nobody after the cursor has an alert of this event yet. */
  isFirstPass: boolean;
  batchLeft: number | null;
  /** The start of the current or last batch. */
  batchAt: Date | null;
};

/** The size of the next batch; 0 means that the event waits for more stock. */
export function portionSize({ cause, units, queued, batchLeft }: Progress, topic: TopicRules): number {
  if (topic.shoppersPerUnit !== null && triggerOf(cause).units)
    return Math.max(0, Math.min(PORTION, topic.shoppersPerUnit * units - queued));
  if (topic.batchSize !== null) return Math.min(PORTION, batchLeft ?? topic.batchSize);
  return PORTION;
}

/** The result of a batch; contacts in their cool-down need no place. `isEnd` means that no contact follows `lastSeq`. */
export type Taken = { isEnd: boolean; places: number; lastSeq: number };

export type NextStep = Pick<
  Progress,
  'isListOwners' | 'cursorSeq' | 'isFirstPass' | 'batchLeft' | 'batchAt'
> & { state: 'open' | 'done'; nextBatchAt: Date | null };

export const NO_BATCH = { batchLeft: null, batchAt: null, nextBatchAt: null };

/** PostgreSQL assigns sequence numbers before commit, so a second pass picks up concurrent subscriptions. */
export function nextStep(
  progress: Progress,
  topic: TopicRules,
  { limit, isEnd, places, lastSeq }: Taken & { limit: number },
  now: Date,
): NextStep {
  const { cursorSeq, isFirstPass, isListOwners } = progress;
  if (limit === 0) return { state: 'open', isListOwners, cursorSeq, isFirstPass, ...NO_BATCH };
  const isNewBatch = progress.batchLeft === null || progress.batchAt === null;
  const batchAt = topic.batchSize === null ? null : isNewBatch ? now : progress.batchAt;
  const left = topic.batchSize === null ? null : (progress.batchLeft ?? topic.batchSize) - places;
  if (isEnd) {
    const isComplete = cursorSeq === 0 || (isListOwners && !isFirstPass);
    const isOwnersTurn = isComplete && !isListOwners && progress.hasListOwners && topic.listHolders;
    const isDone = isComplete && !isOwnersTurn;
    return {
      ...{ cursorSeq: 0, isFirstPass: isOwnersTurn, isListOwners: isListOwners || isOwnersTurn },
      ...{ batchLeft: left, batchAt },
      ...(isDone ? { state: 'done', nextBatchAt: null } : { state: 'open', nextBatchAt: now }),
    };
  }
  const next = { state: 'open', isListOwners, cursorSeq: lastSeq, isFirstPass, batchAt } as const;
  if (left !== 0 || batchAt === null) return { ...next, batchLeft: left, nextBatchAt: now };
  const pauseMs = (topic.batchIntervalSeconds ?? 0) * 1_000;
  return { ...next, batchLeft: null, nextBatchAt: new Date(batchAt.getTime() + pauseMs) };
}
