/** An exact amount, counted in millionths: sums of floating numbers drift. */
export type Amount = bigint;

const DIGITS = 6;
const UNIT = 10n ** BigInt(DIGITS);
const DECIMAL = /^(\d{1,9})(?:\.(\d{1,6}))?$/;
const SHOWN_DIGITS = 2;

/** The amount that a text or number from outside stands for; null for what is none, is below zero or has more digits than count. */
export function readAmount(value: unknown): Amount | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const [, whole, fraction = ''] = DECIMAL.exec(String(value).trim()) ?? [];
  return whole === undefined ? null : BigInt(whole) * UNIT + BigInt(fraction.padEnd(DIGITS, '0'));
}

/** The amount as decimal text with two digits after the point at least: `19.90`. */
export function writeAmount(amount: Amount): string {
  const fraction = (amount % UNIT).toString().padStart(DIGITS, '0').replace(/0+$/, '');
  return `${amount / UNIT}.${fraction.padEnd(SHOWN_DIGITS, '0')}`;
}

/** A decimal of the database, which may be larger than any that comes from outside. */
export function amountOf(decimal: { toFixed: (digits: number) => string }): Amount {
  return BigInt(decimal.toFixed(DIGITS).replace('.', ''));
}

/** What amounts come to. */
export function sumOf(amounts: readonly Amount[]): Amount {
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}
