import type { Medium } from '../send/channels.ts';
import type { Outcome } from '../send/outcome.ts';
import type { Services } from '../../context.ts';
import type { Db } from '../../platform/database/database.ts';
import { MAX_ATTEMPTS, backoffMs } from './backoff.ts';
import * as outbox from './outbox.repo.ts';
import type { ClaimedMessage, Lane, Line, SentMessage, Turn } from './outbox.repo.ts';
import * as settling from './acknowledge.repo.ts';
import type { Delay, Ending } from './acknowledge.repo.ts';
import { METRICS } from '../../platform/metrics.ts';
import { DAY_MS } from '../../platform/time.ts';

export type { ClaimedMessage, Lane, Line, Turn } from './outbox.repo.ts';
export { MAX_ATTEMPTS } from './backoff.ts';

type Deps = Pick<Services, 'db' | 'config' | 'now'>;

/** What a dispatcher does with the messages of one lane. */
export type Queue = {
  /** The lines that have something due, in any order; those of some stores alone where they are named. */
  dueLines(pids?: readonly string[]): Promise<Line[]>;
  /** Takes the oldest messages of some lines for the time of a lease. */
  claim(turns: readonly Turn[]): Promise<ClaimedMessage[]>;
  /** Lengthens the leases of messages that are still under way. */
  renew(messages: readonly ClaimedMessage[]): Promise<void>;
};

/** The queue of a lane. */
export function openQueue({ db, config, now }: Deps, lane: Lane): Queue {
  const { dispatchLeaseMs: leaseMs } = config;
  return {
    dueLines: (pids) => outbox.findDueLines(db, lane, now(), pids),
    claim: (turns) => outbox.claimMessages(db, { ...lane, turns, leaseMs }, now()),
    renew: (messages) => outbox.renewLeases(db, messages, new Date(now().getTime() + leaseMs)),
  };
}

/** A try that has ended, and how; `others` left in the same message, so that all of them end, or wait, together. */
export type EndedTry = { message: ClaimedMessage; others?: readonly ClaimedMessage[]; outcome: Outcome };

/** How a message goes on: where its tries are used up, there is no other. */
type End = Exclude<Outcome, { kind: 'retry' }> | { kind: 'again'; at: Date; reason: string };

function endOf({ config }: Deps, { message, outcome }: EndedTry, now: Date): End {
  if (outcome.kind !== 'retry') return outcome;
  const { most = MAX_ATTEMPTS, reason } = outcome;
  if (message.attempts >= most)
    return { kind: 'failed', reason: `gave up after ${message.attempts} tries: ${reason}` };
  const pauseMs = Math.max(backoffMs(message.attempts, config.dispatchRetryMs), outcome.afterMs ?? 0);
  return { kind: 'again', at: new Date(now.getTime() + pauseMs), reason };
}

/**
 * Records how tries ended, all of them or none. In a transaction, because that is begun again after a deadlock: an outcome that is lost is a
 * message that is sent twice.
 */
export async function settleMessages(deps: Deps, tries: readonly EndedTry[]): Promise<void> {
  const now = deps.now();
  const sent: ClaimedMessage[] = [];
  const failed: Ending[] = [];
  const withheld: Ending[] = [];
  const delayed: Delay[] = [];
  for (const ended of tries) {
    const end = endOf(deps, ended, now);
    for (const message of [ended.message, ...(ended.others ?? [])]) {
      if (end.kind === 'sent') sent.push(message);
      else if (end.kind === 'failed') failed.push({ message, reason: end.reason });
      else if (end.kind === 'withheld') withheld.push({ message, reason: end.reason });
      else if (end.kind === 'deferred')
        delayed.push({ message, until: end.until, reason: null, isPlaceFree: true });
      else delayed.push({ message, until: end.at, reason: end.reason, isPlaceFree: false });
    }
  }
  await deps.db.transaction(async (tx) => {
    await settling.markSent(tx, sent, now);
    await settling.markFailed(tx, failed, now);
    await settling.withhold(tx, withheld, now);
    await settling.postpone(tx, delayed, now);
  });
  countEnds('sent', sent);
  countEnds('dead', messagesOf(failed));
  countEnds('withheld', messagesOf(withheld));
  for (const { message, isPlaceFree } of delayed) countEnds(isPlaceFree ? 'deferred' : 'retry', [message]);
}

const messagesOf = (ends: readonly Ending[]): ClaimedMessage[] => ends.map(({ message }) => message);

/** Counts how messages ended, or that they did not yet. */
export function countEnds(
  outcome: 'sent' | 'dead' | 'withheld' | 'deferred' | 'retry',
  messages: readonly ClaimedMessage[],
): void {
  for (const { lane, medium } of messages) METRICS.messages.inc({ lane, medium: medium ?? '', outcome });
}

/** The newest messages of a store that have left by a medium. */
export function listSent(db: Db, pid: string, medium: Medium, most: number): Promise<SentMessage[]> {
  return outbox.listSent(db, pid, medium, most);
}

/** How long messages are kept that were sent, given up or withheld. */
const KEEP_MS = 30 * DAY_MS;

/** Forgets a portion of the messages that were finished long ago; answers how many. */
export function forgetFinished({ db }: Deps, now: Date): Promise<number> {
  return outbox.removeFinished(db, new Date(now.getTime() - KEEP_MS));
}
