import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Services } from '../context.ts';

/** A mail as it would have gone out: the whole message in its wire form. */
export type OutboxMail = { id: string; sentAt: number; eml: string };

const MAX_MAILS = 20;

// Other stores' mails may lie in the same folder, so the demo store's are found by their rows.
const SENT = `
  SELECT id, finished_at AS "sentAt" FROM outbox
  WHERE pid = $1 AND state = 'sent' AND lane IN ('alert-email', 'mail') ORDER BY seq DESC LIMIT ${MAX_MAILS}`;

/** The demo store's newest mails, which always become files. */
export async function readOutbox({ config, db }: Services, pid: string): Promise<OutboxMail[]> {
  const rows = await db.query<{ id: string; sentAt: Date }>(SENT, [pid]);
  const mails = await Promise.all(
    rows.map(async ({ id, sentAt }) => {
      const eml = await readFile(join(config.dataDir, 'outbox', `${id}.eml`), 'utf8').catch(() => null);
      return eml === null ? [] : [{ id, sentAt: sentAt.getTime(), eml }];
    }),
  );
  return mails.flat();
}
