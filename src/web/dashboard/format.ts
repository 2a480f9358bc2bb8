import { locale } from './language.ts';

const numbers = new Intl.NumberFormat(locale);
type StoreRegion = { timeZone: string | null; currency: string | null };

let region: StoreRegion = { timeZone: null, currency: null };
let [moments, momentsOfYears] = formatsOf(null);

function formatsOf(timeZone: string | null): Intl.DateTimeFormat[] {
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const options = { month: 'short', day: 'numeric', ...time, timeZone: timeZone ?? undefined } as const;
  return [undefined, 'numeric' as const].map((year) => new Intl.DateTimeFormat(locale, { ...options, year }));
}

export function setRegion({ timeZone, currency }: StoreRegion): void {
  try {
    [moments, momentsOfYears] = formatsOf(timeZone);
    region = { timeZone, currency };
  } catch {
    // This browser does not know the time zone, so dates stay in the reader's.
    region = { timeZone: null, currency };
  }
}

/** The store's time zone, or the reader's. */
export const zoneName = (): string => region.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;

const days = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });

export const formatNumber = (value: number): string => numbers.format(value);

/** Formats an amount for its currency, to the cent: "€1,234.50"; without one as a plain number. The result is for display only. */
export function formatMoney(amount: string | number, currency: string | null): string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  const format = new Intl.NumberFormat(locale, currency === null ? digits : { style: 'currency', currency });
  return format.format(Number(amount));
}

/** Formats a price in the store's currency; null gives a dash. */
export const formatPrice = (price: number | null): string =>
  price === null ? '–' : formatMoney(price, region.currency);

const compact = new Intl.NumberFormat(locale, { notation: 'compact' });

/** Exact below 10,000, "12K" from there on. */
export const formatShort = (value: number): string =>
  value < 10_000 ? numbers.format(value) : compact.format(value);

const percents = new Intl.NumberFormat(locale, { style: 'percent' });
const changes = new Intl.NumberFormat(locale, { style: 'percent', signDisplay: 'exceptZero' });

/** Formats the change against the previous period, such as "+12%"; null if there is nothing to compare. */
export const formatChange = (now: number, before: number): string | null =>
  before === 0 ? null : changes.format((now - before) / before);

/** Formats a whole percentage; a whole of zero gives a dash. */
export const formatShare = (part: number, whole: number): string =>
  whole === 0 ? '–' : percents.format(part / whole);

/** Uses decimal units, as disks do: 32000000 is "32 MB". */
export function formatBytes(bytes: number): string {
  const units = Object.entries({ GB: 1e9, MB: 1e6, kB: 1e3 });
  const [unit, size] = units.find(([, length]) => bytes >= length) ?? ['B', 1];
  return `${numbers.format(Math.round((bytes / size) * 10) / 10)} ${unit}`;
}

/** Uses the store's time zone, or else the reader's, and omits the current year; null gives a dash. */
export function formatMoment(value: number | string | null | undefined): string {
  if (value == null) return '–';
  const moment = new Date(value);
  const isThisYear = moment.getFullYear() === new Date().getFullYear();
  return (isThisYear ? moments : momentsOfYears)!.format(moment);
}

/** The offset of the store's or the reader's time zone from UTC at a time, in milliseconds. */
function aheadAt(time: number): number {
  const at = new Date(time);
  if (region.timeZone === null) return -at.getTimezoneOffset() * 60_000;
  const { timeZone } = region;
  const clock = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  return Date.parse(`${clock.format(at).replace(' ', 'T')}Z`) - Math.floor(time / 1000) * 1000;
}

/** When a YYYY-MM-DD day begins in the store's time zone, in milliseconds; null if it is not a valid day. */
export function dayStart(day: string, daysLater = 0): number | null {
  const utc = Date.parse(`${day}T00:00:00Z`) + daysLater * 86_400_000;
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(utc)) return null;
  // Applied twice, because the offset may change on that day.
  return utc - aheadAt(utc - aheadAt(utc));
}

export const formatDay = (day: string): string => days.format(new Date(`${day}T00:00:00Z`));

/** Uses the largest unit that fits: 86400 is "1 day". */
export function formatSeconds(seconds: number): string {
  const units = Object.entries({ day: 86_400, hour: 3_600, minute: 60, second: 1 });
  const [unit, size] = units.find(([, length]) => seconds % length === 0)!;
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / size);
}

export function linesOf(text: string): string[] {
  const lines = text.split(/[\n,]/).map((line) => line.trim());
  return [...new Set(lines.filter(Boolean))];
}
