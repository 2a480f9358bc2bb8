import type { Tx } from '../../database/database.ts';
import { itemColumns } from '../item/item.columns.ts';
import { insertItemEvents } from '../item/item-events.repo.ts';
import { JOIN_PRODUCT } from '../item/item.repo.ts';
import type { ToldItem } from '../item/item.repo.ts';
import { listColumns } from '../list/list.columns.ts';
import type { ListOwner } from '../list/list.repo.ts';

/** SQL: locks, and looks into a kept row. */
const LOCK = `
  SELECT was ->> 'sfl_owner' IS NOT NULL AS "isSaveForLater" FROM deleted_list
  WHERE pid = $1 AND regid = $2 AND lid = $3 AND deleted_at > $4 FOR UPDATE`;

/** A deleted list of the shopper's that can be brought back, locked; null when there is none. */
export async function lockDeletedList(
  tx: Tx,
  { pid, regid }: ListOwner,
  lid: string,
  since: Date,
): Promise<{ isSaveForLater: boolean } | null> {
  const [row] = await tx.query<{ isSaveForLater: boolean }>(LOCK, [pid, regid, lid, since]);
  return row ?? null;
}

/** What of a list is not as it was: whose it is by now, and what triggers count anew. */
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

/** SQL: the row is in the database already, as JSON. */
const PUT_LIST = `
  WITH taken AS (DELETE FROM deleted_list WHERE pid = $1 AND regid = $2 AND lid = $3 RETURNING was)
  INSERT INTO list (${LIST_NAMES.join(', ')})
  SELECT ${LIST_NAMES.map((column) => NEW_VALUES[column] ?? `l.${column}`).join(', ')}
  FROM taken CROSS JOIN LATERAL jsonb_populate_record(NULL::list, taken.was) l`;

/** Puts a locked deleted list back, without its items. */
export async function putList(
  tx: Tx,
  { pid, regid, uid, em }: ListOwner & { uid: string; em: string | null },
  lid: string,
  now: Date,
): Promise<void> {
  await tx.query(PUT_LIST, [pid, regid, lid, uid, em, now]);
}

/** Forgets a deleted list whose items went into another one. */
export async function dropDeletedList(tx: Tx, { pid, regid }: ListOwner, lid: string): Promise<void> {
  await tx.prisma.deletedList.deleteMany({ where: { pid, regid, lid } });
}

/** A column that came into being since the item was deleted has the value of a new item. */
const itemValue = ({ column, ...rule }: (typeof itemColumns)[number]): string => {
  if (column === 'lid') return '$3';
  return 'initial' in rule ? `coalesce(i.${column}, ${rule.initial})` : `i.${column}`;
};

const ITEM_NAMES = itemColumns.map(({ column }) => column);

/** SQL for what puts the deleted items `back` into the list of parameter 3, each to its place; those that it has stay. */
const putBack = (condition: string): string => `
  WITH back AS (DELETE FROM deleted_item d WHERE d.pid = $1 AND d.lid = $2 AND ${condition} RETURNING d.was),
  put AS (
    INSERT INTO item AS t (${ITEM_NAMES.join(', ')})
    SELECT ${itemColumns.map(itemValue).join(', ')}
    FROM back CROSS JOIN LATERAL jsonb_populate_record(NULL::item, back.was) i ORDER BY i.seq
    ON CONFLICT (pid, lid, epi) DO NOTHING RETURNING t.*)`;

/** SQL: set-wise, for any number of items; none of them leaves the database. */
const PUT_CONTENTS = `${putBack('d.regid IS NULL')},
  told AS (${insertItemEvents('put', 4)})
  SELECT count(*)::int AS count FROM put`;

/** Puts what went with the list `from` into the list `to`, which may be the same, and tells webhooks; answers how many were new there. */
export async function putContents(
  tx: Tx,
  { pid, uid }: { pid: string; uid: string },
  { from, to }: { from: string; to: string },
  now: Date,
): Promise<number> {
  tx.afterCommit(tx.wake);
  const params = [pid, from, to, 'list.item.added', uid, now.toISOString()];
  const [row] = await tx.query<{ count: number }>(PUT_CONTENTS, params);
  return row!.count;
}

/** SQL: rows are in the database already, as JSON. */
const PUT_ITEMS = `${putBack('d.regid = $4 AND d.epi = ANY ($5::text[]) AND d.deleted_at > $6')}
  SELECT i.lid, i.id, i.epi, i.empi, coalesce(p.du, i.du) AS du, i.qty FROM put i ${JOIN_PRODUCT} ORDER BY i.seq`;

/** Puts variants that were deleted alone back into their locked list; answers those that were not there. */
export function putItems(
  tx: Tx,
  { pid, regid, lid }: ListOwner & { lid: string },
  epis: readonly string[],
  since: Date,
): Promise<ToldItem[]> {
  return tx.query<ToldItem>(PUT_ITEMS, [pid, lid, lid, regid, epis, since]);
}

/** Which of these variants a list does not have. */
export async function findAbsent(
  tx: Tx,
  { pid, lid }: { pid: string; lid: string },
  epis: readonly string[],
): Promise<string[]> {
  const where = { pid, lid, epi: { in: [...epis] } };
  const there = await tx.prisma.item.findMany({ where, select: { epi: true } });
  return epis.filter((epi) => !there.some((item) => item.epi === epi));
}
