import type { Db, Tx } from '../../database/database.ts';
import type { EventType, StoreEvent } from './event.rules.ts';

export type { EventType, StoreEvent } from './event.rules.ts';

/** SQL: every write of an item runs it; it finds the listeners and queues for them in one statement. */
const EMIT = {
  name: 'emit_events',
  text: `
    INSERT INTO outbox (pid, id, lane, kind, recipient, payload, due_at, cts)
    SELECT w.pid, gen_random_uuid()::text, 'webhook', e.event ->> 'type', w.id, e.event, $3, $3
    FROM webhook w
    JOIN jsonb_array_elements($2::jsonb) WITH ORDINALITY AS e(event, position) ON e.event ->> 'type' = ANY (w.events)
    WHERE w.pid = $1
    ORDER BY e.position
    RETURNING 1`,
};

/** Whether a webhook of the store listens to a type of events. */
export async function isHeard(db: Db, pid: string, type: EventType): Promise<boolean> {
  const listener = await db.prisma.webhook.findFirst({
    where: { pid, events: { has: type } },
    select: { id: true },
  });
  return listener !== null;
}

/** Queues events for the store's webhooks in the caller's transaction; one index look-up when the store has none. */
export async function emitEvents(
  tx: Tx,
  pid: string,
  events: readonly StoreEvent[],
  now: Date,
): Promise<void> {
  if (events.length === 0) return;
  const timestamp = now.toISOString();
  const queued = await tx.query(EMIT, [
    pid,
    JSON.stringify(events.map(({ type, data }) => ({ type, timestamp, data }))),
    now,
  ]);
  if (queued.length > 0) tx.afterCommit(tx.wake);
}
