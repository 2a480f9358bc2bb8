import type { MailProblem } from '../../alerts/send/mail-problem.ts';
import type { MailSecurity } from '../../alerts/send/store-smtp.ts';
import type { MailServerModel, StoreModel } from '../../generated/prisma/models.ts';
import type { Db } from '../../platform/database/database.ts';

/** The password is encrypted. */
export type MailServerRow = Omit<MailServerModel, 'security' | 'problem'> & {
  security: MailSecurity;
  problem: MailProblem | null;
};

const toRow = <Row extends Pick<MailServerModel, 'security' | 'problem'>>(row: Row) => ({
  ...row,
  security: row.security as MailSecurity,
  problem: row.problem as MailProblem | null,
});

export async function findServer(db: Db, pid: string): Promise<MailServerRow | null> {
  const row = await db.prisma.mailServer.findFirst({ where: { pid } });
  return row && toRow(row);
}

export type ServerChange = Pick<
  MailServerRow,
  'host' | 'port' | 'security' | 'login' | 'password' | 'version'
>;

/** Clears the recorded health of an earlier server. */
export async function saveServer(
  db: Db,
  pid: string,
  change: ServerChange,
  now: Date,
): Promise<MailServerRow> {
  const fresh = { ...change, problem: null, problemAt: null, sentAt: null, uts: now };
  const row = await db.prisma.mailServer.upsert({
    where: { pid },
    create: { pid, ...fresh, cts: now },
    update: fresh,
  });
  return toRow(row);
}

export async function removeServer(db: Db, pid: string): Promise<boolean> {
  return (await db.prisma.mailServer.deleteMany({ where: { pid } })).count === 1;
}

export async function listOwners(db: Db): Promise<Set<string>> {
  const rows = await db.prisma.mailServer.findMany({ select: { pid: true } });
  return new Set(rows.map(({ pid }) => pid));
}

export type SendingServer = MailServerRow & { store: Pick<StoreModel, 'senderAddress'> };

export async function loadServers(db: Db, pids: readonly string[]): Promise<SendingServer[]> {
  const rows = await db.prisma.mailServer.findMany({
    where: { pid: { in: [...new Set(pids)] } },
    include: { store: { select: { senderAddress: true } } },
  });
  return rows.map(toRow);
}

/** Records the server's health, unless its settings have changed since. */
export async function noteHealth(
  db: Db,
  { pid, version }: Pick<MailServerRow, 'pid' | 'version'>,
  problem: MailProblem | null,
  now: Date,
): Promise<void> {
  const data =
    problem === null ? { problem: null, problemAt: null, sentAt: now } : { problem, problemAt: now };
  await db.prisma.mailServer.updateMany({ where: { pid, version }, data });
}

export async function listSealedOtherwise(db: Db, keyId: string, most: number): Promise<MailServerRow[]> {
  const rows = await db.prisma.mailServer.findMany({
    where: { NOT: { password: { startsWith: `${keyId}.` } } },
    orderBy: { pid: 'asc' },
    take: most,
  });
  return rows.map(toRow);
}

/** Replaces the encrypted password, unless it was changed meanwhile. */
export async function replaceSeal(
  db: Db,
  { pid, password: before }: Pick<MailServerRow, 'pid' | 'password'>,
  password: string,
): Promise<number> {
  return (await db.prisma.mailServer.updateMany({ where: { pid, password: before }, data: { password } }))
    .count;
}
