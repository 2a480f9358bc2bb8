import type { MailProblem } from '../../alerts/send/mail-problem.ts';
import type { MailSecurity, ServerKey } from '../../alerts/send/store-smtp.ts';
import type { MailServerModel, StoreModel } from '../../generated/prisma/models.ts';
import type { Db } from '../../platform/database/database.ts';
import { IN_SERVICE } from '../../platform/database/in-service.ts';

/** The password is encrypted. */
export type MailServerRow = Omit<MailServerModel, 'security' | 'problem'> & {
  security: MailSecurity;
  problem: MailProblem | null;
};

export async function findServer(db: Db, pid: string): Promise<MailServerRow | null> {
  return (await db.prisma.mailServer.findFirst({ where: { pid } })) as MailServerRow | null;
}

type ServerChange = Pick<MailServerRow, 'host' | 'port' | 'security' | 'login' | 'password' | 'version'>;

/** Clears the recorded health of an earlier server. */
export async function saveServer(db: Db, pid: string, change: ServerChange, now: Date) {
  const fresh = { ...change, problem: null, problemAt: null, sentAt: null, uts: now };
  const create = { pid, ...fresh, cts: now };
  return (await db.prisma.mailServer.upsert({ where: { pid }, create, update: fresh })) as MailServerRow;
}

export async function removeServer(db: Db, pid: string): Promise<boolean> {
  return (await db.prisma.mailServer.deleteMany({ where: { pid } })).count === 1;
}

export async function listOwners(db: Db): Promise<Set<string>> {
  const rows = await db.prisma.mailServer.findMany({ select: { pid: true } });
  return new Set(rows.map(({ pid }) => pid));
}

type SendingServer = MailServerRow & { store: Pick<StoreModel, 'senderAddress'> };

export async function loadServers(db: Db, pids: readonly string[]): Promise<SendingServer[]> {
  const where = { pid: { in: [...new Set(pids)] } };
  const include = { store: { select: { senderAddress: true } } } as const;
  return (await db.prisma.mailServer.findMany({ where, include })) as SendingServer[];
}

/** Records the server's health, unless its settings have changed since. */
export async function noteHealth(db: Db, server: ServerKey, problem: MailProblem | null, now: Date) {
  const { pid, version } = server;
  const data =
    problem === null ? { problem: null, problemAt: null, sentAt: now } : { problem, problemAt: now };
  await db.prisma.mailServer.updateMany({ where: { pid, version }, data });
}

/** Servers whose passwords are encrypted with another key. */
export async function listOtherKeys(db: Db, keyId: string, limit: number): Promise<MailServerRow[]> {
  const where = { ...IN_SERVICE, NOT: { password: { startsWith: `${keyId}.` } } };
  const page = { orderBy: { pid: 'asc' }, take: limit } as const;
  return (await db.prisma.mailServer.findMany({ where, ...page })) as MailServerRow[];
}

/** Replaces the encrypted password, unless it was changed meanwhile. */
export async function replacePassword(db: Db, { pid, password: before }: MailServerRow, password: string) {
  const where = { pid, password: before };
  return (await db.prisma.mailServer.updateMany({ where, data: { password } })).count;
}
