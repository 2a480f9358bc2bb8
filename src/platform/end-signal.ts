import cluster from 'node:cluster';
import type { Logger } from './log.ts';

/** The process ends after this time even if work still hangs; the next start adopts a database that was left running. */
const EXIT_LIMIT_MS = 9_000;

export function limitShutdown(log: Logger): void {
  setTimeout(() => {
    log.error('The shutdown takes too long; exiting now');
    process.exit(1);
  }, EXIT_LIMIT_MS).unref();
}

export type EndSignal = ReturnType<typeof endSignal>;

/**
 * Waits for the first signal or fatal error. Installed before the start, so that no signal is lost, and calls `onEnd` at once,
 * even while the start still waits, for example for another process's migration.
 */
export function endSignal(log: Logger, onEnd: () => void) {
  let isEnding = false;
  const ended = new Promise<0 | 1>((resolve) => {
    const end = (status: 0 | 1): void => {
      isEnding = true;
      onEnd();
      resolve(status);
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        log.info({ signal }, 'Shutting down');
        end(0);
      });
    }
    if (cluster.isWorker)
      process.once('disconnect', () => {
        log.error('The main process of this service has ended; this gateway ends, too');
        end(1);
      });
    // Only logged, because otherwise one request could end the process for all.
    process.on('unhandledRejection', (reason) => log.error({ err: reason }, 'Unhandled promise rejection'));
    // It may have interrupted anything: the work in progress is completed, and a supervisor restarts the process.
    process.on('uncaughtException', (error) => {
      log.fatal({ err: error }, 'Uncaught exception; the process exits');
      end(1);
    });
  });
  return { ended, isEnding: () => isEnding };
}
