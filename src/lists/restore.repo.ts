import type { Tx } from '../platform/database/database.ts';
import { itemColumns } from './item.columns.ts';
import { insertItemEvents, JOIN_PRODUCT } from './item.repo.ts';
import type { ToldItem } from './item.repo.ts';
import { listColumns } from './list.columns.ts';
import type { ListOwner } from './list.repo.ts';

/** A list that can be brought back. */
export type DeletedList = { lid: string; aliases: string[]; isSaveForLater: boolean };

/** A deleted list of the shopper's that can be brought back, by its id or an alias; null when there is none. */
export async function findDeletedList(
  tx: Tx,
  { pid, regid }: ListOwner,
  lid: string,
  since: Date,
): Promise<DeletedList | null> {
  const where = { pid, regid, OR: [{ lid }, { aliases: { has: lid } }], deletedAt: { gt: since } };
  const row = await tx.prisma.deletedList.findFirst({ where });
  if (row === null) return null;
  const { sfl_owner: owner } = row.was as { sfl_owner: string | null };
  return { lid: row.lid, aliases: row.aliases, isSaveForLater: owner !== null };
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
  WITH taken AS (DELETE FROM deleted_list WHERE pid = $1 AND regid = $2 AND lid = $3 RETURNING was, aliases),
  named AS (INSERT INTO list_alias (pid, alias, lid) SELECT $1, unnest(aliases), $3 FROM taken)
  INSERT INTO list (${LIST_NAMES.join(', ')})
  SELECT ${LIST_NAMES.map((column) => NEW_VALUES[column] ?? `l.${column}`).join(', ')}
  FROM taken CROSS JOIN LATERAL jsonb_populate_record(NULL::list, taken.was) l RETURNING lid`;

/** Puts a deleted list back, without its items; false when a worker has just forgotten it. */
export async function putList(
  tx: Tx,
  { pid, regid, uid, em }: ListOwner & { uid: string; em: string | null },
  lid: string,
  now: Date,
): Promise<boolean> {
  return (await tx.query(PUT_LIST, [pid, regid, lid, uid, em, now])).length > 0;
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

/** Which of these variants were not deleted from a list of the shopper's, and are not in it either. */
export async function findUnknown(
  tx: Tx,
  { pid, regid, lid }: ListOwner & { lid: string },
  epis: readonly string[],
  since: Date,
): Promise<string[]> {
  const where = { pid, lid, epi: { in: [...epis] } };
  const select = { epi: true };
  const there = await tx.prisma.item.findMany({ where, select });
  const deletedAt = { gt: since };
  const deleted = await tx.prisma.deletedItem.findMany({ where: { ...where, regid, deletedAt }, select });
  const known = new Set([...there, ...deleted].map(({ epi }) => epi));
  return epis.filter((epi) => !known.has(epi));
}
