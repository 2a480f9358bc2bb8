import type { Services } from '../../context.ts';
import { createBatch } from '../../platform/batch.ts';
import type { Tx } from '../../platform/database/database.ts';
import { isDatabaseAway } from '../../platform/database/errors.ts';
import { METRICS } from '../../platform/metrics.ts';
import { HOUR_MS } from '../../platform/time.ts';
import type { Outcome } from '../send/outcome.ts';
import * as outbox from './outbox.repo.ts';
import type { ClaimedMessage, EndedMessage, MessageEnd } from './outbox.repo.ts';

export { forgetFinished, listSent } from './outbox.repo.ts';

type Deps = Pick<Services, 'db' | 'config' | 'now'>;

/** A message becomes a dead letter after this many attempts, about seven hours with the default backoff. */
export const MAX_ATTEMPTS = 15;

/** The delay doubles from `baseMs` up to an hour; half of it is random, to spread messages that failed together. */
function backoffMs(attempts: number, baseMs: number): number {
  const full = Math.min(baseMs * 2 ** (attempts - 1), HOUR_MS);
  return Math.round(full / 2 + (full / 2) * Math.random());
}

/** A finished attempt; `others` were sent in the same message and share its outcome. */
type EndedAttempt = { message: ClaimedMessage; others?: readonly ClaimedMessage[]; outcome: Outcome };

/** Runs in the transaction that records the outcomes. */
export type OnEnded = (tx: Tx, ended: readonly EndedMessage[], now: Date) => Promise<void>;

/** Schedules a `retry`, or marks the message as failed once all attempts are used up. */
function endOf({ message, outcome }: EndedAttempt, retryMs: number, now: Date): Omit<MessageEnd, 'message'> {
  const end = { kind: outcome.kind, reason: null, until: null, isContactGone: false, timeZone: null };
  if (outcome.kind !== 'retry') return { ...end, ...outcome };
  const { kind, most = MAX_ATTEMPTS, reason, afterMs = 0 } = outcome;
  if (message.attempts >= most)
    return { ...end, kind: 'failed', reason: `failed on attempt ${message.attempts}: ${reason}` };
  const until = new Date(now.getTime() + Math.max(backoffMs(message.attempts, retryMs), afterMs));
  return { ...end, kind, until, reason };
}

/** One transaction, because it is retried after a deadlock: a lost outcome means a message sent twice. */
export async function acknowledge(
  { db, config, now }: Deps,
  attempts: readonly EndedAttempt[],
  onEnded?: OnEnded,
): Promise<void> {
  const time = now();
  const ends = attempts.flatMap((attempt) => {
    const end = endOf(attempt, config.dispatchRetryMs, time);
    return [attempt.message, ...(attempt.others ?? [])].map((message) => ({ ...end, message }));
  });
  await db.transaction(async (tx) => {
    const ended = await outbox.recordEnds(tx, ends, time);
    await onEnded?.(tx, ended, time);
  });
  for (const { kind, message } of ends) {
    const outcome = kind === 'failed' ? 'dead' : kind;
    METRICS.messages.inc({ lane: message.lane, medium: message.medium ?? '', outcome });
  }
}

/** Batches attempts that end while a transaction is running into the next transaction. */
export function createAcknowledger(deps: Deps, onEnded?: OnEnded): (attempt: EndedAttempt) => Promise<void> {
  return createBatch<EndedAttempt, void>({
    kind: 'write',
    maxInFlight: 1,
    async together(attempts) {
      await acknowledge(deps, attempts, onEnded);
      return attempts.map(() => ({ result: undefined }));
    },
    // An outcome that cannot be recorded must not cause the others to be sent twice.
    isOnesFault: (error) => !isDatabaseAway(error),
  });
}
