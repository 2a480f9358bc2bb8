import { arraysOf, unnestKeys } from '../../platform/database/columns.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { currentTraceparent } from '../../platform/tracing.ts';
import type { EventType, StoreEvent } from './webhook.rules.ts';

export type { EventType, StoreEvent } from './webhook.rules.ts';

/** SQL: every write that adds or removes an item runs it; one statement finds the webhooks of all stores and queues the events. */
const EMIT = {
  name: 'emit_events',
  text: `
    INSERT INTO outbox (pid, id, lane, kind, recipient, payload, due_at, cts, traceparent)
    SELECT w.pid, gen_random_uuid()::text, 'webhook', e.type, w.id, e.body, e.at, e.at, $5
    FROM ${unnestKeys('e', { pid: 'text', type: 'text', at: 'timestamptz', body: 'jsonb' })}
    JOIN webhook w ON w.pid = e.pid AND e.type = ANY (w.events)
    ORDER BY e.position
    RETURNING 1`,
};

export type HappenedEvent = StoreEvent & { pid: string; now: Date };

export async function isHeard(db: Db, pid: string, type: EventType): Promise<boolean> {
  const where = { pid, events: { has: type } };
  return (await db.prisma.webhook.findFirst({ where, select: { id: true } })) !== null;
}

/** Queues events in the caller's transaction; a store without webhooks costs one index lookup. */
export async function queueEvents(tx: Tx, events: readonly HappenedEvent[]): Promise<void> {
  if (events.length === 0) return;
  const queued = await tx.query(EMIT, [
    ...arraysOf(events, 'pid', 'type', 'now'),
    events.map(({ type, now, data }) => JSON.stringify({ type, timestamp: now.toISOString(), data })),
    currentTraceparent(),
  ]);
  if (queued.length > 0) tx.afterCommit(tx.wake);
}

export function emitEvents(tx: Tx, pid: string, events: readonly StoreEvent[], now: Date): Promise<void> {
  const happened = events.map((event) => ({ ...event, pid, now }));
  return queueEvents(tx, happened);
}
