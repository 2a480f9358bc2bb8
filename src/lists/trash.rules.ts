import { DAY_MS } from '../platform/time.ts';

/** Since when deletions can be undone; what was deleted at that moment no longer can. */
export function restorableSince({ restoreDays }: { restoreDays: number }, now: Date): Date {
  return new Date(now.getTime() - restoreDays * DAY_MS);
}

/** Until when a deletion can be undone. */
export function restorableUntil({ restoreDays }: { restoreDays: number }, deletedAt: Date): Date {
  return new Date(deletedAt.getTime() + restoreDays * DAY_MS);
}
