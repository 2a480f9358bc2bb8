import { readColumn } from '../platform/database/columns.ts';
import type { Db, Tx } from '../platform/database/database.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import type { ListModel } from '../generated/prisma/models.ts';
import { findAliasedStore, findByLid } from './list-alias.repo.ts';
import { listColumns } from './list.columns.ts';
import type { ListChanges, ListRow, NewList } from './list.columns.ts';

/** What the owner of the written list `l` stores in all lists; the statement that writes `l` sees its new row and the others' old ones. */
export const USED_BYTES = `l.bytes + coalesce((
  SELECT sum(o.bytes) FROM list o WHERE o.pid = l.pid AND o.regid = l.regid AND o.lid <> l.lid), 0)::bigint`;

/** Whose list. */
export type ListOwner = Pick<ListModel, 'pid' | 'regid'>;

/** SQL that reads list `l`, each column named as the record names it. */
export const READ_LIST = listColumns
  .filter(({ isHidden }) => !isHidden)
  .map(({ field, column, sql, as = field }) => readColumn(`l.${column}`, sql, as))
  .join(', ');

/** A list that stays as it is until the transaction ends, and what it takes of the owner's quota. */
export type LockedList = ListRow & { bytes: number };

/** SQL: locks rows in an order, which Prisma cannot say. */
const LOCK = {
  name: 'lock_list',
  text: `SELECT ${READ_LIST}, l.bytes FROM list l WHERE l.pid = $1 AND l.regid = $2 AND l.lid = ANY ($3::text[]) ORDER BY l.lid FOR UPDATE`,
};

/** Locks lists of a shopper, in the order in which every writer of several lists locks them; others' lists are not found. */
export function lockLists(tx: Tx, { pid, regid }: ListOwner, lids: readonly string[]): Promise<LockedList[]> {
  return tx.query<LockedList>(LOCK, [pid, regid, lids]);
}

/** Locks the list of a shopper that was sent by its id or an alias; null when there is none. */
export function lockList(tx: Tx, owner: ListOwner, lid: string): Promise<LockedList | null> {
  return findByLid(tx, owner.pid, lid, async (one) => (await lockLists(tx, owner, [one]))[0] ?? null);
}

/** Lists that the shopper may read: its own and the public ones of its store. */
const isReadableBy = ({ pid, regid }: ListOwner) =>
  ({ pid, OR: [{ regid }, { anonRead: true }] }) satisfies Prisma.ListWhereInput;

/** The id of a list that the shopper may read, sent by it or by an alias; null when there is none. */
export function findReadable(db: Db, reader: ListOwner, lid: string): Promise<string | null> {
  return findByLid(db, reader.pid, lid, async (one) => {
    const where = { ...isReadableBy(reader), lid: one };
    return (await db.prisma.list.findFirst({ where, select: { lid: true } }))?.lid ?? null;
  });
}

/** The store of a public list; its id alone names it, being random. */
export async function findPublicStore(db: Db, lid: string): Promise<string | null> {
  const where = { lid, anonRead: true };
  const list = await db.prisma.list.findFirst({ where, select: { pid: true } });
  return list?.pid ?? findAliasedStore(db, lid);
}

/** SQL: JSON leaves as the text that PostgreSQL keeps; typed, it would be parsed and written anew. */
const OWN_LIST = {
  name: 'own_list',
  text: `SELECT ${READ_LIST} FROM list l WHERE l.pid = $1 AND l.regid = $2 AND l.lid = $3`,
};

/** A list of the shopper's own, by its id or an alias. */
export function findOwnList(db: Db, { pid, regid }: ListOwner, lid: string): Promise<ListRow | null> {
  return findByLid(db, pid, lid, async (one) => {
    const [row] = await db.query<ListRow>(OWN_LIST, [pid, regid, one]);
    return row ?? null;
  });
}

/** The id of the shopper's newest active list, a save-for-later list only where it has no other. */
export async function findNewestList(db: Db, { pid, regid }: ListOwner): Promise<string | null> {
  const where = { pid, regid, st: 1 };
  const orderBy = [{ sflOwner: { sort: 'asc', nulls: 'first' } }, { seq: 'desc' }] as const;
  return (
    (await db.prisma.list.findFirst({ where, orderBy: [...orderBy], select: { lid: true } }))?.lid ?? null
  );
}

/** The id of the shopper's save-for-later list. */
export async function findSaveForLater(db: Db, { pid, regid }: ListOwner): Promise<string | null> {
  const where = { pid, sflOwner: regid };
  return (await db.prisma.list.findFirst({ where, select: { lid: true } }))?.lid ?? null;
}

/** How many lists a shopper has; true only while the shopper's row is locked. */
export function countLists(tx: Tx, { pid, regid }: ListOwner): Promise<number> {
  return tx.prisma.list.count({ where: { pid, regid } });
}

/** Whether a list of the shopper has this name; true only while the shopper's row is locked. */
export async function isNameTaken(tx: Tx, { pid, regid }: ListOwner, lname: string): Promise<boolean> {
  return (await tx.prisma.list.findFirst({ where: { pid, regid, lname }, select: { lid: true } })) !== null;
}

const GIVEN = listColumns.filter(({ write }) => write !== 'own' && write !== 'switch');
const FIRST_GIVEN = 9;

/** SQL: a trigger weighs the new list, and the same statement tells what its owner stores in all. */
const INSERT = {
  name: 'insert_list',
  text: `
    INSERT INTO list AS l (pid, regid, lid, sfl_owner, cby, uby, di, uid, cts, uts, ${GIVEN.map(({ column }) => column).join(', ')})
    VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8, $8, ${GIVEN.map(({ sql }, index) => `$${FIRST_GIVEN + index}::${sql}`).join(', ')})
    RETURNING ${READ_LIST}, ${USED_BYTES} AS used`,
};

/** A list as a write left it, and what its owner stores in all; null when the write did not take more room. */
export type WrittenList = ListRow & { used: number | null };

/** Adds a list for an owner whose row is locked. */
export async function insertList(
  tx: Tx,
  owner: ListOwner & { em: string | null; di: string; uid: string },
  list: NewList,
  now: Date,
): Promise<WrittenList> {
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

/** SQL: every write of items ends with it; triggers weigh the list, and the same statement tells what its owner stores in all. */
const CHANGE = {
  name: 'change_list',
  text: `
    UPDATE list l SET ${CHANGEABLE.map(changedValue).join(', ')}, uby = $3, uts = greatest(l.uts, $4), version = l.version + 1
    WHERE l.pid = $1 AND l.lid = $2
    RETURNING ${READ_LIST}, CASE WHEN l.bytes > $5 THEN ${USED_BYTES} END AS used`,
};

/** Changes a locked list, given as it was, and moves its version on; without changes it records that the items changed. */
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

/** Deletes a locked list; its items go with it. */
export async function deleteList(tx: Tx, { pid, lid }: Pick<ListModel, 'pid' | 'lid'>): Promise<void> {
  await tx.prisma.list.deleteMany({ where: { pid, lid } });
}

/** Counts a share of a list that the shopper may read, sent by its id or an alias, and tells which it is; null when there is none. */
export function countShare(
  db: Db,
  reader: ListOwner,
  lid: string,
): Promise<Pick<ListModel, 'lid' | 'lname'> | null> {
  return findByLid(db, reader.pid, lid, async (one) => {
    const [list] = await db.prisma.list.updateManyAndReturn({
      where: { ...isReadableBy(reader), lid: one },
      data: { shares: { increment: 1 } },
      select: { lid: true, lname: true },
    });
    return list ?? null;
  });
}

/** What a shopper stores in all lists. */
export async function usedBytes(db: Db, { pid, regid }: { pid: string; regid: string }): Promise<number> {
  const { _sum } = await db.prisma.list.aggregate({ where: { pid, regid }, _sum: { bytes: true } });
  return Number(_sum.bytes ?? 0);
}
