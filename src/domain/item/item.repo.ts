import type { Db, Tx } from '../../database/database.ts';
import { COPIED_COLUMNS } from './copy.repo.ts';
import { insertItemEvents } from './item-events.repo.ts';

/** A part of a custom bundle. */
export type BundleItemRow = {
  title: string | null;
  price: number | null;
  empi: string | null;
  epi: string | null;
  iu: string | null;
  uri: string | null;
  vendor: string | null;
};

/** An item as it is read: product data is the catalogue's while it knows the variant. `pid` is the store's; times are milliseconds. */
export type ItemRow = {
  pid: string;
  lid: string;
  epi: string;
  id: string;
  empi: string;
  du: string;
  uri: string | null;
  qty: number;
  note: string | null;
  /** JSON text: it goes out as it is. */
  cprops: string;
  lbls: string[];
  _av: boolean;
  lity: string | null;
  bt: string | null;
  dt: string | null;
  sku: string | null;
  iu: string | null;
  pr: number | null;
  vi: string | null;
  stk: number | null;
  compareAtPrice: number | null;
  platformitemid: string | null;
  /** JSON text of the parts. */
  bundle: string;
  di: string;
  uby: string | null;
  seq: number;
  cts: number;
  uts: number;
};

/** Milliseconds since the epoch, the same in a row and in JSON. */
export const ms = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::bigint`;

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

/** Columns of item `i` with the live product `p`, named as the record names them. */
export const ITEM_COLUMNS = `i.pid, i.lid, i.epi, i.id, i.empi, coalesce(p.du, i.du) AS du, coalesce(p.uri, i.uri) AS uri, i.qty, i.note, i.cprops::text AS cprops, i.lbls,
  i.av AS "_av", i.lity, coalesce(p.bt, i.bt) AS bt, coalesce(p.dt, i.dt) AS dt, coalesce(p.sku, i.sku) AS sku, coalesce(p.iu, i.iu) AS iu,
  coalesce(p.pr, i.pr) AS pr, coalesce(p.vi, i.vi) AS vi, p.stk, i.compare_at_price AS "compareAtPrice", i.platformitemid, i.bundle::text AS bundle, i.di, i.uby,
  i.seq, ${ms('i.cts')} AS cts, ${ms('i.uts')} AS uts`;

/** An item to write; a field left out keeps its value, or gets its default in a new item. An empty note removes the note. */
export type ItemWrite = {
  epi: string;
  id: string;
  empi?: string;
  du?: string;
  uri?: string;
  qty?: number;
  note?: string;
  cprops?: Record<string, unknown>;
  lbls?: readonly string[];
  av?: boolean;
  lity?: string;
  bt?: string;
  dt?: string;
  sku?: string;
  iu?: string;
  pr?: number;
  vi?: string;
  compare_at_price?: number;
  platformitemid?: string;
  bundle?: readonly BundleItemRow[];
};

/** Which list is written to, by whom and when; the caller holds the list's row lock. */
export type WriteScope = { pid: string; lid: string; di: string; uby: string | null; now: Date };

const SNAPSHOT = ['du', 'uri', 'bt', 'dt', 'sku', 'iu', 'pr', 'vi'] as const;
// The product id stays: the reports count by it when an item comes and goes.
const KEPT = ['qty', 'cprops', 'lbls', 'av', 'compare_at_price', 'platformitemid'] as const;

// The list's row lock makes this safe without ON CONFLICT, which could not tell a default from a value that was sent.
// The snapshot of a variant that the catalogue knows is taken at an add; a change keeps it.
const WRITE = {
  name: 'write_items',
  text: `
    WITH sent AS (
      SELECT x.epi, x.id, x.empi, x.qty, x.note, x.cprops, x.lbls, x.av, x.lity, x.compare_at_price, x.platformitemid, x.bundle,
        ${SNAPSHOT.map((column) => `CASE WHEN p.epi IS NULL THEN x.${column} WHEN $4 THEN coalesce(p.${column}, x.${column}) END AS ${column}`).join(', ')},
        x.position
      FROM ROWS FROM (jsonb_to_recordset($3::jsonb) AS (epi text, id text, empi text, du text, uri text, qty int, note text, cprops jsonb, lbls text[],
        av boolean, lity text, bt text, dt text, sku text, iu text, pr float8, vi text, compare_at_price float8, platformitemid text,
        bundle jsonb)) WITH ORDINALITY AS x (epi, id, empi, du, uri, qty, note, cprops, lbls, av, lity, bt, dt, sku, iu, pr, vi, compare_at_price,
        platformitemid, bundle, position)
      LEFT JOIN product p ON p.pid = $1 AND p.epi = x.epi AND x.lity IS NULL),
    changed AS (
      UPDATE item i SET
        ${[...KEPT, ...SNAPSHOT].map((column) => `${column} = coalesce(s.${column}, i.${column})`).join(', ')},
        bundle = CASE WHEN i.lity IS NULL THEN i.bundle ELSE coalesce(s.bundle, i.bundle) END,
        note = CASE WHEN s.note IS NULL THEN i.note ELSE nullif(s.note, '') END,
        lity = CASE WHEN i.lity IS NULL OR s.bundle IS NULL THEN i.lity WHEN s.bundle = '[]' THEN 'custom' ELSE 'customBundle' END,
        uby = $6, uts = greatest(i.uts, $7)
      FROM sent s WHERE i.pid = $1 AND i.lid = $2 AND i.epi = s.epi
      RETURNING i.*),
    made AS (
      INSERT INTO item (pid, lid, epi, id, empi, qty, note, cprops, lbls, av, lity, compare_at_price, platformitemid, bundle, ${SNAPSHOT.join(', ')},
        di, uby, cts, uts)
      SELECT $1, $2, epi, id, empi, coalesce(qty, 1), nullif(note, ''), coalesce(cprops, '{}'), coalesce(lbls, '{}'), coalesce(av, false), lity,
        compare_at_price, platformitemid, coalesce(bundle, '[]'), ${SNAPSHOT.join(', ')}, $5, $6, $7, $7
      FROM sent s WHERE $4 AND NOT EXISTS (SELECT 1 FROM item i WHERE i.pid = $1 AND i.lid = $2 AND i.epi = s.epi)
      ORDER BY s.position
      RETURNING *)
    SELECT ${ITEM_COLUMNS}, i.is_new AS "isNew"
    FROM (SELECT *, false AS is_new FROM changed UNION ALL SELECT *, true FROM made) i ${JOIN_PRODUCT}`,
};

/** An item as a write left it. */
export type WrittenItemRow = ItemRow & { isNew: boolean };

/** Changes the items that are there and, with `isAdd`, adds those that are not. Each variant comes once. */
export function writeItems(
  tx: Tx,
  scope: WriteScope,
  items: readonly ItemWrite[],
  isAdd: boolean,
): Promise<WrittenItemRow[]> {
  const { pid, lid, di, uby, now } = scope;
  return tx.query<WrittenItemRow>(WRITE, [pid, lid, JSON.stringify(items), isAdd, di, uby, now]);
}

const REMOVE = {
  name: 'remove_items',
  text: `
    WITH gone AS (DELETE FROM item WHERE pid = $1 AND lid = $2 AND epi = ANY ($3::text[]) RETURNING *)
    SELECT ${ITEM_COLUMNS} FROM gone i ${JOIN_PRODUCT}`,
};

/** Removes variants from a list; answers those that were there, as they were. */
export function removeItems(
  tx: Tx,
  { pid, lid }: { pid: string; lid: string },
  epis: readonly string[],
): Promise<ItemRow[]> {
  return tx.query<ItemRow>(REMOVE, [pid, lid, epis]);
}

const TRANSFERRED = COPIED_COLUMNS.split(',').map((column) => column.trim());

const TRANSFER = {
  name: 'transfer_items',
  text: `
    WITH done AS (
      INSERT INTO item AS t (pid, lid, id, ${TRANSFERRED.join(', ')}, di, uby, cts, uts)
      SELECT i.pid, $3, n.id, ${TRANSFERRED.map((column) => `i.${column}`).join(', ')}, $6, $7, CASE WHEN $9 THEN i.cts ELSE $8::timestamptz END, $8
      FROM unnest($4::text[], $5::text[]) WITH ORDINALITY AS n (epi, id, position)
      JOIN item i ON i.pid = $1 AND i.lid = $2 AND i.epi = n.epi
      ORDER BY n.position
      ON CONFLICT (pid, lid, epi) DO UPDATE SET
        ${TRANSFERRED.filter((column) => column !== 'epi' && column !== 'empi')
          .map((column) => `${column} = excluded.${column}`)
          .join(', ')},
        uby = excluded.uby, uts = greatest(t.uts, excluded.uts)
      RETURNING t.*, t.xmax = 0 AS is_new)
    SELECT ${ITEM_COLUMNS}, i.is_new AS "isNew" FROM done i ${JOIN_PRODUCT}`,
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

/** Variants in a list of the owner's; null where they are more than `maxBytes`. */
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
         SELECT ${ITEM_COLUMNS} FROM list l JOIN item i ON i.pid = l.pid AND i.lid = l.lid AND i.epi = ANY ($4::text[]) ${JOIN_PRODUCT}
         WHERE l.pid = $1 AND l.regid = $2 AND l.lid = $3) x) found`,
    [pid, regid, lid, epis, maxBytes],
  );
  return row!;
}

/** What webhooks are told of an item. */
export type ToldItem = Pick<ItemRow, 'lid' | 'id' | 'epi' | 'empi' | 'du' | 'qty'>;

/** Queues an event for everything in these lists, oldest first, without reading any of it. */
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

const SOCIAL_COUNT = {
  name: 'social_count',
  text: `
    SELECT (
      SELECT count(DISTINCT l.regid) FROM item i JOIN list l ON l.pid = i.pid AND l.lid = i.lid AND l.st = 1
      WHERE i.pid = k.pid AND i.empi = k.empi)::int AS count
    FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS k (pid, empi, position) ORDER BY k.position`,
};

/** A product of a store. */
export type ProductKey = { pid: string; empi: string };

/** How many shoppers have each product in an active list. What many ask at once about one product is counted once. */
export async function countShoppers(db: Db, keys: readonly ProductKey[]): Promise<number[]> {
  const nameOf = ({ pid, empi }: ProductKey): string => JSON.stringify([pid, empi]);
  const wanted = [...new Map(keys.map((key) => [nameOf(key), key])).values()];
  const params = [wanted.map(({ pid }) => pid), wanted.map(({ empi }) => empi)];
  const rows = await db.query<{ count: number }>(SOCIAL_COUNT, params);
  const counts = new Map(wanted.map((key, index) => [nameOf(key), rows[index]!.count]));
  return keys.map((key) => counts.get(nameOf(key))!);
}

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
): Promise<{ epi: string; lid: string }[]> {
  return db.query<{ epi: string; lid: string }>(MEMBERSHIP, [owner.pid, owner.regid, epis]);
}
