import type { Db, Tx } from '../platform/database/database.ts';
import type { ItemModel } from '../generated/prisma/models.ts';
import { namer, readValue } from '../platform/database/columns.ts';
import { copiedColumns, itemColumns } from './item.columns.ts';
import type { ItemRow } from './item.columns.ts';

/** A JSON value as `name`, null when its text is longer than `maxBytes`, and its length; `estimate` where it was not even made. */
export const sized = (json: string, name: string, maxBytes: string, estimate = '0'): string =>
  `CASE WHEN octet_length(${json}::text) <= ${maxBytes} THEN ${json} END AS ${name},
    coalesce(octet_length(${json}::text), least(${estimate}, 2000000000)::int) AS bytes`;

/** About what `rows` items of list `l` take: twice their share of what the list stores. */
export const estimate = (rows: string): string => `l.bytes * least(1, 2.0 * ${rows} / greatest(l.cnt, 1))`;

/** Whether it is worth making something: what is estimated far beyond the limit costs the database time that others wait for. */
export const isWorthMaking = (bytes: string, maxBytes: string): string =>
  `coalesce(${bytes}, 0) <= 4.0 * ${maxBytes}`;

/** Joins what the catalogue knows of item `i` as `p`; a custom item has nothing there. */
export const JOIN_PRODUCT = 'LEFT JOIN product p ON p.pid = i.pid AND p.epi = i.epi AND i.lity IS NULL';

/** The same by one look-up an item, whatever the planner believes: a plan that is kept must not read a catalogue that has grown since. */
export const PROBE_PRODUCT = `LEFT JOIN LATERAL (
  SELECT * FROM product p WHERE p.pid = i.pid AND p.epi = i.epi AND i.lity IS NULL LIMIT 1) p ON true`;

/** What is read of item `i` with the live product `p`, by the record's own names. */
const ITEM_VALUES = [
  ...itemColumns.map(({ field, column, sql, write, as = field }) => ({
    name: as,
    value: readValue(write === 'snapshot' ? `coalesce(p.${column}, i.${column})` : `i.${column}`, sql),
  })),
  { name: 'stk', value: 'p.stk' },
  // Which part of the catalogue the variant is in, or would be: an answer depends on it.
  { name: 'slice', value: 'catalog_slice(i.epi)' },
];

/** SQL that reads an item, each column named as the record names it. */
export const READ_ITEM = ITEM_VALUES.map(({ name, value }) => `${value} AS "${name}"`).join(', ');

/** The same as a JSON array with `more` at its end: without the names PostgreSQL makes a list of ten items in 270 µs instead of 300. */
export const packItem = (...more: string[]): string =>
  `json_build_array(${[...ITEM_VALUES.map(({ value }) => value), ...more].join(', ')})`;

/** An item from what `packItem` made. */
export const unpackItem = namer<ItemRow>(ITEM_VALUES.map(({ name }) => name));

/** What stands behind the item. */
export const packedAlong = (values: readonly unknown[]): unknown => values[ITEM_VALUES.length];

/** Which list is written to, by whom and when; the caller holds the list's row lock. */
export type WriteScope = { pid: string; lid: string; di: string; uby: string | null; now: Date };

/** A column that goes into copies. */
export type CopiedColumn = (typeof copiedColumns)[number];

/** The columns as a list in SQL, each by an expression of it. */
export const each = (expression: (column: CopiedColumn) => string, columns = copiedColumns): string =>
  columns.map(expression).join(', ');

/** The columns that a write can change in an item that is there. */
export const CHANGEABLE = copiedColumns.filter(({ write }) => write !== 'once');

/** The names of the columns that go into copies, in their order. */
export const NAMES = each(({ column }) => column);

/** An item as a write left it. */
export type WrittenItemRow = ItemRow & { isNew: boolean };

/** Takes variants out of a locked list; answers the ids that their items had. */
export async function takeItems(
  tx: Tx,
  { pid, lid }: { pid: string; lid: string },
  epis: readonly string[],
): Promise<Map<string, string>> {
  const where = { pid, lid, epi: { in: [...epis] } };
  const items = await tx.prisma.item.findMany({ where, select: { epi: true, id: true } });
  await tx.prisma.item.deleteMany({ where });
  return new Map(items.map(({ epi, id }) => [epi, id]));
}

/** SQL: one statement carries up to 500 items over, whether they are there already or not. */
const TRANSFER = {
  name: 'transfer_items',
  text: `
    WITH done AS (
      INSERT INTO item AS t (pid, lid, id, ${NAMES}, di, uby, cts, uts)
      SELECT i.pid, $3, n.id, ${each(({ column }) => `i.${column}`)}, $6, $7, CASE WHEN $9 THEN i.cts ELSE $8::timestamptz END, $8
      FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS n (epi, id, position)
      JOIN item i ON i.pid = $1 AND i.lid = $2 AND i.epi = n.epi
      ORDER BY n.position
      ON CONFLICT (pid, lid, epi) DO UPDATE SET ${each(({ column }) => `${column} = excluded.${column}`, CHANGEABLE)},
        uby = excluded.uby, uts = greatest(t.uts, excluded.uts)
      RETURNING t.*, t.xmax = 0 AS is_new)
    SELECT ${READ_ITEM}, i.is_new AS "isNew" FROM done i ${JOIN_PRODUCT}`,
};

/** Variants of one list that go into another, which `scope` names; each has the id for its new item. */
export type Transfer = { fromLid: string; epis: readonly string[]; ids: readonly string[]; isMove: boolean };

/** Copies variants into a list; those that are there already get the copied values. A moved item keeps the time it was added at. */
export function transferItems(
  tx: Tx,
  scope: WriteScope,
  { fromLid, epis, ids, isMove }: Transfer,
): Promise<WrittenItemRow[]> {
  const { pid, lid, di, uby, now } = scope;
  return tx.query<WrittenItemRow>(TRANSFER, [pid, fromLid, lid, epis, ids, di, uby, now, isMove]);
}

/** SQL: sized in the database, so that nothing too large leaves it. Variants in a list of the owner's; null where they are more than `maxBytes`. */
export async function findItems(
  db: Db,
  { pid, regid }: { pid: string; regid: string },
  lid: string,
  epis: readonly string[],
  maxBytes: number,
): Promise<{ items: ItemRow[] | null; bytes: number }> {
  const [row] = await db.query<{ items: ItemRow[] | null; bytes: number }>(
    `SELECT ${sized('found.items', 'items', '$5::int')} FROM (
       SELECT coalesce(json_agg(x), '[]') AS items FROM (
         SELECT ${READ_ITEM} FROM list l JOIN item i ON i.pid = l.pid AND i.lid = l.lid AND i.epi = ANY ($4::text[]) ${JOIN_PRODUCT}
         WHERE l.pid = $1 AND l.regid = $2 AND l.lid = $3) x) found`,
    [pid, regid, lid, epis, maxBytes],
  );
  return row!;
}

/** What webhooks are told of an item. */
export type ToldItem = Pick<ItemRow, 'lid' | 'id' | 'epi' | 'empi' | 'du' | 'qty'>;

/** SQL: the items may be any number. Queues an event for everything in these lists, oldest first, without reading any of it. */
export async function tellOfContents(
  tx: Tx,
  { pid, uid }: { pid: string; uid: string },
  type: string,
  lids: readonly string[],
  now: Date,
): Promise<void> {
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

/** SQL: every page with hearts asks. */
const MEMBERSHIP = {
  name: 'membership',
  text: `
    SELECT i.epi, l.lid FROM list l JOIN item i ON i.pid = l.pid AND i.lid = l.lid AND i.epi = ANY ($3::text[])
    WHERE l.pid = $1 AND l.regid = $2 AND l.st = 1 ORDER BY l.seq DESC`,
};

/** Which of these variants are in which active lists of a shopper, newest list first. */
export function findMemberships(
  db: Db,
  owner: { pid: string; regid: string },
  epis: readonly string[],
): Promise<Pick<ItemModel, 'epi' | 'lid'>[]> {
  return db.query<Pick<ItemModel, 'epi' | 'lid'>>(MEMBERSHIP, [owner.pid, owner.regid, epis]);
}

/**
 * SQL: a part of statements that move any number of items. It queues one event an item of `source` for each webhook that listens; of the parameters, the first is the store, and the
 * event's type, the owner's id and the time follow from the number `first`. The same rows as `emitEvents` would write.
 */
export const insertItemEvents = (source: string, first: number): string => `
  INSERT INTO outbox (pid, id, lane, kind, recipient, payload, due_at, cts)
  SELECT w.pid, gen_random_uuid()::text, 'webhook', $${first}::text, w.id, jsonb_build_object(
    'type', $${first}::text, 'timestamp', $${first + 2}::text, 'data', jsonb_build_object(
      'lid', i.lid, 'id', i.id, 'epi', i.epi, 'empi', i.empi, 'du', i.du, 'qty', i.qty, 'uid', $${first + 1}::text)),
    $${first + 2}::text::timestamptz, $${first + 2}::text::timestamptz
  FROM webhook w CROSS JOIN ${source} i WHERE w.pid = $1 AND $${first}::text = ANY (w.events)
  ORDER BY i.seq`;
