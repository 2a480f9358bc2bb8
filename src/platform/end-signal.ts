import type { Logger } from './log.ts';
import { watchUnexpected } from './unexpected.ts';

/** Whatever still hangs by then, the process ends; the next start adopts a database that was left running. */
const EXIT_LIMIT_MS = 9_000;

/** Ends the process after a while if it has not ended by itself. */
export function limitShutdown(log: Logger): void {
  setTimeout(() => {
    log.error('the shutdown takes too long; ending now');
    process.exit(1);
  }, EXIT_LIMIT_MS).unref();
}

/** When a process is to end, and with which exit status. */
export type EndSignal = { ended: Promise<0 | 1>; isEnding: () => boolean };

/**
 * Waits for the first signal to end, or failure that ends the process; installed before the start, so that a signal during it is not lost. `onEnd` is called
 * at once, also while the start still waits for something, such as another process's migration.
 */
export function endSignal(log: Logger, onEnd: () => void): EndSignal {
  let isEnding = false;
  const ended = new Promise<0 | 1>((resolve) => {
    const end = (status: 0 | 1): void => {
      isEnding = true;
      onEnd();
      resolve(status);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        log.info({ signal }, 'shutting down');
        end(0);
      });
    }
    watchUnexpected(log, () => end(1));
  });
  return { ended, isEnding: () => isEnding };
}
