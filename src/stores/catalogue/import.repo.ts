import type { Db, Raw } from '../../platform/database/database.ts';
import type { ImportRunModel } from '../../generated/prisma/models.ts';

/** How far an import came. */
export type ImportRun = Raw<Omit<ImportRunModel, 'pid' | 'source' | 'uts'>>;

/** How far the import of this file came; null when it was never begun. */
export async function findRun(db: Db, pid: string, source: string): Promise<ImportRun | null> {
  const run = await db.prisma.importRun.findFirst({
    where: { pid, source },
    omit: { pid: true, source: true, uts: true },
  });
  return run && { ...run, offset: Number(run.offset) };
}

/** Records how far an import came, in the transaction of its batch. */
export async function saveRun(db: Db, pid: string, source: string, run: ImportRun, now: Date): Promise<void> {
  const { offset, line, written, skipped, finishedAt } = run;
  const progress = { offset, line, written, skipped, finishedAt, uts: now };
  await db.prisma.importRun.upsert({
    where: { pid_source: { pid, source } },
    create: { pid, source, ...progress },
    update: progress,
  });
}
