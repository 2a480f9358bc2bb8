import type { Context } from '../../context.ts';
import type { Availability, Money, PriceChange } from '../../generated/resolvers.ts';
import { priceAmount, writeAmount } from '../../platform/money.ts';
import type { Amount } from '../../platform/money.ts';

const inCurrency = ({ viewer }: Context, amount: Amount): Money => ({
  amount: writeAmount(amount),
  currencyCode: viewer.store?.currency ?? null,
});

/** A price in the store's currency; null where it is unknown. */
export function moneyOf(ctx: Context, price: number | null): Money | null {
  const amount = priceAmount(price);
  return amount === null ? null : inCurrency(ctx, amount);
}

/** The price before a discount; null unless it is higher than the current one. */
export function wasPriceOf(ctx: Context, price: number | null, fullPrice: number | null): Money | null {
  return price !== null && fullPrice !== null && fullPrice > price ? moneyOf(ctx, fullPrice) : null;
}

/** Null where a price is unknown, the saved one is zero, or both are the same. */
export function priceChangeOf(ctx: Context, saved: number | null, price: number | null): PriceChange | null {
  const [before, now] = [priceAmount(saved), priceAmount(price)];
  if (!before || now === null || before === now) return null;
  const difference = now > before ? now - before : before - now;
  return {
    direction: now > before ? 'UP' : 'DOWN',
    amount: inCurrency(ctx, difference),
    // In hundredths of a percent, rounded half up.
    percent: Number((difference * 20_000n + before) / (2n * before)) / 100,
  };
}

/** `isUntracked` is null for a variant that is not in the catalogue. */
export function availabilityOf(product: { stk: number | null; isUntracked: boolean | null }): Availability {
  if (product.isUntracked) return 'UNTRACKED';
  if (product.stk === null) return 'UNKNOWN';
  return product.stk > 0 ? 'IN_STOCK' : 'OUT_OF_STOCK';
}

/** The main image first. */
export function imagesOf({ iu, images }: { iu: string | null; images: string[] }): string[] {
  return [...new Set(iu === null ? images : [iu, ...images])];
}
