import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../platform/log.ts';
import { METRICS } from '../../platform/metrics.ts';

/** Background work in batches that commit separately, so that a kill loses nothing. */
export type Task = {
  name: string;
  /** Processes one batch; returns false if there was none. It starts nothing new once the signal is aborted. */
  run: (signal?: AbortSignal) => Promise<boolean>;
  close?: () => void;
};

export type Worker = ReturnType<typeof startWorker>;

/** Poll interval of an idle task. Work from this process wakes the task at once. */
const POLL_MS = 1_000;
/** Delay of a failing task, so that an unavailable database is not flooded with requests. */
const FAILURE_PAUSE_MS = 2_000;
/** A hanging receiver does not prevent the process from exiting. */
const STOP_LIMIT_MS = 8_000;

export function startWorker(tasks: readonly Task[], log: Logger) {
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
        log.error({ task: task.name, err: error }, 'Background work failed; retrying');
        if (!signal.aborted) await pause(FAILURE_PAUSE_MS);
      }
    }
  };

  const loops = tasks.map(loop);
  /** Looks for work now instead of at the next poll. */
  const wake = (): void => {
    for (const end of [...sleepers]) end();
  };
  return {
    wake,
    /** Finishes the running batches, then stops. */
    async stop(): Promise<void> {
      stopping.abort();
      wake();
      await Promise.race([Promise.all(loops), delay(STOP_LIMIT_MS, undefined, { ref: false })]);
      for (const task of tasks) task.close?.();
    },
  };
}
