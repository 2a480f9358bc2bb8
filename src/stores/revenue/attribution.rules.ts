import type { Amount } from '../../platform/money.ts';
import { DAY_MS } from '../../platform/time.ts';

/** The product is null where neither the store nor the catalogue names it. */
export type OrderLine = Variant & { quantity: number; amount: Amount };
type Variant = { epi: string; empi: string | null };

/** An alert that the customer clicked; of many clicks the first and the last are known. */
export type Click = Variant & { alertId: string; topic: string; firstAt: Date; lastAt: Date };

/** A variant that the shopper had in a list before the order. */
export type Listed = { epi: string; empi: string };

/** What a line is attributed to; null: to nothing. */
export type Source = { from: 'alert'; topic: string } | { from: 'list' } | null;

/** Whether these are variants of one product: an alert about the red one may sell the blue. */
function isSameProduct(line: OrderLine, other: Variant): boolean {
  return line.epi === other.epi || (line.empi !== null && line.empi === other.empi);
}

/** Attributes each line to the last clicked alert of its product within `days` before the order, else to a list. */
export function attribute(
  lines: readonly OrderLine[],
  { clicks, listed }: { clicks: readonly Click[]; listed: readonly Listed[] },
  orderedAt: Date,
  days: number,
): Source[] {
  const order = orderedAt.getTime();
  const timely = clicks
    .flatMap((click) =>
      [click.firstAt.getTime(), click.lastAt.getTime()]
        .filter((at) => at <= order && at > order - days * DAY_MS)
        .map((at) => ({ ...click, at })),
    )
    // By id where two clicks have the same time, so that the result is deterministic.
    .sort((left, right) => right.at - left.at || (left.alertId < right.alertId ? -1 : 1));
  return lines.map((line) => {
    const click = timely.find((one) => isSameProduct(line, one));
    if (click) return { from: 'alert', topic: click.topic };
    return listed.some((one) => isSameProduct(line, one)) ? { from: 'list' } : null;
  });
}

/** What an order adds to the figures of its day. */
export type RevenueShare = { kind: 'order' | 'alert' | 'list' | 'topic'; topic: string; amount: Amount };

/** The shares of an order, each kind and topic once. Revenue from alerts counts in total and by topic. */
export function sharesOf(lines: readonly OrderLine[], sources: readonly Source[]): RevenueShare[] {
  const shares = new Map<string, RevenueShare>();
  const add = (kind: RevenueShare['kind'], topic: string, amount: Amount): void => {
    const share = shares.get(`${kind} ${topic}`);
    shares.set(`${kind} ${topic}`, { kind, topic, amount: (share?.amount ?? 0n) + amount });
  };
  for (const [index, { amount }] of lines.entries()) {
    const source = sources[index] ?? null;
    add('order', '', amount);
    if (source !== null) add(source.from, '', amount);
    if (source?.from === 'alert') add('topic', source.topic, amount);
  }
  return [...shares.values()];
}
