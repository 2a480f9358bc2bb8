import type { Db, Tx } from '../../database/database.ts';
import { MAX_STOCK } from './product.rules.ts';
import type { ProductWrite } from './product.rules.ts';

/** A variant as it is read. Times are null for one that only a subscription told us of. */
export type ProductRow = {
  pid: string;
  epi: string;
  empi: string;
  bt: string | null;
  dt: string | null;
  sku: string | null;
  du: string;
  uri: string | null;
  iu: string | null;
  stk: number | null;
  pr: number | null;
  vi: string | null;
  tags: string[];
  cts: Date | null;
  uts: Date | null;
};

/** What alerts see of a variant. Stock that is not counted is the greatest there is. */
export type Availability = { available: number | null; tags: string[] };

/** A variant as one write left it, with the step that this write made. */
export type WrittenRow = ProductRow &
  Availability & { before: number | null; beforeTags: string[]; isNew: boolean };

/** A variant at its place in the catalogue. */
export type PlacedRow = ProductRow & { seq: number };

const COLUMNS = `p.pid, p.epi, p.empi, p.bt, p.dt, p.sku, p.du, p.uri, p.iu, p.stk, p.pr, p.vi, coalesce(p.tags, '{}') AS tags, p.cts, p.uts`;
/** Stock as alerts count it: before and after a write, and when a variant goes. */
const AVAILABLE = `CASE WHEN p.is_untracked THEN ${MAX_STOCK} ELSE p.stk END`;
const WRITTEN = `${COLUMNS}, ${AVAILABLE} AS available, p.before_stk AS before, coalesce(p.before_tags, '{}') AS "beforeTags", p.rev = 1 AS "isNew"`;

// One statement. Rows are inserted or locked in the order of their ids, so that writers never wait in a circle; `p.stk` inside
// DO UPDATE is what the writer before left, so that the steps of many writers at once add up. An empty empi or du stands for
// "left out", because the columns forbid null; the service refuses a new row that has one. An older webhook changes nothing.
const UPSERT = {
  name: 'upsert_products',
  text: `
    INSERT INTO product AS p (pid, epi, empi, du, bt, dt, sku, uri, iu, stk, pr, vi, tags, inventory_item, source_at, is_untracked, cts, uts)
    SELECT $1, n.epi, coalesce(n.empi, ''), coalesce(n.du, ''), n.bt, n.dt, n.sku, n.uri, n.iu, n.stk, n.pr, n.vi, n.tags,
      n."inventoryItem", n."sourceAt", coalesce(n."isUntracked", false), $3, $3
    FROM jsonb_to_recordset($2::jsonb) AS n (epi text, empi text, du text, bt text, dt text, sku text, uri text, iu text, stk int,
      pr float8, vi text, tags text[], "inventoryItem" text, "sourceAt" timestamptz, "isUntracked" boolean)
    ORDER BY n.epi COLLATE "C"
    ON CONFLICT (pid, epi) DO UPDATE SET
      empi = coalesce(nullif(excluded.empi, ''), p.empi), du = coalesce(nullif(excluded.du, ''), p.du),
      bt = coalesce(excluded.bt, p.bt), dt = coalesce(excluded.dt, p.dt), sku = coalesce(excluded.sku, p.sku),
      uri = coalesce(excluded.uri, p.uri), iu = coalesce(excluded.iu, p.iu),
      stk = CASE WHEN excluded.is_untracked THEN NULL ELSE coalesce(excluded.stk, p.stk) END,
      is_untracked = excluded.is_untracked OR (p.is_untracked AND excluded.stk IS NULL),
      pr = coalesce(excluded.pr, p.pr), vi = coalesce(excluded.vi, p.vi), tags = coalesce(excluded.tags, p.tags),
      before_tags = p.tags,
      inventory_item = coalesce(excluded.inventory_item, p.inventory_item), source_at = greatest(excluded.source_at, p.source_at),
      before_stk = ${AVAILABLE}, rev = p.rev + 1, uts = excluded.uts
    WHERE excluded.source_at IS NULL OR p.source_at IS NULL OR excluded.source_at >= p.source_at
    RETURNING ${WRITTEN}`,
};

/** Adds or changes variants, at most a thousand or so at a time and none of them twice. */
export function upsertProducts(
  tx: Tx,
  pid: string,
  products: readonly ProductWrite[],
  now: Date,
): Promise<WrittenRow[]> {
  return tx.query<WrittenRow>(UPSERT, [pid, JSON.stringify(products), now]);
}

const SET_STOCK = {
  name: 'set_stock',
  text: `
    WITH held AS (
      SELECT h.epi FROM product h WHERE h.pid = $1 AND h.epi = ANY ($2::text[]) ORDER BY h.epi COLLATE "C" FOR NO KEY UPDATE
    )
    UPDATE product p SET before_stk = ${AVAILABLE}, stk = n.stk, is_untracked = false, before_tags = p.tags, rev = p.rev + 1, uts = $4
    FROM held JOIN unnest($2::text[], $3::int[]) AS n (epi, stk) USING (epi)
    WHERE p.pid = $1 AND p.epi = held.epi
    RETURNING ${WRITTEN}`,
};

/** Sets the stock of the variants that are there. */
export function setStock(
  tx: Tx,
  pid: string,
  stocks: readonly { epi: string; stk: number }[],
  now: Date,
): Promise<WrittenRow[]> {
  return tx.query<WrittenRow>(SET_STOCK, [
    pid,
    stocks.map(({ epi }) => epi),
    stocks.map(({ stk }) => stk),
    now,
  ]);
}

/** A variant that is gone, as it was. */
export type RemovedRow = Availability & { epi: string };

const REMOVE = {
  name: 'remove_products',
  text: `
    WITH held AS (
      SELECT h.epi FROM product h WHERE h.pid = $1 AND h.epi = ANY ($2::text[]) ORDER BY h.epi COLLATE "C" FOR UPDATE
    ), gone AS (
      DELETE FROM product p USING held WHERE p.pid = $1 AND p.epi = held.epi
      RETURNING p.epi, ${AVAILABLE} AS available, coalesce(p.tags, '{}') AS tags
    ), remembered AS (
      INSERT INTO removed_product (pid, epi, stk, tags, seq, at)
      SELECT $1, g.epi, g.available, g.tags, numbers.last_value, $3 FROM gone g CROSS JOIN subscription_seq_seq AS numbers
      ON CONFLICT (pid, epi) DO UPDATE SET stk = excluded.stk, tags = excluded.tags, seq = excluded.seq, at = excluded.at
    )
    SELECT epi, available, tags FROM gone`,
};

/** Deletes variants and remembers how they were, because feeds take products out and bring them again. */
export function removeProducts(
  tx: Tx,
  pid: string,
  epis: readonly string[],
  now: Date,
): Promise<RemovedRow[]> {
  return tx.query<RemovedRow>(REMOVE, [pid, epis, now]);
}

/** A variant that was removed before, and the last subscription number of then. */
export type ReturnedRow = RemovedRow & { seq: number };

const TAKE_BACK = {
  name: 'take_back_products',
  text: `DELETE FROM removed_product WHERE pid = $1 AND epi = ANY ($2::text[]) RETURNING epi, stk AS available, tags, seq`,
};

/** Which of these new variants were there before, as they were; this is told once. */
export function takeBackProducts(tx: Tx, pid: string, epis: readonly string[]): Promise<ReturnedRow[]> {
  return tx.query<ReturnedRow>(TAKE_BACK, [pid, epis]);
}

const FIND = {
  name: 'find_products',
  text: `SELECT ${COLUMNS} FROM product p WHERE p.pid = $1 AND p.epi = ANY ($2::text[])`,
};

/** The variants that the catalogue knows, in no order. */
export function findProducts(db: Db, pid: string, epis: readonly string[]): Promise<ProductRow[]> {
  return db.query<ProductRow>(FIND, [pid, epis]);
}

const PAGE = {
  name: 'product_page',
  text: `SELECT ${COLUMNS}, p.seq FROM product p WHERE p.pid = $1 AND p.seq < $2 ORDER BY p.seq DESC LIMIT $3`,
};

// Has no name on purpose: planned for the words at hand, it walks the newest rows for common words and the index for rare ones.
const SEARCH = `
  SELECT ${COLUMNS}, p.seq FROM product p
  WHERE p.pid = $1 AND p.seq < $2 AND product_search(p.pid, p.dt, p.bt, p.sku, p.epi, p.empi) @@ $4::tsquery
  ORDER BY p.seq DESC LIMIT $3`;

const WORDS = {
  name: 'search_words',
  text: `SELECT string_agg(quote_literal(word) || ':*', ' & ')::tsquery::text AS query FROM unnest(product_words($1, $2)) AS word WHERE length(word) > 8`,
};

/** A page of the catalogue behind `before`, newest first; `search` narrows it to variants that have all its words. */
export async function listProducts(
  db: Db,
  pid: string,
  search: string,
  before: number,
  limit: number,
): Promise<PlacedRow[]> {
  if (search === '') return db.query<PlacedRow>(PAGE, [pid, before, limit]);
  const [words] = await db.query<{ query: string | null }>(WORDS, [pid, search]);
  return words?.query == null ? [] : db.query<PlacedRow>(SEARCH, [pid, before, limit, words.query]);
}

/** One variant of the catalogue, or null. */
export async function findProduct(db: Db, pid: string, epi: string): Promise<ProductRow | null> {
  return (await findProducts(db, pid, [epi]))[0] ?? null;
}
