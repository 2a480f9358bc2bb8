import { unnestKeys } from '../platform/database/columns.ts';
import type { Db, Tx } from '../platform/database/database.ts';

/** Whose trash. */
export type TrashOwner = { pid: string; regid: string };

/** A list whose rows now belong to another one. */
export type Moved = { from: string; to: string };

const COLUMNS = 'pid, lid, epi, regid, was, seq, deleted_at';

/** A variant that is deleted from its list again replaces what was kept of it. */
const REPLACE = `ON CONFLICT (pid, lid, epi) DO UPDATE SET
  regid = excluded.regid, was = excluded.was, seq = excluded.seq, deleted_at = excluded.deleted_at`;

/** SQL for a part of a statement that keeps the item rows of `source`; `more` are columns there that are no item's. */
export const keepItems = (source: string, more: string): string => `
  INSERT INTO deleted_item (pid, lid, epi, regid, was, deleted_at)
  SELECT g.pid, g.lid, g.epi, l.regid, to_jsonb(g) - '${more}'::text[], g.now
  FROM ${source} g JOIN list l ON l.pid = g.pid AND l.lid = g.lid ORDER BY g.seq ${REPLACE}`;

/** SQL: rows become JSON where they are; a list can have ten thousand items. */
const KEEP_LIST = {
  name: 'keep_list',
  text: `
    WITH kept AS (
      INSERT INTO deleted_list (pid, lid, regid, was, aliases, deleted_at)
      SELECT l.pid, l.lid, l.regid, to_jsonb(l), ARRAY(SELECT a.alias FROM list_alias a WHERE a.pid = l.pid AND a.lid = l.lid), $3
      FROM list l WHERE l.pid = $1 AND l.lid = $2)
    INSERT INTO deleted_item (${COLUMNS})
    SELECT i.pid, i.lid, i.epi, NULL, to_jsonb(i), i.seq, $3 FROM item i WHERE i.pid = $1 AND i.lid = $2 ${REPLACE}`,
};

/** Keeps a locked list with its items as they are, before it is deleted. */
export async function keepList(tx: Tx, { pid, lid }: { pid: string; lid: string }, now: Date): Promise<void> {
  await tx.query(KEEP_LIST, [pid, lid, now]);
}

/** SQL: a part of statements: what went with lists of `source` follows them. */
const deleteContents = (source: string): string =>
  `DELETE FROM deleted_item i USING ${source} g WHERE i.pid = g.pid AND i.lid = g.lid AND i.regid IS NULL`;

/** What one shopper's trash holds at most; the oldest go first. Adding and deleting in a loop must not fill the disk. */
const MOST = { lists: 100, items: 1_000 };

/** SQL: sums from the newest on. The newest deletion can be brought back however large it is. */
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

/** SQL: sums from the newest on, for many shoppers at once. Whoever restores or deletes one of the rows at this moment is not waited for. */
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

/** Lets go of the oldest deleted lists where they are too many. */
export async function trimLists(tx: Tx, { pid, regid }: TrashOwner, maxBytes: number): Promise<void> {
  await tx.query(TRIM_LISTS, [pid, regid, maxBytes]);
}

/** The same of items that were deleted alone. */
export async function trimItems(tx: Tx, owners: readonly TrashOwner[], maxBytes: number): Promise<void> {
  if (owners.length === 0) return;
  await tx.query(TRIM_ITEMS, [owners.map(({ pid }) => pid), owners.map(({ regid }) => regid), maxBytes]);
}

/** SQL: set-wise. Where both lists have a deleted item of the variant, the one that was deleted last stays. */
const MOVE_ITEMS = `
  WITH moved AS (
    DELETE FROM deleted_item d USING unnest($2::text[], $3::text[]) AS pair (source, target)
    WHERE d.pid = $1 AND d.lid = pair.source AND d.regid IS NOT NULL
    RETURNING d.*, pair.target)
  INSERT INTO deleted_item AS d (${COLUMNS})
  SELECT DISTINCT ON (target, epi) pid, target, epi, regid, was, seq, deleted_at FROM moved ORDER BY target, epi, seq DESC
  ${REPLACE} WHERE d.seq < excluded.seq`;

/** Gives what was deleted from lists to the lists that they joined. */
export async function moveDeletedItems(tx: Tx, pid: string, pairs: readonly Moved[]): Promise<void> {
  if (pairs.length === 0) return;
  await tx.query(MOVE_ITEMS, [pid, pairs.map(({ from }) => from), pairs.map(({ to }) => to)]);
}

/** Gives a guest's trash to the account that it was merged into. */
export async function moveTrash(
  tx: Tx,
  guest: TrashOwner,
  { regid }: Pick<TrashOwner, 'regid'>,
): Promise<void> {
  const where = { pid: guest.pid, regid: guest.regid };
  await tx.prisma.deletedList.updateMany({ where, data: { regid } });
  await tx.prisma.deletedItem.updateMany({ where, data: { regid } });
}

/** SQL: who a list was made for stands in its kept row. */
const UNNAME = `UPDATE deleted_list SET was = was || '{"cfor": null}' WHERE pid = $1 AND was ->> 'cfor' = $2`;

/** Empties a shopper's trash for good and takes its name off others' deleted lists; answers how many lists there were. */
export async function emptyTrash(
  tx: Tx,
  { pid, regid, em }: TrashOwner & { em: string | null },
): Promise<number> {
  const lists = await tx.prisma.deletedList.findMany({ where: { pid, regid }, select: { lid: true } });
  const lids = lists.map(({ lid }) => lid);
  await tx.prisma.deletedItem.deleteMany({ where: { pid, regid: null, lid: { in: lids } } });
  await tx.prisma.deletedItem.deleteMany({ where: { pid, regid } });
  await tx.prisma.deletedList.deleteMany({ where: { pid, regid } });
  if (em !== null) await tx.query(UNNAME, [pid, em]);
  return lists.length;
}

/** Rows that are forgotten together; a list counts with all its items. */
const AT_ONCE = { lists: 5, items: 1_000 };

const overIn = (table: string, columns: string, limit: number, more = ''): string => `
  SELECT d.* FROM store s CROSS JOIN LATERAL (
    SELECT ${columns} FROM ${table} d
    WHERE d.pid = s.pid AND d.deleted_at <= $1::timestamptz - s.restore_days * interval '24 hours' ${more}
    ORDER BY d.deleted_at LIMIT ${limit} FOR UPDATE SKIP LOCKED) d LIMIT ${limit}`;

/** SQL: each store has days of its own; SKIP LOCKED. */
const FORGET_LISTS = `
  WITH gone AS (
    DELETE FROM deleted_list WHERE (pid, lid) IN (${overIn('deleted_list', 'd.pid, d.lid', AT_ONCE.lists)}) RETURNING pid, lid),
  contents AS (${deleteContents('gone')})
  SELECT count(*)::int AS count FROM gone`;

/** SQL: each store has days of its own; SKIP LOCKED. */
const FORGET_ITEMS = `
  WITH gone AS (
    DELETE FROM deleted_item WHERE (pid, lid, epi) IN (
      ${overIn('deleted_item', 'd.pid, d.lid, d.epi', AT_ONCE.items, 'AND d.regid IS NOT NULL')}) RETURNING 1)
  SELECT count(*)::int AS count FROM gone`;

/** Forgets a portion of what can no longer be brought back; answers how much. */
export async function forgetTrash(db: Db, now: Date): Promise<number> {
  const [lists] = await db.query<{ count: number }>(FORGET_LISTS, [now]);
  const [items] = await db.query<{ count: number }>(FORGET_ITEMS, [now]);
  return lists!.count + items!.count;
}
