import { LRUCache } from 'lru-cache';
import type { Viewer } from '../context.ts';
import type { IdentityState } from '../shoppers/identity.repo.ts';
import type { Basis } from '../platform/cache-dependencies.ts';
import { METRICS, measure } from '../platform/metrics.ts';
import type { Body } from '../platform/compression.ts';

/** An answer as it went out. Its headers are made anew each time. */
export type Answer = {
  body: Body;
  type: string;
  /** What the access log says of it. */
  operation: string | undefined;
};

/** What is known of a question: the slices of the catalogue that its answer depends on and, mostly from the second time on, the answer. */
export type Kept = { slices: readonly number[]; made: { state: IdentityState; answer: Answer } | null };

/** Answers that are sent again as long as nothing has changed that they depend on. */
export type KeptAnswers = {
  /** What is known of a question. */
  recall(question: string | null): Kept | null;
  /** The answer for this caller, if nothing has changed since it was made. */
  answerFor(kept: Kept | null, viewer: Viewer): Answer | null;
  /** Keeps an answer without errors; `recalled` is what was known of the question when the caller was identified. */
  keep(question: string | null, recalled: Kept | null, viewer: Viewer, basis: Basis, answer: Answer): void;
  /** Forgets everything: revisions of another database say nothing about these answers. */
  clear(): void;
};

/** What a call asks, as it came. */
export type Question = {
  /** The route. */
  place: string;
  pid: string;
  regid: string;
  /** Whether a store key speaks for the shopper. */
  hasKey: boolean;
  /** Everything else that the answer depends on: query, body, the types that are accepted. */
  input: readonly string[];
};

/** Longer questions are rare, and each is kept whole. */
const MAX_QUESTION = 4_000;
/** About what an entry takes beside its texts. */
const ENTRY_BYTES = 500;
/** One answer takes at most this part of the room. */
const MAX_SHARE = 1 / 16;

/** Names a question: the same name means the same question in the same role about the same shopper. Null where it is too long to keep. */
export function nameQuestion({ place, pid, regid, hasKey, input }: Question): string | null {
  const length = input.reduce((sum, text) => sum + text.length, 0);
  return length > MAX_QUESTION ? null : JSON.stringify([place, hasKey, pid, regid, ...input]);
}

function isSame(a: IdentityState, b: IdentityState): boolean {
  return (
    a.revision === b.revision &&
    a.catalog === b.catalog &&
    a.store === b.store &&
    a.shopper === b.shopper &&
    a.generation === b.generation
  );
}

/** What an answer takes with its packed forms. */
const weightOf = (answer: Answer): number => answer.body.plain.length * 2;

/** Opens a room for so many bytes of answers; with 0, none are kept. */
export function createKeptAnswers(maxBytes: number): KeptAnswers {
  const nothing = (): null => null;
  if (maxBytes === 0) return { recall: nothing, answerFor: nothing, keep: nothing, clear: nothing };
  const room = new LRUCache<string, Kept>({
    maxSize: maxBytes,
    sizeCalculation: ({ made, slices }, question) =>
      ENTRY_BYTES +
      question.length * 2 +
      slices.length * 8 +
      (made ? weightOf(made.answer) + made.state.shopper.bytes : 0),
  });
  measure(METRICS.keptBytes, () => room.calculatedSize);
  return {
    clear: () => room.clear(),
    recall: (question) => (question === null ? null : (room.get(question) ?? null)),
    answerFor: (kept, { state }) =>
      kept?.made && state && isSame(kept.made.state, state) ? kept.made.answer : null,
    keep(question, recalled, { state }, basis, answer) {
      if (question === null || state === null || !basis.isOwn) return;
      if (weightOf(answer) > maxBytes * MAX_SHARE) return;
      const asked = new Set(recalled?.slices);
      // The state holds the revisions of the slices that were asked for; where the answer needs others, they are known from now on.
      const isCovered = [...basis.slices].every((slice) => asked.has(slice));
      room.set(
        question,
        isCovered
          ? { slices: recalled?.slices ?? [], made: { state, answer } }
          : { slices: [...basis.slices], made: null },
      );
    },
  };
}
