import type { Logger } from './log.ts';

/**
 * Tells of failures that no code of ours has handled. A promise that nobody waited for leaves its work undone and nothing else, and if it ended the process,
 * one request that brings it about would end everybody's: it is logged. What was thrown where nobody could catch it may have stopped anything half-way:
 * then `end` finishes what is under way, and a supervisor starts the process anew.
 */
export function watchUnexpected(log: Logger, end: () => void): void {
  process.on('unhandledRejection', (reason) =>
    log.error({ err: reason }, 'a failure that nobody waited for'),
  );
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'a failure that nobody caught; the process ends');
    end();
  });
}
