import type { OperatorSessionModel, StoreSessionModel } from '../generated/prisma/models.ts';
import type { Database, Db } from '../platform/database/database.ts';

type Hash = Uint8Array<ArrayBuffer>;

/** Beyond 50 sessions of a key, the oldest ends. */
const OLDER = { select: { hash: true }, orderBy: { expiresAt: 'desc' }, skip: 50 } as const;

const isOneOf = (sessions: { hash: Hash }[]) => ({ hash: { in: sessions.map(({ hash }) => hash) } });

export async function addStoreSession(db: Database, session: StoreSessionModel): Promise<void> {
  const { pid, keyId } = session;
  await db.prisma.storeSession.create({ data: session });
  const older = await db.prisma.storeSession.findMany({ where: { pid, keyId }, ...OLDER });
  await db.prisma.storeSession.deleteMany({ where: { pid, ...isOneOf(older) } });
}

export async function addOperatorSession(db: Database, session: OperatorSessionModel): Promise<void> {
  await db.prisma.operatorSession.create({ data: session });
  const older = await db.prisma.operatorSession.findMany({ where: { keyId: session.keyId }, ...OLDER });
  await db.prisma.operatorSession.deleteMany({ where: isOneOf(older) });
}

/** Returns the key id of a store session, or null if it is unknown or expired. It does not check whether the key was revoked. */
export async function findStoreSession(db: Db, pid: string, hash: Hash, now: Date): Promise<string | null> {
  const where = { pid, hash, expiresAt: { gt: now } };
  return (await db.prisma.storeSession.findFirst({ where }))?.keyId ?? null;
}

export async function findOperatorSession(db: Db, hash: Hash, now: Date): Promise<string | null> {
  const where = { hash, expiresAt: { gt: now }, key: { revokedAt: null } };
  return (await db.prisma.operatorSession.findFirst({ where }))?.keyId ?? null;
}

export async function endStoreSession(db: Database, pid: string, hash: Hash): Promise<void> {
  await db.prisma.storeSession.deleteMany({ where: { pid, hash } });
}

export async function endOperatorSession(db: Database, hash: Hash): Promise<void> {
  await db.prisma.operatorSession.deleteMany({ where: { hash } });
}

export async function forgetSessions({ db }: { db: Database }, now: Date): Promise<number> {
  const where = { expiresAt: { lte: now } };
  const stores = await db.prisma.storeSession.deleteMany({ where });
  const operators = await db.prisma.operatorSession.deleteMany({ where });
  return stores.count + operators.count;
}
