import type { Services } from '../context.ts';
import { claimMessages, markFailed, markSent, putBack, withhold } from '../domain/alert/outbox.repo.ts';
import type { ClaimedMessage, Lane } from '../domain/alert/outbox.repo.ts';
import { MAX_ATTEMPTS, backoffMs } from './backoff.ts';
import { outcomeOfError } from './outcome.ts';
import type { Outcome } from './outcome.ts';
import type { Task } from './worker.ts';

/** One try to deliver one message. */
export type Attempt = () => Promise<Outcome>;

/** How a lane sends: `prepare` loads what a batch needs at once and gives one attempt a message, in order. */
export type LaneOptions = {
  lane: Lane;
  concurrency: number;
  prepare: (messages: ClaimedMessage[]) => Promise<Attempt[]>;
  close?: () => void;
};

/** A run ends after this many messages, so that the loop around it can stop or report. */
const RUN_LIMIT = 1_000;

/** Records how a try ended. */
async function settle(
  { db, config, now }: Services,
  message: ClaimedMessage,
  outcome: Outcome,
): Promise<void> {
  const time = now();
  switch (outcome.kind) {
    case 'sent':
      return markSent(db, message, time);
    case 'failed':
      return markFailed(db, message, outcome.reason, time);
    case 'withheld':
      return withhold(db, message, outcome.reason, time);
    case 'deferred':
      return putBack(db, message, outcome.until, null);
    case 'retry': {
      if (message.attempts >= MAX_ATTEMPTS) {
        return markFailed(db, message, `gave up after ${MAX_ATTEMPTS} tries: ${outcome.reason}`, time);
      }
      const pauseMs = Math.max(backoffMs(message.attempts, config.dispatchRetryMs), outcome.afterMs ?? 0);
      return putBack(db, message, new Date(time.getTime() + pauseMs), outcome.reason);
    }
  }
}

/**
 * Sends one lane's messages, at most `concurrency` at a time. Slots are refilled as they get free, so that one slow receiver
 * does not hold up the others. A message that is under way at a kill is claimed again when its lease ends.
 */
export function createLane(services: Services, { lane, concurrency, prepare, close }: LaneOptions): Task {
  const { db, config, log, now } = services;

  const deliver = async (message: ClaimedMessage, attempt: Attempt): Promise<void> => {
    try {
      const isExhausted = message.attempts > MAX_ATTEMPTS;
      const outcome: Outcome = isExhausted
        ? { kind: 'failed', reason: `gave up after ${MAX_ATTEMPTS} tries` }
        : await attempt().catch(outcomeOfError);
      if (outcome.kind === 'failed')
        log.warn({ lane, alertId: message.id, reason: outcome.reason }, 'a message is a dead letter');
      await settle(services, message, outcome);
    } catch (error) {
      // Left as it is: the lease ends and another try follows.
      log.error({ lane, alertId: message.id, err: error }, 'the outcome of a message could not be recorded');
    }
  };

  const run = async (signal?: AbortSignal): Promise<boolean> => {
    const underWay = new Set<Promise<void>>();
    let claimed = 0;
    try {
      while (claimed < RUN_LIMIT && !signal?.aborted) {
        const free = concurrency - underWay.size;
        if (free < concurrency / 2) {
          await Promise.race(underWay);
          continue;
        }
        const messages = await claimMessages(db, lane, free, now(), config.dispatchLeaseMs);
        if (messages.length === 0) break;
        claimed += messages.length;
        const attempts = await prepare(messages);
        messages.forEach((message, index) => {
          const sending = deliver(message, attempts[index]!).finally(() => underWay.delete(sending));
          underWay.add(sending);
        });
      }
    } finally {
      await Promise.all(underWay);
    }
    return claimed > 0;
  };
  return { name: `send ${lane}`, run, ...(close && { close }) };
}
