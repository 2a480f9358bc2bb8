import type { ItemModel } from '../generated/prisma/models.ts';
import { namer, readValue } from '../platform/database/columns.ts';
import type { Db, Statement, Tx } from '../platform/database/database.ts';
import { isHeard } from '../stores/webhooks/event.repo.ts';
import type { EventType } from '../stores/webhooks/event.repo.ts';
import { copiedColumns, itemColumns } from './item.columns.ts';
import type { ItemRow } from './item.columns.ts';
import type { ListOwner } from './list.repo.ts';

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

/** The value in a copy of item `i` with product `p`. */
export const copiedValue = ({ column, ...rule }: CopiedColumn): string =>
  'from' in rule ? `coalesce(p.${rule.from}, i.${rule.from}) AS ${column}` : `i.${column}`;

/** An id like those of `newId`: 128 bits, base64url. A UUID has only 122 random bits. */
export const NEW_ID = `translate(encode(substr(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 1, 16), 'base64'),
  '+/=', '-_')`;

/** `sourceId` is the id that a moved item had in the source list. */
export type TransferredItem = ItemRow & { isNew: boolean; sourceId: string };

/** SQL: one upsert for up to 500 items. */
const transferStatement = (name: string, source: string, cts: string): Statement => ({
  name,
  text: `
    WITH source AS MATERIALIZED (${source}),
    done AS (
      INSERT INTO item AS t (pid, lid, id, ${NAMES}, di, uby, cts, uts)
      SELECT i.pid, $3, i.id, ${each(({ column }) => `i.${column}`)}, $5, $6, ${cts}, $7
      FROM unnest($4::text[]) WITH ORDINALITY AS n (epi, position) JOIN source i ON i.epi = n.epi
      ORDER BY n.position
      ON CONFLICT (pid, lid, epi) DO UPDATE SET ${each(({ column }) => `${column} = excluded.${column}`, CHANGEABLE)},
        uby = excluded.uby, uts = greatest(t.uts, excluded.uts)
      RETURNING t.*, t.xmax = 0 AS is_new)
    SELECT ${READ_ITEM}, i.is_new AS "isNew", s.id AS "sourceId" FROM done i JOIN source s ON s.epi = i.epi ${JOIN_PRODUCT}`,
});

const IS_SOURCE = 'i.pid = $1 AND i.lid = $2 AND i.epi = ANY ($4::text[])';

/** The insert reads the deleted rows, so that their ids are free by then. */
const MOVE = transferStatement('move_items', `DELETE FROM item i WHERE ${IS_SOURCE} RETURNING i.*`, 'i.cts');
const COPY = transferStatement(
  'copy_some_items',
  `SELECT i.pid, ${NEW_ID} AS id, ${each(copiedValue)} FROM item i ${PROBE_PRODUCT} WHERE ${IS_SOURCE}`,
  '$7',
);

/** Moves or copies variants into the list of `scope`. A moved item keeps its id and the time when it was added. */
export function transferItems(
  tx: Tx,
  { pid, lid, di, uby, now }: WriteScope,
  { fromLid, epis, isMove }: { fromLid: string; epis: readonly string[]; isMove: boolean },
): Promise<TransferredItem[]> {
  return tx.query<TransferredItem>(isMove ? MOVE : COPY, [pid, fromLid, lid, epis, di, uby, now]);
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
export function findMemberships(db: Db, owner: ListOwner, epis: readonly string[]) {
  return db.query<Pick<ItemModel, 'epi' | 'lid'>>(MEMBERSHIP, [owner.pid, owner.regid, epis]);
}

const MAX_VARIANTS = 500;

/** The newest variants of a list that is about to be deleted. */
export async function newestVariants(
  tx: Tx,
  { pid, lid }: Pick<ItemModel, 'pid' | 'lid'>,
): Promise<string[]> {
  const newest = { select: { epi: true }, orderBy: { seq: 'desc' }, take: MAX_VARIANTS } as const;
  return (await tx.prisma.item.findMany({ where: { pid, lid }, ...newest })).map(({ epi }) => epi);
}

const newestOf = (table: string, condition: string): string => `(
  SELECT epi, seq FROM ${table} WHERE pid = $1 AND lid = n.lid ${condition} ORDER BY seq DESC LIMIT ${MAX_VARIANTS})`;

/** SQL: a hundred lists take one statement. A list that can be restored has the variants that it was deleted with. */
const OF_LISTS = {
  name: 'memberships_of_lists',
  text: `
    WITH wanted AS MATERIALIZED (
      SELECT n.lid, v.epi, v.seq FROM unnest($3::text[]) AS n (lid) CROSS JOIN LATERAL (
        ${newestOf('item', '')} UNION ALL ${newestOf('deleted_item', 'AND regid IS NULL')}) v)
    SELECT 'variants' AS kind, lid AS name, array_agg(epi ORDER BY seq DESC) AS ids FROM wanted GROUP BY lid
    UNION ALL
    SELECT 'lids', i.epi, array_agg(l.lid ORDER BY l.seq DESC) FROM list l JOIN item i ON i.pid = l.pid AND i.lid = l.lid
    WHERE l.pid = $1 AND l.regid = $2 AND l.st = 1 AND i.epi IN (SELECT epi FROM wanted) GROUP BY i.epi`,
};

/** The newest variants of each list, and the shopper's active lists that contain each variant. */
export async function findListMemberships(db: Db, { pid, regid }: ListOwner, lids: readonly string[]) {
  type Row = { kind: 'variants' | 'lids'; name: string; ids: string[] };
  const rows = await db.query<Row>(OF_LISTS, [pid, regid, lids]);
  const mapOf = (kind: Row['kind']): Map<string, string[]> =>
    new Map(rows.filter((row) => row.kind === kind).map(({ name, ids }) => [name, ids]));
  return { variants: mapOf('variants'), lids: mapOf('lids') };
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
