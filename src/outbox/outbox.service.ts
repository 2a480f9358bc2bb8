import type { Medium } from '../channel/channels.ts';
import type { Outcome } from '../channel/outcome.ts';
import type { Services } from '../context.ts';
import type { Db } from '../database/database.ts';
import { MAX_ATTEMPTS, backoffMs } from './backoff.ts';
import * as outbox from './outbox.repo.ts';
import type { ClaimedMessage, Lane, Line, SentMessage, Turn } from './outbox.repo.ts';
import * as settling from './settle.repo.ts';

export type { ClaimedMessage, Lane, Line, Turn } from './outbox.repo.ts';
export { MAX_ATTEMPTS } from './backoff.ts';

type Deps = Pick<Services, 'db' | 'config' | 'now'>;

/** What a dispatcher does with the messages of one lane. */
export type Queue = {
  /** The lines that have something due, in any order. */
  dueLines(): Promise<Line[]>;
  /** Takes the oldest messages of some lines for the time of a lease. */
  claim(turns: readonly Turn[]): Promise<ClaimedMessage[]>;
  /** Lengthens the leases of messages that are still under way. */
  renew(messages: readonly ClaimedMessage[]): Promise<void>;
};

/** The queue of a lane. */
export function openQueue({ db, config, now }: Deps, lane: Lane): Queue {
  const { dispatchLeaseMs: leaseMs } = config;
  return {
    dueLines: () => outbox.findDueLines(db, lane, now()),
    claim: (turns) => outbox.claimMessages(db, { ...lane, turns, leaseMs }, now()),
    renew: (messages) => outbox.renewLeases(db, messages, new Date(now().getTime() + leaseMs)),
  };
}

/** Records how a try ended. */
export async function settleMessage(
  { db, config, now }: Deps,
  message: ClaimedMessage,
  outcome: Outcome,
): Promise<void> {
  const time = now();
  switch (outcome.kind) {
    case 'sent':
      return settling.markSent(db, message, time);
    case 'failed':
      return void (await settling.markFailed(db, message, outcome.reason, time));
    case 'withheld':
      return settling.withhold(db, message, outcome.reason, time);
    case 'deferred':
      return settling.defer(db, message, outcome.until, time);
    case 'retry': {
      const { most = MAX_ATTEMPTS } = outcome;
      if (message.attempts >= most) {
        const reason = `gave up after ${message.attempts} tries: ${outcome.reason}`;
        return void (await settling.markFailed(db, message, reason, time));
      }
      const pauseMs = Math.max(backoffMs(message.attempts, config.dispatchRetryMs), outcome.afterMs ?? 0);
      return settling.putBack(db, message, new Date(time.getTime() + pauseMs), outcome.reason);
    }
  }
}

/** The newest messages of a store that have left by a medium. */
export function listSent(db: Db, pid: string, medium: Medium, most: number): Promise<SentMessage[]> {
  return outbox.listSent(db, pid, medium, most);
}

/** How long messages are kept that were sent, given up or withheld. */
const KEEP_MS = 30 * 24 * 3_600_000;

/** Forgets a portion of the messages that were finished long ago; answers how many. */
export function forgetFinished({ db }: Deps, now: Date): Promise<number> {
  return outbox.removeFinished(db, new Date(now.getTime() - KEEP_MS));
}
