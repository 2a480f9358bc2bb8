import type { Logger } from '../../platform/log.ts';
import { METRICS } from '../../platform/metrics.ts';

/** Background work in portions that each commit on their own, so that a kill loses nothing. */
export type Task = {
  name: string;
  /** Does one portion; false when there was nothing to do. Once the signal is aborted it starts nothing new. */
  run: (signal?: AbortSignal) => Promise<boolean>;
  /** Gives back what it holds open. */
  close?: () => void;
};

/** The running background work of a process. */
export type Worker = {
  /** Looks for work now instead of at the next poll. */
  wake: () => void;
  /** Lets the portions under way finish, then ends. */
  stop: () => Promise<void>;
};

/** How long an idle task waits before it looks again. Work of this process wakes it at once. */
const POLL_MS = 1_000;
/** How long a failing task waits, so that an absent database is not hammered. */
const FAILURE_PAUSE_MS = 2_000;
/** A receiver that hangs does not keep the process from ending. */
const STOP_LIMIT_MS = 8_000;

/** Runs every task in a loop of its own until stopped. */
export function startWorker(tasks: readonly Task[], log: Logger): Worker {
  const stopping = new AbortController();
  const { signal } = stopping;
  const sleepers = new Set<() => void>();

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        sleepers.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      sleepers.add(end);
    });

  const loop = async (task: Task): Promise<void> => {
    while (!signal.aborted) {
      try {
        if (!(await task.run(signal)) && !signal.aborted) await pause(POLL_MS);
      } catch (error) {
        METRICS.taskFailures.inc({ task: task.name });
        log.error({ task: task.name, err: error }, 'background work failed; it will be tried again');
        if (!signal.aborted) await pause(FAILURE_PAUSE_MS);
      }
    }
  };

  const loops = tasks.map(loop);
  const wake = (): void => {
    for (const end of [...sleepers]) end();
  };
  return {
    wake,
    async stop() {
      stopping.abort();
      wake();
      let limit: NodeJS.Timeout | undefined;
      const cut = new Promise<void>((resolve) => (limit = setTimeout(resolve, STOP_LIMIT_MS)));
      await Promise.race([Promise.all(loops), cut]);
      clearTimeout(limit);
      for (const task of tasks) task.close?.();
    },
  };
}
