import { setTimeout as delay } from 'node:timers/promises';

/** Waits for a condition; the test's own time limit ends it otherwise. */
export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await delay(5);
}
