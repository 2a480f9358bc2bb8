import type { Services } from '../../context.ts';
import { createBatch } from '../../platform/batch.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { isDatabaseAway } from '../../platform/database/errors.ts';
import { METRICS } from '../../platform/metrics.ts';
import { DAY_MS, HOUR_MS } from '../../platform/time.ts';
import type { Medium } from '../send/channels.ts';
import type { Outcome } from '../send/outcome.ts';
import { markFailed, markSent, postpone, withhold } from './acknowledge.repo.ts';
import type { Delay, EndedMessage, Ending } from './acknowledge.repo.ts';
import * as outbox from './outbox.repo.ts';
import type { ClaimedMessage, SentMessage } from './outbox.repo.ts';

export type { EndedMessage } from './acknowledge.repo.ts';
export type { ClaimedMessage, QueueKey } from './outbox.repo.ts';

type Deps = Pick<Services, 'db' | 'config' | 'now'>;

/** A message becomes a dead letter after this many attempts, about seven hours with the default backoff. */
export const MAX_ATTEMPTS = 15;

/** The delay doubles from `baseMs` up to an hour; half of it is random, to spread messages that failed together. */
function backoffMs(attempts: number, baseMs: number): number {
  const full = Math.min(baseMs * 2 ** (attempts - 1), HOUR_MS);
  return Math.round(full / 2 + (full / 2) * Math.random());
}

/** A finished attempt; `others` were sent in the same message and share its outcome. */
export type EndedAttempt = { message: ClaimedMessage; others?: readonly ClaimedMessage[]; outcome: Outcome };

/** Messages by outcome. `gone` lists the `failed` ones whose contact does not exist. */
export type Ended = Record<'sent' | 'failed' | 'withheld' | 'deferred', EndedMessage[]> & {
  gone: EndedMessage[];
};

/** Runs in the transaction that records the outcome. */
export type OnEnded = (tx: Tx, ended: Ended, now: Date) => Promise<void>;

/** Schedules a `retry`, or marks the message as failed once all attempts are used up. */
function endOf({ message, outcome }: EndedAttempt, retryMs: number, now: Date) {
  if (outcome.kind !== 'retry') return outcome;
  const { most = MAX_ATTEMPTS, reason, afterMs = 0 } = outcome;
  if (message.attempts >= most)
    return { kind: 'failed', reason: `gave up after ${message.attempts} tries: ${reason}` } as const;
  const until = new Date(now.getTime() + Math.max(backoffMs(message.attempts, retryMs), afterMs));
  return { kind: 'retry', until, reason } as const;
}

/**
 * Records all outcomes or none, in a transaction, because transactions are retried after a deadlock: a lost outcome means a
 * message sent twice.
 */
export async function acknowledge(
  { db, config, now }: Deps,
  attempts: readonly EndedAttempt[],
  onEnded?: OnEnded,
): Promise<void> {
  const time = now();
  const sent: ClaimedMessage[] = [];
  const failed: (Ending & { isContactGone: boolean })[] = [];
  const withheld: Ending[] = [];
  const delayed: Delay[] = [];
  for (const attempt of attempts) {
    const end = endOf(attempt, config.dispatchRetryMs, time);
    const isContactGone = 'isContactGone' in end && end.isContactGone === true;
    for (const message of [attempt.message, ...(attempt.others ?? [])])
      if (end.kind === 'sent') sent.push(message);
      else if (end.kind === 'failed') failed.push({ message, reason: end.reason, isContactGone });
      else if (end.kind === 'withheld') withheld.push({ message, reason: end.reason });
      else if (end.kind === 'retry')
        delayed.push({ message, until: end.until, reason: end.reason, isDeferred: false });
      else delayed.push({ message, until: end.until, reason: null, isDeferred: true });
  }
  const isGone = new Set(failed.flatMap(({ message, isContactGone }) => (isContactGone ? message.id : [])));
  await db.transaction(async (tx) => {
    const dead = await markFailed(tx, failed, time);
    const ended: Ended = {
      sent: await markSent(tx, sent, time),
      failed: dead,
      withheld: await withhold(tx, withheld, time),
      deferred: await postpone(tx, delayed),
      gone: dead.filter(({ id }) => isGone.has(id)),
    };
    await onEnded?.(tx, ended, time);
  });
  countEnds('sent', sent);
  countEnds('dead', messagesOf(failed));
  countEnds('withheld', messagesOf(withheld));
  countEnds('deferred', messagesOf(delayed.filter(({ isDeferred }) => isDeferred)));
  countEnds('retry', messagesOf(delayed.filter(({ isDeferred }) => !isDeferred)));
}

const messagesOf = (ends: readonly { message: ClaimedMessage }[]): ClaimedMessage[] =>
  ends.map(({ message }) => message);

function countEnds(outcome: string, messages: readonly ClaimedMessage[]): void {
  for (const { lane, medium } of messages) METRICS.messages.inc({ lane, medium: medium ?? '', outcome });
}

/** Batches attempts that end while a transaction is running into the next transaction. */
export function createAcknowledger(deps: Deps, onEnded?: OnEnded): (attempt: EndedAttempt) => Promise<void> {
  return createBatch<EndedAttempt, void>({
    kind: 'write',
    maxInFlight: 1,
    async together(attempts) {
      try {
        await acknowledge(deps, attempts, onEnded);
        return attempts.map(() => ({ result: undefined }));
      } catch (error) {
        if (attempts.length === 1 || isDatabaseAway(error)) throw error;
        // An outcome that cannot be recorded must not cause the others to be sent twice.
        return attempts.map(() => 'alone');
      }
    },
    alone: (attempt) => acknowledge(deps, [attempt], onEnded),
  });
}

export function listSent(db: Db, pid: string, medium: Medium, most: number): Promise<SentMessage[]> {
  return outbox.listSent(db, pid, medium, most);
}

/** Retention of messages that were sent, failed or withheld. */
const KEEP_MS = 30 * DAY_MS;

export function forgetFinished({ db }: Deps, now: Date): Promise<number> {
  return outbox.removeFinished(db, new Date(now.getTime() - KEEP_MS));
}
