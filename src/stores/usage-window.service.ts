import type { Services } from '../context.ts';
import { forgetWindows as removeWindows } from './usage-window.repo.ts';
import { DAY_MS } from '../platform/time.ts';

/** The longest window that anything is counted in; older counts mean nothing. */
const LONGEST_WINDOW_MS = DAY_MS;

/** Forgets a portion of the windows that are over; returns how many. */
export function forgetWindows({ db }: Services, now: Date): Promise<number> {
  return removeWindows(db, new Date(now.getTime() - LONGEST_WINDOW_MS));
}
