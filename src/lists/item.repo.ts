import type { ItemModel } from '../generated/prisma/models.ts';
import { namer, readValue } from '../platform/database/columns.ts';
import type { Db, Tx } from '../platform/database/database.ts';
import { isHeard } from '../stores/webhooks/event.repo.ts';
import type { EventType } from '../stores/webhooks/event.repo.ts';
import { copiedColumns, itemColumns } from './item.columns.ts';
import type { ItemRow } from './item.columns.ts';
import type { ListRow } from './list.columns.ts';

/** Selects a JSON value as `name`, null if it exceeds `maxBytes`, and its size, which is `estimate` if it was not built. */
export const sized = (json: string, name: string, maxBytes: string, estimate = '0'): string =>
  `CASE WHEN octet_length(${json}::text) <= ${maxBytes} THEN ${json} END AS ${name},
    coalesce(octet_length(${json}::text), least(${estimate}, 2000000000)::int) AS bytes`;

/** Twice the average size of `rows` items of list `l`. */
export const estimate = (rows: string): string => `l.bytes * least(1, 2.0 * ${rows} / greatest(l.cnt, 1))`;

/** A value that is estimated far beyond the limit is not built at all. */
export const isWorthBuilding = (bytes: string, maxBytes: string): string =>
  `coalesce(${bytes}, 0) <= 4.0 * ${maxBytes}`;

export const JOIN_PRODUCT = 'LEFT JOIN product p ON p.pid = i.pid AND p.epi = i.epi AND i.lity IS NULL';

/** LIMIT 1 forces an index lookup for each item: a cached plan could scan a catalogue that has grown since. */
export const PROBE_PRODUCT = `LEFT JOIN LATERAL (
  SELECT * FROM product p WHERE p.pid = i.pid AND p.epi = i.epi AND i.lity IS NULL LIMIT 1) p ON true`;

/** The values of item `i` with product `p`, under their names in the API. */
const ITEM_VALUES = [
  ...itemColumns.map(({ field, column, sql, write, as = field }) => ({
    name: as,
    value: readValue(write === 'snapshot' ? `coalesce(p.${column}, i.${column})` : `i.${column}`, sql),
  })),
  { name: 'stk', value: 'p.stk' },
  { name: 'isUntracked', value: 'p.is_untracked' },
  { name: 'fullPrice', value: 'CASE WHEN p.epi IS NULL THEN i.compare_at_price ELSE p.compare_at_price END' },
  // The catalogue shard, on which cached responses depend.
  { name: 'shard', value: 'catalog_slice(i.epi)' },
];

export const READ_ITEM = ITEM_VALUES.map(({ name, value }) => `${value} AS "${name}"`).join(', ');

/** An item as a JSON array without names: PostgreSQL builds a list of ten items in 270 µs instead of 300. */
export const packItem = (...more: string[]): string =>
  `json_build_array(${[...ITEM_VALUES.map(({ value }) => value), ...more].join(', ')})`;

export const unpackItem = namer<ItemRow>(ITEM_VALUES.map(({ name }) => name));

/** The value that follows the item's own in a packed array. */
export const packedExtra = (values: readonly unknown[]): unknown => values[ITEM_VALUES.length];

/** The caller holds the list's row lock. */
export type WriteScope = { pid: string; lid: string; di: string; uby: string | null; now: Date };

export type CopiedColumn = (typeof copiedColumns)[number];

export const each = (expression: (column: CopiedColumn) => string, columns = copiedColumns): string =>
  columns.map(expression).join(', ');

export const CHANGEABLE = copiedColumns.filter(({ write }) => write !== 'once');

export const NAMES = each(({ column }) => column);

/** The value in a copy of item `i` with product `p`; a move keeps all values. */
export const copiedValue = ({ column, ...rule }: CopiedColumn, isMove = 'false'): string =>
  'from' in rule
    ? `CASE WHEN ${isMove} THEN i.${column} ELSE coalesce(p.${rule.from}, i.${rule.from}) END AS ${column}`
    : `i.${column}`;

export type TransferredItem = ItemRow & { isNew: boolean };

/** Deletes variants from a locked list and returns the ids of their items. */
export async function deleteItems(tx: Tx, { pid, lid }: ListRow, epis: readonly string[]) {
  const where = { pid, lid, epi: { in: [...epis] } };
  const items = await tx.prisma.item.findMany({ where, select: { epi: true, id: true } });
  await tx.prisma.item.deleteMany({ where });
  return new Map(items.map(({ epi, id }) => [epi, id]));
}

/** SQL: one upsert for up to 500 items. */
const TRANSFER = {
  name: 'transfer_items',
  text: `
    WITH done AS (
      INSERT INTO item AS t (pid, lid, id, ${NAMES}, di, uby, cts, uts)
      SELECT i.pid, $3, n.id, ${each((column) => copiedValue(column, '$9'))}, $6, $7, CASE WHEN $9 THEN i.cts ELSE $8::timestamptz END, $8
      FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS n (epi, id, position)
      JOIN item i ON i.pid = $1 AND i.lid = $2 AND i.epi = n.epi ${PROBE_PRODUCT}
      ORDER BY n.position
      ON CONFLICT (pid, lid, epi) DO UPDATE SET ${each(({ column }) => `${column} = excluded.${column}`, CHANGEABLE)},
        uby = excluded.uby, uts = greatest(t.uts, excluded.uts)
      RETURNING t.*, t.xmax = 0 AS is_new)
    SELECT ${READ_ITEM}, i.is_new AS "isNew" FROM done i ${JOIN_PRODUCT}`,
};

/** Copies variants into the list of `scope` under new `ids`. A moved item keeps the time when it was added. */
export function transferItems(
  tx: Tx,
  { pid, lid, di, uby, now }: WriteScope,
  from: { fromLid: string; epis: readonly string[]; ids: readonly string[]; isMove: boolean },
): Promise<TransferredItem[]> {
  const { fromLid, epis, ids, isMove } = from;
  return tx.query<TransferredItem>(TRANSFER, [pid, fromLid, lid, epis, ids, di, uby, now, isMove]);
}

/** SQL: queues an event for each item of these lists without reading any. */
export async function queueListEvents(
  tx: Tx,
  { pid, uid }: { pid: string; uid: string },
  type: EventType,
  lids: readonly string[],
  now: Date,
): Promise<void> {
  if (lids.length === 0 || !(await isHeard(tx, pid, type))) return;
  tx.afterCommit(tx.wake);
  await tx.query(
    insertItemEvents(
      `(SELECT i.lid, i.id, i.epi, i.empi, coalesce(p.du, i.du) AS du, i.qty, i.seq FROM item i ${JOIN_PRODUCT}
        WHERE i.pid = $1 AND i.lid = ANY ($2::text[]))`,
      3,
    ),
    [pid, lids, type, uid, now.toISOString()],
  );
}

/** SQL: every product page runs it. */
const MEMBERSHIP = {
  name: 'membership',
  text: `
    SELECT i.epi, l.lid FROM list l JOIN item i ON i.pid = l.pid AND i.lid = l.lid AND i.epi = ANY ($3::text[])
    WHERE l.pid = $1 AND l.regid = $2 AND l.st = 1 ORDER BY l.seq DESC`,
};

/** Newest list first. */
export function findMemberships(db: Db, owner: { pid: string; regid: string }, epis: readonly string[]) {
  return db.query<Pick<ItemModel, 'epi' | 'lid'>>(MEMBERSHIP, [owner.pid, owner.regid, epis]);
}

/**
 * SQL: part of statements. Queues an event for each item of `source` and each webhook, like `emitEvents`. Parameter 1 is the store; the event
 * type, the owner's id and the time begin at parameter `first`.
 */
export const insertItemEvents = (source: string, first: number): string => `
  INSERT INTO outbox (pid, id, lane, kind, recipient, payload, due_at, cts)
  SELECT w.pid, gen_random_uuid()::text, 'webhook', $${first}::text, w.id, jsonb_build_object(
    'type', $${first}::text, 'timestamp', $${first + 2}::text, 'data', jsonb_build_object(
      'lid', i.lid, 'id', i.id, 'epi', i.epi, 'empi', i.empi, 'du', i.du, 'qty', i.qty, 'uid', $${first + 1}::text)),
    $${first + 2}::text::timestamptz, $${first + 2}::text::timestamptz
  FROM webhook w CROSS JOIN ${source} i WHERE w.pid = $1 AND $${first}::text = ANY (w.events)
  ORDER BY i.seq`;
