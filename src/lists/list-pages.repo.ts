import { unnestKeys } from '../platform/database/columns.ts';
import type { Db } from '../platform/database/database.ts';
import { JOIN_PRODUCT, estimate, isWorthMaking, packItem, sized, unpackItem } from './item.repo.ts';
import type { ItemRow } from './item.columns.ts';
import type { ListRow } from './list.columns.ts';
import { READ_LIST } from './list.repo.ts';
import type { ListOwner } from './list.repo.ts';
import { MAX_SHOWN, PREVIEW_SIZE } from './list.rules.ts';

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
  /** Selects lists older than this. */
  afterSeq: number | null;
  /** Null means no limit. */
  limit: number | null;
  /** The number of items to read for each list; `MAX_SHOWN` limits their total. */
  shown: number;
};

/** `shown` is the limit that was applied to `preview`. */
type Shown = { preview: ItemRow[] | null; shown: number };

export type ListsRow = { lists: (ListRow & Shown)[]; total: number };

const IS_WANTED = `l.pid = k.pid AND l.regid = k.regid AND (k.lty IS NULL OR coalesce(l.lty, 'wl') = k.lty) AND (k.st IS NULL OR l.st = k.st) AND (k.lids IS NULL OR l.lid = ANY (string_to_array(k.lids, ',')))`;

const IS_ON_PAGE = `${IS_WANTED} AND l.seq < coalesce(k.after_seq, 9223372036854775807)`;

const KEY_COLUMNS = {
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
const LISTS = {
  name: 'lists_of',
  text: `
    SELECT ${sized('found.lists', 'lists', 'k.max_bytes', 'e.estimate')},
      CASE WHEN k.max_rows IS NOT NULL THEN (SELECT count(*) FROM list l WHERE ${IS_WANTED}) ELSE 0 END AS total
    FROM ${unnestKeys('k', KEY_COLUMNS)}
    CROSS JOIN LATERAL (
      SELECT CASE WHEN is_little THEN k.shown ELSE least(k.shown, ${PREVIEW_SIZE}) END AS shown,
        least(1, 2.0 * k.max_rows / greatest(lists, 1)) * CASE WHEN is_little THEN whole ELSE previews END AS estimate
      FROM (
        SELECT count(*) AS lists, sum(${estimate('k.shown')}) AS whole, sum(${estimate(`least(k.shown, ${PREVIEW_SIZE})`)}) AS previews,
          CASE WHEN k.max_rows IS NULL THEN sum(l.cnt) ELSE (
            SELECT sum(cnt) FROM (SELECT l.cnt FROM list l WHERE ${IS_ON_PAGE} ORDER BY l.seq DESC LIMIT k.max_rows - 1) page)
          END <= ${MAX_SHOWN} AS is_little
        FROM list l WHERE k.shown > 0 AND ${IS_WANTED}) sums) e
    CROSS JOIN LATERAL (
      SELECT CASE WHEN ${isWorthMaking('e.estimate', 'k.max_bytes')} THEN coalesce(json_agg(x ORDER BY x.seq DESC), '[]') END AS lists FROM (
        SELECT ${READ_LIST}, e.shown, CASE WHEN e.shown > 0 THEN (${PREVIEW}) END AS preview
        FROM (
          SELECT * FROM list l WHERE ${isWorthMaking('e.estimate', 'k.max_bytes')} AND ${IS_ON_PAGE}
          ORDER BY l.seq DESC LIMIT k.max_rows) l) x) found
    ORDER BY k.position`,
};

type PackedList = ListRow & Pick<Shown, 'shown'> & { preview: unknown[][] | null };
type PackedListsRow = { lists: PackedList[] | null; total: number; bytes: number };

const unpackPreview = (list: PackedList): ListsRow['lists'][number] =>
  Object.assign(list, { preview: list.preview && list.preview.map(unpackItem) });

/** `total` is 0 when the key has no limit. */
export async function listsOf(
  db: Db,
  reads: readonly { key: ListsKey; maxBytes: number }[],
): Promise<{ row: ListsRow | null; bytes: number }[]> {
  const column = <Name extends keyof ListsKey>(name: Name): ListsKey[Name][] =>
    reads.map(({ key }) => key[name]);
  const rows = await db.query<PackedListsRow>(LISTS, [
    column('pid'),
    column('regid'),
    column('lty'),
    column('st'),
    column('lids').map((lids) => lids && lids.join()),
    column('afterSeq'),
    column('limit'),
    column('shown'),
    reads.map(({ maxBytes }) => maxBytes),
  ]);
  return rows.map(({ lists, total, bytes }) => ({
    row: lists && { lists: lists.map(unpackPreview), total },
    bytes,
  }));
}
