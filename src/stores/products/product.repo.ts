import type { ProductModel, RemovedProductModel } from '../../generated/prisma/models.ts';
import { arraysOf, unnestKeys } from '../../platform/database/columns.ts';
import type { Db, Raw, Statement, Tx } from '../../platform/database/database.ts';
import { inService } from '../../platform/database/in-service.ts';
import { DAY_MS } from '../../platform/time.ts';
import { productColumns } from './product.columns.ts';
import type { CustomProductField, ProductRow, ProductWrite } from './product.columns.ts';
import { MAX_STOCK, countedStock } from './product.rules.ts';

/** What alerts see of a variant; untracked stock counts as the maximum. */
type Availability = Pick<ProductModel, 'tags'> & { available: number | null };

export type StepRow = Pick<ProductModel, 'epi' | 'empi' | 'du' | 'pr'> &
  Availability & { before: number | null; beforePr: number | null; beforeTags: string[]; isNew: boolean };

export type WrittenRow = ProductRow & StepRow;

export const COLUMNS = productColumns
  .filter(({ isHidden }) => !isHidden)
  .map(
    ({ field, column, sql }) =>
      `${sql === 'text[]' ? `coalesce(p.${column}, '{}')` : `p.${column}`} AS "${field}"`,
  )
  .join(', ');
export const AVAILABLE = `CASE WHEN p.is_untracked THEN ${MAX_STOCK} ELSE p.stk END`;
const STEP = `${AVAILABLE} AS available, p.before_stk AS before, p.before_pr AS "beforePr", coalesce(p.before_tags, '{}') AS "beforeTags", p.rev = 1 AS "isNew"`;
const WRITTEN = `${COLUMNS}, ${STEP}`;

const CUSTOM: Record<CustomProductField, string> = {
  stk: 'CASE WHEN excluded.is_untracked THEN NULL ELSE coalesce(excluded.stk, p.stk) END',
  isUntracked: 'excluded.is_untracked OR (p.is_untracked AND excluded.stk IS NULL)',
  sourceAt: 'greatest(excluded.source_at, p.source_at)',
};

const FILLED = productColumns.filter(({ write }) => write !== 'own');

type FilledColumn = (typeof FILLED)[number];

const sentOrOwn = ({ field, column, write }: FilledColumn): string => {
  if (write === 'custom') return CUSTOM[field as CustomProductField];
  const sent = write === 'needed' ? `nullif(excluded.${column}, '')` : `excluded.${column}`;
  return `coalesce(${sent}, p.${column})`;
};

/** Parameter 4 has the cleared fields of each variant. */
const clearedOrSent = (column: FilledColumn): string =>
  `CASE WHEN $4::jsonb -> excluded.epi ? '${column.field}' THEN ${column.initial ?? 'NULL'} ELSE ${sentOrOwn(column)} END`;

const COUNTED = (column: string): string => `nullif(s.${column}, ${MAX_STOCK})`;

/** Records the stock changes of `step`. The first stock of a new variant is no change, so that an import of a million new ones writes nothing here. */
const addChanges = (now: string): string => `kept AS (
      INSERT INTO stock_change (pid, epi, at, before, after)
      SELECT $1, s.epi, ${now}, ${COUNTED('before')}, ${COUNTED('available')} FROM step s
      WHERE NOT s."isNew" AND ${COUNTED('before')} IS DISTINCT FROM ${COUNTED('available')}
    )`;

/**
 * Rows are locked in the order of their ids, so that concurrent writers cannot deadlock; `p.stk` inside DO UPDATE is what the previous writer left,
 * so that the changes of concurrent writers add up. An older webhook changes nothing.
 */
const writeWith = (value: (column: FilledColumn) => string): string => `
    INSERT INTO product AS p (pid, epi, ${FILLED.map(({ column }) => column).join(', ')}, cts, uts)
    SELECT $1, n.epi, ${FILLED.map(({ field, initial }) => (initial ? `coalesce(n."${field}", ${initial})` : `n."${field}"`)).join(', ')}, $3, $3
    FROM jsonb_to_recordset($2::jsonb) AS n (epi text, ${FILLED.map(({ field, sql }) => `"${field}" ${sql}`).join(', ')})
    ORDER BY n.epi COLLATE "C"
    ON CONFLICT (pid, epi) DO UPDATE SET ${FILLED.map((column) => `${column.column} = ${value(column)}`).join(', ')},
      before_tags = p.tags, before_pr = p.pr, before_stk = ${AVAILABLE}, rev = p.rev + 1, uts = excluded.uts
    WHERE excluded.source_at IS NULL OR p.source_at IS NULL OR excluded.source_at >= p.source_at`;

type Products = readonly ProductWrite[];
export type ProductWriter<Row> = (tx: Tx, pid: string, products: Products, now: Date) => Promise<Row[]>;

/** Few writes clear fields, and the others skip the check of each column. */
function writeBy<Row>(name: string, textWith: (write: string) => string): ProductWriter<Row> {
  const plain: Statement = { name, text: textWith(writeWith(sentOrOwn)) };
  const clearing: Statement = { name: `${name}_clearing`, text: textWith(writeWith(clearedOrSent)) };
  return (tx, pid, products, now) => {
    const cleared = products.flatMap(({ epi, cleared: fields }) => (fields ? [[epi, fields] as const] : []));
    const params = [pid, JSON.stringify(products), now];
    if (cleared.length === 0) return tx.query<Row>(plain, params);
    return tx.query<Row>(clearing, [...params, JSON.stringify(Object.fromEntries(cleared))]);
  };
}

/** Adds or changes about a thousand variants at most, none of them twice. SQL: set-wise, and adds up with concurrent writes. */
export const upsertProducts = writeBy<WrittenRow>(
  'upsert_products',
  (write) => `WITH step AS (${write} RETURNING ${WRITTEN}), ${addChanges('$3')} SELECT * FROM step`,
);

/** The same; returns only changes that alerts watch, and new variants. SQL: without whole rows an import is a tenth faster. */
export const mergeProducts = writeBy<StepRow>(
  'merge_products',
  (write) => `
    WITH step AS (${write} RETURNING p.epi, p.empi, p.du, p.pr, coalesce(p.tags, '{}') AS tags, ${STEP}),
    ${addChanges('$3')}
    SELECT * FROM step WHERE "isNew" OR available IS DISTINCT FROM before OR pr IS DISTINCT FROM "beforePr" OR tags <> "beforeTags"`,
);

/** SQL: set-wise, and locks the rows in order. */
const SET_STOCK = {
  name: 'set_stock',
  text: `
    WITH held AS (
      SELECT h.epi FROM product h WHERE h.pid = $1 AND h.epi = ANY ($2::text[]) ORDER BY h.epi COLLATE "C" FOR NO KEY UPDATE
    ), step AS (
    UPDATE product p SET before_stk = ${AVAILABLE}, stk = n.stk, is_untracked = false, before_tags = p.tags, before_pr = p.pr, rev = p.rev + 1, uts = $4
    FROM held JOIN unnest($2::text[], $3::int[]) AS n (epi, stk) USING (epi)
    WHERE p.pid = $1 AND p.epi = held.epi
    RETURNING ${WRITTEN}), ${addChanges('$4')}
    SELECT * FROM step`,
};

export type Stock = { epi: string; stk: number };

export function setStock(tx: Tx, pid: string, stocks: readonly Stock[], now: Date) {
  return tx.query<WrittenRow>(SET_STOCK, [pid, ...arraysOf(stocks, 'epi', 'stk'), now]);
}

type RemovedRow = Availability & Pick<RemovedProductModel, 'epi' | 'pr'>;

/** SQL: set-wise, and locks the rows in order. */
const REMOVE = {
  name: 'remove_products',
  text: `
    WITH held AS (
      SELECT h.epi FROM product h WHERE h.pid = $1 AND h.epi = ANY ($2::text[]) ORDER BY h.epi COLLATE "C" FOR UPDATE
    ), gone AS (
      DELETE FROM product p USING held WHERE p.pid = $1 AND p.epi = held.epi
      RETURNING p.epi, ${AVAILABLE} AS available, p.pr, coalesce(p.tags, '{}') AS tags
    ), remembered AS (
      INSERT INTO removed_product (pid, epi, stk, pr, tags, seq, at)
      SELECT $1, g.epi, g.available, g.pr, g.tags, numbers.last_value, $3 FROM gone g CROSS JOIN subscription_seq_seq AS numbers
      ON CONFLICT (pid, epi) DO UPDATE SET stk = excluded.stk, pr = excluded.pr, tags = excluded.tags, seq = excluded.seq, at = excluded.at
    )
    SELECT epi, available, pr, tags FROM gone`,
};

/** Deletes variants and keeps their last state, because feeds remove products and restore them. */
export function removeProducts(tx: Tx, pid: string, epis: readonly string[], now: Date) {
  return tx.query<RemovedRow>(REMOVE, [pid, epis, now]);
}

/** A variant that was removed before, with the last subscription number at that time. */
type ReturnedRow = RemovedRow & Raw<Pick<RemovedProductModel, 'seq'>>;

/** Returns, and deletes, the last state of those of these new variants that were removed before. */
export async function takeBackProducts(tx: Tx, pid: string, epis: readonly string[]): Promise<ReturnedRow[]> {
  // Most stores have removed nothing, and looking up a thousand ids took a seventh of an import's time.
  if ((await tx.prisma.removedProduct.findFirst({ where: { pid }, select: { epi: true } })) === null)
    return [];
  const where = { pid, epi: { in: [...epis] } };
  const rows = await tx.prisma.removedProduct.findMany({ where });
  if (rows.length > 0) await tx.prisma.removedProduct.deleteMany({ where });
  return rows.map(({ epi, stk, pr, tags, seq }) => ({ epi, available: stk, pr, tags, seq: Number(seq) }));
}

/** SQL: every subscription runs it. */
const FIND = {
  name: 'find_products',
  text: `SELECT ${COLUMNS} FROM product p WHERE p.pid = $1 AND p.epi = ANY ($2::text[])`,
};

/** SQL: every sign-up runs it; one statement serves many. */
const FIND_EACH = {
  name: 'find_each_product',
  text: `
    SELECT ${COLUMNS} FROM ${unnestKeys('k', { pid: 'text', epi: 'text' })}
    LEFT JOIN product p ON p.pid = k.pid AND p.epi = k.epi ORDER BY k.position`,
};

export type VariantKey = Pick<ProductModel, 'pid' | 'epi'>;

export async function findEachProduct(db: Db, keys: readonly VariantKey[]): Promise<(ProductRow | null)[]> {
  const rows = await db.query<ProductRow | { epi: null }>(FIND_EACH, arraysOf(keys, 'pid', 'epi'));
  return rows.map((row) => (row.epi === null ? null : row));
}

/** The variants that the catalogue has, in no order. */
export function findProducts(db: Db, pid: string, epis: readonly string[]): Promise<ProductRow[]> {
  return db.query<ProductRow>(FIND, [pid, epis]);
}

export async function findProduct(db: Db, pid: string, epi: string): Promise<ProductRow | null> {
  return db.prisma.product.findFirst({ where: { pid, epi } });
}

/** Records the stock changes of variants that were removed and are back: `upsertProducts` takes them for new. */
export async function addReturns(
  tx: Tx,
  pid: string,
  steps: readonly { epi: string; was: number | null; is: number | null }[],
  now: Date,
): Promise<void> {
  const data = steps
    .map(({ epi, was, is }) => ({ pid, epi, at: now, before: countedStock(was), after: countedStock(is) }))
    .filter(({ before, after }) => before !== after);
  if (data.length > 0) await tx.prisma.stockChange.createMany({ data });
}

/** Newest first, also those of a removed variant. */
export async function listStockChanges(db: Db, pid: string, epi: string, take: number) {
  const rows = await db.prisma.stockChange.findMany({ where: { pid, epi }, orderBy: { seq: 'desc' }, take });
  return rows.map(({ seq, at, before, after }) => ({ id: String(seq), at, before, after }));
}

const CLEANUP_BATCH = 5_000;

const daysAgo = (now: Date, days: number): Date => new Date(now.getTime() - days * DAY_MS);

/** SQL: there is no relation to the store. */
const DELETE_STOCK_CHANGES = `
  DELETE FROM stock_change WHERE (pid, epi, seq) IN (
    SELECT pid, epi, seq FROM stock_change WHERE at < $1 AND ${inService('pid')} LIMIT ${CLEANUP_BATCH}) RETURNING 1`;

/** Changes of stock are kept for 90 days. */
export async function forgetStockChanges({ db }: { db: Db }, now: Date): Promise<number> {
  return (await db.query(DELETE_STOCK_CHANGES, [daysAgo(now, 90)])).length;
}

/** SQL: two tables in one statement, so that no price mark outlives its variant. */
const DELETE_REMOVED = `
  WITH gone AS (
    DELETE FROM removed_product WHERE (pid, epi) IN (
      SELECT pid, epi FROM removed_product WHERE at < $1 AND ${inService('pid')} LIMIT ${CLEANUP_BATCH}) RETURNING pid, epi
  ), marks AS (
    DELETE FROM price_mark m USING gone g WHERE m.pid = g.pid AND m.epi = g.epi
  )
  SELECT count(*)::int AS count FROM gone`;

/** The last states of removed variants are kept for 30 days. */
export async function forgetRemoved({ db }: { db: Db }, now: Date): Promise<number> {
  return (await db.query<{ count: number }>(DELETE_REMOVED, [daysAgo(now, 30)]))[0]!.count;
}
