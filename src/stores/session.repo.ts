import type { Database, Db } from '../platform/database/database.ts';

type Hash = Uint8Array<ArrayBuffer>;

/** Most sessions of one key; a further one ends the oldest. */
const MAX_SESSIONS = 50;

export async function addStoreSession(
  db: Database,
  session: { pid: string; keyId: string; hash: Hash; createdAt: Date; expiresAt: Date },
): Promise<void> {
  const { pid, keyId } = session;
  await db.prisma.storeSession.create({ data: session });
  const older = await db.prisma.storeSession.findMany({
    where: { pid, keyId },
    select: { hash: true },
    orderBy: { expiresAt: 'desc' },
    skip: MAX_SESSIONS,
  });
  await db.prisma.storeSession.deleteMany({ where: { pid, hash: { in: older.map(({ hash }) => hash) } } });
}

export async function addOperatorSession(
  db: Database,
  session: { keyId: string; hash: Hash; createdAt: Date; expiresAt: Date },
): Promise<void> {
  const { keyId } = session;
  await db.prisma.operatorSession.create({ data: session });
  const older = await db.prisma.operatorSession.findMany({
    where: { keyId },
    select: { hash: true },
    orderBy: { expiresAt: 'desc' },
    skip: MAX_SESSIONS,
  });
  await db.prisma.operatorSession.deleteMany({ where: { hash: { in: older.map(({ hash }) => hash) } } });
}

/** Id of the key that a session of this store stands for; null when there is none, or its time is over. Whether the key still works is not looked at. */
export async function findStoreSession(db: Db, pid: string, hash: Hash, now: Date): Promise<string | null> {
  const row = await db.prisma.storeSession.findFirst({
    where: { pid, hash, expiresAt: { gt: now } },
    select: { keyId: true },
  });
  return row?.keyId ?? null;
}

/** Id of the operator key that a session stands for, while both are valid. */
export async function findOperatorSession(db: Db, hash: Hash, now: Date): Promise<string | null> {
  const row = await db.prisma.operatorSession.findFirst({
    where: { hash, expiresAt: { gt: now }, key: { revokedAt: null } },
    select: { keyId: true },
  });
  return row?.keyId ?? null;
}

export async function endStoreSession(db: Database, pid: string, hash: Hash): Promise<void> {
  await db.prisma.storeSession.deleteMany({ where: { pid, hash } });
}

export async function endOperatorSession(db: Database, hash: Hash): Promise<void> {
  await db.prisma.operatorSession.deleteMany({ where: { hash } });
}

/** Forgets all sessions whose time is over; returns how many. */
export async function forgetSessions(db: Database, now: Date): Promise<number> {
  const where = { expiresAt: { lte: now } };
  const stores = await db.prisma.storeSession.deleteMany({ where });
  const operators = await db.prisma.operatorSession.deleteMany({ where });
  return stores.count + operators.count;
}
