import { arraysOf, unnestKeys } from '../platform/database/columns.ts';
import type { Statement, Tx } from '../platform/database/database.ts';
import type { CustomField, ItemRow, ItemWrite } from './item.columns.ts';
import { CHANGEABLE, NAMES, PROBE_PRODUCT, READ_ITEM, each } from './item.repo.ts';
import type { CopiedColumn, WriteScope } from './item.repo.ts';
import { READ_LIST, USED_BYTES } from './list.repo.ts';
import type { ListKey, LockedList, WrittenList } from './list.repo.ts';
import { storeDeletedItems } from './trash.repo.ts';

/** Adding a variant of the catalogue takes a snapshot of the product; changing the item leaves the snapshot as it is. */
const sentValue = ({ field, column, write, ...rule }: CopiedColumn): string => {
  if ('from' in rule) return `coalesce(p.${rule.from}, x."${rule.from}") AS ${column}`;
  return write === 'snapshot'
    ? `CASE WHEN p.epi IS NULL THEN x."${field}" WHEN x."isAdd" THEN coalesce(p.${column}, x."${field}") END AS ${column}`
    : `x."${field}" AS ${column}`;
};

/** Only custom items have a bundle, and no change turns another item into a custom one. */
const CUSTOM: Record<CustomField, string> = {
  bundle: 'CASE WHEN i.lity IS NULL THEN i.bundle ELSE coalesce(s.bundle, i.bundle) END',
  lity: `CASE WHEN i.lity IS NULL OR s.bundle IS NULL THEN i.lity WHEN s.bundle = '[]' THEN 'custom' ELSE 'customBundle' END`,
};

/** Stand for null in a column without an initial value, as in item.rules.ts. */
const CLEARED: Partial<Record<CopiedColumn['sql'], string>> = { text: "''", float8: '-1' };

const orNull = (value: string, { sql }: CopiedColumn): string =>
  CLEARED[sql] ? `nullif(${value}, ${CLEARED[sql]})` : value;

const changedValue = (of: CopiedColumn): string => {
  const { field, column, write, initial } = of;
  if (write === 'custom') return CUSTOM[field as CustomField];
  return initial
    ? `coalesce(s.${column}, i.${column})`
    : `CASE WHEN s.${column} IS NULL THEN i.${column} ELSE ${orNull(`s.${column}`, of)} END`;
};

const firstValue = (of: CopiedColumn): string =>
  of.initial ? `coalesce(${of.column}, ${of.initial})` : orNull(of.column, of);

/** SQL: SKIP LOCKED, so that one locked list does not delay the other writes of a shared transaction. */
const LOCK_FREE = {
  name: 'lock_free_lists',
  text: `
    SELECT ${READ_LIST}, l.bytes
    FROM ${unnestKeys('k', { pid: 'text', regid: 'text', lid: 'text' })}
    JOIN list l ON l.pid = k.pid AND l.lid = k.lid AND l.regid = k.regid
    FOR UPDATE OF l SKIP LOCKED`,
};

export function lockFreeLists(tx: Tx, keys: readonly ListKey[]): Promise<LockedList[]> {
  return tx.query<LockedList>(LOCK_FREE, arraysOf(keys, 'pid', 'regid', 'lid'));
}

/** A write to a locked list; each variant occurs once. */
export type ContentsWrite = WriteScope & {
  /** The size of the list before the write. */
  bytes: number;
  /** False when an earlier part of the same request has incremented the version. */
  isFirst: boolean;
  removed: readonly string[];
  storesRemoved: boolean;
  /** Items in the list are changed; others are added if they have `isAdd`. */
  sent: readonly (ItemWrite & { isAdd: boolean })[];
};

/** An item after the write, or before it if the write removed the item. */
export type WrittenItem = ItemRow & { outcome: 'changed' | 'added' | 'removed' };

export type WrittenContents = WrittenList & { items: WrittenItem[] };

const WRITES = {
  pid: 'text',
  lid: 'text',
  di: 'text',
  uby: 'text',
  now: 'timestamptz',
  bytes: 'bigint',
  is_first: 'boolean',
} as const;

/** Stores what the writes of parameter 11 removed. */
const STORE_REMOVED = `
    stored AS (${storeDeletedItems(
      `(
      SELECT g.*, w.now FROM removed g JOIN write w ON w.pid = g.pid AND w.lid = g.lid AND w.position = ANY ((SELECT $11::int[])::int[]))`,
      '{size,now}',
    )}),`;

// `set_config` turns off the triggers that count items, because this statement updates the counts itself. The lists are locked, so it needs
// no ON CONFLICT, which could not distinguish a default from a sent value. `known` locks items, because a manual UPDATE locks no list.
const writeStatement = (name: string, storeRemoved: string): Statement => ({
  name,
  text: `
    WITH write AS MATERIALIZED (
      SELECT * FROM ${unnestKeys('w', WRITES)}
      WHERE set_config('wishgate.counts', 'statement', true) IS NOT NULL),
    sent AS MATERIALIZED (
      SELECT w.pid, w.lid, w.di, w.uby, w.now, x."isAdd" AS is_add, x.id, ${each(sentValue)}, e.position
      FROM ${unnestKeys('e', { item: 'jsonb' }, 8)}
      CROSS JOIN LATERAL jsonb_to_record(e.item)
        AS x (w int, "isAdd" boolean, id text, ${each(({ field, sql }) => `"${field}" ${sql}`)})
      JOIN write w ON w.position = x.w
      LEFT JOIN LATERAL (
        SELECT * FROM product p WHERE p.pid = w.pid AND p.epi = x.epi AND x.lity IS NULL LIMIT 1) p ON true),
    known AS MATERIALIZED (
      SELECT s.*, o.noted, o.size FROM sent s CROSS JOIN LATERAL (
        SELECT (i.note IS NOT NULL)::int AS noted, item_bytes(i) AS size FROM item i
        WHERE i.pid = s.pid AND i.lid = s.lid AND i.epi = s.epi LIMIT 1 FOR UPDATE) o),
    changed AS (
      UPDATE item i SET ${each((column) => `${column.column} = ${changedValue(column)}`, CHANGEABLE)}, uby = s.uby, uts = greatest(i.uts, s.now)
      FROM known s WHERE i.pid = s.pid AND i.lid = s.lid AND i.epi = s.epi
      RETURNING i.*, item_bytes(i) AS size),
    added AS (
      INSERT INTO item AS i (pid, lid, id, ${NAMES}, di, uby, cts, uts)
      SELECT pid, lid, id, ${each(firstValue)}, di, uby, now, now
      FROM sent s WHERE is_add AND NOT EXISTS (SELECT FROM known k WHERE k.position = s.position)
      ORDER BY s.position
      RETURNING i.*, item_bytes(i) AS size),
    removed AS (
      DELETE FROM item i USING ${unnestKeys('r', { w: 'int', epi: 'text' }, 9)} JOIN write w ON w.position = r.w
      WHERE i.pid = w.pid AND i.lid = w.lid AND i.epi = r.epi
      RETURNING i.*, item_bytes(i) AS size),
    ${storeRemoved}
    written AS (
      SELECT *, 'changed' AS outcome FROM changed UNION ALL SELECT *, 'added' FROM added UNION ALL SELECT *, 'removed' FROM removed),
    delta AS (
      SELECT pid, lid, sum(cnt) AS cnt, sum(noted) AS noted, sum(size) AS size FROM (
        SELECT pid, lid, sign * (outcome <> 'changed')::int AS cnt, sign * (note IS NOT NULL)::int AS noted, sign * size AS size
        FROM written CROSS JOIN LATERAL (SELECT CASE outcome WHEN 'removed' THEN -1 ELSE 1 END AS sign) s
        UNION ALL SELECT pid, lid, 0, -noted, -size FROM known) d
      GROUP BY pid, lid),
    touched AS (
      UPDATE list l SET cnt = l.cnt + w.cnt, itemcmnts = l.itemcmnts + w.noted, bytes = l.bytes + w.size,
        uby = w.uby, uts = greatest(l.uts, w.now), version = l.version + w.is_first::int
      FROM (SELECT * FROM delta JOIN write USING (pid, lid) ORDER BY position) w
      WHERE l.pid = w.pid AND l.lid = w.lid
      RETURNING ${READ_LIST}, CASE WHEN l.bytes > w.bytes THEN ${USED_BYTES} END AS used)
    SELECT t.*, (
      SELECT json_agg(x ORDER BY x.seq) FROM (
        SELECT ${READ_ITEM}, i.outcome FROM written i ${PROBE_PRODUCT} WHERE i.pid = t.pid AND i.lid = t.lid) x) AS items
    FROM touched t`,
});

const WRITE = writeStatement('write_contents', '');
const WRITE_KEEPING = writeStatement('write_contents_keeping', STORE_REMOVED);

/**
 * SQL: every add, change and removal runs it. Returns the lists that it changed. It updates lists in the given order, and so
 * the commit advances their owners' revisions in that order.
 */
export function writeContents(tx: Tx, writes: readonly ContentsWrite[]): Promise<WrittenContents[]> {
  // Positions in SQL count from one.
  const removed = writes.flatMap(({ removed: epis }, index) => epis.map((epi) => ({ w: index + 1, epi })));
  const keeping = writes.flatMap(({ storesRemoved }, index) => (storesRemoved ? [index + 1] : []));
  return tx.query<WrittenContents>(keeping.length > 0 ? WRITE_KEEPING : WRITE, [
    ...arraysOf(writes, 'pid', 'lid', 'di', 'uby', 'now', 'bytes', 'isFirst'),
    writes.flatMap(({ sent }, index) => sent.map((item) => JSON.stringify({ w: index + 1, ...item }))),
    removed.map(({ w }) => w),
    removed.map(({ epi }) => epi),
    ...(keeping.length > 0 ? [keeping] : []),
  ]);
}
