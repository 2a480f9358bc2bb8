import { LRUCache } from 'lru-cache';

const MAX_ZONES = 100;

/** Formats moments in a time zone. A zone that this Node version does not know counts as UTC: one store's setting must not fail the work of all others. */
export function clockIn(locale: string, shows: Intl.DateTimeFormatOptions) {
  const open = (timeZone: string): Intl.DateTimeFormat => {
    try {
      return new Intl.DateTimeFormat(locale, { ...shows, timeZone });
    } catch {
      return new Intl.DateTimeFormat(locale, { ...shows, timeZone: 'UTC' });
    }
  };
  const clocks = new LRUCache<string, Intl.DateTimeFormat>({ max: MAX_ZONES, memoMethod: open });
  return (timeZone: string, at: Date | number): string => clocks.memo(timeZone).format(at);
}

// Swedish writes days as YYYY-MM-DD.
const calendar = clockIn('sv', { year: 'numeric', month: '2-digit', day: '2-digit' });

/** The calendar day of a moment as YYYY-MM-DD. */
export function dayIn(timeZone: string | undefined, at: Date): string {
  return timeZone === undefined ? at.toISOString().slice(0, 10) : calendar(timeZone, at);
}
