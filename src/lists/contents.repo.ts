import { unnestKeys } from '../platform/database/columns.ts';
import type { Statement, Tx } from '../platform/database/database.ts';
import type { CustomField, ItemRow, ItemWrite } from './item.columns.ts';
import { CHANGEABLE, NAMES, PROBE_PRODUCT, READ_ITEM, each } from './item.repo.ts';
import type { CopiedColumn, WriteScope } from './item.repo.ts';
import { READ_LIST, USED_BYTES } from './list.repo.ts';
import type { ListOwner, LockedList, WrittenList } from './list.repo.ts';
import { keepItems } from './trash.repo.ts';

/** What was sent; of a variant that the catalogue knows a snapshot is taken at an add, and a change keeps it. */
const sentValue = ({ field, column, write }: CopiedColumn): string =>
  write === 'snapshot'
    ? `CASE WHEN p.epi IS NULL THEN x."${field}" WHEN x."isAdd" THEN coalesce(p.${column}, x."${field}") END AS ${column}`
    : `x."${field}" AS ${column}`;

/** What a change makes of a custom item; nothing makes one of another. */
const CUSTOM: Record<CustomField, string> = {
  bundle: 'CASE WHEN i.lity IS NULL THEN i.bundle ELSE coalesce(s.bundle, i.bundle) END',
  lity: `CASE WHEN i.lity IS NULL OR s.bundle IS NULL THEN i.lity WHEN s.bundle = '[]' THEN 'custom' ELSE 'customBundle' END`,
};

const changedValue = ({ field, column, write }: CopiedColumn): string => {
  if (write === 'custom') return CUSTOM[field as CustomField];
  return write === 'clearable'
    ? `CASE WHEN s.${column} IS NULL THEN i.${column} ELSE nullif(s.${column}, '') END`
    : `coalesce(s.${column}, i.${column})`;
};

const firstValue = ({ column, write, initial }: CopiedColumn): string => {
  if (write === 'clearable') return `nullif(${column}, '')`;
  return initial ? `coalesce(${column}, ${initial})` : column;
};

/** SQL: whoever shares a transaction waits for nobody, so that one list that is held up does not hold up the others. */
const LOCK_FREE = {
  name: 'lock_free_lists',
  text: `
    SELECT ${READ_LIST}, l.bytes
    FROM ${unnestKeys('k', { pid: 'text', regid: 'text', lid: 'text' })}
    JOIN list l ON l.pid = k.pid AND l.lid = k.lid AND l.regid = k.regid
    FOR UPDATE OF l SKIP LOCKED`,
};

/** Locks those of the lists that are there and that nobody else has locked. */
export function lockFreeLists(tx: Tx, keys: readonly (ListOwner & { lid: string })[]): Promise<LockedList[]> {
  return tx.query<LockedList>(LOCK_FREE, [
    keys.map(({ pid }) => pid),
    keys.map(({ regid }) => regid),
    keys.map(({ lid }) => lid),
  ]);
}

/** What is to be done with the items of a locked list; no variant comes twice. */
export type ContentsWrite = WriteScope & {
  /** What the list took before. */
  bytes: number;
  /** Whether the version goes on with this; false where an earlier part of the same write has moved it. */
  isFirst: boolean;
  removed: readonly string[];
  /** Whether what is removed can be brought back. */
  keepsRemoved: boolean;
  /** Changed where they are there and, with `isAdd`, added where they are not. */
  sent: readonly (ItemWrite & { isAdd: boolean })[];
};

/** An item that a write met: as it left it, or as it was when it removed it. */
export type MetItem = ItemRow & { fate: 'changed' | 'made' | 'gone' };

/** A list as a write of its items left it. */
export type WrittenContents = WrittenList & { items: MetItem[] };

const WRITES = {
  pid: 'text',
  lid: 'text',
  di: 'text',
  uby: 'text',
  now: 'timestamptz',
  bytes: 'bigint',
  is_first: 'boolean',
} as const;

/** Keeps what was removed by those of the writes that parameter 11 names. */
const KEEP = `
    kept AS (${keepItems(
      `(
      SELECT g.*, w.now FROM gone g JOIN write w ON w.pid = g.pid AND w.lid = g.lid AND w.position = ANY ((SELECT $11::int[])::int[]))`,
      '{weight,now}',
    )}),`;

/**
 * Every add, change and removal runs it, for many lists at once. It counts what it writes and updates each list's row once, so the triggers
 * that count leave it alone; all that is written comes out of `write`, so they have been told by then. The lists' row locks make it safe
 * without ON CONFLICT, which could not tell a default from a value that was sent. Items are locked before they are weighed:
 * whoever changes one by hand has locked no list.
 */
const writeStatement = (name: string, keep: string): Statement => ({
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
      SELECT s.*, o.noted, o.weight FROM sent s CROSS JOIN LATERAL (
        SELECT (i.note IS NOT NULL)::int AS noted, item_bytes(i) AS weight FROM item i
        WHERE i.pid = s.pid AND i.lid = s.lid AND i.epi = s.epi LIMIT 1 FOR UPDATE) o),
    changed AS (
      UPDATE item i SET ${each((column) => `${column.column} = ${changedValue(column)}`, CHANGEABLE)}, uby = s.uby, uts = greatest(i.uts, s.now)
      FROM known s WHERE i.pid = s.pid AND i.lid = s.lid AND i.epi = s.epi
      RETURNING i.*, item_bytes(i) AS weight),
    made AS (
      INSERT INTO item AS i (pid, lid, id, ${NAMES}, di, uby, cts, uts)
      SELECT pid, lid, id, ${each(firstValue)}, di, uby, now, now
      FROM sent s WHERE is_add AND NOT EXISTS (SELECT FROM known k WHERE k.position = s.position)
      ORDER BY s.position
      RETURNING i.*, item_bytes(i) AS weight),
    gone AS (
      DELETE FROM item i USING ${unnestKeys('r', { w: 'int', epi: 'text' }, 9)} JOIN write w ON w.position = r.w
      WHERE i.pid = w.pid AND i.lid = w.lid AND i.epi = r.epi
      RETURNING i.*, item_bytes(i) AS weight),
    ${keep}
    met AS (
      SELECT *, 'changed' AS fate FROM changed UNION ALL SELECT *, 'made' FROM made UNION ALL SELECT *, 'gone' FROM gone),
    delta AS (
      SELECT pid, lid, sum(cnt) AS cnt, sum(noted) AS noted, sum(weight) AS weight FROM (
        SELECT pid, lid, sign * (fate <> 'changed')::int AS cnt, sign * (note IS NOT NULL)::int AS noted, sign * weight AS weight
        FROM met CROSS JOIN LATERAL (SELECT CASE fate WHEN 'gone' THEN -1 ELSE 1 END AS sign) s
        UNION ALL SELECT pid, lid, 0, -noted, -weight FROM known) d
      GROUP BY pid, lid),
    touched AS (
      UPDATE list l SET cnt = l.cnt + w.cnt, itemcmnts = l.itemcmnts + w.noted, bytes = l.bytes + w.weight,
        uby = w.uby, uts = greatest(l.uts, w.now), version = l.version + w.is_first::int
      FROM (SELECT * FROM delta JOIN write USING (pid, lid) ORDER BY position) w
      WHERE l.pid = w.pid AND l.lid = w.lid
      RETURNING ${READ_LIST}, CASE WHEN l.bytes > w.bytes THEN ${USED_BYTES} END AS used)
    SELECT t.*, (
      SELECT json_agg(x ORDER BY x.seq) FROM (
        SELECT ${READ_ITEM}, i.fate FROM met i ${PROBE_PRODUCT} WHERE i.pid = t.pid AND i.lid = t.lid) x) AS items
    FROM touched t`,
});

/** Nothing of the trash is looked at where nothing is put into it, which is nearly always. */
const WRITE = writeStatement('write_contents', '');
const WRITE_KEEPING = writeStatement('write_contents_keeping', KEEP);

/**
 * SQL: every add, change and removal runs it. Writes the items of locked lists; answers the lists that something was done in. Lists are updated in the order given, and their owners'
 * revisions move in that order at the commit.
 */
export function writeContents(tx: Tx, writes: readonly ContentsWrite[]): Promise<WrittenContents[]> {
  const column = <Name extends keyof ContentsWrite>(name: Name): ContentsWrite[Name][] =>
    writes.map((write) => write[name]);
  // SQL counts from one.
  const removed = writes.flatMap(({ removed: epis }, index) => epis.map((epi) => ({ w: index + 1, epi })));
  const keeping = writes.flatMap(({ keepsRemoved }, index) => (keepsRemoved ? [index + 1] : []));
  return tx.query<WrittenContents>(keeping.length > 0 ? WRITE_KEEPING : WRITE, [
    column('pid'),
    column('lid'),
    column('di'),
    column('uby'),
    column('now'),
    column('bytes'),
    column('isFirst'),
    writes.flatMap(({ sent }, index) => sent.map((item) => JSON.stringify({ w: index + 1, ...item }))),
    removed.map(({ w }) => w),
    removed.map(({ epi }) => epi),
    ...(keeping.length > 0 ? [keeping] : []),
  ]);
}
