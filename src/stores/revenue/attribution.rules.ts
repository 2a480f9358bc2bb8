import { sumOf } from './amount.rules.ts';
import type { Amount } from './amount.rules.ts';
import { DAY_MS } from '../../platform/time.ts';

/** A line of an order. The product is null where neither the store nor the catalogue names it. */
export type OrderLine = { epi: string; empi: string | null; quantity: number; amount: Amount };

/** An alert that the customer clicked. Of many clicks the first and the last are known. */
export type Click = {
  alertId: string;
  topic: string;
  epi: string;
  empi: string | null;
  firstAt: Date;
  lastAt: Date;
};

/** A variant that the shopper had in a list before the order. */
export type Listed = { epi: string; empi: string };

/** Where a line came from; null: from neither. */
export type Source = { from: 'alert'; topic: string } | { from: 'list' } | null;

/** The same variant, or another one of the same product: who is told of a red one may buy the blue. */
function isSameProduct(line: OrderLine, other: { epi: string; empi: string | null }): boolean {
  return line.epi === other.epi || (line.empi !== null && line.empi === other.empi);
}

/** The last known click in the days before the order, as a time; null when there is none. */
function clickedAt({ firstAt, lastAt }: Click, orderedAt: Date, days: number): number | null {
  const order = orderedAt.getTime();
  const times = [firstAt.getTime(), lastAt.getTime()].filter(
    (time) => time <= order && time > order - days * DAY_MS,
  );
  return times.length === 0 ? null : Math.max(...times);
}

/** Where each line came from: the alert of its product that was clicked last, within so many days before the order; else a list. */
export function attribute(
  lines: readonly OrderLine[],
  { clicks, listed }: { clicks: readonly Click[]; listed: readonly Listed[] },
  orderedAt: Date,
  days: number,
): Source[] {
  const timely = clicks
    .flatMap((click) => {
      const at = clickedAt(click, orderedAt, days);
      return at === null ? [] : [{ ...click, at }];
    })
    // By the id where two share a moment, so that the answer is the same every time.
    .sort((left, right) => right.at - left.at || (left.alertId < right.alertId ? -1 : 1));
  return lines.map((line) => {
    const click = timely.find((one) => isSameProduct(line, one));
    if (click) return { from: 'alert', topic: click.topic };
    return listed.some((one) => isSameProduct(line, one)) ? { from: 'list' } : null;
  });
}

/** What an order adds to the figures of its day. */
export type Share = { kind: 'order' | 'alert' | 'list' | 'topic'; topic: string; amount: Amount };

/** What an order adds to the figures, each kind and topic once. What is from alerts is there as a whole and by topic. */
export function sharesOf(lines: readonly OrderLine[], sources: readonly Source[]): Share[] {
  const amountFrom = (isMeant: (source: Source) => boolean): Amount[] =>
    lines.filter((_line, index) => isMeant(sources[index]!)).map(({ amount }) => amount);
  const topics = [...new Set(sources.flatMap((source) => (source?.from === 'alert' ? [source.topic] : [])))];
  const parts: [Share['kind'], string, Amount[]][] = [
    ['order', '', amountFrom(() => true)],
    ['alert', '', amountFrom((source) => source?.from === 'alert')],
    ['list', '', amountFrom((source) => source?.from === 'list')],
    ...topics.map((topic): [Share['kind'], string, Amount[]] => [
      'topic',
      topic,
      amountFrom((source) => source?.from === 'alert' && source.topic === topic),
    ]),
  ];
  return parts
    .filter(([, , amounts]) => amounts.length > 0)
    .map(([kind, topic, amounts]) => ({ kind, topic, amount: sumOf(amounts) }));
}
