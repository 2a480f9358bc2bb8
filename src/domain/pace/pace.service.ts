import type { Services } from '../../context.ts';
import { forgetWindows as removeWindows } from './pace.repo.ts';

/** The longest window that anything is counted in; older counts mean nothing. */
const LONGEST_WINDOW_MS = 24 * 3_600_000;

/** Forgets a portion of the windows that are over; answers how many. */
export function forgetWindows({ db }: Services, now: Date): Promise<number> {
  return removeWindows(db, new Date(now.getTime() - LONGEST_WINDOW_MS));
}
