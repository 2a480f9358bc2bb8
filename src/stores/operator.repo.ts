import type { Prisma } from '../generated/prisma/client.ts';
import type { OperatorKeyModel, StoreModel } from '../generated/prisma/models.ts';
import { escapeLike } from '../platform/database/columns.ts';
import type { Database, Db, Tx } from '../platform/database/database.ts';
import type { PageRead } from '../platform/page.ts';

const SHOWN = { id: true, name: true, hint: true, createdAt: true, lastUsedAt: true } as const;

export type OperatorKeyRow = Pick<OperatorKeyModel, keyof typeof SHOWN>;

const OPERATOR_LOCK = 815_003;

/** SQL: Prisma has no locks. Lets only one transaction at a time count the operator keys and add one. */
export async function lockOperatorKeys(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [OPERATOR_LOCK]);
}

export async function addOperatorKey(tx: Tx, data: Prisma.OperatorKeyCreateInput): Promise<void> {
  await tx.prisma.operatorKey.create({ data });
}

export function listOperatorKeys(db: Db): Promise<OperatorKeyRow[]> {
  const orderBy = { createdAt: 'asc' as const };
  return db.prisma.operatorKey.findMany({ where: { revokedAt: null }, select: SHOWN, orderBy });
}

export async function hasHadOperatorKey(db: Db): Promise<boolean> {
  return (await db.prisma.operatorKey.count({ take: 1 })) > 0;
}

export async function findOperatorKey(db: Db, hash: Uint8Array<ArrayBuffer>): Promise<string | null> {
  return (await db.prisma.operatorKey.findFirst({ where: { hash, revokedAt: null } }))?.id ?? null;
}

export async function revokeOperatorKey(db: Database, id: string, now: Date): Promise<boolean> {
  const where = { id, revokedAt: null };
  return (await db.prisma.operatorKey.updateMany({ where, data: { revokedAt: now } })).count === 1;
}

/** Records the use of a store's key, or of an operator's where `pid` is null, unless a use after `since` is recorded. */
export async function noteKeyUse(db: Db, pid: string | null, id: string, at: Date, since: Date) {
  const where = { id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: since } }] };
  const data = { lastUsedAt: at };
  if (pid === null) await db.prisma.operatorKey.updateMany({ where, data });
  else await db.prisma.storeKey.updateMany({ where: { pid, ...where }, data });
}

const LISTED = { pid: true, name: true, isDemo: true, maintenance: true, createdAt: true } as const;

export type ListedStoreRow = Pick<StoreModel, keyof typeof LISTED>;

/** Matches a part of the name or the exact pid; includes the demo store only if it is served. */
type StoreFilter = { search: string; hasDemo: boolean };

const matching = ({ search, hasDemo }: StoreFilter): Prisma.StoreWhereInput => ({
  ...(search !== '' && {
    OR: [{ name: { contains: escapeLike(search), mode: 'insensitive' } }, { pid: search }],
  }),
  ...(!hasDemo && { isDemo: false }),
});

type StorePosition = Pick<StoreModel, 'createdAt' | 'pid'>;

/** Newest first, those behind a position. */
export function listStores({ prisma }: Db, filter: StoreFilter, { before, limit }: PageRead<StorePosition>) {
  const older = before && {
    createdAt: { lte: before.createdAt },
    NOT: { ...before, pid: { lte: before.pid } },
  };
  const where = { AND: [matching(filter), older ?? {}] };
  const orderBy = [{ createdAt: 'desc' as const }, { pid: 'asc' as const }];
  return prisma.store.findMany({ where, select: LISTED, orderBy, take: limit });
}

export function countStores(db: Db, filter: StoreFilter): Promise<number> {
  return db.prisma.store.count({ where: matching(filter) });
}

export function findListedStore(db: Db, pid: string): Promise<ListedStoreRow | null> {
  return db.prisma.store.findFirst({ where: { pid }, select: LISTED });
}

/** The numbers of shoppers and lists of each store that has any. */
export async function countFigures({ prisma }: Db, pids: string[]) {
  const where = { pid: { in: pids } };
  const [shoppers, lists] = await Promise.all([
    prisma.shopper.groupBy({ by: ['pid'], where, _count: true }),
    prisma.list.groupBy({ by: ['pid'], where, _count: true }),
  ]);
  const byPid = (rows: { pid: string; _count: number }[]) =>
    new Map(rows.map((row) => [row.pid, row._count]));
  return { shoppers: byPid(shoppers), lists: byPid(lists) };
}
