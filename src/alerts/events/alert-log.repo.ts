import type { OutboxMessageModel } from '../../generated/prisma/models.ts';
import { escapeLike } from '../../platform/database/columns.ts';
import type { Db, Raw, Tx } from '../../platform/database/database.ts';
import { IN_SERVICE } from '../../platform/database/in-service.ts';
import { isUniqueViolation } from '../../platform/database/errors.ts';
import type { PageRead } from '../../platform/page.ts';
import { DAY_MS } from '../../platform/time.ts';
import type { MessageState } from '../queue/outbox.repo.ts';

export type AlertRow = Pick<
  Raw<OutboxMessageModel>,
  'pid' | 'id' | 'attempts' | 'error' | 'dueAt' | 'cts' | 'finishedAt' | 'seq'
> & { state: MessageState; topic: string; epi: string; medium: string; value: string };

const STATES: readonly MessageState[] = ['queued', 'sent', 'failed', 'withheld'];

/** Null matches any value. `from` is inclusive, `to` exclusive, and the contact is matched by prefix. */
export type AlertFilter = { state: MessageState | null } & Record<'topic' | 'contact', string | null> &
  Record<'from' | 'to', Date | null>;

const statesOf = ({ state }: AlertFilter): readonly MessageState[] => (state === null ? STATES : [state]);

type AlertPage = PageRead<Pick<AlertRow, 'cts' | 'seq'>>;

const whereOf = (pid: string, { topic, from, to, contact, before }: AlertFilter & Partial<AlertPage>) => ({
  pid,
  lane: 'alert',
  ...(topic !== null && { topic }),
  ...(contact !== null && { recipient: { startsWith: escapeLike(contact) } }),
  cts: { gte: from ?? undefined, lt: to ?? undefined, lte: before?.cts },
  ...(before && { NOT: { cts: before.cts, seq: { gte: before.seq } } }),
});

/** Newest first. Each state is read from its own end of the index, so that rare states are found without a scan. */
export async function listAlerts(db: Db, pid: string, filter: AlertFilter & AlertPage): Promise<AlertRow[]> {
  const pages = await Promise.all(
    statesOf(filter).map((state) =>
      db.prisma.outboxMessage.findMany({
        where: { ...whereOf(pid, filter), state },
        omit: { payload: true },
        orderBy: [{ cts: 'desc' }, { seq: 'desc' }],
        take: filter.limit,
      }),
    ),
  );
  const newest = pages
    .flat()
    .sort((left, right) => Number(right.cts) - Number(left.cts) || Number(right.seq - left.seq));
  return newest
    .slice(0, filter.limit)
    .map(({ recipient: value, seq, ...row }) => ({ ...row, value, seq: Number(seq) }) as AlertRow);
}

export async function countAlerts(db: Db, pid: string, filter: AlertFilter): Promise<number> {
  return db.prisma.outboxMessage.count({
    where: { ...whereOf(pid, filter), state: { in: [...statesOf(filter)] } },
  });
}

/** SQL: reads other rows of the table that it updates, in one statement. */
const RETRY = `
  UPDATE outbox o SET state = 'queued', attempts = 0, claim = o.claim + 1, due_at = $3, finished_at = NULL, error = NULL,
    has_place = false, leaves_at = NULL, parcel_id = NULL
  WHERE pid = $1 AND state = 'failed' AND lane = 'alert' AND ($2::text[] IS NULL OR id = ANY ($2))
    AND NOT EXISTS (
      SELECT FROM outbox n WHERE n.pid = o.pid AND n.subscription_id = o.subscription_id AND n.id <> o.id
        AND (n.state = 'queued' OR (n.state = 'failed' AND n.seq > o.seq)))
    AND (o.subscription_id IS NOT NULL OR NOT EXISTS (
      SELECT FROM outbox n WHERE n.pid = o.pid AND n.state IN ('queued', 'failed') AND n.lane = 'alert' AND n.subscription_id IS NULL AND n.id <> o.id
        AND n.epi = o.epi AND n.topic = o.topic AND n.medium = o.medium AND n.recipient = o.recipient AND (n.state = 'queued' OR n.seq > o.seq)))
  RETURNING id`;
/** A retry gives up after this many concurrently written batches. */
const MAX_PORTIONS_BESIDE = 10;

/** Requeues dead letters without a newer alert; checks again if a concurrent batch inserts one while this waits on its lock. */
export async function retryAlerts(tx: Tx, pid: string, ids: readonly string[] | null, now: Date) {
  for (let look = 1; ; look += 1) {
    try {
      const retried = await tx.attempt(() => tx.query(RETRY, [pid, ids, now]));
      if (retried.length > 0) tx.afterCommit(tx.wake);
      return retried.length;
    } catch (error) {
      if (look === MAX_PORTIONS_BESIDE || !isUniqueViolation(error)) throw error;
    }
  }
}

/** No cool-down is longer than 30 days. */
export async function forgetSeen({ db }: { db: Db }, now: Date): Promise<number> {
  const where = { ...IN_SERVICE, sentAt: { lt: new Date(now.getTime() - 30 * DAY_MS) } };
  return (await db.prisma.alertSeen.deleteMany({ where, limit: 5_000 })).count;
}
