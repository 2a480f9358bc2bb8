import type { ShopperModel } from '../generated/prisma/models.ts';
import { arraysOf, unnestKeys } from '../platform/database/columns.ts';
import type { Db, Statement } from '../platform/database/database.ts';
import type { ItemRow } from './item.columns.ts';
import {
  JOIN_PRODUCT,
  estimate,
  isWorthBuilding,
  packItem,
  packedExtra,
  sized,
  unpackItem,
} from './item.repo.ts';
import type { ListRow } from './list.columns.ts';
import { READ_LIST } from './list.repo.ts';
import type { ListOwner } from './list.repo.ts';
import { MAX_SHOWN, PREVIEW_SIZE } from './list.rules.ts';
import { nameRead } from './page.rules.ts';
import type { CursorPosition, PageOrder, SortedItemRow } from './page.rules.ts';

/** A read that returns null instead of a row of more than `maxBytes`. */
export type Sized<Key> = { key: Key; maxBytes: number };

/** `regid` is the reader. */
export type PageKey = ListOwner & {
  lid: string;
  limit: number;
  offset?: number;
  after?: CursorPosition | null;
  /** Reads the items only. */
  isWithoutList?: true;
};

/** `list` is null when the reader may not see it; `owner` is set for a list of another shopper. */
export type PageRow = {
  list: ListRow | null;
  owner: Pick<ShopperModel, 'fname' | 'em' | 'isGuest'> | null;
  items: SortedItemRow[];
  total: number;
};

const FILTERS = { instock: '(p.stk IS NULL OR p.stk > 0)', outofstock: 'p.stk <= 0' };

/** Items without a price or title come last in both directions. Titles compare by bytes, so that all servers agree. */
const SORT_KEYS = {
  price: {
    asc: `coalesce(p.pr, i.pr, 'Infinity'::float8)`,
    desc: `coalesce(p.pr, i.pr, '-Infinity'::float8)`,
    cast: 'float8',
  },
  title: {
    asc: `coalesce(left(lower(coalesce(p.dt, i.dt)), 100), E'\\U0010FFFF') COLLATE "C"`,
    desc: `coalesce(left(lower(coalesce(p.dt, i.dt)), 100), '') COLLATE "C"`,
    cast: 'text',
  },
};

type Direction = PageOrder['order'];

const readingOf = ({ order, isBackward }: PageOrder): Direction =>
  isBackward ? (order === 'asc' ? 'desc' : 'asc') : order;

const isBeyond = (reading: Direction): string =>
  reading === 'desc' ? 'seq < coalesce(k.after_seq, 9223372036854775807)' : 'seq > coalesce(k.after_seq, -1)';

function itemsByAge(page: PageOrder): string {
  const reading = readingOf(page);
  return `
    SELECT coalesce(json_agg(x.item ORDER BY x.seq ${page.order}), '[]') FROM (
      SELECT i.seq, ${packItem()} AS item FROM (
        SELECT * FROM item i WHERE i.pid = l.pid AND i.lid = l.lid AND i.${isBeyond(reading)}
        ORDER BY i.seq ${reading} LIMIT k.max_rows OFFSET k.skipped
      ) i ${JOIN_PRODUCT}
    ) x`;
}

function itemsByKey(page: PageOrder): string {
  const { sort, order, filter } = page;
  const key = sort === 'added' ? null : SORT_KEYS[sort];
  const reading = readingOf(page);
  const beyond = reading === 'desc' ? '<' : '>';
  const isAfter = key
    ? `(${key[order]}, i.seq) ${beyond} (k.after_key::${key.cast}, k.after_seq)`
    : `i.seq ${beyond} k.after_seq`;
  const sorting = (by: Direction, seq: string, sortkey: string): string =>
    (key ? `${sortkey} ${by}, ` : '') + `${seq} ${by}`;
  return `
    SELECT coalesce(json_agg(x.item ORDER BY ${sorting(order, 'x.seq', 'x.sortkey')}), '[]') FROM (
      SELECT i.seq, ${key ? `${key[order]} AS sortkey, ${packItem(key[order])}` : packItem()} AS item FROM item i ${JOIN_PRODUCT}
      WHERE i.pid = l.pid AND i.lid = l.lid ${filter ? `AND ${FILTERS[filter]}` : ''} AND (k.after_seq IS NULL OR ${isAfter})
      ORDER BY ${sorting(reading, 'i.seq', key ? key[order] : '')} LIMIT k.max_rows OFFSET k.skipped
    ) x`;
}

const PAGE_KEY_COLUMNS = {
  pid: 'text',
  regid: 'text',
  lid: 'text',
  max_rows: 'int',
  skipped: 'int',
  after_key: 'text',
  after_seq: 'bigint',
  has_list: 'boolean',
  max_bytes: 'int',
} as const;

/** OFFSET 0 and LIMIT 1 stop the planner from inlining the subqueries: built once for each mention, items took three times as long. */
function pageStatement(page: PageOrder): Statement {
  const { sort, order, filter, isBackward } = page;
  const isPlain = sort === 'added' && filter === null;
  const total = filter
    ? `(SELECT count(*) FROM item i ${JOIN_PRODUCT} WHERE i.pid = l.pid AND i.lid = l.lid AND ${FILTERS[filter]})`
    : 'l.cnt';
  return {
    name: `page_${sort}_${order}_${filter ?? 'all'}${isBackward ? '_back' : ''}`,
    text: `
      SELECT CASE WHEN k.has_list THEN row_to_json(l) END AS list,
        CASE WHEN k.has_list AND l.regid <> k.regid THEN (
          SELECT json_build_object('fname', s.fname, 'em', s.em, 'isGuest', s.is_guest) FROM shopper s WHERE s.pid = l.pid AND s.regid = l.regid) END AS owner,
        ${sized('found.items', 'items', 'k.max_bytes', 'found.estimate')},
        coalesce(${total}, 0) AS total
      FROM ${unnestKeys('k', PAGE_KEY_COLUMNS)}
      LEFT JOIN LATERAL (
        SELECT ${READ_LIST}, l.bytes FROM list l WHERE l.pid = k.pid AND l.lid = k.lid AND (l.regid = k.regid OR l.anon_read) LIMIT 1) l ON true
      CROSS JOIN LATERAL (
        SELECT e.estimate, CASE WHEN ${isWorthBuilding('e.estimate', 'k.max_bytes')} THEN (${isPlain ? itemsByAge(page) : itemsByKey(page)}) END AS items
        FROM (SELECT ${estimate('k.max_rows')} AS estimate) e OFFSET 0) found
      ORDER BY k.position`,
  };
}

type PackedPage = Omit<PageRow, 'items'> & { items: unknown[][] | null; bytes: number };

function unpackSorted(values: readonly unknown[]): SortedItemRow {
  const sortkey = packedExtra(values) as SortedItemRow['sortkey'];
  return sortkey === undefined ? unpackItem(values) : Object.assign(unpackItem(values), { sortkey });
}

const statements = new Map<string, Statement>();

/** SQL: every page view runs it; one statement serves many requests. */
export async function readPages(db: Db, order: PageOrder, reads: readonly Sized<PageKey>[]) {
  const keys = reads.map(({ key }) => key);
  const name = nameRead(order);
  const statement = statements.get(name) ?? pageStatement(order);
  statements.set(name, statement);
  const rows = await db.query<PackedPage>(statement, [
    ...arraysOf(keys, 'pid', 'regid', 'lid', 'limit'),
    keys.map(({ offset = 0 }) => offset),
    keys.map(({ after }) => after?.key ?? null),
    keys.map(({ after }) => after?.seq ?? null),
    keys.map(({ isWithoutList }) => !isWithoutList),
    reads.map(({ maxBytes }) => maxBytes),
  ]);
  return rows.map(({ items, bytes, ...row }) => ({
    row: items && { ...row, items: items.map(unpackSorted) },
    bytes,
  }));
}

const PREVIEW = `
  SELECT coalesce(json_agg(x.item ORDER BY x.seq DESC), '[]') FROM (
    SELECT i.seq, ${packItem()} AS item FROM (
      SELECT * FROM item i WHERE i.pid = l.pid AND i.lid = l.lid ORDER BY i.seq DESC LIMIT e.shown
    ) i ${JOIN_PRODUCT}
  ) x`;

export type ListsKey = ListOwner & {
  lty: string | null;
  st: number | null;
  lids: readonly string[] | null;
  /** Selects lists older than this, or newer ones if `isBackward`. */
  afterSeq: number | null;
  /** Null means no limit. */
  limit: number | null;
  /** The number of items to read for each list; `MAX_SHOWN` limits their total. */
  shown: number;
  isBackward: boolean;
};

/** `shown` is the limit that was applied to `preview`. */
type Shown = { preview: ItemRow[] | null; shown: number };

export type ListsRow = { lists: (ListRow & Shown)[]; total: number };

const IS_WANTED = `l.pid = k.pid AND l.regid = k.regid AND (k.lty IS NULL OR coalesce(l.lty, 'wl') = k.lty) AND (k.st IS NULL OR l.st = k.st) AND (k.lids IS NULL OR l.lid = ANY (string_to_array(k.lids, ',')))`;

/** Ordered, so that only the index by owner serves it, also in a plan that was made while the table was small. */
const WANTED = `(SELECT * FROM list l WHERE ${IS_WANTED} ORDER BY l.seq DESC) l`;

const LISTS_KEY_COLUMNS = {
  pid: 'text',
  regid: 'text',
  lty: 'text',
  st: 'int',
  lids: 'text',
  after_seq: 'bigint',
  max_rows: 'int',
  shown: 'int',
  max_bytes: 'int',
} as const;

/** SQL: every page view runs it; one statement serves many requests. */
function listsStatement(reading: Direction): Statement {
  const isOnPage = `${IS_WANTED} AND l.${isBeyond(reading)}`;
  return {
    name: reading === 'desc' ? 'lists_of' : 'lists_of_back',
    text: `
    SELECT ${sized('found.lists', 'lists', 'k.max_bytes', 'e.estimate')},
      CASE WHEN k.max_rows IS NOT NULL THEN (SELECT count(*) FROM ${WANTED}) ELSE 0 END AS total
    FROM ${unnestKeys('k', LISTS_KEY_COLUMNS)}
    CROSS JOIN LATERAL (
      SELECT CASE WHEN is_little THEN k.shown ELSE least(k.shown, ${PREVIEW_SIZE}) END AS shown,
        least(1, 2.0 * k.max_rows / greatest(lists, 1)) * CASE WHEN is_little THEN whole ELSE previews END AS estimate
      FROM (
        SELECT count(*) AS lists, sum(${estimate('k.shown')}) AS whole, sum(${estimate(`least(k.shown, ${PREVIEW_SIZE})`)}) AS previews,
          CASE WHEN k.max_rows IS NULL THEN sum(l.cnt) ELSE (
            SELECT sum(cnt) FROM (SELECT l.cnt FROM list l WHERE ${isOnPage} ORDER BY l.seq ${reading} LIMIT k.max_rows - 1) page)
          END <= ${MAX_SHOWN} AS is_little
        FROM ${WANTED} WHERE k.shown > 0) sums) e
    CROSS JOIN LATERAL (
      SELECT CASE WHEN ${isWorthBuilding('e.estimate', 'k.max_bytes')} THEN coalesce(json_agg(x ORDER BY x.seq DESC), '[]') END AS lists FROM (
        SELECT ${READ_LIST}, e.shown, CASE WHEN e.shown > 0 THEN (${PREVIEW}) END AS preview
        FROM (
          SELECT * FROM list l WHERE ${isWorthBuilding('e.estimate', 'k.max_bytes')} AND ${isOnPage}
          ORDER BY l.seq ${reading} LIMIT k.max_rows) l) x) found
    ORDER BY k.position`,
  };
}

const LISTS = { forward: listsStatement('desc'), backward: listsStatement('asc') };

type PackedList = ListRow & Pick<Shown, 'shown'> & { preview: unknown[][] | null };
type PackedListsRow = { lists: PackedList[] | null; total: number; bytes: number };

const unpackPreview = (list: PackedList): ListsRow['lists'][number] =>
  Object.assign(list, { preview: list.preview && list.preview.map(unpackItem) });

/** `total` is 0 when the key has no limit. All reads have the same direction. */
export async function readLists(db: Db, reads: readonly Sized<ListsKey>[], isBackward: boolean) {
  const keys = reads.map(({ key }) => key);
  const rows = await db.query<PackedListsRow>(LISTS[isBackward ? 'backward' : 'forward'], [
    ...arraysOf(keys, 'pid', 'regid', 'lty', 'st'),
    keys.map(({ lids }) => lids && lids.join()),
    ...arraysOf(keys, 'afterSeq', 'limit', 'shown'),
    reads.map(({ maxBytes }) => maxBytes),
  ]);
  return rows.map(({ lists, total, bytes }) => ({
    row: lists && { lists: lists.map(unpackPreview), total },
    bytes,
  }));
}
