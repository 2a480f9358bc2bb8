import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listSent } from '../../alerts/queue/outbox.service.ts';
import type { Services } from '../../context.ts';
import { HISTORY_DOMAIN } from './history.service.ts';
import type { OutboxMail, OutboxSms } from './message.ts';

const MAX_MESSAGES = 20;

/** The newest messages to visitors, found by their rows: the folder may contain those of other stores. */
export async function readOutbox({ config, db }: Services, pid: string): Promise<(OutboxMail | OutboxSms)[]> {
  const read = async <Content extends object>(
    medium: 'email' | 'sms',
    extension: string,
    parse: (text: string) => Content,
  ) => {
    const rows = await listSent(db, pid, medium, HISTORY_DOMAIN, MAX_MESSAGES);
    return Promise.all(
      rows.map(async ({ id, finishedAt }) => {
        const file = join(config.dataDir, 'outbox', `${id}.${extension}`);
        const text = await readFile(file, 'utf8').catch(() => null);
        return text === null ? [] : [{ ...parse(text), id, sentAt: finishedAt!.getTime() }];
      }),
    );
  };
  const [emails, sms] = await Promise.all([
    read('email', 'eml', (eml) => ({ eml })),
    read('sms', 'json', (text) => JSON.parse(text) as { to: string; text: string }),
  ]);
  return [...emails.flat(), ...sms.flat()].toSorted((a, b) => b.sentAt - a.sentAt).slice(0, MAX_MESSAGES);
}
