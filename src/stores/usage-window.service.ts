import type { Services } from '../context.ts';
import { DAY_MS } from '../platform/time.ts';
import { forgetWindows as removeWindows } from './usage-window.repo.ts';

/** The longest window of any limit; older counts are irrelevant. */
const LONGEST_WINDOW_MS = DAY_MS;

export function forgetWindows({ db }: Services, now: Date): Promise<number> {
  return removeWindows(db, new Date(now.getTime() - LONGEST_WINDOW_MS));
}
