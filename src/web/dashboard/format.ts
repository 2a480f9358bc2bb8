const numbers = new Intl.NumberFormat('en');
const SHORT = {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const;
type StoreRegion = { timeZone: string | null; currency: string | null };

let region: StoreRegion = { timeZone: null, currency: null };
let [moments, momentsOfYears] = formatsOf(null);

function formatsOf(timeZone: string | null): [Intl.DateTimeFormat, Intl.DateTimeFormat] {
  const zone = timeZone === null ? {} : { timeZone };
  return [
    new Intl.DateTimeFormat('en', { ...SHORT, ...zone }),
    new Intl.DateTimeFormat('en', { ...SHORT, ...zone, year: 'numeric' }),
  ];
}

/** Shows moments in the store's time zone from now on, and prices in its currency. */
export function setRegion(next: StoreRegion): void {
  try {
    [moments, momentsOfYears] = formatsOf(next.timeZone);
    region = next;
  } catch {
    // A zone that this browser does not know: moments stay in the reader's.
    region = { ...next, timeZone: null };
  }
}

export const zoneName = (): string => region.timeZone ?? 'your own time zone';
const days = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

export const formatNumber = (value: number): string => numbers.format(value);

/** An amount as people of its currency write it, to the cent: "€1,234.50". It is shown, never counted with. */
export function formatMoney(amount: string, currency: string): string {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).format(Number(amount));
  } catch {
    return `${amount} ${currency}`;
  }
}

/** A price in the store's currency; without one as a plain number to the cent. Nothing gives a dash. */
export function formatPrice(price: number | null): string {
  if (price === null) return '–';
  return region.currency === null
    ? new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(price)
    : formatMoney(String(price), region.currency);
}

const compact = new Intl.NumberFormat('en', { notation: 'compact' });

/** A count for little space: exact below 10,000, "12K" from there on. */
export const formatShort = (value: number): string =>
  value < 10_000 ? numbers.format(value) : compact.format(value);

/** How a figure changed against the period before, such as "+12 %"; null where there is nothing to compare. */
export function formatChange(now: number, before: number): string | null {
  if (before === 0) return null;
  const percent = Math.round(((now - before) / before) * 100);
  return `${percent > 0 ? '+' : percent < 0 ? '−' : '±'}${numbers.format(Math.abs(percent))} %`;
}

/** A share as whole per cent; nothing of nothing gives a dash. */
export const formatShare = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${numbers.format(Math.round((part / whole) * 100))} %`;

/** A size in the unit that fits, in decimal steps as disks are sold: 32000000 is "32 MB". */
export function formatBytes(bytes: number): string {
  const units: [number, string][] = [
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
  ];
  const [size, unit] = units.find(([length]) => bytes >= length) ?? [1, 'B'];
  return `${numbers.format(Math.round((bytes / size) * 10) / 10)} ${unit}`;
}

/** A moment in the store's time zone, or the reader's where it has none, with its year unless it is this one; nothing gives a dash. */
export function formatMoment(value: number | string | null | undefined): string {
  if (value == null) return '–';
  const moment = new Date(value);
  const isThisYear = moment.getFullYear() === new Date().getFullYear();
  return (isThisYear ? moments : momentsOfYears).format(moment);
}

/** By how much the clock of the store, or of the reader, is ahead of UTC at a moment, in milliseconds. */
function aheadAt(time: number): number {
  const at = new Date(time);
  if (region.timeZone === null) return -at.getTimezoneOffset() * 60_000;
  const clock = new Intl.DateTimeFormat('sv', {
    timeZone: region.timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return Date.parse(`${clock.format(at).replace(' ', 'T')}Z`) - Math.floor(time / 1000) * 1000;
}

/** When a day given as YYYY-MM-DD begins where the store is, in milliseconds; null for what is no day. */
export function dayStart(day: string, daysLater = 0): number | null {
  const utc = Date.parse(`${day}T00:00:00Z`) + daysLater * 86_400_000;
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(utc)) return null;
  // Once more at the moment that was found: the clock may change on that day.
  return utc - aheadAt(utc - aheadAt(utc));
}

export const formatDay = (day: string): string => days.format(new Date(`${day}T00:00:00Z`));

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

/** Seconds in the largest unit that fits: 86400 is "1 day". */
export function formatSeconds(seconds: number): string {
  const units: [number, string][] = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
  ];
  const [size, unit] = units.find(([length]) => seconds >= length && seconds % length === 0) ?? [1, 'second'];
  return plural(seconds / size, unit);
}

export function linesOf(text: string): string[] {
  const lines = text.split(/[\n,]/).map((line) => line.trim());
  return [...new Set(lines.filter(Boolean))];
}
