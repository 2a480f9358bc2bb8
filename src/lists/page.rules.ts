import type { ListItemsArgs } from '../generated/resolvers.ts';
import { decodeCursor, encodeCursor, failCursor, isSeq, isText } from '../platform/page.ts';
import type { ItemRow } from './item.columns.ts';

/** Each combination has its own statement. */
export type PageOrder = {
  sort: 'added' | 'price' | 'title';
  order: 'asc' | 'desc';
  filter: 'instock' | 'outofstock' | null;
  /** Reads the rows before the position instead of those behind it; they are returned in the same order. */
  isBackward?: boolean;
};

export const NEWEST_FIRST: PageOrder = { sort: 'added', order: 'desc', filter: null };

/** The sort key as text, null for `added`, and the item's sequence number. */
export type CursorPosition = { key: string | null; seq: number };

export type SortedItemRow = ItemRow & { sortkey?: string | number };

/** Names the order in cursors, which are valid in both directions. */
export function nameOrder({ sort, order, filter }: PageOrder): string {
  return `${sort} ${order} ${filter ?? ''}`;
}

export function nameRead(order: PageOrder): string {
  return order.isBackward ? `${nameOrder(order)} back` : nameOrder(order);
}

export function checkOrder({ sort, order, filter }: ListItemsArgs): PageOrder {
  const by = sort ?? 'added';
  return { sort: by, order: order ?? (by === 'added' ? 'desc' : 'asc'), filter: filter ?? null };
}

export function encodePosition(order: PageOrder, { sortkey, seq }: SortedItemRow): string {
  return encodeCursor(nameOrder(order), sortkey === undefined ? null : String(sortkey), seq);
}

export function decodePosition(field: string, cursor: string, order: PageOrder): CursorPosition {
  const [key, seq] = decodeCursor(field, cursor, nameOrder(order));
  const isKeyFine = order.sort === 'added' ? key === null : isText(key);
  const isNumberFine = order.sort !== 'price' || (key === String(Number(key)) && key !== 'NaN');
  return isKeyFine && isNumberFine && isSeq(seq) ? { key: key as string | null, seq } : failCursor(field);
}
