const TICK_MS = 500;

/**
 * Calls `giveUp` after so much time in which this process could run, unless it is ended before. A machine that stands still for a while, with
 * service and test, says nothing about the service.
 */
export function startPatience(ms: number, giveUp: () => void): { end(): void } {
  let left = ms / TICK_MS;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    giveUp();
  }, TICK_MS);
  return { end: () => clearInterval(timer) };
}
