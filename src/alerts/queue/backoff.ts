/** A message is a dead letter after this many tries: about seven hours with the default pause. */
export const MAX_ATTEMPTS = 15;

const LONGEST_PAUSE_MS = 3_600_000;

/**
 * Pause before the next try: doubles from `baseMs` up to an hour. Half of it is random, so that messages which failed
 * together do not come back together.
 */
export function backoffMs(attempts: number, baseMs: number, random: () => number = Math.random): number {
  const full = Math.min(baseMs * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
  return Math.round(full / 2 + (full / 2) * random());
}
