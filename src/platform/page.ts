import { fail } from './errors.ts';
import { isStorable } from './text.ts';

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0;

/** Returns `standard` for a missing limit and `max` for a larger one; 0 returns no rows. Anything else is `invalid-limit`. */
export function checkLimit(field: string, limit: number | null | undefined, standard: number, max: number) {
  const value = limit ?? standard;
  if (isCount(value)) return Math.min(value, max);
  return fail('invalid-limit', `${field} must be a whole number of at least 0`);
}

const MAX_PAGE = 100;

/** A page by limit and offset, as the form-encoded calls take it. */
export type Slice = { limit?: number | null; offset?: number | null };

export function checkSlice(slice: Slice, standard: number, max: number) {
  const limit = checkLimit('limit', slice.limit, standard, max);
  const offset = slice.offset ?? 0;
  if (!isCount(offset)) fail('invalid-offset', 'offset must be a whole number of at least 0');
  return { limit, offset };
}

const MAX_SEARCH = 200;

export function checkSearch(search: string | null | undefined): string {
  const words = (search ?? '').trim();
  return words.length <= MAX_SEARCH && isStorable(words)
    ? words
    : fail('invalid-request', `search must have at most ${MAX_SEARCH} characters`);
}

/** A page in either direction. */
export type PageArgs = {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
};

/** The rows behind the cursor or, if `isBackward`, those before it; `field` is the argument that names it. */
export type PageWindow = {
  limit: number;
  field: 'after' | 'before';
  cursor: string | null;
  isBackward: boolean;
};

export function checkWindow(args: PageArgs, standard: number): PageWindow {
  const { first, after, last, before } = args;
  const isBackward = last != null || Boolean(before);
  if (isBackward && (first != null || after))
    fail('invalid-request', 'first and after cannot be combined with last and before');
  const [name, size, field, cursor] = isBackward
    ? (['last', last, 'before', before] as const)
    : (['first', first, 'after', after] as const);
  return { limit: checkLimit(name, size, standard, MAX_PAGE), field, cursor: cursor || null, isBackward };
}

/** An opaque cursor: the name of the sort order, then the position in it. */
export function encodeCursor(order: string, ...place: (string | number | null)[]): string {
  return Buffer.from(JSON.stringify([order, ...place])).toString('base64url');
}

export function decodeCursor(field: string, cursor: string, order: string): unknown[] {
  try {
    const [given, ...place] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')) as unknown[];
    if (given === order) return place;
  } catch {
    // It is not JSON, or not an array.
  }
  return failCursor(field);
}

export function decodeSeq(field: string, cursor: string | null | undefined, order: string): number | null {
  if (!cursor) return null;
  const [seq] = decodeCursor(field, cursor, order);
  return isSeq(seq) ? seq : failCursor(field);
}

export const isSeq = (place: unknown): place is number => Number.isSafeInteger(place);

export const isText = (place: unknown): place is string => typeof place === 'string' && isStorable(place);

export function decodeMoment<Place>(
  cursor: string | null | undefined,
  order: string,
  isPlace: (place: unknown) => place is Place,
): [at: Date, place: Place] | null {
  if (!cursor) return null;
  const [time, place] = decodeCursor('after', cursor, order);
  const at = new Date(typeof time === 'number' ? time : Number.NaN);
  return !Number.isNaN(at.getTime()) && isPlace(place) ? [at, place] : failCursor('after');
}

export function failCursor(field: string): never {
  return fail('invalid-request', `${field} must be a cursor that this call returned`);
}

export type Connection<Row> = ReturnType<typeof toConnection<Row>>;

/** Which rows to read: `limit` of those behind a position, or from the start. */
export type PageRead<Position> = { before: Position | null; limit: number };

/** Its total is counted only if a caller selects it. */
export type CountedConnection<Node> = Connection<Node> & { count: () => Promise<number> };

/** `rows` contains one row more than requested if there is another page; `cursor` is the one that they follow or, if `isBackward`, precede. */
export function toConnection<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (row: Row) => string,
  cursor: string | null | undefined,
  isBackward = false,
) {
  const shown = isBackward ? rows.slice(Math.max(0, rows.length - limit)) : rows.slice(0, limit);
  const edges = shown.map((node) => ({ cursor: cursorOf(node), node }));
  const [isAhead, isBehind] = [rows.length > limit, Boolean(cursor)];
  return {
    edges,
    pageInfo: {
      hasNextPage: isBackward ? isBehind : isAhead,
      hasPreviousPage: isBackward ? isAhead : isBehind,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
