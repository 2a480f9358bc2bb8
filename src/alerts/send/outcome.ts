import { DAY_MS } from '../../platform/time.ts';

export type Outcome =
  /** An alert counts in the statistics of the day in its store's time zone. */
  | { kind: 'sent'; timeZone?: string | null }
  /** Retried, not before `afterMs` if the receiver asked for it; after `most` attempts it becomes a dead letter. */
  | { kind: 'retry'; reason: string; afterMs?: number; most?: number }
  /** A dead letter. `isContactGone` means that the receiver rejects every message to this contact. */
  | { kind: 'failed'; reason: string; isContactGone?: boolean }
  /** The reason to send the message no longer exists. */
  | { kind: 'withheld'; reason: string }
  | { kind: 'deferred'; until: Date };

export const SENT: Outcome = { kind: 'sent' };

/** The message or its store was erased after the claim. */
export const GONE = { kind: 'withheld', reason: 'the message no longer exists' } as const satisfies Outcome;

/** Parses Retry-After as seconds or a date, at most a day; undefined if it is missing or invalid. */
function retryAfterMs(header: string | null | undefined, now: Date): number | undefined {
  if (!header) return undefined;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, DAY_MS) : undefined;
}

/** Maps an HTTP status to an outcome. `isFinal` selects the statuses that a retry cannot fix. */
export function outcomeOfStatus(
  status: number,
  retryAfter: string | null | undefined,
  now: Date,
  isFinal: (status: number) => boolean,
  detail = '',
): Outcome {
  if (status >= 200 && status < 300) return SENT;
  const reason = `the receiver returned ${status}${detail && `: ${detail}`}`;
  if (isFinal(status)) return { kind: 'failed', reason };
  return { kind: 'retry', reason, afterMs: retryAfterMs(retryAfter, now) };
}

export function outcomeOfError(error: unknown): Outcome {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return { kind: 'retry', reason: cause instanceof Error ? cause.message || cause.name : String(cause) };
}
