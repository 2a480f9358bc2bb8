import type { OperatorSessionModel, StoreSessionModel } from '../generated/prisma/models.ts';
import type { Database, Db } from '../platform/database/database.ts';
import { IN_SERVICE } from '../platform/database/in-service.ts';

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

/** Returns the key id of a session, an operator's where `pid` is empty, or null if it is unknown or expired. A store's key may be revoked. */
export async function findSession({ prisma }: Db, pid: string, hash: Hash, now: Date) {
  const where = { hash, expiresAt: { gt: now } };
  const found = await (pid === ''
    ? prisma.operatorSession.findFirst({ where: { ...where, key: { revokedAt: null } } })
    : prisma.storeSession.findFirst({ where: { pid, ...where } }));
  return found?.keyId ?? null;
}

export async function endSession({ prisma }: Database, pid: string, hash: Hash): Promise<void> {
  if (pid === '') await prisma.operatorSession.deleteMany({ where: { hash } });
  else await prisma.storeSession.deleteMany({ where: { pid, hash } });
}

export async function forgetSessions({ db }: { db: Database }, now: Date): Promise<number> {
  const where = { expiresAt: { lte: now } };
  const stores = await db.prisma.storeSession.deleteMany({ where: { ...where, key: IN_SERVICE } });
  const operators = await db.prisma.operatorSession.deleteMany({ where });
  return stores.count + operators.count;
}
