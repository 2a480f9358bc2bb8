import { fail } from '../../platform/errors.ts';
import { dayIn } from '../../platform/time-zone.ts';
import { DAY_MS } from '../../platform/time.ts';
import type { ZonedStore } from './report.repo.ts';

const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;

/** Where `from` is missing, `days` counts back from `to`, which is today where it is missing. */
export type PeriodInput = { days?: number | null; from?: string | null; to?: string | null };

function checkDay(field: string, text: string): number {
  const time = /^[12]\d{3}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // JavaScript parses 2026-02-30 as a day in March.
  return !Number.isNaN(time) && dayIn(undefined, new Date(time)) === text
    ? time
    : fail('invalid-request', `${field} must be a day such as 2026-01-31`);
}

function checkCount(days: number | null | undefined): number {
  const count = days ?? DEFAULT_DAYS;
  if (count < 1 || count > MAX_DAYS) fail('invalid-request', `days must be between 1 and ${MAX_DAYS}`);
  return count;
}

function daysUntil(last: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    dayIn(undefined, new Date(last - (count - 1 - index) * DAY_MS)),
  );
}

/** The days of a report in the store's time zone, and as many days before them to compare with; oldest first. */
export function checkPeriod(
  { pacing: { timeZone } }: ZonedStore,
  { days, from, to }: PeriodInput,
  now: Date,
) {
  const last = to ? checkDay('to', to) : Date.parse(dayIn(timeZone, now));
  const count = from ? (last - checkDay('from', from)) / DAY_MS + 1 : checkCount(days);
  if (count < 1) fail('invalid-request', 'from must not be after to');
  if (count > MAX_DAYS) fail('invalid-request', `from must be at most ${MAX_DAYS} days before to`);
  return {
    days: daysUntil(last, count),
    before: daysUntil(last - count * DAY_MS, count),
    timeZone: timeZone ?? 'UTC',
  };
}
