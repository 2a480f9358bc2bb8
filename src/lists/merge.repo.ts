import type { ListModel } from '../generated/prisma/models.ts';
import { arraysOf } from '../platform/database/columns.ts';
import type { Raw, Tx } from '../platform/database/database.ts';
import { JSON_LIMITS } from '../platform/json.ts';
import type { ShopperRow } from '../shoppers/shopper.repo.ts';
import { itemColumns } from './item.columns.ts';
import { insertItemEvents } from './item.repo.ts';
import { listColumns } from './list.columns.ts';
import type { Joining } from './list.repo.ts';

export type MergeListRow = Raw<Pick<ListModel, 'lid' | 'regid' | 'lname' | 'lty' | 'seq'>> & {
  isSfl: boolean;
  isActive: boolean;
  isCopying: boolean;
};

/** SQL: locks rows in the order that every writer of several lists uses. */
export function lockAllLists(tx: Tx, pid: string, regids: readonly string[]): Promise<MergeListRow[]> {
  return tx.query<MergeListRow>(
    `SELECT lid, regid, lname, lty, sfl_owner IS NOT NULL AS "isSfl", st = 1 AS "isActive", copying AS "isCopying", seq
     FROM list WHERE pid = $1 AND regid = ANY ($2::text[]) ORDER BY lid FOR UPDATE`,
    [pid, regids],
  );
}

/** SQL: sets columns from other columns. Returns the number of items, including those that are still to be copied. */
export async function moveLists(tx: Tx, account: ShopperRow, lids: readonly string[], now: Date) {
  const [row] = await tx.query<{ items: number }>(
    `WITH moved AS (
       UPDATE list SET regid = $3, uid = $4, cby = coalesce(cby, $5), uby = coalesce(uby, $5), version = version + 1, uts = greatest(uts, $6),
         sfl_owner = CASE WHEN sfl_owner IS NOT NULL THEN $3 END
       WHERE pid = $1 AND lid = ANY ($2::text[]) RETURNING cnt)
     SELECT coalesce((SELECT sum(cnt) FROM moved), 0)::int + coalesce(
       (SELECT sum(jsonb_array_length(items)) FROM list_copy WHERE pid = $1 AND lid = ANY ($2::text[])), 0)::int AS items`,
    [account.pid, lids, account.regid, account.uid, account.em, now],
  );
  return row!.items;
}

const PAIRS = 'unnest($2::text[], $3::text[]) AS pair (source, target)';

const joinedValue = ({ column, initial = 'NULL', ...rule }: (typeof itemColumns)[number]): string[] => {
  if (!('merge' in rule)) return [];
  const [guests, accounts] =
    rule.merge === 'newer'
      ? [`g.${column}`, `a.${column}`]
      : [
          `coalesce(nullif(g.${column}, ${initial}), a.${column})`,
          `coalesce(nullif(a.${column}, ${initial}), g.${column})`,
        ];
  return [`${column} = CASE WHEN g.uts > a.uts THEN ${guests} ELSE ${accounts} END`];
};

/** SQL: set-wise. Merges variants that both lists have into the account's items, and returns how many there were. */
export async function joinDuplicates(tx: Tx, pid: string, pairs: readonly Joining[]): Promise<number> {
  const rows = await tx.query<{ count: number }>(
    `WITH joined AS (
       UPDATE item a SET ${itemColumns.flatMap(joinedValue).join(', ')}, uts = greatest(a.uts, g.uts)
       FROM ${PAIRS} JOIN item g ON g.pid = $1 AND g.lid = pair.source
       WHERE a.pid = $1 AND a.lid = pair.target AND a.epi = g.epi
       RETURNING 1)
     SELECT count(*)::int AS count FROM joined`,
    [pid, ...arraysOf(pairs, 'from', 'to')],
  );
  return rows[0]!.count;
}

/** SQL: moves hundreds of thousands of items without reading them. They keep their ids and order; webhooks get `list.item.added`. */
export async function moveMissingItems(tx: Tx, account: ShopperRow, pairs: readonly Joining[], now: Date) {
  tx.afterCommit(tx.wake);
  const [row] = await tx.query<{ count: number }>(
    `WITH moved AS (
       UPDATE item g SET lid = pair.target FROM ${PAIRS}
       WHERE g.pid = $1 AND g.lid = pair.source
         AND NOT EXISTS (SELECT 1 FROM item a WHERE a.pid = $1 AND a.lid = pair.target AND a.epi = g.epi)
       RETURNING g.lid, g.id, g.epi, g.empi, g.du, g.qty, g.seq),
     events AS (${insertItemEvents('moved', 4)})
     SELECT count(*)::int AS count FROM moved`,
    [account.pid, ...arraysOf(pairs, 'from', 'to'), 'list.item.added', account.uid, now.toISOString()],
  );
  return row!.count;
}

/** Joins both maps; the account's values win. Beyond the size limit, only as many of the guest's properties are added as fit. */
const joinedMap = (column: string): string => `CASE
  WHEN octet_length((g.${column} || a.${column})::text) <= ${JSON_LIMITS.maxBytes} THEN g.${column} || a.${column}
  ELSE a.${column} || (
    SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM (
      SELECT key, value, sum(octet_length(to_json(key)::text) + octet_length(value::text) + 4) OVER (ORDER BY key COLLATE "C") AS bytes
      FROM jsonb_each(g.${column}) WHERE NOT a.${column} ? key) added
    WHERE octet_length(a.${column}::text) + bytes <= ${JSON_LIMITS.maxBytes}) END`;

const joinedColumn = ({ column, merge }: (typeof listColumns)[number]): string[] => {
  if (merge === 'map') return [`${column} = ${joinedMap(column)}`];
  if (merge === 'fill') return [`${column} = coalesce(a.${column}, g.${column})`];
  return merge === 'sum' ? [`${column} = a.${column} + g.${column}`] : [];
};

/** SQL: sets columns from those of another row. Deletes the lists that have joined another one. */
export async function closeJoinedLists(tx: Tx, account: ShopperRow, pairs: readonly Joining[], now: Date) {
  await tx.query(
    `UPDATE list a SET ${listColumns.flatMap(joinedColumn).join(', ')}, uby = $4, version = a.version + 1, uts = greatest(a.uts, $5)
     FROM ${PAIRS} JOIN list g ON g.pid = $1 AND g.lid = pair.source
     WHERE a.pid = $1 AND a.lid = pair.target`,
    [account.pid, ...arraysOf(pairs, 'from', 'to'), account.em, now],
  );
  await tx.prisma.list.deleteMany({
    where: { pid: account.pid, lid: { in: pairs.map(({ from }) => from) } },
  });
}
