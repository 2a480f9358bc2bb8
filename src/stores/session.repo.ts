import type { Database, Db } from '../platform/database/database.ts';

type Hash = Uint8Array<ArrayBuffer>;

/** Maximum sessions per key; another session ends the oldest. */
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

/** Returns the key id of a store session, or null if it is unknown or expired. It does not check whether the key was revoked. */
export async function findStoreSession(db: Db, pid: string, hash: Hash, now: Date): Promise<string | null> {
  const row = await db.prisma.storeSession.findFirst({
    where: { pid, hash, expiresAt: { gt: now } },
    select: { keyId: true },
  });
  return row?.keyId ?? null;
}

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

export async function forgetSessions(db: Database, now: Date): Promise<number> {
  const where = { expiresAt: { lte: now } };
  const stores = await db.prisma.storeSession.deleteMany({ where });
  const operators = await db.prisma.operatorSession.deleteMany({ where });
  return stores.count + operators.count;
}
