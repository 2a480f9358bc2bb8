import { DAY_MS } from '../../platform/time.ts';

/** How one try to deliver a message ended. */
export type Outcome =
  | { kind: 'sent' }
  /** Worth another try, not before `afterMs` where the receiver said so; after `most` tries it is a dead letter. */
  | { kind: 'retry'; reason: string; afterMs?: number; most?: number }
  /** Will never work: a dead letter. `isContactGone` where the receiver said that nothing sent to this contact ever will. */
  | { kind: 'failed'; reason: string; isContactGone?: boolean }
  /** The reason to send it is gone. */
  | { kind: 'withheld'; reason: string }
  /** Not yet. */
  | { kind: 'deferred'; until: Date };

/** The outcome of a successful try. */
export const SENT: Outcome = { kind: 'sent' };

/** The outcome where a message or its store was erased after the claim. */
export const GONE = { kind: 'withheld', reason: 'the message is gone' } as const satisfies Outcome;

/** A receiver may ask for at most this much patience. */
const MAX_RETRY_AFTER_MS = DAY_MS;

/** Reads a Retry-After header, seconds or a date; undefined when there is none that makes sense. */
export function retryAfterMs(header: string | null | undefined, now: Date): number | undefined {
  if (!header) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

/** What to do after an HTTP answer. `isFinal` says which refusals no repetition can mend. */
export function outcomeOfStatus(
  status: number,
  retryAfter: string | null | undefined,
  now: Date,
  isFinal: (status: number) => boolean,
  detail = '',
): Outcome {
  if (status >= 200 && status < 300) return SENT;
  const reason = `the receiver answered ${status}${detail && `: ${detail}`}`;
  if (isFinal(status)) return { kind: 'failed', reason };
  const afterMs = retryAfterMs(retryAfter, now);
  return afterMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', reason, afterMs };
}

/** The outcome of a try that ended in an exception: the network, a timeout, a full disk. */
export function outcomeOfError(error: unknown): Outcome {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return { kind: 'retry', reason: cause instanceof Error ? cause.message || cause.name : String(cause) };
}
