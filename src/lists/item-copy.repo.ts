import type { ListModel } from '../generated/prisma/models.ts';
import type { Tx } from '../platform/database/database.ts';
import { inService } from '../platform/database/in-service.ts';
import { copiedColumns } from './item.columns.ts';
import { NEW_ID, PROBE_PRODUCT, copiedValue, each, insertItemEvents } from './item.repo.ts';
import type { WriteScope } from './item.repo.ts';

const COPIED_COLUMNS = copiedColumns.map(({ column }) => column).join(', ');

const PORTION_COLUMNS = `${copiedColumns.map(({ column, sql }) => `${column} ${sql}`).join(', ')}, di text, uby text,
  cts timestamptz, uts timestamptz`;

/** A longer list is copied in the background, this many items at a time. */
const PORTION_SIZE = 500;

/** SQL: set-wise. It reads the source once, so that background portions belong to the same snapshot. */
const COPY = {
  name: 'copy_items',
  text: `
    WITH source AS MATERIALIZED (
      SELECT ${each((column) => copiedValue(column))}, item_bytes(i) AS bytes, $4::text AS di, $5::text AS uby, $6::timestamptz AS cts, $6::timestamptz AS uts,
        row_number() OVER (ORDER BY i.seq) AS position, count(*) OVER () AS total
      FROM item i ${PROBE_PRODUCT} WHERE i.pid = $1 AND i.lid = $2),
    copied AS (
      INSERT INTO item (pid, lid, id, ${COPIED_COLUMNS}, di, uby, cts, uts)
      SELECT $1, $3, ${NEW_ID}, ${COPIED_COLUMNS}, di, uby, cts, uts FROM source WHERE total <= $7 ORDER BY position
      ON CONFLICT (pid, lid, epi) DO NOTHING),
    portioned AS (
      INSERT INTO list_copy (pid, lid, portion, items, bytes)
      SELECT $1, $3, (position - 1) / $7, jsonb_agg(to_jsonb(source) - 'position' - 'total' - 'bytes' ORDER BY position), sum(bytes)
      FROM source WHERE total > $7 GROUP BY (position - 1) / $7
      RETURNING portion)
    UPDATE list SET copying = true WHERE pid = $1 AND lid = $3 AND EXISTS (SELECT 1 FROM portioned)
    RETURNING lid`,
};

/** Copies a list's items into another list of the store. The caller has checked that it may read the one and write the other. */
export async function copyList(tx: Tx, { pid, lid, di, uby, now }: WriteScope, source: string) {
  const portioned = await tx.query(COPY, [pid, source, lid, di, uby, now, PORTION_SIZE]);
  if (portioned.length > 0) tx.afterCommit(tx.wake);
}

/** SQL: counts inside JSON. */
export async function countUncopied(tx: Tx, { pid, lid }: { pid: string; lid: string }): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `SELECT coalesce(sum(jsonb_array_length(items)), 0)::int AS count FROM list_copy WHERE pid = $1 AND lid = $2`,
    [pid, lid],
  );
  return row!.count;
}

type CopyingList = Pick<ListModel, 'pid' | 'lid' | 'uid'>;

/** SQL: SKIP LOCKED. Locking the list keeps its portions in order. */
export async function lockCopyingList(tx: Tx): Promise<CopyingList | null> {
  const [row] = await tx.query<CopyingList>({
    name: 'lock_copying_list',
    text: `SELECT l.pid, l.lid, l.uid FROM list_copy c JOIN list l ON l.pid = c.pid AND l.lid = c.lid
      WHERE ${inService('l.pid')} ORDER BY c.portion LIMIT 1 FOR UPDATE OF l SKIP LOCKED`,
  });
  return row ?? null;
}

/**
 * SQL: set-wise. Adds and removes the first `limit` portions of locked lists in one statement; variants that the shopper has added
 * since stay unchanged. Queues webhook events unless `uid` is null.
 */
export async function addPortions(
  tx: Tx,
  { pid, uid }: { pid: string; uid: string | null },
  lids: readonly string[],
  limit: number,
  now: Date,
): Promise<void> {
  tx.afterCommit(tx.wake);
  await tx.query(
    `WITH due AS (
       DELETE FROM list_copy c USING (
         SELECT lid, portion, row_number() OVER (PARTITION BY lid ORDER BY portion) AS position
         FROM list_copy WHERE pid = $1 AND lid = ANY ($2::text[])) p
       WHERE c.pid = $1 AND c.lid = p.lid AND c.portion = p.portion AND p.position <= $3
       RETURNING c.lid, c.portion, c.items),
     added AS (
       INSERT INTO item (pid, lid, id, ${COPIED_COLUMNS}, di, uby, cts, uts)
       SELECT $1, due.lid, ${NEW_ID}, ${COPIED_COLUMNS}, di, uby, cts, uts
       FROM due, ROWS FROM (jsonb_to_recordset(due.items) AS (${PORTION_COLUMNS})) WITH ORDINALITY AS row
       ORDER BY due.portion, row.ordinality
       ON CONFLICT (pid, lid, epi) DO NOTHING
       RETURNING lid, id, epi, empi, du, qty, seq)
     ${insertItemEvents('added', 4)}`,
    [pid, lids, limit, uid === null ? null : 'list.item.added', uid, now.toISOString()],
  );
  for (const { lid, uts } of await tx.prisma.list.findMany({ where: { pid, lid: { in: [...lids] } } })) {
    const left = await tx.prisma.listCopy.count({ where: { pid, lid } });
    await tx.prisma.list.updateMany({
      where: { pid, lid },
      data: { version: { increment: 1 }, copying: left > 0, uts: uts > now ? uts : now },
    });
  }
}

/** More portions than a list can have. */
const ALL_PORTIONS = 1_000_000;

/** Adds all remaining portions of locked lists that are about to be deleted, without webhook events. */
export function finishCopies(tx: Tx, pid: string, lids: readonly string[], now: Date): Promise<void> {
  return addPortions(tx, { pid, uid: null }, lids, ALL_PORTIONS, now);
}
