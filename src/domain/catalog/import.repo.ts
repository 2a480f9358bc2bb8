import type { Db } from '../../database/database.ts';

/** How far an import came. */
export type ImportRun = {
  offset: number;
  line: number;
  written: number;
  skipped: number;
  finishedAt: Date | null;
};

/** How far the import of this file came; null when it was never begun. */
export async function findRun(db: Db, pid: string, source: string): Promise<ImportRun | null> {
  const [row] = await db.query<ImportRun>(
    'SELECT "offset", line, written, skipped, finished_at AS "finishedAt" FROM import_run WHERE pid = $1 AND source = $2',
    [pid, source],
  );
  return row ?? null;
}

const SAVE = {
  name: 'save_import_run',
  text: `
    INSERT INTO import_run (pid, source, "offset", line, written, skipped, finished_at, uts) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (pid, source) DO UPDATE SET "offset" = excluded."offset", line = excluded.line, written = excluded.written,
      skipped = excluded.skipped, finished_at = excluded.finished_at, uts = excluded.uts`,
};

/** Records how far an import came, in the transaction of its batch. */
export async function saveRun(db: Db, pid: string, source: string, run: ImportRun, now: Date): Promise<void> {
  await db.query(SAVE, [pid, source, run.offset, run.line, run.written, run.skipped, run.finishedAt, now]);
}
