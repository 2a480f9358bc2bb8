import { arraysOf, readColumn, unnestKeys } from '../platform/database/columns.ts';
import type { Db, Tx } from '../platform/database/database.ts';
import type { ShopperRow } from '../shoppers/shopper.repo.ts';
import { itemColumns } from './item.columns.ts';
import type { ItemEventData, ItemRow } from './item.columns.ts';
import { JOIN_PRODUCT, READ_ITEM, insertItemEvents, sized } from './item.repo.ts';
import { listColumns } from './list.columns.ts';
import type { ListRow } from './list.columns.ts';
import { READ_LIST } from './list.repo.ts';
import type { Joining, ListKey, ListOwner } from './list.repo.ts';
import { PREVIEW_SIZE } from './list.rules.ts';
import type { Sized } from './page.repo.ts';

/** A deleted list with its newest items. */
type DeletedListRow = ListRow & { deletedSeq: number; deletedAt: number; contents: ItemRow[] };

/** Selects lists deleted after `since`, and before the one at `afterSeq`. */
export type DeletedKey = ListOwner & {
  uid: string;
  since: Date;
  afterSeq: number | null;
  limit: number;
  offset: number;
};

const CONTENTS = `
  SELECT coalesce(json_agg(y ORDER BY y.seq DESC), '[]') FROM (
    SELECT ${READ_ITEM} FROM (
      SELECT * FROM deleted_item d WHERE d.pid = k.pid AND d.lid = k.lid AND d.regid IS NULL ORDER BY d.seq DESC LIMIT ${PREVIEW_SIZE}) d
    CROSS JOIN LATERAL jsonb_populate_record(NULL::item, d.was) i ${JOIN_PRODUCT}) y`;

/** SQL: deleted rows are stored as JSON, and the database measures the result so that it never sends more than `maxBytes`. */
const LISTS = `
  SELECT ${sized('deleted.lists', 'found', '$8::int')} FROM (
    SELECT coalesce(json_agg(x ORDER BY x."deletedSeq" DESC), '[]') AS lists FROM (
      SELECT ${READ_LIST}, k.seq AS "deletedSeq", ${readColumn('k.deleted_at', 'timestamptz', 'deletedAt')}, (${CONTENTS}) AS contents
      FROM (
        SELECT * FROM deleted_list WHERE pid = $1 AND regid = $2 AND deleted_at > $4 AND seq < coalesce($5::bigint, 9223372036854775807)
        ORDER BY seq DESC LIMIT $6 OFFSET $7) k
      CROSS JOIN LATERAL jsonb_populate_record(NULL::list, k.was || jsonb_build_object('regid', k.regid, 'uid', $3::text)) l) x) deleted`;

/** `found` is null when the rows exceed `maxBytes`. */
export async function findDeletedLists(db: Db, key: DeletedKey, maxBytes: number) {
  const { pid, regid, uid, since, afterSeq, limit, offset } = key;
  const params = [pid, regid, uid, since, afterSeq, limit, offset, maxBytes];
  const [row] = await db.query<{ found: DeletedListRow[] | null; bytes: number }>(LISTS, params);
  return row!;
}

export function countDeletedLists(db: Db, { pid, regid }: ListOwner, since: Date): Promise<number> {
  return db.prisma.deletedList.count({ where: { pid, regid, deletedAt: { gt: since } } });
}

/** Selects items deleted after `since`, and before the one at `afterSeq`. */
export type DeletedItemsKey = ListKey & Pick<DeletedKey, 'since' | 'afterSeq' | 'limit' | 'offset'>;

const ITEMS_KEY_COLUMNS = {
  pid: 'text',
  regid: 'text',
  lid: 'text',
  since: 'timestamptz',
  after_seq: 'bigint',
  max_rows: 'int',
  skipped: 'int',
  max_bytes: 'int',
} as const;

/** Leaves out variants that were added to the list again. */
const IS_RESTORABLE = `d.pid = k.pid AND d.lid = k.lid AND d.regid = k.regid AND d.deleted_at > k.since
  AND NOT EXISTS (SELECT FROM item t WHERE t.pid = d.pid AND t.lid = d.lid AND t.epi = d.epi)`;

/** SQL: as above; one statement serves many lists. */
const ITEMS = {
  name: 'deleted_items',
  text: `
    SELECT ${sized('deleted.items', 'items', 'k.max_bytes')}, (SELECT count(*) FROM deleted_item d WHERE ${IS_RESTORABLE}) AS total
    FROM ${unnestKeys('k', ITEMS_KEY_COLUMNS)}
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(x ORDER BY x."deletedSeq" DESC), '[]') AS items FROM (
        SELECT ${READ_ITEM}, d.seq AS "deletedSeq" FROM (
          SELECT * FROM deleted_item d WHERE ${IS_RESTORABLE} AND d.seq < coalesce(k.after_seq, 9223372036854775807)
          ORDER BY d.seq DESC LIMIT k.max_rows OFFSET k.skipped) d
        CROSS JOIN LATERAL jsonb_populate_record(NULL::item, d.was || jsonb_build_object('lid', d.lid)) i ${JOIN_PRODUCT}) x
      OFFSET 0) deleted
    ORDER BY k.position`,
};

export type DeletedItemRow = ItemRow & { deletedSeq: number };

/** Finds items that were deleted from existing lists. */
export async function findDeletedItems(db: Db, reads: readonly Sized<DeletedItemsKey>[]) {
  const keys = reads.map(({ key }) => key);
  const rows = await db.query<{ items: DeletedItemRow[] | null; total: number; bytes: number }>(ITEMS, [
    ...arraysOf(keys, 'pid', 'regid', 'lid', 'since', 'afterSeq', 'limit', 'offset'),
    reads.map(({ maxBytes }) => maxBytes),
  ]);
  return rows.map(({ items, total, bytes }) => ({ row: items && { items, total }, bytes }));
}

export type DeletedList = { lid: string; aliases: string[]; isSaveForLater: boolean };

/** Finds a restorable list by its id or an alias. */
export async function findDeletedList(tx: Tx, { pid, regid }: ListOwner, lid: string, since: Date) {
  const where = { pid, regid, OR: [{ lid }, { aliases: { has: lid } }], deletedAt: { gt: since } };
  const row = await tx.prisma.deletedList.findFirst({ where });
  if (row === null) return null;
  const { sfl_owner: owner } = row.was as { sfl_owner: string | null };
  return { lid: row.lid, aliases: row.aliases, isSaveForLater: owner !== null };
}

/** Columns that change with the restore: the owner may have merged since, and triggers count the items again. */
const NEW_VALUES: { [Column in string]?: string } = {
  regid: '$2',
  uid: '$4',
  sfl_owner: 'CASE WHEN l.sfl_owner IS NOT NULL THEN $2 END',
  cby: 'coalesce(l.cby, $5)',
  uby: 'coalesce($5, l.uby)',
  uts: 'greatest(l.uts, $6::timestamptz)',
  version: 'l.version + 1',
  cnt: '0',
  itemcmnts: '0',
  bytes: '0',
  copying: 'false',
};

const LIST_NAMES = listColumns.map(({ column }) => column);

/** SQL: the row is stored in the database as JSON. */
const RESTORE_LIST = `
  WITH taken AS (DELETE FROM deleted_list WHERE pid = $1 AND regid = $2 AND lid = $3 RETURNING was, aliases),
  named AS (INSERT INTO list_alias (pid, alias, lid) SELECT $1, unnest(aliases), $3 FROM taken)
  INSERT INTO list (${LIST_NAMES.join(', ')})
  SELECT ${LIST_NAMES.map((column) => NEW_VALUES[column] ?? `l.${column}`).join(', ')}
  FROM taken CROSS JOIN LATERAL jsonb_populate_record(NULL::list, taken.was) l RETURNING lid`;

/** Restores the list without its items; returns false when housekeeping has just removed it. */
export async function insertDeletedList(tx: Tx, owner: ShopperRow, lid: string, now: Date): Promise<boolean> {
  const { pid, regid, uid, em } = owner;
  return (await tx.query(RESTORE_LIST, [pid, regid, lid, uid, em, now])).length > 0;
}

export async function dropDeletedList(tx: Tx, { pid, regid }: ListOwner, lid: string): Promise<void> {
  await tx.prisma.deletedList.deleteMany({ where: { pid, regid, lid } });
}

/** A column that a migration added after the item was deleted gets its initial value. */
const itemValue = ({ column, ...rule }: (typeof itemColumns)[number]): string => {
  if (column === 'lid') return '$3';
  return 'initial' in rule ? `coalesce(i.${column}, ${rule.initial})` : `i.${column}`;
};

/** Moves deleted items into the list of parameter 3, in their former order; variants that it has stay unchanged. */
const restoring = (condition: string): string => `
  WITH deleted AS (DELETE FROM deleted_item d WHERE d.pid = $1 AND d.lid = $2 AND ${condition} RETURNING d.was),
  restored AS (
    INSERT INTO item AS t (${itemColumns.map(({ column }) => column).join(', ')})
    SELECT ${itemColumns.map(itemValue).join(', ')}
    FROM deleted CROSS JOIN LATERAL jsonb_populate_record(NULL::item, deleted.was) i ORDER BY i.seq
    ON CONFLICT (pid, lid, epi) DO NOTHING RETURNING t.*)`;

/** SQL: moves any number of items without reading them. */
const RESTORE_CONTENTS = `${restoring('d.regid IS NULL')},
  events AS (${insertItemEvents('restored', 4)})
  SELECT count(*)::int AS count FROM restored`;

/** Restores the items of the deleted list `from` into `to`, queues webhook events and returns how many items were new there. */
export async function insertDeletedContents(
  tx: Tx,
  { pid, uid }: ShopperRow,
  { from, to }: Joining,
  now: Date,
) {
  tx.afterCommit(tx.wake);
  const params = [pid, from, to, 'list.item.added', uid, now.toISOString()];
  const [row] = await tx.query<{ count: number }>(RESTORE_CONTENTS, params);
  return row!.count;
}

/** SQL: the rows are stored in the database as JSON. */
const RESTORE_ITEMS = `${restoring('d.regid = $4 AND d.epi = ANY ($5::text[]) AND d.deleted_at > $6')}
  SELECT i.lid, i.id, i.epi, i.empi, coalesce(p.du, i.du) AS du, i.qty FROM restored i ${JOIN_PRODUCT} ORDER BY i.seq`;

/** Restores variants into their locked list and returns those that it did not have. */
export function insertDeletedItems(
  tx: Tx,
  { pid, regid, lid }: ListKey,
  epis: readonly string[],
  since: Date,
) {
  return tx.query<ItemEventData>(RESTORE_ITEMS, [pid, lid, lid, regid, epis, since]);
}

/** Returns the variants that are neither in the list nor among its deleted items. */
export async function findUnknown(
  tx: Tx,
  { pid, regid, lid }: ListKey,
  epis: readonly string[],
  since: Date,
) {
  const where = { pid, lid, epi: { in: [...epis] } };
  const select = { epi: true };
  const present = await tx.prisma.item.findMany({ where, select });
  const deletedAt = { gt: since };
  const deleted = await tx.prisma.deletedItem.findMany({ where: { ...where, regid, deletedAt }, select });
  const known = new Set([...present, ...deleted].map(({ epi }) => epi));
  return epis.filter((epi) => !known.has(epi));
}
