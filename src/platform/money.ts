import { LRUCache } from 'lru-cache';

/** How a store writes prices: ISO 4217 or nothing, and BCP 47. */
export type MoneyStyle = { currency: string | null; locale: string };

/** Making one takes 30 µs, and every mail of a restock shows the same price. */
const formats = new LRUCache<string, Intl.NumberFormat>({ max: 200 });

function formatOf({ currency, locale }: MoneyStyle): Intl.NumberFormat {
  const key = `${locale} ${currency}`;
  let format = formats.get(key);
  if (format === undefined) {
    const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
    format = new Intl.NumberFormat(locale, currency === null ? digits : { style: 'currency', currency });
    formats.set(key, format);
  }
  return format;
}

/** A price as people of the store's country read it; without a currency a number with two decimals. */
export function formatMoney(amount: number, style: MoneyStyle): string {
  return formatOf(style).format(amount);
}
