import { selectColumns } from '../platform/database/columns.ts';
import type { Db } from '../platform/database/database.ts';
import { wordsOf } from '../stores/products/product-search.repo.ts';
import { FIELDS } from './shopper.repo.ts';
import type { ShopperRow } from './shopper.repo.ts';

/** A null `isGuest` means guests and accounts. */
export type ShopperFilter = { isGuest: boolean | null; search: string };

/** The sort key of a shopper. */
export type ShopperPosition = Pick<ShopperRow, 'cts' | 'uid'>;

const KINDS = [false, true];

/** Leaves out the blank rows of erased accounts and merged guests. */
const whereOf = (pid: string, isGuest: boolean) => ({
  pid,
  isGuest,
  mergedInto: null,
  ...(!isGuest && { em: { not: null } }),
});

const IS_SOMEBODY = `sh.pid = $1 AND sh.merged_into IS NULL AND ($2::boolean IS NULL OR sh.is_guest = $2)`;
const HAS_NAME = `(sh.em IS NOT NULL OR sh.fname <> '' OR sh.lname <> '')`;

/** A search with an @ matches the start of addresses, any other the words of names. */
const FOUND = {
  address: `sh.em ^@ $3::text AND sh.em IS NOT NULL`,
  words: `${HAS_NAME} AND shopper_search(sh.pid, sh.em, sh.fname, sh.lname) @@ $3::tsquery`,
};
type SearchKind = keyof typeof FOUND;

// SQL: an index on an expression. Unnamed, so that it is planned for the words at hand: newest rows for common words, the index for rare ones.
const SEARCH = (look: SearchKind): string => `
  SELECT ${selectColumns('sh', FIELDS)} FROM shopper sh
  WHERE ${IS_SOMEBODY} AND ${FOUND[look]} AND ($4::timestamptz IS NULL OR (sh.cts, sh.uid) < ($4, $5))
  ORDER BY sh.cts DESC, sh.uid DESC LIMIT $6`;

// SQL: an index on an expression. Unnamed like the search itself.
const COUNT_FOUND = (look: SearchKind): string =>
  `SELECT count(*)::int AS count FROM shopper sh WHERE ${IS_SOMEBODY} AND ${FOUND[look]}`;

async function parseSearch(db: Db, pid: string, search: string): Promise<[SearchKind, string | null]> {
  return search.includes('@') ? ['address', search.toLowerCase()] : ['words', await wordsOf(db, pid, search)];
}

export async function findById(db: Db, pid: string, id: string): Promise<ShopperRow | null> {
  const where = { pid, OR: [{ regid: id }, { uid: id }] };
  return (await db.prisma.shopper.findFirst({ where })) as ShopperRow | null;
}

/** Newest first. Guests and accounts are read separately, each from its end of the index. */
export async function listShoppers(
  db: Db,
  pid: string,
  { isGuest, search }: ShopperFilter,
  { before, limit }: { before: ShopperPosition | null; limit: number },
): Promise<ShopperRow[]> {
  if (search !== '') {
    const [look, query] = await parseSearch(db, pid, search);
    if (query === null) return [];
    const params = [pid, isGuest, query, before?.cts ?? null, before?.uid ?? null, limit];
    return db.query<ShopperRow>(SEARCH(look), params);
  }
  const older = before && { cts: { lte: before.cts }, NOT: { cts: before.cts, uid: { gte: before.uid } } };
  const pages = await Promise.all(
    KINDS.filter((kind) => isGuest === null || kind === isGuest).map((kind) =>
      db.prisma.shopper.findMany({
        where: { ...whereOf(pid, kind), ...older },
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
  const [look, query] = await parseSearch(db, pid, search);
  if (query === null) return 0;
  const [found] = await db.query<{ count: number }>(COUNT_FOUND(look), [pid, isGuest, query]);
  return found!.count;
}
