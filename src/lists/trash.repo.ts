import { arraysOf, unnestKeys } from '../platform/database/columns.ts';
import type { Db, Tx } from '../platform/database/database.ts';
import type { Joining, ListKey, ListOwner } from './list.repo.ts';

const COLUMNS = 'pid, lid, epi, regid, was, seq, deleted_at';

/** A variant that is deleted again replaces its older row. */
const REPLACE = `ON CONFLICT (pid, lid, epi) DO UPDATE SET
  regid = excluded.regid, was = excluded.was, seq = excluded.seq, deleted_at = excluded.deleted_at`;

/** Part of a statement that stores the deleted item rows of `source`, without its `extra` columns. */
export const storeDeletedItems = (source: string, extra: string): string => `
  INSERT INTO deleted_item (pid, lid, epi, regid, was, deleted_at)
  SELECT g.pid, g.lid, g.epi, l.regid, to_jsonb(g) - '${extra}'::text[], g.now
  FROM ${source} g JOIN list l ON l.pid = g.pid AND l.lid = g.lid ORDER BY g.seq ${REPLACE}`;

/** SQL: copies ten thousand items without reading them. */
const STORE_LIST = {
  name: 'keep_list',
  text: `
    WITH stored AS (
      INSERT INTO deleted_list (pid, lid, regid, was, aliases, deleted_at)
      SELECT l.pid, l.lid, l.regid, to_jsonb(l), ARRAY(SELECT a.alias FROM list_alias a WHERE a.pid = l.pid AND a.lid = l.lid), $3
      FROM list l WHERE l.pid = $1 AND l.lid = $2)
    INSERT INTO deleted_item (${COLUMNS})
    SELECT i.pid, i.lid, i.epi, NULL, to_jsonb(i), i.seq, $3 FROM item i WHERE i.pid = $1 AND i.lid = $2 ${REPLACE}`,
};

/** Stores a locked list with its items before it is deleted, and removes the oldest deleted lists beyond the limits. */
export async function storeDeletedList(tx: Tx, { pid, regid, lid }: ListKey, maxBytes: number, now: Date) {
  await tx.query(STORE_LIST, [pid, lid, now]);
  await tx.query(TRIM_LISTS, [pid, regid, maxBytes]);
}

const deleteContents = (source: string): string =>
  `DELETE FROM deleted_item i USING ${source} g WHERE i.pid = g.pid AND i.lid = g.lid AND i.regid IS NULL`;

/** Limits for one shopper, so that adding and deleting in a loop cannot fill the disk. */
const MOST = { lists: 100, items: 1_000 };

/** SQL: window functions. The newest deletion stays whatever its size. */
const TRIM_LISTS = {
  name: 'trim_deleted_lists',
  text: `
    WITH gone AS (
      DELETE FROM deleted_list d USING (
        SELECT pid, lid, row_number() OVER w AS place, sum((was ->> 'bytes')::bigint) OVER w AS bytes
        FROM deleted_list WHERE pid = $1 AND regid = $2 WINDOW w AS (ORDER BY seq DESC)) o
      WHERE d.pid = o.pid AND d.lid = o.lid AND o.place > 1 AND (o.place > ${MOST.lists} OR o.bytes > $3)
      RETURNING d.pid, d.lid)
    ${deleteContents('gone')}`,
};

/** SQL: window functions, for many shoppers at once. SKIP LOCKED: a concurrent restore may hold a row. */
const TRIM_ITEMS = {
  name: 'trim_deleted_items',
  text: `
    WITH over AS (
      SELECT o.ctid FROM ${unnestKeys('k', { pid: 'text', regid: 'text' })}
      CROSS JOIN LATERAL (
        SELECT d.ctid, row_number() OVER w AS place, sum(pg_column_size(d.was)) OVER w AS bytes
        FROM deleted_item d WHERE d.pid = k.pid AND d.regid = k.regid WINDOW w AS (ORDER BY d.seq DESC)) o
      WHERE o.place > 1 AND (o.place > ${MOST.items} OR o.bytes > $3))
    DELETE FROM deleted_item WHERE ctid = ANY (ARRAY(
      SELECT d.ctid FROM deleted_item d WHERE d.ctid = ANY (ARRAY(SELECT ctid FROM over)) FOR UPDATE SKIP LOCKED))`,
};

/** Removes the oldest deleted items beyond the limits. */
export async function trimItems(tx: Tx, owners: readonly ListOwner[], maxBytes: number): Promise<void> {
  await tx.query(TRIM_ITEMS, [...arraysOf(owners, 'pid', 'regid'), maxBytes]);
}

/** SQL: set-wise. Of two deleted items of one variant, the one deleted last stays. */
const MOVE_ITEMS = `
  WITH moved AS (
    DELETE FROM deleted_item d USING unnest($2::text[], $3::text[]) AS pair (source, target)
    WHERE d.pid = $1 AND d.lid = pair.source AND d.regid IS NOT NULL
    RETURNING d.*, pair.target)
  INSERT INTO deleted_item AS d (${COLUMNS})
  SELECT DISTINCT ON (target, epi) pid, target, epi, regid, was, seq, deleted_at FROM moved ORDER BY target, epi, seq DESC
  ${REPLACE} WHERE d.seq < excluded.seq`;

/** Moves deleted items along with lists that joined another one. */
export async function moveDeletedItems(tx: Tx, pid: string, pairs: readonly Joining[]): Promise<void> {
  if (pairs.length === 0) return;
  await tx.query(MOVE_ITEMS, [pid, ...arraysOf(pairs, 'from', 'to')]);
}

export async function moveTrash(tx: Tx, guest: ListOwner, { regid }: Pick<ListOwner, 'regid'>) {
  const where = { pid: guest.pid, regid: guest.regid };
  await tx.prisma.deletedList.updateMany({ where, data: { regid } });
  await tx.prisma.deletedItem.updateMany({ where, data: { regid } });
}

/** SQL: reads inside the stored JSON. */
const RENAME = `
  UPDATE deleted_list SET was = was || jsonb_build_object('cfor', $3::text) WHERE pid = $1 AND was ->> 'cfor' = $2`;

/** Replaces the address of the person whom deleted lists were made for; null removes it. */
export async function renameRecipient(tx: Tx, pid: string, from: string, to: string | null): Promise<void> {
  await tx.query(RENAME, [pid, from, to]);
}

/** Erases a shopper's deleted lists and items, and its address on others' deleted lists; returns the number of lists. */
export async function emptyTrash(tx: Tx, { pid, regid, em }: ListOwner & { em: string | null }) {
  const lists = await tx.prisma.deletedList.findMany({ where: { pid, regid }, select: { lid: true } });
  const lids = lists.map(({ lid }) => lid);
  await tx.prisma.deletedItem.deleteMany({ where: { pid, regid: null, lid: { in: lids } } });
  await tx.prisma.deletedItem.deleteMany({ where: { pid, regid } });
  await tx.prisma.deletedList.deleteMany({ where: { pid, regid } });
  if (em !== null) await renameRecipient(tx, pid, em, null);
  return lists.length;
}

const BATCH = { lists: 5, items: 1_000 };

const expiredIn = (table: string, columns: string, limit: number, more = ''): string => `
  SELECT d.* FROM store s CROSS JOIN LATERAL (
    SELECT ${columns} FROM ${table} d
    WHERE d.pid = s.pid AND d.deleted_at <= $1::timestamptz - s.restore_days * interval '24 hours' ${more}
    ORDER BY d.deleted_at LIMIT ${limit} FOR UPDATE SKIP LOCKED) d
  WHERE s.move_step IS NULL LIMIT ${limit}`;

/** SQL: each store has its own restore period; SKIP LOCKED. */
const FORGET_LISTS = `
  WITH gone AS (
    DELETE FROM deleted_list WHERE (pid, lid) IN (${expiredIn('deleted_list', 'd.pid, d.lid', BATCH.lists)}) RETURNING pid, lid),
  contents AS (${deleteContents('gone')})
  SELECT count(*)::int AS count FROM gone`;

/** SQL: each store has its own restore period; SKIP LOCKED. */
const FORGET_ITEMS = `
  WITH gone AS (
    DELETE FROM deleted_item WHERE (pid, lid, epi) IN (
      ${expiredIn('deleted_item', 'd.pid, d.lid, d.epi', BATCH.items, 'AND d.regid IS NOT NULL')}) RETURNING 1)
  SELECT count(*)::int AS count FROM gone`;

/** Removes a batch of lists and items that can no longer be restored, and returns how many. */
export async function forgetTrash({ db }: { db: Db }, now: Date): Promise<number> {
  const [lists] = await db.query<{ count: number }>(FORGET_LISTS, [now]);
  const [items] = await db.query<{ count: number }>(FORGET_ITEMS, [now]);
  return lists!.count + items!.count;
}
