import type { Logger } from './log.ts';

/**
 * An unhandled rejection is only logged, because otherwise one request could end the process for all. An uncaught exception may
 * have interrupted anything: `end` completes the work in progress, and a supervisor restarts the process.
 */
export function watchUnexpected(log: Logger, end: () => void): void {
  process.on('unhandledRejection', (reason) => log.error({ err: reason }, 'Unhandled promise rejection'));
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'Uncaught exception; the process exits');
    end();
  });
}
