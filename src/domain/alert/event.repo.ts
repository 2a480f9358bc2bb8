import type { Db } from '../../database/database.ts';
import type { StoreEvent } from './event.rules.ts';

export type { EventType, StoreEvent } from './event.rules.ts';

const EMIT = {
  name: 'emit_events',
  text: `
    INSERT INTO outbox (pid, id, lane, kind, recipient, payload, due_at, cts)
    SELECT w.pid, gen_random_uuid()::text, 'webhook', e.event ->> 'type', w.id, e.event, $3, $3
    FROM webhook w
    JOIN jsonb_array_elements($2::jsonb) WITH ORDINALITY AS e(event, position) ON e.event ->> 'type' = ANY (w.events)
    WHERE w.pid = $1
    ORDER BY e.position`,
};

/** Queues events for the store's webhooks in the caller's transaction; one index look-up when the store has none. */
export async function emitEvents(
  tx: Db,
  pid: string,
  events: readonly StoreEvent[],
  now: Date,
): Promise<void> {
  if (events.length === 0) return;
  const timestamp = now.toISOString();
  await tx.query(EMIT, [
    pid,
    JSON.stringify(events.map(({ type, data }) => ({ type, timestamp, data }))),
    now,
  ]);
}
