import type { WebhookTryModel } from '../../generated/prisma/models.ts';
import type { Db } from '../../platform/database/database.ts';

export type TryRow = Pick<WebhookTryModel, 'at' | 'tookMs' | 'status' | 'error'>;

export type NewTry = TryRow & Pick<WebhookTryModel, 'pid' | 'webhookId' | 'deliveryId'>;

const SHOWN = { at: true, tookMs: true, status: true, error: true } as const;
const SHOWN_TRIES = 50;
const COUNTED_TRIES = 1_000;
const FORGOTTEN_AT_ONCE = 10_000;

export async function recordAttempt(db: Db, noted: NewTry): Promise<void> {
  await db.prisma.webhookTry.createMany({ data: noted });
}

/** Oldest first. */
export async function triesOf(db: Db, pid: string, deliveryId: string): Promise<TryRow[]> {
  const rows = await db.prisma.webhookTry.findMany({
    where: { pid, deliveryId },
    select: SHOWN,
    orderBy: { seq: 'desc' },
    take: SHOWN_TRIES,
  });
  return rows.reverse();
}

/** Returns the last attempt of a webhook, or its last successful one. */
export function lastTry(
  db: Db,
  pid: string,
  webhookId: string,
  isTaken: boolean,
): Promise<Pick<WebhookTryModel, 'seq' | 'at' | 'error'> | null> {
  return db.prisma.webhookTry.findFirst({
    where: { pid, webhookId, ...(isTaken && { error: null }) },
    select: { seq: true, at: true, error: true },
    orderBy: { seq: 'desc' },
  });
}

export function countTriesSince(db: Db, pid: string, webhookId: string, seq: bigint): Promise<number> {
  return db.prisma.webhookTry.count({ where: { pid, webhookId, seq: { gt: seq } }, take: COUNTED_TRIES });
}

export async function removeTries(db: Db, before: Date): Promise<number> {
  const { count } = await db.prisma.webhookTry.deleteMany({
    where: { at: { lt: before } },
    limit: FORGOTTEN_AT_ONCE,
  });
  return count;
}
