import type { Services } from '../../context.ts';
import { removeOldRows } from './upkeep.repo.ts';

const HOUR_MS = 3_600_000;
/** How long sent messages, old restocks, cool-downs and removed products are kept; no cool-down is longer. */
const KEEP_MS = 30 * 24 * HOUR_MS;

/** Makes the task that forgets what is old: once an hour, in portions. Expired subscriptions are among it. */
export function createUpkeep({ db, now }: Services): () => Promise<boolean> {
  let nextAt = 0;
  return async () => {
    const time = now();
    if (time.getTime() < nextAt) return false;
    const before = new Date(time.getTime() - KEEP_MS);
    for (const what of ['messages', 'restocks', 'seen', 'removed'] as const)
      if (await removeOldRows(db, what, before)) return true;
    if (await removeOldRows(db, 'subscriptions', time)) return true;
    nextAt = time.getTime() + HOUR_MS;
    return false;
  };
}
