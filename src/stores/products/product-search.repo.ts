import type { ProductModel } from '../../generated/prisma/models.ts';
import type { Db, Raw } from '../../platform/database/database.ts';
import type { PageRead } from '../../platform/page.ts';
import type { ProductRow } from './product.columns.ts';
import { COLUMNS } from './product.repo.ts';

/** A variant with its number in the catalogue. */
export type PlacedRow = ProductRow & Raw<Pick<ProductModel, 'seq'>>;

/** Variants that match all words of `search`. */
export type ProductFilter = { search: string; isSoldOut: boolean };

/** The ascending sort value of each order. Figures are a few seconds old. */
const RANKS = {
  newest: { type: 'bigint', value: '-b.seq' },
  title: { type: 'text', value: "lower(coalesce(b.dt, ''))" },
  stock: { type: 'bigint', value: 'coalesce(b.stk, 2147483647)::bigint' },
  waiting: { type: 'bigint', value: figureOf('wait', 'b.epi') },
  lists: { type: 'bigint', value: figureOf('wish', 'b.empi') },
} as const;

function figureOf(kind: string, key: string): string {
  return `-coalesce((SELECT t.n FROM tally t WHERE t.pid = $1 AND t.kind = '${kind}' AND t.key = ${key}), 0)::bigint`;
}

export type ProductSort = keyof typeof RANKS;

type RankedRow = PlacedRow & { rank: string };

/** Most variants that are sorted without an index: 20,000 take 60 ms. */
const MAX_RANKED = 20_000;

const FOUND = 'product_search(p.pid, p.dt, p.bt, p.sku, p.epi, p.empi) @@';

/** SQL: sorts by an expression or by figures of another table, to which there is no relation. */
const RANKED = (sort: ProductSort, hasWords: boolean): string => `
  SELECT ${COLUMNS}, p.seq, r.rank::text AS rank
  FROM (
    SELECT * FROM (
      SELECT b.epi, ${RANKS[sort].value} AS rank FROM (
        SELECT epi, empi, dt, stk, seq FROM product p WHERE p.pid = $1 AND ${hasWords ? `${FOUND} $6::tsquery` : '$6::text IS NULL'}
        ORDER BY p.seq DESC LIMIT ${MAX_RANKED}) b
      WHERE NOT $2 OR b.stk <= 0) every
    WHERE $3::text IS NULL OR (rank, epi) > ($3::text::${RANKS[sort].type}, $4)
    ORDER BY rank, epi LIMIT $5) r
  JOIN product p ON p.pid = $1 AND p.epi = r.epi ORDER BY r.rank, r.epi`;

/** A page of the catalogue behind a position; of a larger catalogue only the newest variants are sorted. */
export async function rankProducts(
  db: Db,
  pid: string,
  { search, isSoldOut }: ProductFilter,
  { sort, behind, limit }: { sort: ProductSort; behind: [rank: string, epi: string] | null; limit: number },
): Promise<RankedRow[]> {
  const words = search === '' ? null : await wordsOf(db, pid, search);
  if (search !== '' && words === null) return [];
  const params = [pid, isSoldOut, behind?.[0] ?? null, behind?.[1] ?? null, limit, words];
  return db.query<RankedRow>(RANKED(sort, words !== null), params);
}

// SQL: an index on an expression. Unnamed, so that it is planned for the words at hand: newest rows for common words, the index for rare ones.
const SEARCH = `
  SELECT ${COLUMNS}, p.seq FROM product p
  WHERE p.pid = $1 AND p.seq < $2 AND ${FOUND} $4::tsquery AND (NOT $5 OR p.stk <= 0)
  ORDER BY p.seq DESC LIMIT $3`;

/** SQL: the function that the index uses splits the words. */
const WORDS = {
  name: 'search_words',
  text: `SELECT string_agg(quote_literal(word) || ':*', ' & ')::tsquery::text AS query FROM unnest(product_words($1, $2)) AS word WHERE length(word) > 8`,
};

/** A search as a tsquery of word prefixes; null where it has no words. */
export async function wordsOf(db: Db, pid: string, search: string): Promise<string | null> {
  const [words] = await db.query<{ query: string | null }>(WORDS, [pid, search]);
  return words?.query ?? null;
}

const whereOf = (pid: string, isSoldOut: boolean) => ({ pid, ...(isSoldOut && { stk: { lte: 0 } }) });

/** Newest first. */
export async function listProducts(db: Db, pid: string, filter: ProductFilter, page: PageRead<number>) {
  const { search, isSoldOut } = filter;
  const before = page.before ?? Number.MAX_SAFE_INTEGER;
  if (search === '') {
    const where = { ...whereOf(pid, isSoldOut), seq: { lt: before } };
    const rows = await db.prisma.product.findMany({ where, orderBy: { seq: 'desc' }, take: page.limit });
    return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
  }
  const words = await wordsOf(db, pid, search);
  return words === null ? [] : db.query<PlacedRow>(SEARCH, [pid, before, page.limit, words, isSoldOut]);
}

// SQL: an index on an expression. Unnamed like the search itself.
const COUNT_FOUND = `
  SELECT count(*)::int AS count FROM product p WHERE p.pid = $1 AND ${FOUND} $2::tsquery AND (NOT $3 OR p.stk <= 0)`;

export async function countProducts(db: Db, pid: string, { search, isSoldOut }: ProductFilter) {
  if (search === '') return db.prisma.product.count({ where: whereOf(pid, isSoldOut) });
  const words = await wordsOf(db, pid, search);
  if (words === null) return 0;
  return (await db.query<{ count: number }>(COUNT_FOUND, [pid, words, isSoldOut]))[0]!.count;
}
