import { readColumn } from '../platform/database/columns.ts';
import type { Db } from '../platform/database/database.ts';
import type { ItemRow } from './item.columns.ts';
import { JOIN_PRODUCT, READ_ITEM, sized } from './item.repo.ts';
import type { ListRow } from './list.columns.ts';
import { READ_LIST } from './list.repo.ts';
import type { ListOwner } from './list.repo.ts';
import { PREVIEW_SIZE } from './list.rules.ts';

/** A deleted list as it was, with its newest items. */
export type DeletedListRow = ListRow & { deletedSeq: number; deletedAt: number; contents: ItemRow[] };

/** Which of a shopper's deleted lists: those deleted after `since`, and before the one at `afterSeq`. */
export type DeletedKey = ListOwner & {
  uid: string;
  since: Date;
  afterSeq: number | null;
  limit: number;
  offset: number;
};

const MAX_SEQ = '9223372036854775807';

const CONTENTS = `
  SELECT coalesce(json_agg(y ORDER BY y.seq DESC), '[]') FROM (
    SELECT ${READ_ITEM} FROM (
      SELECT * FROM deleted_item d WHERE d.pid = k.pid AND d.lid = k.lid AND d.regid IS NULL ORDER BY d.seq DESC LIMIT ${PREVIEW_SIZE}) d
    CROSS JOIN LATERAL jsonb_populate_record(NULL::item, d.was) i ${JOIN_PRODUCT}) y`;

/** SQL: kept rows are JSON, and sized in the database, so that nothing too large leaves it. */
const LISTS = `
  SELECT ${sized('found.lists', 'lists', '$8::int')} FROM (
    SELECT coalesce(json_agg(x ORDER BY x."deletedSeq" DESC), '[]') AS lists FROM (
      SELECT ${READ_LIST}, k.seq AS "deletedSeq", ${readColumn('k.deleted_at', 'timestamptz', 'deletedAt')}, (${CONTENTS}) AS contents
      FROM (
        SELECT * FROM deleted_list WHERE pid = $1 AND regid = $2 AND deleted_at > $4 AND seq < coalesce($5::bigint, ${MAX_SEQ})
        ORDER BY seq DESC LIMIT $6 OFFSET $7) k
      CROSS JOIN LATERAL jsonb_populate_record(NULL::list, k.was || jsonb_build_object('regid', k.regid, 'uid', $3::text)) l) x) found`;

/** Deleted lists of a shopper, the one deleted last first; null where they are more than `maxBytes`. */
export async function findDeletedLists(
  db: Db,
  { pid, regid, uid, since, afterSeq, limit, offset }: DeletedKey,
  maxBytes: number,
): Promise<{ lists: DeletedListRow[] | null; bytes: number }> {
  const params = [pid, regid, uid, since, afterSeq, limit, offset, maxBytes];
  const [row] = await db.query<{ lists: DeletedListRow[] | null; bytes: number }>(LISTS, params);
  return row!;
}

/** How many lists of a shopper can be brought back. */
export function countDeletedLists(db: Db, { pid, regid }: ListOwner, since: Date): Promise<number> {
  return db.prisma.deletedList.count({ where: { pid, regid, deletedAt: { gt: since } } });
}

/** SQL: kept rows are JSON, and sized in the database. Without what the list has again. */
const ITEMS = `
  SELECT ${sized('found.items', 'items', '$7::int')} FROM (
    SELECT coalesce(json_agg(x ORDER BY x."deletedSeq" DESC), '[]') AS items FROM (
      SELECT ${READ_ITEM}, d.seq AS "deletedSeq" FROM (
        SELECT * FROM deleted_item d
        WHERE d.pid = $1 AND d.lid = $3 AND d.regid = $2 AND d.deleted_at > $4
          AND NOT EXISTS (SELECT FROM item t WHERE t.pid = d.pid AND t.lid = d.lid AND t.epi = d.epi)
        ORDER BY d.seq DESC LIMIT $5 OFFSET $6) d
      CROSS JOIN LATERAL jsonb_populate_record(NULL::item, d.was || jsonb_build_object('lid', d.lid)) i ${JOIN_PRODUCT}) x) found`;

/** Items that were deleted alone from a list of the shopper's, the one deleted last first; null where they are more than `maxBytes`. */
export async function findDeletedItems(
  db: Db,
  { pid, regid, lid }: ListOwner & { lid: string },
  { since, limit, offset }: { since: Date; limit: number; offset: number },
  maxBytes: number,
): Promise<{ items: ItemRow[] | null; bytes: number }> {
  const params = [pid, regid, lid, since, limit, offset, maxBytes];
  const [row] = await db.query<{ items: ItemRow[] | null; bytes: number }>(ITEMS, params);
  return row!;
}
