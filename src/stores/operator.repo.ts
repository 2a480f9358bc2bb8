import type { Prisma } from '../generated/prisma/client.ts';
import type { OperatorKeyModel, StoreModel } from '../generated/prisma/models.ts';
import type { Database, Db, Tx } from '../platform/database/database.ts';

export type OperatorKeyRow = Pick<OperatorKeyModel, 'id' | 'name' | 'hint' | 'createdAt' | 'lastUsedAt'>;

export type NewOperatorKey = Pick<OperatorKeyModel, 'id' | 'name' | 'hash' | 'hint'>;

const OPERATOR_LOCK = 815_003;

/** SQL: Prisma has no locks. Lets only one transaction at a time count the operator keys and add one. */
export async function lockOperatorKeys(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [OPERATOR_LOCK]);
}

export async function addOperatorKey(tx: Tx, key: NewOperatorKey): Promise<void> {
  await tx.prisma.operatorKey.create({ data: key });
}

export function listOperatorKeys(db: Db): Promise<OperatorKeyRow[]> {
  return db.prisma.operatorKey.findMany({
    where: { revokedAt: null },
    select: { id: true, name: true, hint: true, createdAt: true, lastUsedAt: true },
    orderBy: { createdAt: 'asc' },
  });
}

export async function hasHadOperatorKey(db: Db): Promise<boolean> {
  return (await db.prisma.operatorKey.count({ take: 1 })) > 0;
}

export async function findOperatorKey(db: Db, hash: Uint8Array<ArrayBuffer>): Promise<string | null> {
  const row = await db.prisma.operatorKey.findFirst({
    where: { hash, revokedAt: null },
    select: { id: true },
  });
  return row?.id ?? null;
}

export async function revokeOperatorKey(db: Database, id: string, now: Date): Promise<boolean> {
  const { count } = await db.prisma.operatorKey.updateMany({
    where: { id, revokedAt: null },
    data: { revokedAt: now },
  });
  return count === 1;
}

export async function noteOperatorUse(db: Database, id: string, at: Date, since: Date): Promise<void> {
  await db.prisma.operatorKey.updateMany({
    where: { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: since } }] },
    data: { lastUsedAt: at },
  });
}

export type ListedStoreRow = Pick<StoreModel, 'pid' | 'name' | 'isDemo' | 'maintenance' | 'createdAt'>;

const LISTED = { pid: true, name: true, isDemo: true, maintenance: true, createdAt: true } as const;

/** Matches a part of the name or the exact pid; includes the demo store only if it is served. */
export type StoreFilter = { search: string; hasDemo: boolean };

/** Escapes LIKE wildcards, because Prisma does not. */
const literal = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

const matching = ({ search, hasDemo }: StoreFilter): Prisma.StoreWhereInput => ({
  ...(search === ''
    ? {}
    : { OR: [{ name: { contains: literal(search), mode: 'insensitive' } }, { pid: search }] }),
  ...(hasDemo ? {} : { isDemo: false }),
});

export type StorePlace = { createdAt: Date; pid: string };

/** Newest first; returns one extra row if another page follows. */
export function listStores(
  db: Db,
  filter: StoreFilter,
  first: number,
  after: StorePlace | null,
): Promise<ListedStoreRow[]> {
  const rest: Prisma.StoreWhereInput = after
    ? {
        OR: [{ createdAt: { lt: after.createdAt } }, { createdAt: after.createdAt, pid: { gt: after.pid } }],
      }
    : {};
  return db.prisma.store.findMany({
    where: { AND: [matching(filter), rest] },
    select: LISTED,
    orderBy: [{ createdAt: 'desc' }, { pid: 'asc' }],
    take: first + 1,
  });
}

export function countStores(db: Db, filter: StoreFilter): Promise<number> {
  return db.prisma.store.count({ where: matching(filter) });
}

export function findListedStore(db: Db, pid: string): Promise<ListedStoreRow | null> {
  return db.prisma.store.findFirst({ where: { pid }, select: LISTED });
}

export async function countFigures(
  db: Db,
  pids: string[],
): Promise<{ shoppers: Map<string, number>; lists: Map<string, number> }> {
  const where = { pid: { in: pids } };
  const [shoppers, lists] = await Promise.all([
    db.prisma.shopper.groupBy({ by: ['pid'], where, _count: { _all: true } }),
    db.prisma.list.groupBy({ by: ['pid'], where, _count: { _all: true } }),
  ]);
  const byPid = (rows: { pid: string; _count: { _all: number } }[]): Map<string, number> =>
    new Map(rows.map(({ pid, _count }) => [pid, _count._all]));
  return { shoppers: byPid(shoppers), lists: byPid(lists) };
}
