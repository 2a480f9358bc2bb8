import { selectColumns } from '../platform/database/columns.ts';
import type { Db } from '../platform/database/database.ts';
import { wordsOf } from '../stores/products/product-search.repo.ts';
import { FIELDS } from './shopper.repo.ts';
import type { ShopperRow } from './shopper.repo.ts';

/** Which shoppers are meant: guests, accounts or both, and what they are searched by. */
export type ShopperFilter = { isGuest: boolean | null; search: string };

/** The place of a shopper in the order. */
export type ShopperPlace = Pick<ShopperRow, 'cts' | 'uid'>;

const KINDS = [false, true];

/** Accounts that were erased keep a nameless row, guests that were merged an empty one: neither is anybody. */
const whereOf = (pid: string, isGuest: boolean) => ({
  pid,
  isGuest,
  mergedInto: null,
  ...(!isGuest && { em: { not: null } }),
});

const IS_SOMEBODY = `sh.pid = $1 AND sh.merged_into IS NULL AND ($2::boolean IS NULL OR sh.is_guest = $2)`;
const HAS_NAME = `(sh.em IS NOT NULL OR sh.fname <> '' OR sh.lname <> '')`;

/** What a search is looked up by: an address by its beginning, anything else by the words of names. */
const FOUND = {
  address: `sh.em ^@ $3::text AND sh.em IS NOT NULL`,
  words: `${HAS_NAME} AND shopper_search(sh.pid, sh.em, sh.fname, sh.lname) @@ $3::tsquery`,
};
type Look = keyof typeof FOUND;

// SQL: an index on an expression. Has no name on purpose: planned for the words at hand, it walks the newest rows for common words and the index for rare ones.
const SEARCH = (look: Look): string => `
  SELECT ${selectColumns('sh', FIELDS)} FROM shopper sh
  WHERE ${IS_SOMEBODY} AND ${FOUND[look]} AND ($4::timestamptz IS NULL OR (sh.cts, sh.uid) < ($4, $5))
  ORDER BY sh.cts DESC, sh.uid DESC LIMIT $6`;

// SQL: an index on an expression. Has no name, as the search itself.
const COUNT_FOUND = (look: Look): string =>
  `SELECT count(*)::int AS count FROM shopper sh WHERE ${IS_SOMEBODY} AND ${FOUND[look]}`;

async function lookOf(db: Db, pid: string, search: string): Promise<[Look, string | null]> {
  return search.includes('@') ? ['address', search.toLowerCase()] : ['words', await wordsOf(db, pid, search)];
}

/** The shopper with this regid or public id, or null. */
export async function findById(db: Db, pid: string, id: string): Promise<ShopperRow | null> {
  const where = { pid, OR: [{ regid: id }, { uid: id }] };
  return (await db.prisma.shopper.findFirst({ where })) as ShopperRow | null;
}

/** A page of a store's shoppers behind a place, newest first. Guests and accounts are read from their own ends of the index. */
export async function listShoppers(
  db: Db,
  pid: string,
  { isGuest, search }: ShopperFilter,
  { before, limit }: { before: ShopperPlace | null; limit: number },
): Promise<ShopperRow[]> {
  if (search !== '') {
    const [look, sought] = await lookOf(db, pid, search);
    if (sought === null) return [];
    const params = [pid, isGuest, sought, before?.cts ?? null, before?.uid ?? null, limit];
    return db.query<ShopperRow>(SEARCH(look), params);
  }
  const place = before && { cts: { lte: before.cts }, NOT: { cts: before.cts, uid: { gte: before.uid } } };
  const pages = await Promise.all(
    KINDS.filter((kind) => isGuest === null || kind === isGuest).map((kind) =>
      db.prisma.shopper.findMany({
        where: { ...whereOf(pid, kind), ...place },
        orderBy: [{ cts: 'desc' }, { uid: 'desc' }],
        take: limit,
      }),
    ),
  );
  const newest = pages
    .flat()
    .sort((left, right) => Number(right.cts) - Number(left.cts) || (right.uid < left.uid ? -1 : 1));
  return newest.slice(0, limit) as ShopperRow[];
}

/** How many shoppers a filter finds. */
export async function countShoppers(
  db: Db,
  pid: string,
  { isGuest, search }: ShopperFilter,
): Promise<number> {
  if (search === '') {
    const kinds = KINDS.filter((kind) => isGuest === null || kind === isGuest);
    const counts = await Promise.all(
      kinds.map((kind) => db.prisma.shopper.count({ where: whereOf(pid, kind) })),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }
  const [look, sought] = await lookOf(db, pid, search);
  if (sought === null) return 0;
  const [found] = await db.query<{ count: number }>(COUNT_FOUND(look), [pid, isGuest, sought]);
  return found!.count;
}
