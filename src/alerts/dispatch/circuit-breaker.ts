/** How far the receivers of a lane are trusted with its slots, by what became of their last tries in this process. */
export type Trust = {
  /** Tries that a receiver may have under way. */
  shareOf(receiver: string): number;
  /** Whether it let the last try hang. */
  isSuspect(receiver: string): boolean;
  /** Learns from a try. */
  note(receiver: string, isDelivered: boolean, tookMs: number): void;
};

/** A try that fails sooner than this holds up nobody. */
const SLOW_MS = 3_000;
/** Receivers that are remembered; beyond it the oldest begin anew. */
const MAX_REMEMBERED = 10_000;

/**
 * A receiver earns its slots: it begins with one, each delivery doubles what it may have, up to `most`, and a try that hangs takes it back to
 * one. So an address that never answers costs one slot from the first try on, and one that works has all of them after three.
 */
export function createTrust(most: number): Trust {
  const shares = new Map<string, number>();
  const remember = (receiver: string, share: number): void => {
    shares.delete(receiver);
    shares.set(receiver, share);
    if (shares.size > MAX_REMEMBERED) shares.delete(shares.keys().next().value!);
  };
  return {
    shareOf: (receiver) => Math.max(1, shares.get(receiver) ?? 1),
    isSuspect: (receiver) => shares.get(receiver) === 0,
    note(receiver, isDelivered, tookMs) {
      if (isDelivered) remember(receiver, Math.min(most, Math.max(1, shares.get(receiver) ?? 1) * 2));
      else if (tookMs >= SLOW_MS) remember(receiver, 0);
    },
  };
}
