import type { ImportRunModel } from '../../generated/prisma/models.ts';
import type { Db, Raw } from '../../platform/database/database.ts';

export type ImportRun = Raw<Omit<ImportRunModel, 'pid' | 'source' | 'uts'>>;

export async function findRun(db: Db, pid: string, source: string): Promise<ImportRun | null> {
  const omit = { pid: true, source: true, uts: true } as const;
  const run = await db.prisma.importRun.findFirst({ where: { pid, source }, omit });
  return run && { ...run, offset: Number(run.offset) };
}

export async function saveRun(db: Db, pid: string, source: string, run: ImportRun, now: Date): Promise<void> {
  const key = { pid, source };
  const update = { ...run, uts: now };
  await db.prisma.importRun.upsert({ where: { pid_source: key }, create: { ...key, ...update }, update });
}
