import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listSent } from '../../alerts/queue/outbox.service.ts';
import type { Services } from '../../context.ts';

export type OutboxMail = { id: string; sentAt: number; eml: string };

const MAX_MAILS = 20;

/** Finds the demo store's newest emails by their rows, because the folder may contain those of other stores. */
export async function readOutbox({ config, db }: Services, pid: string): Promise<OutboxMail[]> {
  const rows = await listSent(db, pid, 'email', MAX_MAILS);
  const mails = await Promise.all(
    rows.map(async ({ id, finishedAt }) => {
      const eml = await readFile(join(config.dataDir, 'outbox', `${id}.eml`), 'utf8').catch(() => null);
      return eml === null ? [] : [{ id, sentAt: finishedAt!.getTime(), eml }];
    }),
  );
  return mails.flat();
}
