import type { Prisma } from '../generated/prisma/client.ts';
import type { ListModel } from '../generated/prisma/models.ts';
import { arraysOf, readColumn } from '../platform/database/columns.ts';
import type { Db, Tx } from '../platform/database/database.ts';
import type { ShopperRow } from '../shoppers/shopper.repo.ts';
import { listColumns } from './list.columns.ts';
import type { ListChanges, ListRow, NewList } from './list.columns.ts';

/**
 * The size of all lists of one owner, inside a statement that writes `l`: a subquery would read the old size of `l`. Ordered, because a plan made
 * while the table is small would otherwise keep reading all lists of the store.
 */
export const USED_BYTES = `l.bytes + coalesce((
  SELECT sum(o.bytes) FROM (SELECT * FROM list o WHERE o.pid = l.pid AND o.regid = l.regid ORDER BY o.seq DESC) o
  WHERE o.lid <> l.lid), 0)::bigint`;

export type ListOwner = Pick<ListModel, 'pid' | 'regid'>;

export type ListKey = ListOwner & Pick<ListModel, 'lid'>;

/** The columns of list `l` under their names in the API. */
export const READ_LIST = listColumns
  .filter(({ isHidden }) => !isHidden)
  .map(({ field, column, sql, as = field }) => readColumn(`l.${column}`, sql, as))
  .join(', ');

/** A list that is locked until the transaction ends. */
export type LockedList = ListRow & { bytes: number };

/** SQL: locks rows in a fixed order, which Prisma cannot. */
const LOCK = {
  name: 'lock_list',
  text: `SELECT ${READ_LIST}, l.bytes FROM list l WHERE l.pid = $1 AND l.regid = $2 AND l.lid = ANY ($3::text[]) ORDER BY l.lid FOR UPDATE`,
};

/** Every writer of several lists locks them in this order. */
export function lockLists(tx: Tx, { pid, regid }: ListOwner, lids: readonly string[]): Promise<LockedList[]> {
  return tx.query<LockedList>(LOCK, [pid, regid, lids]);
}

export function lockList(tx: Tx, owner: ListOwner, lid: string): Promise<LockedList | null> {
  return findByLid(tx, owner.pid, lid, async (one) => (await lockLists(tx, owner, [one]))[0] ?? null);
}

const isReadableBy = ({ pid, regid }: ListOwner) =>
  ({ pid, OR: [{ regid }, { anonRead: true }] }) satisfies Prisma.ListWhereInput;

type FirstList = Pick<Prisma.ListFindFirstArgs, 'where' | 'orderBy'>;

async function findLid(db: Db, where: FirstList['where'], orderBy?: FirstList['orderBy']) {
  return (await db.prisma.list.findFirst({ where, orderBy, select: { lid: true } }))?.lid ?? null;
}

/** Resolves the id or alias of a list that the shopper may read. */
export function findReadable(db: Db, reader: ListOwner, lid: string): Promise<string | null> {
  return findByLid(db, reader.pid, lid, (one) => findLid(db, { ...isReadableBy(reader), lid: one }));
}

/** Finds the store of a public list; list ids are random, so they are unique across stores. */
export async function findPublicStore({ prisma }: Db, lid: string): Promise<string | null> {
  const list = { anonRead: true };
  const found =
    (await prisma.list.findFirst({ where: { lid, ...list }, select: { pid: true } })) ??
    (await prisma.listAlias.findFirst({ where: { alias: lid, list }, select: { pid: true } }));
  return found?.pid ?? null;
}

/** SQL: returns JSON columns as text; Prisma would parse them. */
const OWN_LIST = {
  name: 'own_list',
  text: `SELECT ${READ_LIST} FROM list l WHERE l.pid = $1 AND l.regid = $2 AND l.lid = $3`,
};

export function findOwnList(db: Db, { pid, regid }: ListOwner, lid: string): Promise<ListRow | null> {
  return findByLid(db, pid, lid, async (one) => {
    const [row] = await db.query<ListRow>(OWN_LIST, [pid, regid, one]);
    return row ?? null;
  });
}

/** Prefers other lists to the save-for-later list. */
export function findNewestList(db: Db, { pid, regid }: ListOwner): Promise<string | null> {
  const orderBy: FirstList['orderBy'] = [{ sflOwner: { sort: 'asc', nulls: 'first' } }, { seq: 'desc' }];
  return findLid(db, { pid, regid, st: 1 }, orderBy);
}

export function findSaveForLater(db: Db, { pid, regid }: ListOwner): Promise<string | null> {
  return findLid(db, { pid, sflOwner: regid });
}

/** Exact only while the shopper's row is locked. */
export function countLists(tx: Tx, { pid, regid }: ListOwner): Promise<number> {
  return tx.prisma.list.count({ where: { pid, regid } });
}

export async function hasLists(tx: Tx, { pid, regid }: ListOwner): Promise<boolean> {
  return (await findLid(tx, { pid, regid })) !== null;
}

/** Exact only while the shopper's row is locked. */
export async function isNameTaken(tx: Tx, { pid, regid }: ListOwner, lname: string): Promise<boolean> {
  return (await findLid(tx, { pid, regid, lname })) !== null;
}

const GIVEN = listColumns.filter(({ write }) => write !== 'own' && write !== 'switch');
const FIRST_GIVEN = 9;

/** SQL: a trigger computes the size, and the same statement returns the total of the owner. */
const INSERT = {
  name: 'insert_list',
  text: `
    INSERT INTO list AS l (pid, regid, lid, sfl_owner, cby, uby, di, uid, cts, uts, ${GIVEN.map(({ column }) => column).join(', ')})
    VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8, $8, ${GIVEN.map(({ sql }, index) => `$${FIRST_GIVEN + index}::${sql}`).join(', ')})
    RETURNING ${READ_LIST}, ${USED_BYTES} AS used`,
};

/** A list after a write; `used` is the owner's storage in bytes, null when the list did not grow. */
export type WrittenList = ListRow & { used: number | null };

/** The caller holds the lock of the owner's row. */
export async function insertList(tx: Tx, owner: ShopperRow, list: NewList, now: Date): Promise<WrittenList> {
  const { pid, regid, em, di, uid } = owner;
  const sflOwner = list.lty === 'sfl' ? regid : null;
  const given = GIVEN.map(({ field }) => list[field as keyof NewList]);
  const params = [pid, regid, list.lid, sflOwner, em, di, uid, now, ...given];
  const [row] = await tx.query<WrittenList>(INSERT, params);
  return row!;
}

const CHANGEABLE = listColumns.filter(({ write }) => write !== 'own' && write !== 'once');
const FIRST_CHANGED = 6;

const changedValue = ({ column, sql, write }: (typeof CHANGEABLE)[number], index: number): string => {
  const sent = `$${FIRST_CHANGED + index}::${sql}`;
  return write === 'clearable'
    ? `${column} = CASE WHEN ${sent} IS NULL THEN l.${column} ELSE nullif(${sent}, '') END`
    : `${column} = coalesce(${sent}, l.${column})`;
};

/** SQL: triggers compute the size, and the same statement returns the total of the owner. */
const CHANGE = {
  name: 'change_list',
  text: `
    UPDATE list l SET ${CHANGEABLE.map(changedValue).join(', ')}, uby = $3, uts = greatest(l.uts, $4), version = l.version + 1
    WHERE l.pid = $1 AND l.lid = $2
    RETURNING ${READ_LIST}, CASE WHEN l.bytes > $5 THEN ${USED_BYTES} END AS used`,
};

/** Changes a locked list and increments its version; an empty `changes` records that its items changed. */
export async function changeList(
  tx: Tx,
  { pid, lid, bytes }: LockedList,
  changes: ListChanges,
  { uby, now }: { uby: string | null; now: Date },
): Promise<WrittenList> {
  const changed = CHANGEABLE.map(({ field }) => changes[field as keyof ListChanges]);
  const [row] = await tx.query<WrittenList>(CHANGE, [pid, lid, uby, now, bytes, ...changed]);
  return row!;
}

export async function deleteList(tx: Tx, { pid, lid }: Pick<ListModel, 'pid' | 'lid'>): Promise<void> {
  await tx.prisma.list.deleteMany({ where: { pid, lid } });
}

export function countShare(db: Db, reader: ListOwner, lid: string) {
  return findByLid(db, reader.pid, lid, async (one) => {
    const [list] = await db.prisma.list.updateManyAndReturn({
      where: { ...isReadableBy(reader), lid: one },
      data: { shares: { increment: 1 } },
      select: { lid: true, lname: true },
    });
    return list ?? null;
  });
}

export async function usedBytes(db: Db, { pid, regid }: ListOwner): Promise<number> {
  const { _sum } = await db.prisma.list.aggregate({ where: { pid, regid }, _sum: { bytes: true } });
  return Number(_sum.bytes ?? 0);
}

/** A list that joins another one. */
export type Joining = { from: string; to: string };

/** Calls `find` with the given ids and, if that finds nothing, again with aliases resolved. `find` checks who may see the list. */
export async function findByLids<Found>(
  db: Db,
  pid: string,
  lids: readonly string[],
  find: (lids: readonly string[]) => Promise<Found>,
  isFound: (found: Found) => boolean = (found) => found !== null,
): Promise<Found> {
  const found = await find(lids);
  if (isFound(found)) return found;
  const rows = await db.prisma.listAlias.findMany({ where: { pid, alias: { in: [...lids] } } });
  const aliased = new Map(rows.map(({ alias, lid }) => [alias, lid]));
  return aliased.size === 0 ? found : find(lids.map((lid) => aliased.get(lid) ?? lid));
}

export function findByLid<Found>(
  db: Db,
  pid: string,
  lid: string,
  find: (lid: string) => Promise<Found>,
  isFound?: (found: Found) => boolean,
): Promise<Found> {
  return findByLids(db, pid, [lid], ([one]) => find(one!), isFound);
}

export async function addAliases(tx: Tx, { pid, lid }: ListKey, aliases: readonly string[]): Promise<void> {
  if (aliases.length > 0)
    await tx.prisma.listAlias.createMany({ data: aliases.map((alias) => ({ pid, alias, lid })) });
}

/** SQL: set-wise. The ids and aliases of lists that join another one become its aliases. */
export async function joinAliases(tx: Tx, pid: string, pairs: readonly Joining[]): Promise<void> {
  await tx.query(
    `WITH pair AS (SELECT * FROM unnest($2::text[], $3::text[]) AS pair (source, target)),
     moved AS (UPDATE list_alias a SET lid = pair.target FROM pair WHERE a.pid = $1 AND a.lid = pair.source)
     INSERT INTO list_alias (pid, alias, lid) SELECT $1, source, target FROM pair`,
    [pid, ...arraysOf(pairs, 'from', 'to')],
  );
}
