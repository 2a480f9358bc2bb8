const numbers = new Intl.NumberFormat('en');
const SHORT = {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
} as const;
const moments = new Intl.DateTimeFormat('en', SHORT);
const momentsOfYears = new Intl.DateTimeFormat('en', { ...SHORT, year: 'numeric' });
const days = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A count with separators. */
export const formatNumber = (value: number): string => numbers.format(value);

/** An amount as people of its currency write it, to the cent: "€1,234.50". It is shown, never counted with. */
export function formatMoney(amount: string, currency: string): string {
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).format(Number(amount));
  } catch {
    return `${amount} ${currency}`;
  }
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

/** A moment in the reader's own time zone, with its year unless it is this one; nothing gives a dash. */
export function formatMoment(value: number | string | null | undefined): string {
  if (value == null) return '–';
  const moment = new Date(value);
  const isThisYear = moment.getFullYear() === new Date().getFullYear();
  return (isThisYear ? moments : momentsOfYears).format(moment);
}

/** A day given as YYYY-MM-DD. */
export const formatDay = (day: string): string => days.format(new Date(`${day}T00:00:00Z`));

/** "1 shopper", "2 shoppers". */
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

/** A text of lines as a list without blanks and repeats. */
export const linesOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n,]/)
      .map((line) => line.trim())
      .filter(Boolean),
  ),
];
