import { METRICS } from './metrics.ts';
import { holdSpan, resumeSpans } from './tracing.ts';
import type { Held } from './tracing.ts';

/** What became of a write that shared its transaction: `alone` when it has to be done by itself. */
export type Outcome<Result> = { result: Result } | { error: unknown } | 'alone';

/** How writes are done. */
export type Writing<Write, Result> = {
  /** Does many writes in one transaction; answers one outcome a write, in order. What it throws concerns all of them. */
  together: (writes: readonly Write[]) => Promise<Outcome<Result>[]>;
  /** Does one write in a transaction of its own. */
  alone: (write: Write) => Promise<Result>;
  /** Writes with the same subject are done one after the other, in the order in which they came. */
  subjectOf: (write: Write) => string;
  maxInFlight?: number;
  maxBatch?: number;
};

type Waiting<Write, Result> = {
  write: Write;
  subject: string;
  span: Held | undefined;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};

/**
 * Lets concurrent writes share one transaction, as `createBatchLoader` does for reads: they are committed, and so written to disk,
 * together, and each is answered after that. A write that comes alone is done at once.
 */
export function createWriteBatch<Write, Result>({
  together,
  alone,
  subjectOf,
  maxInFlight = 2,
  maxBatch = 50,
}: Writing<Write, Result>): (write: Write) => Promise<Result> {
  type Entry = Waiting<Write, Result>;
  let waiting: Entry[] = [];
  const busy = new Set<string>();
  let inFlight = 0;
  let isScheduled = false;

  const take = (): Entry[] => {
    const batch: Entry[] = [];
    waiting = waiting.filter((entry) => {
      if (batch.length === maxBatch || busy.has(entry.subject)) return true;
      busy.add(entry.subject);
      batch.push(entry);
      return false;
    });
    return batch;
  };

  const flush = (): void => {
    isScheduled = false;
    while (inFlight < maxInFlight) {
      const batch = take();
      if (batch.length === 0) return;
      void run(batch);
    }
  };

  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(flush);
  };

  const end = ({ subject }: Entry): void => {
    busy.delete(subject);
    schedule();
  };

  // It takes none of the places: one that waits for a lock must not keep the others waiting.
  const runAlone = async (entry: Entry): Promise<void> => {
    await resumeSpans([entry], () => alone(entry.write)).then(entry.resolve, entry.reject);
    end(entry);
  };

  const settle = (entry: Entry, outcome: Outcome<Result>): void => {
    if (outcome === 'alone') return void runAlone(entry);
    if ('error' in outcome) entry.reject(outcome.error);
    else entry.resolve(outcome.result);
    end(entry);
  };

  const run = async (batch: Entry[]): Promise<void> => {
    inFlight += 1;
    METRICS.batchSize.observe({ kind: 'write' }, batch.length);
    const writes = batch.map(({ write }) => write);
    const outcomes = await resumeSpans(batch, () => together(writes)).catch((error: unknown) =>
      batch.map(() => ({ error })),
    );
    inFlight -= 1;
    batch.forEach((entry, index) => settle(entry, outcomes[index]!));
  };

  return (write) =>
    new Promise((resolve, reject) => {
      waiting.push({ write, subject: subjectOf(write), span: holdSpan(), resolve, reject });
      schedule();
    });
}
