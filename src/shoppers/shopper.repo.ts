import { Prisma } from '../generated/prisma/client.ts';
import type { GuestLinkModel, ShopperModel } from '../generated/prisma/models.ts';
import { arraysOf, selectColumns, unnestKeys } from '../platform/database/columns.ts';
import type { Db, Tx } from '../platform/database/database.ts';
import type { PageRead } from '../platform/page.ts';
import { DAY_MS } from '../platform/time.ts';
import { wordsOf } from '../stores/products/product-search.repo.ts';

export type ShopperRow = Omit<ShopperModel, 'prefs' | 'pd'> & {
  prefs: Record<string, unknown>;
  pd: Record<string, unknown>;
};

type Identity = 'pid' | 'regid' | 'isGuest' | 'uid' | 'di' | 'em' | 'externalId' | 'mergedInto' | 'epoch';

/** A shopper's data beyond its identity. */
export type Profile = Omit<ShopperRow, Identity | 'lastlogin' | 'cts' | 'uts'>;

export type ShopperChanges = Partial<Profile>;

export const SHOPPER_FIELDS = Object.keys(Prisma.ShopperScalarFieldEnum);
export const COLUMNS = selectColumns('sh', SHOPPER_FIELDS);

/** Who a request claims to be; an empty text is no claim. */
export type IdentityKey = Pick<ShopperModel, 'pid' | 'regid'>;

export type NewShopper = Pick<ShopperRow, 'pid' | 'regid' | 'isGuest' | 'uid' | 'di' | 'em' | 'externalId'>;

/** A visit is recorded at most this often, because most page views must not write. */
export const VISIT_MS = DAY_MS;

/** SQL: every login runs it; a typed call cannot compare with the old time. It locks the row, unless the address has changed meanwhile. */
const TOUCH = {
  name: 'touch_shopper',
  text: `
    UPDATE shopper sh SET language = coalesce($5, sh.language), merged_into = CASE WHEN $6 THEN NULL ELSE sh.merged_into END,
      lastlogin = CASE WHEN sh.lastlogin > $4::timestamptz - interval '${VISIT_MS} ms' THEN sh.lastlogin ELSE $4 END,
      cts = CASE WHEN sh.lastlogin IS NULL THEN $4 ELSE sh.cts END
    WHERE pid = $1 AND regid = $2 AND em IS NOT DISTINCT FROM $3 RETURNING ${COLUMNS}`,
};

/** Records a visit; only a login ends a merge, and a null `language` changes none. Null if there is no such row. */
export async function touch(
  db: Db,
  { pid, regid, em }: Pick<ShopperRow, 'pid' | 'regid' | 'em'>,
  now: Date,
  language: string | null = null,
  isLogin = true,
): Promise<ShopperRow | null> {
  return (await db.query<ShopperRow>(TOUCH, [pid, regid, em, now, language, isLogin]))[0] ?? null;
}

/** SQL: every first identification and save runs it; a typed call takes four times the CPU. Whichever unique index a concurrent one meets, it leaves one row. */
const MAKE = {
  name: 'make_shopper',
  text: `
    INSERT INTO shopper AS sh (pid, regid, is_guest, uid, di, em, external_id, language, lastlogin, cts, uts)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $9) ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
};

/** Null if its row, or another one with its address or external id, exists. */
export async function makeShopper(db: Db, shopper: NewShopper, now: Date, language: string | null) {
  const { pid, regid, isGuest, uid, di, em, externalId } = shopper;
  const params = [pid, regid, isGuest, uid, di, em, externalId, language, now];
  return (await db.query<ShopperRow>(MAKE, params))[0] ?? null;
}

/** Creates the row of a shopper or records its visit; concurrent first calls leave one row. */
export async function touchShopper(
  db: Db,
  shopper: NewShopper,
  now: Date,
  language: string | null = null,
  isLogin = true,
): Promise<ShopperRow> {
  const update = () => touch(db, shopper, now, language, isLogin);
  const make = () => makeShopper(db, shopper, now, language);
  for (const attempt of [update, make, update]) {
    const row = await attempt();
    if (row) return row;
  }
  throw new Error('Another shopper has this address or id');
}

/** Locks the shopper's row, which a guest gets with its first write. */
export async function enterShopper(tx: Tx, shopper: NewShopper, now: Date): Promise<ShopperRow> {
  const row = await lockShopper(tx, shopper);
  if (row) return row.lastlogin ? row : (await touch(tx, row, now, null, false))!;
  return (await makeShopper(tx, shopper, now, null)) ?? touchShopper(tx, shopper, now, null, false);
}

/** Records a visit, unless one was recorded within a day. */
export async function noteVisit(db: Db, { pid, regid }: IdentityKey, now: Date): Promise<void> {
  const lastlogin = { lte: new Date(now.getTime() - VISIT_MS) };
  await db.prisma.shopper.updateMany({ where: { pid, regid, lastlogin }, data: { lastlogin: now } });
}

/** SQL: every identification runs it, and one statement serves many. LIMIT 1 keeps the planner from scanning a table that is small when it plans. */
const FIND = {
  name: 'find_shoppers',
  text: `
    SELECT ${COLUMNS}
    FROM ${unnestKeys('k', { pid: 'text', regid: 'text' })}
    CROSS JOIN LATERAL (SELECT * FROM shopper WHERE pid = k.pid AND regid = k.regid LIMIT 1) sh`,
};

/** For each choice, in order, the first row that its keys find. */
export async function findShoppers(
  db: Db,
  choices: readonly (readonly IdentityKey[])[],
): Promise<(ShopperRow | null)[]> {
  const rows = await db.query<ShopperRow>(FIND, arraysOf(choices.flat(), 'pid', 'regid'));
  const found = new Map(rows.map((row) => [`${row.pid} ${row.regid}`, row]));
  const rowOf = ({ pid, regid }: IdentityKey): ShopperRow | undefined => found.get(`${pid} ${regid}`);
  return choices.map((keys) => keys.map(rowOf).find((row) => row !== undefined) ?? null);
}

/** SQL: Prisma cannot lock. FOR UPDATE would also block foreign key checks, so that a writer of a list could deadlock with a merge. */
const LOCK = {
  name: 'lock_shopper',
  text: `SELECT ${COLUMNS} FROM shopper sh WHERE pid = $1 AND regid = $2 FOR NO KEY UPDATE`,
};

export async function lockShopper(tx: Tx, { pid, regid }: IdentityKey): Promise<ShopperRow | null> {
  const [row] = await tx.query<ShopperRow>(LOCK, [pid, regid]);
  return row ?? null;
}

/** Ends the guest's sessions and lets the last of them open the account. */
export async function linkGuest(tx: Tx, link: Omit<GuestLinkModel, 'createdAt'>, now: Date): Promise<void> {
  await tx.prisma.guestLink.createMany({ data: { ...link, createdAt: now }, skipDuplicates: true });
  await tx.prisma.shopper.updateMany({
    where: { pid: link.pid, regid: link.guestRegid },
    data: { epoch: { increment: 1 }, mergedInto: link.accountRegid, uts: now },
  });
}

/** A guest session that was valid when the guest was merged. */
type LinkRow = Pick<GuestLinkModel, 'guestRegid' | 'guestEpoch' | 'accountEpoch'>;

/** SQL: every request in the session of a merged guest runs it. */
const LINKS = {
  name: 'links_of',
  text: `
    SELECT guest_regid AS "guestRegid", guest_epoch AS "guestEpoch", account_epoch AS "accountEpoch"
    FROM guest_link WHERE pid = $1 AND mark = $3 AND (account_regid = $2 OR guest_regid = $2)`,
};

/** The merges of the guest that a session's mark names, with the regid on either side. */
export function linksOf(db: Db, { pid, regid }: IdentityKey, mark: string): Promise<LinkRow[]> {
  return db.query<LinkRow>(LINKS, [pid, regid, mark]);
}

export async function updateShopper(db: Db, { pid, regid }: IdentityKey, changes: ShopperChanges, now: Date) {
  const { prefs, pd, ...rest } = changes;
  await db.prisma.shopper.updateMany({
    where: { pid, regid },
    data: { ...rest, prefs: prefs as Prisma.InputJsonObject, pd: pd as Prisma.InputJsonObject, uts: now },
  });
}

export async function findShopper(db: Db, { pid, regid }: IdentityKey): Promise<ShopperRow | null> {
  return (await db.prisma.shopper.findFirst({ where: { pid, regid } })) as ShopperRow | null;
}

/** Ends a shopper's sessions. */
export async function moveShopperEpoch(tx: Tx, { pid, regid }: IdentityKey): Promise<void> {
  await tx.prisma.shopper.updateMany({ where: { pid, regid }, data: { epoch: { increment: 1 } } });
}

/** A null `isGuest` means guests and accounts. */
export type ShopperFilter = { isGuest: boolean | null; search: string };

/** The sort key of a shopper. */
type Position = Pick<ShopperRow, 'cts' | 'uid'>;

const kindsOf = (isGuest: boolean | null): boolean[] => (isGuest === null ? [false, true] : [isGuest]);

/** Leaves out the blank rows of erased accounts, and of guests that were merged, erased or away for long. */
const whereOf = (pid: string, isGuest: boolean) => ({
  pid,
  isGuest,
  mergedInto: null,
  ...(isGuest
    ? { lastlogin: { not: null } }
    : { OR: [{ em: { not: null } }, { externalId: { not: null } }] }),
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
  SELECT ${COLUMNS} FROM shopper sh
  WHERE ${IS_SOMEBODY} AND ${FOUND[look]} AND ($4::timestamptz IS NULL OR (sh.cts, sh.uid) < ($4, $5))
  ORDER BY sh.cts DESC, sh.uid DESC LIMIT $6`;

// SQL: an index on an expression. Unnamed like the search itself.
const COUNT_FOUND = (look: SearchKind): string =>
  `SELECT count(*)::int AS count FROM shopper sh WHERE ${IS_SOMEBODY} AND ${FOUND[look]}`;

async function parseSearch(db: Db, pid: string, search: string): Promise<[SearchKind, string | null]> {
  return search.includes('@') ? ['address', search.toLowerCase()] : ['words', await wordsOf(db, pid, search)];
}

/** By a regid or uid each. */
export async function findByIds(db: Db, pid: string, ids: string[]): Promise<ShopperRow[]> {
  const where = { pid, OR: [{ regid: { in: ids } }, { uid: { in: ids } }] };
  return (await db.prisma.shopper.findMany({ where })) as ShopperRow[];
}

/** Newest first. Guests and accounts are read separately, each from its end of the index. */
export async function listShoppers(db: Db, pid: string, filter: ShopperFilter, page: PageRead<Position>) {
  const { isGuest, search } = filter;
  const { before, limit } = page;
  if (search !== '') {
    const [look, query] = await parseSearch(db, pid, search);
    if (query === null) return [];
    const params = [pid, isGuest, query, before?.cts ?? null, before?.uid ?? null, limit];
    return db.query<ShopperRow>(SEARCH(look), params);
  }
  const older = before && { cts: { lte: before.cts }, NOT: { cts: before.cts, uid: { gte: before.uid } } };
  const pages = await Promise.all(
    kindsOf(isGuest).map((kind) =>
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

export async function countShoppers(db: Db, pid: string, { isGuest, search }: ShopperFilter) {
  if (search === '') {
    const counts = await Promise.all(
      kindsOf(isGuest).map((kind) => db.prisma.shopper.count({ where: whereOf(pid, kind) })),
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }
  const [look, query] = await parseSearch(db, pid, search);
  if (query === null) return 0;
  const [found] = await db.query<{ count: number }>(COUNT_FOUND(look), [pid, isGuest, query]);
  return found!.count;
}
